/* multi_part.h - what a report of many traces takes from one of them: small tables, from which
 * multi_merge.h makes the sheets.
 *
 * A part is made where the trace is, and its tables are kept as TSV (times in µs). Everything in
 * them can be added up, so that the parts of any number of traces give the same as one.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MULTI_PART_H
#define TL_MULTI_PART_H

#include "job/op_groups.h"
#include "job/op_rows.h"
#include "perf/perf.h"
#include "model/trace.h"
#include "sheet/multi.h"

/* The tables of a part. */
enum tl_multi_table {
	TL_PART_LAUNCHERS, /* name, count, time: what launched device work other than communication */
	TL_PART_TIMELINE,  /* type, time: the rows of gpu_timelines */
	TL_PART_COUNTS,    /* one row: device events, linked or not, and those shorter than 10 µs */
	TL_PART_UNLINKED,  /* name, cat, count, min, max, sum of device events without an External id */
	TL_PART_SHORT,     /* name, count: operators that launched kernels shorter than 10 µs, most first */
	TL_PART_CALLS,     /* name, cat, count, min, max, sum of calls of runtime and driver */
	TL_PART_TABLES
};
extern const char *const tl_multi_table_names[TL_PART_TABLES];
/* Their columns, for tl_tsv_read_table. */
extern const struct tl_tsv_columns tl_multi_part_columns[TL_PART_TABLES];
struct tl_multi_part {
	struct tl_table *tables[TL_PART_TABLES];
	struct tl_sheet_sum ops[TL_OP_GROUPS]; /* by group of tl_op_groups: see op_rows.h */
	struct tl_table *kernels;  /* every kernel; NULL: not asked for */
	size_t n_ops;
	struct tl_op_rows_left left; /* events of the groups that are in no row */
	bool no_device_events, fell_back; /* fell_back: no device event is linked, so the timeline is of all */
};
/* Makes the part. The trace must outlive it; texts are in the trace's table. TL_ERR_DATA: its
 * operators are nested too deeply. */
enum tl_status tl_multi_part_make(struct tl_multi_part *, struct tl_trace *, const struct tl_registry *,
                                 const struct tl_op_groups *, bool with_kernels, struct tl_error *);
void tl_multi_part_release(struct tl_multi_part *);

#endif
