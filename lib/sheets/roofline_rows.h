/* roofline_rows.h - raw rows of the roofline sheets: an event, its time, its metrics.
 * Only for the files that make the roofline sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROOFLINE_ROWS_H
#define TL_ROOFLINE_ROWS_H

#include "analysis/kernel_details.h"
#include "analysis/launchers.h"
#include "analysis/overlap.h"
#include "roofline/call_stacks.h"
#include "roofline/measure.h"
#include "sheets/roofline.h"

/* Columns of the raw rows. Rows of families have further columns for the parameters of
 * models, "param: M" and so on. */
enum tl_roofline_column {
	TL_R_NAME, TL_R_CATEGORY, TL_R_PROCESS, TL_R_LABEL, TL_R_THREAD, TL_R_DIMS, TL_R_TYPES, TL_R_STRIDES, TL_R_CONCRETE,
	TL_R_RECOMPUTE, TL_R_NUM_KERNELS, TL_R_UID, TL_R_DURATION, TL_R_TIME, TL_R_GFLOPS, TL_R_MOVED, TL_R_INTENSITY,
	TL_R_SPEC, TL_R_TBS, TL_R_TFLOPS, TL_R_ROOF_TIME, TL_R_ROOF_BOUND, TL_R_ROOF_PCT, TL_R_PARAMS, TL_R_MODELLED,
	TL_R_OVERLAP_NAMES, TL_R_OVERLAP_PCT,
	TL_R_SHOWN, TL_R_MOVED_BACKWARD, /* is the row in the sheet of its direction, in that of backward passes? */
	TL_R_COLUMNS
};
extern const char *const tl_roofline_columns[TL_R_COLUMNS + 1];
#define TL_PARAM "param: "
#define TL_KERNEL_TIME "Kernel Time (µs)"

/* Conditions of columns: see tl_column.when. */
enum { TL_WHEN_RECOMPUTE = 1, TL_WHEN_NUM_KERNELS = 2, TL_WHEN_METRICS = 4, TL_WHEN_ROOF = 8, TL_WHEN_OVERLAP = 16,
	TL_WHEN_STACKS = 32, TL_WHEN_COMPARED = 64, TL_WHEN_HOST_COPIES = 128 };
#define TL_MEAN_STD(of, when) \
	TL_STATISTIC(of, TL_MEAN, "_mean", when, false), TL_STATISTIC(of, TL_STD, "_std", when, false)
#define TL_MEDIAN_MIN_MAX(of, when) \
	TL_STATISTIC(of, TL_MEDIAN, "_median", when, false), TL_STATISTIC(of, TL_MIN, "_min", when, false), \
	TL_STATISTIC(of, TL_MAX, "_max", when, false)

/* ---- events that are faster than the roofline allows ---------------------------------- */

/* Events of one name with the same arguments. */
struct tl_excess_group { double us; uint32_t events; };

/* What rows with a roofline were seen. Zero bytes are none. */
struct tl_excess {
	struct tl_map group_at;               /* name and signature -> index in groups */
	struct tl_excess_group *groups; size_t n_groups, cap_groups;
	struct tl_map names;                  /* of operators above 100 % */
	uint32_t events;                      /* above 100 % */
	/* the event that is furthest above */
	double percent, us;                   /* of the roofline; kernel time */
	uint32_t event, name, group;
	const struct tl_evaluation *x;
	const char **kernels; uint32_t n_kernels; /* their names */
};
void tl_excess_release(struct tl_excess *);

/* Adds the likeliest reason why the event that is furthest above 100 % is there. */
void tl_excess_reason(const struct tl_excess *, struct tl_measure *, struct tl_buf *);

/* ---- rows ------------------------------------------------------------------------- */

/* What all sheets of a trace are made with. */
struct tl_roofline_tools {
	struct tl_measure measure;
	struct tl_roofline_options options;
	const struct tl_launchers *launchers;
	struct tl_overlaps overlaps;         /* with options.include_overlap */
	struct tl_stacks stacks;
	struct tl_excess in_families, in_unified; /* what is faster than the roofline allows */
};

struct tl_rows {
	struct tl_roofline_tools *tools;
	bool family;
	struct tl_table *table;
	struct tl_details kernels, overlapping;
	const struct tl_evaluation **evaluations; /* by row; NULL: it has no metrics */
	struct tl_stack_row *stacks;         /* by row */
	size_t cap_evaluations, cap_stacks;
	const char **params; size_t n_params, cap_params; /* names of the parameters */
	bool has_metrics, has_roof;          /* some row has them */
};
/* n: about how many rows will be added. */
void tl_rows_init(struct tl_rows *, struct tl_roofline_tools *, bool family, size_t n);
void tl_rows_release(struct tl_rows *);
/* Do the summaries of kernels show call stacks, of rows that are to show them? */
void tl_rows_show_stacks(struct tl_rows *, bool show);

/* What a row is about. */
struct tl_row_about {
	uint32_t event;
	uint32_t name;                   /* string id */
	uint32_t category;               /* string id, or 0 */
	bool modelled;
	int64_t uid;
	const struct tl_evaluation *x;   /* what the model says; NULL: the row has no metrics */
	const struct tl_work *work;
	const uint32_t *kernels; uint32_t n_kernels; /* device events of its details */
	uint32_t top;                    /* where its call stacks begin, see struct tl_stack_row */
	bool stacks;                     /* show them in the details of its kernels */
	bool shown, moved;               /* of families: TL_R_SHOWN and TL_R_MOVED_BACKWARD */
};
void tl_rows_add(struct tl_rows *, const struct tl_row_about *);
/* Adds the rows of the unified sheets. */
void tl_unified_rows(struct tl_rows *, struct tl_roofline_tools *);

/* Adds the columns of parameters; to be called when all rows of a family are added. */
void tl_rows_add_params(struct tl_rows *);
/* Makes a sheet; where, ctx: see tl_sheet_input. Conditions that follow from the rows
 * and the options are added to the given ones. */
struct tl_table *tl_rows_sheet(struct tl_rows *, const struct tl_sheet_def *, unsigned conditions,
                               const char *where, void *ctx);

/* ---- sheets ------------------------------------------------------------------------ */

/* The rows of both unified sheets. */
struct tl_unified;
struct tl_unified *tl_unified_new(struct tl_roofline_tools *);
struct tl_table *tl_unified_make(struct tl_unified *, bool overlap);
void tl_unified_free(struct tl_unified *);
extern const struct tl_sheet_def tl_unified_sheet;

/* Makes the sheets of a family from its events: sheets[0] is the only sheet (one is
 * true) or _fwd, sheets[1] _bwd, sheets[2] and sheets[3] the same with overlap. NULL: a
 * sheet has no rows. */
void tl_family_sheets(struct tl_roofline_tools *, bool one, const uint32_t *events, size_t n_events,
                      struct tl_table *sheets[4]);
extern const struct tl_sheet_def tl_family_sheet;

#endif
