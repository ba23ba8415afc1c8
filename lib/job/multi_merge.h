/* multi_merge.h - the sheets about several traces, from the tables of their parts.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MULTI_MERGE_H
#define TL_MULTI_MERGE_H

#include "job/op_groups.h"
#include "job/multi_part.h"

struct tl_multi_merge;
/* groups: must outlive the merge. */
struct tl_multi_merge *tl_multi_merge_new(const struct tl_op_groups *);
void tl_multi_merge_free(struct tl_multi_merge *);

/* Begins the next trace. Traces are in the order of their ranks; two may have one rank. */
void tl_multi_merge_next(struct tl_multi_merge *, int64_t rank);
/* Adds a table of that trace; the rows are copied. Before sheets are made, each table must have been added. */
void tl_multi_merge_table(struct tl_multi_merge *, enum tl_multi_table, const struct tl_table *);
/* The same with operators of a group. */
void tl_multi_merge_ops(struct tl_multi_merge *, size_t group, const struct tl_table *);

/* The i-th sheet in the order of the workbook; *name is NULL past the last. NULL: there is
 * nothing for the sheet. The caller frees it before the merge. */
struct tl_table *tl_multi_merge_sheet(struct tl_multi_merge *, size_t i, const char **name);
/* After the sheets were made: how many launchers are in no group of grouped_breakdown, and the
 * names of the first of them, "a, b". */
size_t tl_multi_merge_other_launchers(const struct tl_multi_merge *, const char **names);

#endif
