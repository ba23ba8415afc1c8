/* rank_work.h - what a rank computes, in a few sums: the table of a part that tells why a rank is slow.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANK_WORK_H
#define TL_RANK_WORK_H

#include "base/io.h"
#include "work/name_rules.h"
#include "model/trace.h"
#include "table/table.h"

#define TL_RANK_WORK "work"

/* Makes the table of a trace whose work is marked: the time of all kernels that compute, that of the TL_WORK_KERNELS names with
 * most time, and the number of steps; the kind of its GPU, and the mean of its clock while it works, if that was recorded.
 * NULL: it has none of these. The caller frees it; strings: of its texts. */
enum { TL_WORK_KERNELS = 20 };
struct tl_table *tl_rank_work_table(struct tl_trace *, struct tl_strtab *strings);

/* Those of all ranks. categories: of kernels, by their names. */
struct tl_works;
struct tl_works *tl_works_new(size_t ranks, struct tl_name_rules *categories);
void tl_works_free(struct tl_works *); /* NULL is allowed */
/* Reads the table of a rank. TL_ERR_DATA: it is none. */
enum tl_status tl_works_read(struct tl_works *, size_t rank, struct tl_input *, struct tl_error *);
/* What the rank computes says nothing about the others: it does not work with them. */
void tl_works_leave_out(struct tl_works *, size_t rank);
/* How many steps most ranks have, of those that have some; 0: not known. */
int64_t tl_works_steps(const struct tl_works *);
int64_t tl_works_steps_of(const struct tl_works *, size_t rank);
/* Bus bandwidth of an all-reduce among the GPUs of a node, 10^9 bytes/s, of the GPU that the first rank names; 0: not known. */
double tl_works_peer_gbps(const struct tl_works *);
/* In what a rank needs extra_ms longer than others: "computation" or "waiting"; NULL: not known. *kernel: of computation, the
 * name, without arguments, of the kernel in which it needs most more than the median rank, and its category; or NULL. */
const char *tl_works_slow_in(struct tl_works *, size_t rank, double extra_ms, const char **category,
                             const char **kernel);
/* How many more kernels that compute the rank has than the median rank, as a part of these; NAN: not known. */
double tl_works_more_kernels(const struct tl_works *, size_t rank);
/* The unit of the clock of the rank's GPU; NULL: no clock was recorded. *usual: the median of the ranks with a clock in this unit. */
const char *tl_works_clock(const struct tl_works *, size_t rank, double *clock, double *usual);

#endif
