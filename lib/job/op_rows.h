/* op_rows.h - what operators achieved: rows that stand for any number of events and can be added up, and the sheet made of them.
 *
 * An operator with its parameters has a row, and for each number of kernels that its events launched a row for each place among
 * them: the first kernels of all such events, the second ones, and so on.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OP_ROWS_H
#define TL_OP_ROWS_H

#include "job/op_groups.h"
#include "model/trace.h"
#include "perf/perf.h"
#include "sheet/multi.h"
#include "table/sheet_sum.h"
#include "table/table_reader.h"

/* Events that are in no row: the model failed; they launched no kernel, where a group needs one. */
struct tl_op_rows_left { size_t failed, without_kernels; };
/* Adds to sums[i], whose definition becomes that of operators of a trace (op_sum), the rows of the i-th group of sheets; nothing if the trace has no
 * event of it. Only events with Input Dims count. TL_ERR_DATA: operators are nested too deeply. */
enum tl_status tl_op_rows_add(struct tl_sheet_sum *sums, struct tl_trace *, const struct tl_registry *, const struct tl_op_groups *,
                              struct tl_op_rows_left *, struct tl_error *);
/* The sheet of a group, in the strings of the sum; NULL: it has no rows. */
struct tl_table *tl_op_rows_sheet(struct tl_sheet_sum *);
/* The columns of rows, for tl_tsv_read_table. */
extern const struct tl_tsv_columns tl_op_rows_columns;

#endif
