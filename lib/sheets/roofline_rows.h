/* roofline_rows.h - raw rows of the roofline sheets: an event, its time, its metrics.
 * Only for the files that make the roofline sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROOFLINE_ROWS_H
#define TL_ROOFLINE_ROWS_H

#include "work/kernel_details.h"
#include "work/launchers.h"
#include "work/overlap.h"
#include "perf/call_stacks.h"
#include "perf/measure.h"
#include "sheet/roofline.h"
#include "sheets/roofline.h"

/* Rows of families have further columns for the parameters of models, "param: M" and so on, behind those of tl_roofline_perf_rows. */
#define TL_PARAM "param: "

/* ---- events that are faster than the roofline allows ---------------------------------- */

/* Events of one name with the same arguments. */
struct tl_excess_group { double us; uint32_t events; };

/* What rows with a roofline were seen. Zero bytes are none. */
struct tl_excess {
	struct TL_KEYED(struct tl_excess_group) groups; /* by name and signature */
	struct tl_map names;                  /* of operators above 100 % */
	uint32_t events;                      /* above 100 % */
	/* the event that is furthest above */
	double percent, us;                   /* of the roofline; kernel time */
	uint32_t event, name;
	size_t group;
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
	bool typed_by_kernels; /* tl_evaluation.typed_by_kernels of some row */
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
	int64_t ticks; bool ints;        /* of its work, see struct tl_work */
	const uint32_t *kernels; uint32_t n_kernels; /* device events of its details */
	uint32_t top;                    /* where its call stacks begin, see struct tl_stack_row */
	bool stacks;                     /* show them in the details of its kernels */
	bool shown, moved;               /* of families: columns "shown" and "moved to backward" */
};
void tl_rows_add(struct tl_rows *, const struct tl_row_about *);

/* What the rows of the unified sheets are about, in order; their kernels stay as long as the trace. Free the items. */
struct tl_unified { struct tl_row_about *items; size_t n, cap; bool has_metrics; /* some row has them */ };
void tl_unified_rows(struct tl_unified *, struct tl_roofline_tools *);

/* Adds the columns of parameters; to be called when all rows of a family are added. */
void tl_rows_add_params(struct tl_rows *);
/* Makes a sheet, for whose functions the rows are the context; where: see tl_sheet_input. Conditions that follow from the rows
 * and the options are added to the given ones. */
struct tl_table *tl_rows_sheet(struct tl_rows *, const struct tl_sheet_def *, unsigned conditions, const char *where);

/* ---- sheets that are made of rows of unified_perf_summary ------------------------------------------------------------ */

/* Makes those of headroom and mfu that the options ask for, else NULL; the caller frees them. headroom: NULL, too, if the operators
 * have no models, and there is no architecture. mfu: see tl_mfu_make. TL_ERR_DATA: operators are nested too deeply. */
struct tl_rated_sheets { struct tl_table *headroom, *mfu; };
enum tl_status tl_headroom_make(struct tl_rated_sheets *out, struct tl_trace *, const struct tl_registry *,
                                const struct tl_roofline_options *, struct tl_error *);
/* NULL: no operator has a model or, of a folder of sheets, the architecture is not known, or there are no steps, phases and
 * regions. TL_ERR_DATA: calls are nested too deeply. */
enum tl_status tl_mfu_make(struct tl_table **out, struct tl_roofline_tools *, const struct tl_unified *, struct tl_error *);

/* Makes kernel_chains; the caller frees it. top: rows at most; -1: all. The trace must hold its Python frames (TL_NEEDS_FRAMES). */
struct tl_table *tl_kernel_chains(struct tl_measure *, int64_t top);

/* Makes hot_kernels; the caller frees it. headroom: that sheet, with all rows, just made of this trace; NULL: there is none. top: rows
 * at most; -1: all. The trace must hold its Python frames (TL_NEEDS_ALL_FRAMES). */
struct tl_table *tl_hot_kernels(struct tl_trace *, const struct tl_table *headroom, int64_t top);

#endif
