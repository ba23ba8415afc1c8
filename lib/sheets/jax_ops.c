/* jax_ops.c - what operations of XLA achieved that have a performance model: a sheet for
 * each category of kernels.
 *
 * An operation may launch several kernels. Each of them counts with the work of the whole
 * operation, as in TraceLens.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/jax_events.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/kernel_details.h"
#include "roofline/measure.h"

#define PARAM "param: "
#define KERNEL_TIME "Kernel Time (µs)"

/* ---- raw rows --------------------------------------------------------------------------- */

enum {
	NAME, PROCESS, LABEL, THREAD, DIMS, TYPES, TIME, UID, GFLOPS, MOVED, INTENSITY, TBS, TFLOPS, SPEC, ROOF_TIME, ROOF_BOUND,
	ROOF_PCT, N_COLUMNS
};
static const char *const row_columns[] = {
	"name", "process_name", "process_label", "thread_name", "Input Dims", "Input type", KERNEL_TIME, "UID", "GFLOPS",
	"Data Moved (MB)", "FLOPS/Byte", "TB/s", "TFLOPS/s", "Compute Spec", "Roofline Time (µs)", "Roofline Bound", "Pct Roofline", NULL
};

struct ops {
	struct tl_jax *jax;
	struct tl_table *rows;
	const struct tl_jax_event **kernels; size_t cap; /* by row */
	struct tl_details details;
	struct tl_buf buf;
};

static size_t param_column(struct ops *o, const char *name)
{
	tl_buf_clear(&o->buf);
	tl_buf_addf(&o->buf, PARAM "%s", name);
	int at = tl_table_column(o->rows, o->buf.data);
	return at >= 0 ? (size_t)at : tl_table_add_column(o->rows, o->buf.data);
}

static void metric_cells(const struct tl_jax_metrics *m, double us, struct tl_cell *c)
{
	struct tl_rates rates = tl_rates_of(m->gflops, m->has_bytes, m->bytes, us);

	c[GFLOPS] = tl_cell_real(m->gflops);
	c[MOVED] = rates.moved;
	c[INTENSITY] = rates.intensity;
	c[TBS] = rates.tbs;
	c[TFLOPS] = rates.tflops;
}

static void roof_cells(const struct ops *o, const struct tl_jax_metrics *m, double us, struct tl_cell *c)
{
	struct tl_strtab *strings = &o->jax->trace->strings;
	struct tl_roof roof;

	c[SPEC] = tl_cell_text(tl_intern_str(strings, m->spec));
	if (!tl_roof_of(o->jax->options.arch, m->spec, m->gflops, m->has_bytes, m->bytes, &roof))
		return;
	c[ROOF_TIME] = tl_cell_real(roof.least);
	c[ROOF_BOUND] = tl_cell_text(tl_intern_str(strings, roof.bound));
	c[ROOF_PCT] = tl_cell_real(roof.least / us * 100);
}

static void add_row(struct ops *o, const struct tl_jax_event *e)
{
	struct tl_jax *j = o->jax;
	struct tl_strtab *strings = &j->trace->strings;
	const struct tl_ev *ev = &j->trace->events[e->event];
	struct tl_arena arena = { 0 };
	struct tl_hlo_inputs in = tl_hlo_inputs(e->op, e->model, &arena);
	struct tl_cell c[N_COLUMNS] = { 0 };
	double us = tl_trace_us(j->trace, tl_jax_dur(j, e));

	c[NAME] = tl_name_cell(j->trace, ev->name);
	c[PROCESS] = c[LABEL] = tl_cell_text(tl_intern_str(strings, "Unknown")); /* TraceLens does not find them */
	c[THREAD] = tl_cell_text(j->trace->tracks[ev->track].thread_name);
	c[DIMS] = tl_value_cell(&in.dims, true, strings, &o->buf);
	c[TYPES] = tl_value_cell(&in.types, true, strings, &o->buf);
	c[TIME] = tl_cell_time(tl_jax_dur(j, e), false);
	c[UID] = tl_cell_int((int64_t)e->uid);
	metric_cells(e->metrics, us, c);
	roof_cells(o, e->metrics, us, c);
	tl_arena_release(&arena);
	TL_GROW(o->kernels, o->cap, o->rows->n_rows + 1);
	o->kernels[o->rows->n_rows] = e;
	tl_table_add_row(o->rows, c);
	tl_details_add_row(&o->details);
	tl_details_add(&o->details, &(struct tl_detail){ .name = ev->name, .event = e->event, .dur = us });
}

/* To be called when all rows are added. */
static void add_params(struct ops *o)
{
	for (size_t row = 0; row < o->rows->n_rows; row++) {
		const struct tl_jax_metrics *m = o->kernels[row]->metrics;
		for (size_t i = 0; i < m->n_params; i++)
			tl_table_set(o->rows, row, param_column(o, m->params[i].name), m->params[i].value);
	}
	for (size_t i = N_COLUMNS; i < o->rows->n_columns; i++)
		tl_table_unify_column(o->rows, i);
}

static void no_facts(void *ctx, size_t row, struct tl_buf *b)
{
	(void)ctx, (void)row, (void)b;
}

static void init(struct ops *o, struct tl_jax *j)
{
	*o = (struct ops){ .jax = j, .rows = tl_table_new(&j->trace->strings, j->trace->ticks_per_us, row_columns) };
	tl_details_init(&o->details, j->trace);
	o->details.add_facts = no_facts;
}

static void release(struct ops *o)
{
	tl_details_release(&o->details);
	tl_buf_release(&o->buf);
	free(o->kernels);
}

/* ---- the sheets of categories ------------------------------------------------------------------------ */

static void summary_cell(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct ops *o = ctx;

	tl_details_summarise(&o->details, rows, n, cells);
}

#define WITH_ROOF 1u
#define FIRST(of) { of "_first", .kind = TL_FIRST, .in = of }
static const struct tl_column op_columns[] = {
	{ "name", .kind = TL_KEY },
	{ "parameters", .kind = TL_EACH_KEY, .in = PARAM },
	FIRST("GFLOPS"), FIRST("Data Moved (MB)"), FIRST("FLOPS/Byte"),
	TL_STATISTICS("TB/s", 0, false), TL_STATISTICS("TFLOPS/s", 0, false),
	FIRST("process_name"), FIRST("process_label"), FIRST("thread_name"),
	{ "Compute Spec", .kind = TL_FIRST, .when = WITH_ROOF },
	{ "Roofline Time (µs)_first", .kind = TL_FIRST, .in = "Roofline Time (µs)", .when = WITH_ROOF },
	{ "Roofline Bound_first", .kind = TL_FIRST, .in = "Roofline Bound", .when = WITH_ROOF },
	TL_STATISTICS("Pct Roofline", WITH_ROOF, false),
	{ "kernel_details__summarize_kernel_stats", .kind = TL_CALL, .fn = summary_cell },
	FIRST("Input Dims"), FIRST("Input type"),
	TL_STATISTICS(KERNEL_TIME, 0, false),
	{ KERNEL_TIME "_sum", .kind = TL_SUM, .in = KERNEL_TIME },
	{ "name_count", .kind = TL_COUNT },
	FIRST("UID"),
	{ .name = NULL }
};
const struct tl_sheet_def tl_jax_op_sheet = {
	.name = "op_CATEGORY", .rows = row_columns, .columns = op_columns,
	.order = { { KERNEL_TIME "_sum", true }, { "UID_first", false } },
};

/* Is op_fa_bwd the sheet of "FA BWD"? */
static bool is_sheet_of(const char *sheet, const char *category)
{
	for (sheet += strlen("op_"); *sheet && *category; sheet++, category++) {
		char c = *category == ' ' ? '_' : *category >= 'A' && *category <= 'Z' ? (char)(*category + 'a' - 'A') : *category;
		if (*sheet != c)
			return false;
	}
	return !*sheet && !*category;
}

struct tl_table *tl_jax_make_ops(void *ctx, const struct tl_sheet *s)
{
	struct tl_jax *j = ctx;
	struct tl_table *out;
	struct ops o;

	init(&o, j);
	for (size_t i = 0; i < j->n; i++)
		if (tl_jax_is_kernel(&j->events[i]) && j->events[i].metrics && is_sheet_of(s->name, j->events[i].category))
			add_row(&o, &j->events[i]);
	add_params(&o);
	out = tl_sheet_make(s->def, &(struct tl_sheet_input){
		.own_rows = o.rows, .conditions = j->options.arch ? WITH_ROOF : 0, .ctx = &o });
	release(&o);
	return out;
}
