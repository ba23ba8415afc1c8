/* roofline_unified.c - the sheet unified_perf_summary.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline_rows.h"

#include "analysis/spans.h"
#include "base/merge_sort.h"
#include "diff/diff.h"

#include <stdlib.h>

struct tl_unified {
	struct tl_roofline_tools *tools;
	struct tl_rows rows;
};

/* ---- the definition ---------------------------------------------------------------- */

static tl_column_fn kernel_texts, overlap_texts, compared_times, compared_ancestors;

#define FIRST(name) { name, .kind = TL_FIRST }
#define COMPARED(name, function, at) { name, .kind = TL_CALL, .fn = function, .cell = at, .when = TL_WHEN_COMPARED }
#define METRIC(name) { name, .kind = TL_FIRST, .when = TL_WHEN_METRICS }

static const struct tl_column unified_columns[] = {
	{ "name", .kind = TL_KEY },
	{ "overlapping_kernel_names", .kind = TL_KEY, .fine = true, .when = TL_WHEN_OVERLAP },
	{ "op category", .kind = TL_KEY },
	{ "process_name", .kind = TL_KEY },
	{ "process_label", .kind = TL_KEY },
	{ "thread_name", .kind = TL_KEY },
	{ "Input Dims", .kind = TL_KEY },
	{ "Input type", .kind = TL_KEY },
	{ "Input Strides", .kind = TL_KEY },
	{ "Concrete Inputs", .kind = TL_KEY },
	{ "is_recompute", .kind = TL_KEY, .when = TL_WHEN_RECOMPUTE },
	/* copies of one shape within the device, and between it and the host */
	{ "link or memory", .kind = TL_KEY, .in = "Compute Spec", .when = TL_WHEN_HOST_COPIES, .hidden = true },
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
	COMPARED("speedup (trace2/trace1)", compared_times, 0), COMPARED("delta_us (trace2 - trace1)", compared_times, 1),
	COMPARED("lca_count_trace2", compared_ancestors, 0), COMPARED("lca_id", compared_ancestors, 1),
	COMPARED("lca_name", compared_ancestors, 2),
	COMPARED("lca_total_kernel_time_trace1_us", compared_times, 2),
	COMPARED("lca_total_kernel_time_trace2_us", compared_times, 3),
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
	/* of rows that differ in overlapping names only */
	{ "group time", .kind = TL_SUM, .in = TL_KERNEL_TIME, .coarse = true, .when = TL_WHEN_OVERLAP, .hidden = true },
	{ "group UID", .kind = TL_MIN, .in = "UID", .coarse = true, .when = TL_WHEN_OVERLAP, .hidden = true },
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

/* The ancestors of the device events of a group: nodes, by number. The caller frees the list. */
static struct tl_list ancestors_of(const struct tl_unified *u, const size_t *rows, size_t n)
{
	const struct tl_ancestors *a = u->tools->options.ancestors;
	struct tl_list all = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t length = 0;
		const struct tl_detail *items = tl_details_of(&u->rows.kernels, rows[i], &length);
		for (uint32_t k = 0; k < length; k++)
			tl_ancestors_of(a, items[k].event, &all);
	}
	tl_sort_numbers(all.items, all.n);
	for (size_t i = 0; i < all.n; i++)
		if (!i || all.items[i] != all.items[i - 1])
			all.items[kept++] = all.items[i];
	all.n = kept;
	return all;
}

/* Ratio, difference, and the times in both traces. */
static void compared_times(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_unified *u = ctx;
	const struct tl_ancestors *a = u->tools->options.ancestors;
	struct tl_list of = ancestors_of(u, rows, n);
	int64_t busy[2] = { 0, 0 }, own = 0;

	for (size_t i = 0; i < of.n; i++)
		for (int s = 0; s < 2; s++)
			busy[s] = tl_ticks_add(busy[s], a->items[of.items[i]].busy[s]);
	for (size_t i = 0; i < n; i++)
		own = tl_ticks_add(own, tl_table_cell(u->rows.table, rows[i], TL_R_TIME).i);
	for (int i = 0; i < 4; i++)
		cells[i] = tl_cell_null();
	if (of.n) {
		if (busy[0])
			cells[0] = tl_cell_real((double)busy[1] / (double)busy[0]);
		cells[1] = tl_cell_time(tl_ticks_sub(busy[1], own), false);
		cells[2] = tl_cell_time(busy[0], false);
		cells[3] = tl_cell_time(busy[1], false);
	}
	free(of.items);
}

/* How many of them have work in the second trace, their numbers and their names. */
static void compared_ancestors(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_unified *u = ctx;
	const struct tl_ancestors *a = u->tools->options.ancestors;
	struct tl_strtab *s = &u->tools->measure.trace->strings;
	struct tl_list of = ancestors_of(u, rows, n);
	struct tl_buf ids = { 0 }, names = { 0 };
	double count = 0;

	for (size_t i = 0; i < of.n; i++) {
		const struct tl_ancestor *x = &a->items[of.items[i]];
		count += x->in[1];
		tl_buf_addf(&ids, "%s%u%s", i ? "; " : "", of.items[i], a->some_without ? ".0" : "");
		tl_buf_adds(&names, names.len ? "; " : "");
		tl_buf_add(&names, tl_str(s, x->name), tl_str_len(s, x->name));
	}
	cells[0] = of.n ? tl_cell_real(count) : tl_cell_null();
	cells[1] = of.n ? tl_cell_text(tl_intern(s, ids.data, ids.len)) : tl_cell_null();
	cells[2] = of.n ? tl_cell_text(tl_intern(s, tl_buf_text(&names), names.len)) : tl_cell_null();
	cells[3] = tl_cell_null();
	tl_buf_release(&ids);
	tl_buf_release(&names);
	free(of.items);
}

static void overlap_texts(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_unified *u = ctx;

	tl_details_summarise(&u->rows.overlapping, rows, n, cells);
}

/* ---- sheets ------------------------------------------------------------------------- */

struct tl_table *tl_unified_make(struct tl_unified *u, bool overlap)
{
	const struct tl_roofline_options *o = &u->tools->options;
	bool stacks = o->call_stack && !overlap;

	if (!u->rows.table->n_rows && !o->even_empty)
		return NULL;
	tl_rows_show_stacks(&u->rows, !stacks);
	unsigned conditions = overlap ? TL_WHEN_OVERLAP : stacks ? TL_WHEN_STACKS : 0;
	if (o->ancestors && o->ancestors->n && !overlap)
		conditions |= TL_WHEN_COMPARED;
	struct tl_table *t = tl_rows_sheet(&u->rows, &tl_unified_sheet, conditions, NULL, u);
	tl_table_head(t, o->top);
	return t;
}

struct tl_unified *tl_unified_new(struct tl_roofline_tools *k)
{
	struct tl_unified *u = tl_calloc(1, sizeof *u);

	u->tools = k;
	tl_rows_init(&u->rows, k, false, k->launchers->n);
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
