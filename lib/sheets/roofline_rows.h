/* roofline_rows.h - raw rows of the roofline sheets. Private to lib/sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROWS_H
#define TL_ROWS_H

#include "roofline/measure.h"
#include "sheets/roofline.h"
#include "analysis/kernel_details.h"
#include "analysis/overlap.h"
#include "table/old_engine.h"

/* What rows share with others: with all of the same operator, arguments, place
 * and model's answer. */
enum tl_class_column {
	TL_C_NAME, TL_C_CATEGORY, TL_C_PROCESS, TL_C_LABEL, TL_C_THREAD, TL_C_DIMS, TL_C_TYPES, TL_C_STRIDES, TL_C_CONCRETE,
	TL_C_GFLOPS, TL_C_MOVED, TL_C_INTENSITY, TL_C_SPEC, TL_C_ROOF_TIME, TL_C_ROOF_BOUND, TL_C_PARAMS, TL_C_MODELLED, TL_C_FIXED
};

/* What a new row is about. */
struct tl_row_about {
	uint32_t event;
	uint32_t name;                   /* string id, or 0 */
	uint32_t category;               /* string id, or 0 */
	bool modelled;
	int64_t uid;
	const struct tl_evaluation *x;   /* a model's answer; NULL: the time alone */
	const struct tl_work *time;
	const uint32_t *kernels; uint32_t n_kernels; /* device events of its details */
};

/* What tells the shared cells of rows apart, and what is worked out for them. */
struct tl_row_class {
	struct tl_class_key { uint32_t sig, track, name, category, x, marks, n_kernels; } key;
	const struct tl_evaluation *x;
	double tera_flops, tera_bytes, least_us; /* per row: divided by its time */
	bool has_roof;
};

/* What is a row's own; numbers that are not known are NaN. */
struct tl_row {
	int64_t uid, ticks;
	double dur, tbs, tflops, roof_pct, time, rounded;
	uint32_t event, class;
};

struct tl_rows {
	struct tl_measure *measure;
	const struct tl_roofline_options *options;
	struct tl_launchers *launchers;
	struct tl_overlaps *overlaps;     /* NULL unless wanted */
	struct tl_row_tools *tools;
	struct tl_row *rows; size_t n, cap;
	int64_t *whole_dur, *whole_time;  /* in µs; NULL where not all are whole */
	struct tl_table *overlap;         /* cells of rows: names, share; NULL unless wanted */
	struct tl_table *shared;
	struct tl_row_class *classes; size_t cap_classes; /* one a row of `shared` */
	uint32_t *class_slots, class_mask; /* hash table: 1 + index in classes */
	uint32_t *class_of;               /* by row, once all are there */
	struct tl_details kernels, overlapping;
	int recompute, num_kernels, group; /* optional columns of `shared`, -1 */
	bool family;
	bool has_metrics, has_roof;       /* some row has them */
	bool fractions, dur_fractions;    /* some time is not written as whole µs */
	bool stacks;                      /* kernels are shown with their call stacks */
	/* texts of the group at hand */
	struct tl_row_memo { size_t row; bool valid; struct tl_cell summary, trunc; } kernel_memo, overlap_memo;
};
static inline const struct tl_evaluation *tl_rows_evaluation(const struct tl_rows *r, size_t row)
{
	return r->classes[r->rows[row].class].x;
}
static inline struct tl_cell *tl_rows_shared(const struct tl_rows *r, size_t row, size_t column)
{
	return tl_table_cell(r->shared, r->rows[row].class, column);
}

/* Room shared by all rows of a roofline. */
struct tl_row_tools {
	struct tl_map list_texts;         /* JSON text id << 1 | as a tuple -> text id */
	struct tl_buf buf;
	struct tl_detail_texts detail_texts;
};
void tl_row_tools_release(struct tl_row_tools *);

/* n: how many rows there will be, more or less. */
void tl_rows_init(struct tl_rows *, struct tl_measure *, const struct tl_roofline_options *, struct tl_row_tools *, bool family, size_t n);
void tl_rows_release(struct tl_rows *);
/* A new row. stacks: its details tell the call stacks of kernels (with
 * rows->stacks only). Device events of arrays that stay where they are. */
void tl_rows_add(struct tl_rows *, const struct tl_row_about *, bool stacks);
/* To be called when all rows are there. */
void tl_rows_finish(struct tl_rows *);

/* Aggregates that make the detail columns; ctx is a struct tl_rows. */
tl_agg_fn tl_rows_kernel_summary, tl_rows_kernel_trunc, tl_rows_overlap_summary, tl_rows_overlap_trunc;

/* Fills "total of the group without the overlap part" columns, by which the
 * overlap sheets are ordered; key: the shared columns of that group. */
void tl_rows_group_totals(struct tl_rows *, const int *key, size_t n_key);
/* The sheet of all rows. */
struct tl_table *tl_rows_sheet(struct tl_rows *, const struct tl_old_sheet_def *);

/* Lets the sum of times be a sum of ticks, divided once. */
void tl_rows_sum_ticks(const struct tl_rows *, struct tl_old_sheet_def *);
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
