/* roofline_unified.c - the sheet unified_perf_summary.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline_rows.h"

#include <stdlib.h>

struct tl_unified {
	struct tl_roofline_tools *tools;
	struct tl_rows rows;
};

/* ---- the definition ---------------------------------------------------------------- */

static tl_column_fn kernel_texts, overlap_texts;

#define FIRST(name) { name, .kind = TL_FIRST }
#define METRIC(name) { name, .kind = TL_FIRST, .when = TL_WHEN_METRICS }

static const struct tl_column unified_columns[] = {
	{ "name", .kind = TL_KEY },
	{ "overlapping_kernel_names", .kind = TL_KEY, .when = TL_WHEN_OVERLAP },
	{ "op category", .kind = TL_KEY },
	{ "process_name", .kind = TL_KEY },
	{ "process_label", .kind = TL_KEY },
	{ "thread_name", .kind = TL_KEY },
	{ "Input Dims", .kind = TL_KEY },
	{ "Input type", .kind = TL_KEY },
	{ "Input Strides", .kind = TL_KEY },
	{ "Concrete Inputs", .kind = TL_KEY },
	{ "is_recompute", .kind = TL_KEY, .when = TL_WHEN_RECOMPUTE },
	{ "ex_UID", .kind = TL_FIRST, .in = "UID" },
	{ "operation_count", .kind = TL_COUNT },
	{ "total_duration_us", .kind = TL_SUM, .in = "duration_us" },
	{ "mean_duration_us", .kind = TL_MEAN, .in = "duration_us" },
	{ "std_duration_us", .kind = TL_STD, .in = "duration_us" },
	METRIC("GFLOPS"), METRIC("Data Moved (MB)"), METRIC("FLOPS/Byte"), METRIC("Compute Spec"),
	{ "Roofline Bound", .kind = TL_FIRST, .when = TL_WHEN_ROOF },
	TL_MEAN_STD("TB/s", TL_WHEN_METRICS), TL_MEAN_STD("TFLOPS/s", TL_WHEN_METRICS),
	TL_MEAN_STD(TL_KERNEL_TIME, 0),
	{ TL_KERNEL_TIME "_sum", .kind = TL_SUM, .in = TL_KERNEL_TIME },
	TL_MEDIAN_MIN_MAX("duration_us", 0), TL_MEDIAN_MIN_MAX("TB/s", TL_WHEN_METRICS),
	TL_MEDIAN_MIN_MAX("TFLOPS/s", TL_WHEN_METRICS),
	{ "Roofline Time (µs)_first", .kind = TL_FIRST, .in = "Roofline Time (µs)", .when = TL_WHEN_ROOF },
	TL_STATISTICS("Pct Roofline", TL_WHEN_ROOF, false),
	TL_MEDIAN_MIN_MAX(TL_KERNEL_TIME, 0),
	{ "kernel_details_summary", .kind = TL_CALL, .fn = kernel_texts },
	{ "trunc_kernel_details", .kind = TL_CALL, .fn = kernel_texts, .cell = 1 },
	{ "overlapping_kernels_details_summary", .kind = TL_CALL, .fn = overlap_texts, .when = TL_WHEN_OVERLAP },
	{ "trunc_overlapping_kernels_details", .kind = TL_CALL, .fn = overlap_texts, .cell = 1, .when = TL_WHEN_OVERLAP },
	TL_STATISTICS("overlap_pct", TL_WHEN_OVERLAP, true),
	FIRST("perf_params"), FIRST("has_perf_model"),
	{ "entry_point", .kind = TL_CALL, .fn = kernel_texts, .cell = 2, .when = TL_WHEN_STACKS },
	{ "call_stack_full", .kind = TL_CALL, .fn = kernel_texts, .cell = 3, .when = TL_WHEN_STACKS },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = TL_KERNEL_TIME "_sum" },
	{ "Cumulative Percentage (%)", .kind = TL_CUMULATIVE, .in = "Percentage (%)" },
	{ "group time", .kind = TL_FIRST, .when = TL_WHEN_OVERLAP, .hidden = true },
	{ "group UID", .kind = TL_FIRST, .when = TL_WHEN_OVERLAP, .hidden = true },
	{ .name = NULL }
};
const struct tl_sheet_def tl_unified_sheet = {
	.name = "unified_perf_summary", .rows = tl_roofline_columns, .columns = unified_columns,
	.order = { { "group time", true }, { "group UID", false }, { TL_KERNEL_TIME "_sum", true },
		{ "ex_UID", false } },
};

/* ---- cells of groups -------------------------------------------------------------- */

/* Fills the cells of call stacks, for the first row of the group that has device events,
 * in the order of the summary that has just been made. */
static void stack_cells(struct tl_unified *u, const size_t *rows, size_t n, struct tl_cell *entry, struct tl_cell *full)
{
	const struct tl_details *d = &u->rows.kernels;
	const struct tl_detail *items = NULL;
	uint32_t length = 0;
	size_t i = 0;

	while (i < n && !length)
		items = tl_details_of(d, rows[i++], &length);
	size_t row = length ? rows[i - 1] : rows[0];
	uint32_t *gpu = tl_alloc(((size_t)length + 1) * sizeof *gpu);
	for (uint32_t k = 0; k < length; k++)
		gpu[k] = items[d->order[k]].event;
	uint32_t name = tl_table_cell(u->rows.table, row, TL_R_NAME).text;
	tl_stack_columns(&u->tools->stacks, u->rows.stacks[row], name, gpu, length, entry, full);
	free(gpu);
}

static void kernel_texts(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_unified *u = ctx;

	tl_details_summarise(&u->rows.kernels, rows, n, cells);
	if (!u->rows.kernels.add_stack) /* call stacks have columns of their own */
		stack_cells(u, rows, n, &cells[2], &cells[3]);
}

static void overlap_texts(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_unified *u = ctx;

	tl_details_summarise(&u->rows.overlapping, rows, n, cells);
}

/* ---- sheets ------------------------------------------------------------------------- */

struct tl_table *tl_unified_make(struct tl_unified *u, bool overlap)
{
	static const size_t key[] = { TL_R_NAME, TL_R_CATEGORY, TL_R_PROCESS, TL_R_LABEL, TL_R_THREAD, TL_R_DIMS,
		TL_R_TYPES, TL_R_STRIDES, TL_R_CONCRETE, TL_R_RECOMPUTE };
	const struct tl_roofline_options *o = &u->tools->options;
	bool stacks = o->call_stack && !overlap;

	if (!u->rows.table->n_rows && !o->even_empty)
		return NULL;
	if (overlap)
		tl_rows_group_totals(&u->rows, key, sizeof key / sizeof *key);
	tl_rows_show_stacks(&u->rows, !stacks);
	unsigned conditions = overlap ? TL_WHEN_OVERLAP : stacks ? TL_WHEN_STACKS : 0;
	struct tl_table *t = tl_rows_sheet(&u->rows, &tl_unified_sheet, conditions, NULL, u);
	if (o->top >= 0)
		tl_table_head(t, (size_t)o->top);
	return t;
}

struct tl_unified *tl_unified_new(struct tl_roofline_tools *k)
{
	struct tl_unified *u = tl_calloc(1, sizeof *u);

	u->tools = k;
	tl_rows_init(&u->rows, k, false, k->launchers.n);
	if (!tl_trace_gpu_only(k->measure.trace))
		tl_unified_rows(&u->rows, k);
	return u;
}

void tl_unified_free(struct tl_unified *u)
{
	if (!u)
		return;
	tl_rows_release(&u->rows);
	free(u);
}
