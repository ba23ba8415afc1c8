/* rows.h - raw rows of the roofline sheets. Private to lib/perf.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_ROWS_H
#define TL_PERF_ROWS_H

#include "perf/measure.h"
#include "perf/roofline.h"
#include "sheets/details.h"
#include "sheets/overlap.h"

enum tl_row_column {
	TL_R_NAME, TL_R_CATEGORY, TL_R_PROCESS, TL_R_LABEL, TL_R_THREAD, TL_R_DIMS, TL_R_TYPES, TL_R_STRIDES, TL_R_CONCRETE,
	TL_R_UID, TL_R_DUR, TL_R_GFLOPS, TL_R_MOVED, TL_R_INTENSITY, TL_R_TBS, TL_R_TFLOPS, TL_R_SPEC,
	TL_R_ROOF_TIME, TL_R_ROOF_BOUND, TL_R_ROOF_PCT, TL_R_TIME, TL_R_TICKS, TL_R_ROUNDED,
	TL_R_PARAMS, TL_R_MODELLED, TL_R_ROW, TL_R_FIXED
};
extern const char *const tl_row_names[TL_R_FIXED];

/* The text of one of an event's lists, as list and as tuple. */
struct tl_list_text { uint32_t list, tuple; };

struct tl_rows {
	struct tl_measure *measure;
	const struct tl_roofline_options *options;
	struct tl_launchers *launchers;
	struct tl_overlaps *overlaps;     /* NULL unless wanted */
	struct tl_row_tools *tools;
	struct tl_table *table;
	struct tl_details kernels, overlapping;
	struct tl_cell names_cell;
	int recompute, num_kernels, names, share, group; /* optional columns, -1 */
	bool has_metrics, has_roof;       /* some row has them */
	bool tuples;                      /* lists are shown as tuples */
	bool stacks;                      /* kernels are shown with their call stacks */
	uint32_t *events; size_t cap_events; /* of each row: the event it is about */
	const struct tl_evaluation **evaluations; size_t cap_evaluations; /* and its model's answer, or NULL */
	/* texts of the group at hand */
	struct tl_row_memo { size_t row; bool valid; struct tl_cell summary, trunc; } kernel_memo, overlap_memo;
};

/* Room shared by all rows of a roofline. */
struct tl_row_tools {
	struct tl_arg args[4], stream;
	struct tl_arg_cells streams;
	struct tl_map list_texts;         /* JSON text id -> 1 + index in texts */
	struct tl_list_text *texts; size_t n_texts, cap_texts;
	struct tl_arena arena;
	struct tl_buf buf;
	struct tl_spare_cells { struct tl_cell *cells; size_t cap; } spare[2]; /* of tables that are gone: fresh
	                                     memory costs more than what is written to it */
};
void tl_row_tools_init(struct tl_row_tools *, const struct tl_trace *);
void tl_row_tools_release(struct tl_row_tools *);

void tl_rows_init(struct tl_rows *, struct tl_measure *, const struct tl_roofline_options *, struct tl_row_tools *, bool family);
void tl_rows_release(struct tl_rows *);
/* A new row about an event: who and where, its arguments, uid. */
struct tl_cell *tl_rows_add(struct tl_rows *, struct tl_row_tools *, uint32_t event);
/* Time of device work, and what a model's answer makes of it (NULL: the time
 * alone). Also the details of the kernels in the order given. */
void tl_rows_measure(struct tl_rows *, struct tl_cell *, const struct tl_evaluation *, const struct tl_work *time);
void tl_rows_kernels(struct tl_rows *, struct tl_row_tools *, const uint32_t *events, uint32_t n);
/* Overlap columns: of the launcher, else (when given) of these device events. */
void tl_rows_overlap(struct tl_rows *, struct tl_cell *, uint32_t launcher, const uint32_t *events, uint32_t n);
/* To be called when all rows are there. */
void tl_rows_finish(struct tl_rows *);

/* Aggregates that make the detail columns; ctx is a struct tl_rows. */
tl_agg_fn tl_rows_kernel_summary, tl_rows_kernel_trunc, tl_rows_overlap_summary, tl_rows_overlap_trunc;

/* Adds "total of the group without the overlap part" columns, by which the
 * overlap sheets are ordered; key: the columns of that group. */
void tl_rows_group_totals(struct tl_rows *, const int *key, size_t n_key);

/* Lets the sum of times be a sum of ticks, divided once. */
void tl_rows_sum_ticks(const struct tl_rows *, struct tl_sheet_def *);
/* Rounds the overlap columns and fills their empty deviations. */
void tl_rows_round_overlap(struct tl_table *);

struct tl_unified;
struct tl_unified *tl_unified_new(struct tl_measure *, const struct tl_roofline_options *, struct tl_launchers *,
                                  struct tl_overlaps *, struct tl_row_tools *);
struct tl_table *tl_unified_make(struct tl_unified *, bool overlap);
void tl_unified_free(struct tl_unified *);

/* Sheets of one family: fills sheets[0] (the one, or _fwd) and sheets[1]
 * (_bwd), and the overlap forms [2], [3]; NULL where there is no row. */
struct tl_family_job {
	struct tl_measure *measure;
	const struct tl_roofline_options *options;
	struct tl_launchers *launchers;
	struct tl_overlaps *overlaps;
	struct tl_row_tools *tools;
	const char *family;
	bool one;
	const uint32_t *events; size_t n_events;
};
void tl_family_sheets(const struct tl_family_job *, struct tl_table *sheets[4]);

/* ---- call stacks ------------------------------------------------------------------- */

/* Texts of entry_point and call_stack_full of a row about an event (TL_NONE: a
 * synthetic row); kernels are its device events in the order of its summary. */
void tl_stack_columns(struct tl_measure *, uint32_t event, const char *op_name, const uint32_t *kernels, uint32_t n,
                      struct tl_cell *entry, struct tl_cell *full);
/* Text of the list of frames around a device event of a row; its string id. */
uint32_t tl_stack_text(struct tl_measure *, uint32_t event, uint32_t kernel);

#endif
