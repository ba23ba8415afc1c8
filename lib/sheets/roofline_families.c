/* roofline_families.c - the sheets of a family of operators: GEMM, SDPA_fwd, SDPA_bwd …
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline_rows.h"

#include <stdlib.h>
#include <string.h>

/* ---- the definition ---------------------------------------------------------------- */

static tl_column_fn kernel_texts, overlap_texts;

#define FIRST(of) { of "_first", .kind = TL_FIRST, .in = of }

static const struct tl_column family_columns[] = {
	{ "name", .kind = TL_KEY },
	{ "overlapping_kernel_names_first", .kind = TL_KEY, .in = "overlapping_kernel_names", .fine = true, .when = TL_WHEN_OVERLAP },
	{ "parameters", .kind = TL_EACH_KEY, .in = TL_PARAM },
	{ "num_kernels", .kind = TL_KEY, .when = TL_WHEN_NUM_KERNELS },
	{ "is_recompute", .kind = TL_KEY, .when = TL_WHEN_RECOMPUTE },
	FIRST("GFLOPS"), FIRST("Data Moved (MB)"), FIRST("FLOPS/Byte"),
	TL_STATISTICS("TB/s", 0, false), TL_STATISTICS("TFLOPS/s", 0, false),
	FIRST("process_name"), FIRST("process_label"), FIRST("thread_name"),
	{ "Compute Spec", .kind = TL_FIRST },
	{ "Roofline Time (µs)_first", .kind = TL_FIRST, .in = "Roofline Time (µs)", .when = TL_WHEN_ROOF },
	{ "Roofline Bound_first", .kind = TL_FIRST, .in = "Roofline Bound", .when = TL_WHEN_ROOF },
	TL_STATISTICS("Pct Roofline", TL_WHEN_ROOF, false),
	{ "kernel_details__summarize_kernel_stats", .kind = TL_CALL, .fn = kernel_texts },
	{ "trunc_kernel_details", .kind = TL_CALL, .fn = kernel_texts, .cell = 1 },
	{ "overlapping_kernels_details__summarize_kernel_stats", .kind = TL_CALL, .fn = overlap_texts,
	  .when = TL_WHEN_OVERLAP },
	{ "trunc_overlapping_kernels_details", .kind = TL_CALL, .fn = overlap_texts, .cell = 1, .when = TL_WHEN_OVERLAP },
	TL_STATISTICS("overlap_pct", TL_WHEN_OVERLAP, true),
	FIRST("Input Dims"), FIRST("Input type"), FIRST("Input Strides"), FIRST("Concrete Inputs"),
	TL_STATISTICS(TL_KERNEL_TIME, 0, false),
	{ TL_KERNEL_TIME "_sum", .kind = TL_SUM, .in = TL_KERNEL_TIME },
	{ "name_count", .kind = TL_COUNT },
	FIRST("UID"),
	/* of rows that differ in overlapping names only */
	{ "group time", .kind = TL_SUM, .in = TL_KERNEL_TIME, .coarse = true, .when = TL_WHEN_OVERLAP, .hidden = true },
	{ "group UID", .kind = TL_MIN, .in = "UID", .coarse = true, .when = TL_WHEN_OVERLAP, .hidden = true },
	{ .name = NULL }
};
const struct tl_sheet_def tl_family_sheet = {
	.name = "FAMILY", .rows = tl_roofline_columns, .columns = family_columns,
	.order = { { "group time", true }, { "group UID", false }, { TL_KERNEL_TIME "_sum", true },
		{ "UID_first", false } },
};

static void kernel_texts(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_rows *r = ctx;

	tl_details_summarise(&r->kernels, rows, n, cells);
}

static void overlap_texts(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_rows *r = ctx;

	tl_details_summarise(&r->overlapping, rows, n, cells);
}

/* ---- rows -------------------------------------------------------------------------- */

static void add_row(struct tl_rows *r, bool one, uint32_t event, bool backward)
{
	struct tl_measure *m = &r->tools->measure;
	const struct tl_ev *e = &m->trace->events[event];
	const struct tl_perf_op *op = tl_measure_op(m, event);
	struct tl_work work;

	if (backward)
		tl_work_backward(&m->device_work, event, &work);
	else
		tl_work_below(&m->device_work, event, &work);
	const struct tl_evaluation *x = tl_measure_evaluate(m, op, event, &work, backward);
	/* a device event that has an operator's name is no failure */
	if (x->outcome == TL_PERF_FAILED && !backward && !tl_kind_is_gpu(e->kind))
		tl_measure_note_failure(m, event, x);
	if (x->outcome != TL_PERF_OK)
		return;
	bool moved = !one && !backward && op->moved;
	tl_rows_add(r, &(struct tl_row_about){
		.event = event, .name = e->name, .uid = e->uid, .x = x, .work = &work, .kernels = work.events, .n_kernels = work.n,
		.top = TL_NONE, .moved = moved, .shown = !moved && !(backward && op->linked_hidden),
	});
}

static void add_rows(struct tl_rows *r, struct tl_roofline_tools *k, bool one, const uint32_t *events, size_t n,
                     bool backward)
{
	tl_rows_init(r, k, true, backward ? 0 : n);
	for (size_t i = 0; i < n; i++) {
		uint32_t n_backward;
		tl_backward_events(&k->measure.device_work, events[i], &n_backward);
		if (!backward || (n_backward && !tl_measure_op(&k->measure, events[i])->linked_none))
			add_row(r, one, events[i], backward);
	}
	tl_rows_add_params(r);
}

/* ---- sheets ------------------------------------------------------------------------- */

static struct tl_table *make(struct tl_rows *r, enum tl_roofline_column where, bool overlap)
{
	return tl_rows_sheet(r, &tl_family_sheet, overlap ? TL_WHEN_OVERLAP : 0, tl_roofline_columns[where], r);
}

static struct tl_table *finish(struct tl_table *t, const struct tl_roofline_options *o)
{
	if (!t->n_rows && !o->even_empty) {
		tl_table_free(t);
		return NULL;
	}
	tl_table_head(t, o->top);
	return t;
}

/* The backward rows, and below them the forward rows that belong to this sheet. Columns
 * that only the latter have come last. */
static struct tl_table *make_backward(struct tl_rows *forward, struct tl_rows *backward, bool overlap)
{
	struct tl_table *moved = make(forward, TL_R_MOVED_BACKWARD, overlap), *t;

	if (!backward->table->n_rows)
		return moved;
	t = make(backward, TL_R_SHOWN, overlap);
	if (forward->table->n_rows) /* else the empty sheet has all columns, as it must if it stands alone */
		tl_table_append(t, moved);
	tl_table_free(moved);
	return t;
}

void tl_family_sheets(struct tl_roofline_tools *k, bool one, const uint32_t *events, size_t n_events,
                      struct tl_table *sheets[4])
{
	struct tl_rows forward, backward;

	memset(sheets, 0, 4 * sizeof *sheets);
	add_rows(&forward, k, one, events, n_events, false);
	add_rows(&backward, k, one, events, one ? 0 : n_events, true);
	for (int overlap = 0; overlap <= k->options.include_overlap; overlap++) {
		sheets[2 * overlap] = finish(make(&forward, TL_R_SHOWN, overlap), &k->options);
		if (!one)
			sheets[2 * overlap + 1] = finish(make_backward(&forward, &backward, overlap), &k->options);
	}
	tl_rows_release(&forward);
	tl_rows_release(&backward);
}
