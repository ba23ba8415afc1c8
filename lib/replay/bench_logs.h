/* bench_logs.h - what libraries log of calls becomes commands of benchmarks; what benchmarks print becomes times.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_BENCH_LOGS_H
#define TL_BENCH_LOGS_H

#include "base/base.h"

enum tl_bench { TL_BENCH_HIPBLASLT, TL_BENCH_MIOPEN, TL_BENCH_CUBLAS, TL_BENCHES };
/* The program's name. */
const char *tl_bench_program(enum tl_bench);
/* A log with the edits that make commands of it, as TraceLens makes them: hipBLASLt's calls measure with a heuristic,
 * so many iterations and so many MB of rotating memory; of MIOpen's log the lines of the calls stay. */
void tl_bench_edit_log(enum tl_bench, const char *log, size_t len, int64_t rotate, struct tl_buf *commands);
/* The time in µs that the program printed, by the name of its column; that of its last result or, if they are passes of one
 * operator, of all together. False: none. */
bool tl_bench_time(enum tl_bench, const char *output, bool passes, double *us);
/* The number in the column of a table of comma-separated values, in its last row. False: there is none. */
bool tl_last_number(const char *text, const char *column, double *number);

#endif
