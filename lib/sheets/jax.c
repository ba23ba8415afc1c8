/* jax.c - what operations of XLA achieved that have a performance model: a sheet for
 * each category of kernels; the matrix products of a program; the entries of all sheets.
 *
 * An operation may launch several kernels. Each of them counts with the work of the whole
 * operation, as in TraceLens.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/jax.h"

#include "analysis/kernel_details.h"
#include "roofline/measure.h"
#include "sheets/jax_events.h"
#include "table/statistics.h"

#include <stdlib.h>
#include <string.h>

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

	c[SPEC] = tl_cell_str(strings, m->spec);
	if (!tl_roof_of(o->jax->options.arch, m->spec, m->gflops, m->has_bytes, m->bytes, &roof))
		return;
	c[ROOF_TIME] = tl_cell_real(roof.least);
	c[ROOF_BOUND] = tl_cell_str(strings, roof.bound);
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
	c[PROCESS] = c[LABEL] = tl_cell_str(strings, "Unknown"); /* TraceLens does not find them */
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

static struct ops *new_ops(struct tl_jax *j)
{
	struct ops *o = tl_calloc(1, sizeof *o);

	o->jax = j;
	o->rows = tl_table_new(&j->trace->strings, j->trace->ticks_per_us, row_columns);
	tl_details_init(&o->details, j->trace);
	o->details.add_facts = no_facts;
	return o;
}

static void free_ops(void *ops)
{
	struct ops *o = ops;

	tl_details_release(&o->details);
	tl_buf_release(&o->buf);
	free(o->kernels);
	free(o);
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
/* The sheet op_CATEGORY of the kernels of a category, in lower case and with _ for blanks. */
static const struct tl_sheet_def op_sheet = {
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

static void op_rows(void *ctx, struct tl_sheet_input *in)
{
	struct tl_jax *j = ctx;
	struct ops *o = new_ops(j);

	for (size_t i = 0; i < j->n; i++)
		if (tl_jax_is_kernel(&j->events[i]) && j->events[i].metrics && is_sheet_of(in->name, j->events[i].category))
			add_row(o, &j->events[i]);
	add_params(o);
	in->own_rows = o->rows;
	in->conditions = j->options.arch ? WITH_ROOF : 0;
	in->ctx = o;
	in->done = free_ops;
}

/* ---- gemms -------------------------------------------------------------------------------- */

static void add_product(struct tl_table *t, const struct tl_hlo_op *op)
{
	struct tl_cell c[7] = { tl_cell_str(t->strings, op->name) };
	struct tl_hlo_gemm g;
	const char *reason;

	if (tl_hlo_gemm(op, &g, &reason)) {
		const int64_t numbers[] = { g.batch, g.m, g.n, g.k, g.beta };
		for (size_t i = 0; i < 5; i++)
			c[1 + i] = tl_cell_int(numbers[i]);
	}
	if (op->type)
		c[6] = tl_cell_str(t->strings, op->type);
	tl_table_add_row(t, c);
}

static void gemms(void *ctx, struct tl_sheet_input *in)
{
	static const char *const columns[] = { "name", "Batch", "M", "N", "K", "Beta", "Type", NULL };
	struct tl_jax *j = ctx;
	struct tl_table *t = in->own_rows = tl_table_new(&j->trace->strings, 1, columns);
	const struct tl_hlo_op *ops;
	size_t n, p = 0;

	for (; tl_hlo_program(j->programs, j->options.program, p, &ops, &n); p++)
		for (size_t i = 0; i < n; i++)
			if (ops[i].is_gemm && !ops[i].root)
				add_product(t, &ops[i]);
	j->doubts.no_program |= !p;
}

/* ---- gemms_detailed ------------------------------------------------------------------------- */

enum {
	G_GFLOPS, G_TIME, G_TFLOPS, G_MOVED, G_INTENSITY, G_TBS, SIZE_M, SIZE_N, SIZE_K, BIAS, STRIDE_A, STRIDE_B, PAIR_OF_TYPES, BATCH, SIMULATION, ONE,
	TRANSPOSE, N_GEMM_COLUMNS
};
static const char *const gemm_columns[] = {
	"GFLOPS", "Kernel Time (µs)", "TFLOPS/s", "Data Moved (MB)", "FLOPS/Byte", "TB/s", "param: M", "param: N", "param: K", "param: bias",
	"param: stride_A", "param: stride_B", "param: dtype_A_B", "param: Op B", "param: simulation_dtype", "param: B", "param: transpose",
	NULL
};

/* The parameters of the model jax_gemm, and the columns that have them. */
static const struct { const char *param; size_t column; } params[] = {
	{ "M", SIZE_M }, { "N", SIZE_N }, { "K", SIZE_K }, { "bias", BIAS }, { "dtype_A_B", PAIR_OF_TYPES }, { "B", BATCH },
	{ "simulation_dtype", SIMULATION }, { "transpose", TRANSPOSE },
};

static struct tl_cell rounded(struct tl_cell c)
{
	return c.type == TL_CELL_REAL ? tl_cell_real(tl_numpy_round2(c.d)) : c;
}

static void add_kernel(struct tl_table *t, const struct tl_jax *j, const struct tl_jax_event *e)
{
	const struct tl_jax_metrics *m = e->metrics;
	double us = tl_trace_us(j->trace, tl_jax_dur(j, e));
	struct tl_rates rates = tl_rates_of(m->gflops, m->has_bytes, m->bytes, us);
	struct tl_cell c[N_GEMM_COLUMNS] = {
		[G_GFLOPS] = tl_cell_real(m->gflops), [G_TIME] = tl_cell_real(us), [G_TFLOPS] = rates.tflops, [G_MOVED] = rates.moved,
		[G_INTENSITY] = rates.intensity, [G_TBS] = rates.tbs, [ONE] = tl_cell_int(1),
	};

	for (size_t i = 0; i < m->n_params; i++)
		for (size_t p = 0; p < sizeof params / sizeof *params; p++)
			if (!strcmp(m->params[i].name, params[p].param))
				c[params[p].column] = m->params[i].value;
	for (size_t i = 0; i < N_GEMM_COLUMNS; i++)
		c[i] = rounded(c[i]);
	tl_table_add_row(t, c);
}

static bool in_program(const struct tl_jax *j, const struct tl_hlo_op *op)
{
	const struct tl_hlo_op *ops;
	size_t n;

	for (size_t p = 0; tl_hlo_program(j->programs, j->options.program, p, &ops, &n); p++)
		if (op >= ops && op < ops + n)
			return true;
	return false;
}

static void gemms_detailed(void *ctx, struct tl_sheet_input *in)
{
	struct tl_jax *j = ctx;
	struct tl_table *t = in->own_rows = tl_table_new(&j->trace->strings, 1, gemm_columns);
	const struct tl_hlo_op *ops;
	size_t n;

	j->doubts.no_program |= !tl_hlo_program(j->programs, j->options.program, 0, &ops, &n);
	for (size_t i = 0; i < j->n; i++) {
		const struct tl_jax_event *e = &j->events[i];
		if (e->metrics && e->op->is_gemm && tl_jax_is_kernel(e) && tl_jax_track(j, e->event)->pid == j->gpus[0].pid && in_program(j, e->op))
			add_kernel(t, j, e);
	}
}

/* ---- sheets ---------------------------------------------------------------------------------- */

/* The numbers of kernels count annotations on the device, too. */
#define NEEDS TL_NEEDS_ANNOTATIONS
#define OP_SHEET(category, of) \
	{ "op_" category, "what operations of XLA achieved: " of, NULL, TL_SHEET_NEEDS_ROWS, NEEDS, &op_sheet, op_rows, NULL }
#define ANALYSIS "trace_analysis_results_" /* as TraceLens names the files of that report */
static const struct tl_sheet sheets[] = {
	{ "gpu_timeline", "time of each GPU: computation, communication, copies, idle", NULL, 0, 0, NULL, tl_jax_times, NULL },
	{ "gpu_events_averages", "the same, means over the GPUs", NULL, 0, 0, NULL, tl_jax_averages, NULL },
	{ "kernel_launchers", "every kernel, with its operation of XLA", NULL, 0, NEEDS, &tl_jax_launchers, tl_jax_kernels, NULL },
	{ "kernel_launchers_summary", "device time by kernel", NULL, TL_SHEET_USUAL, 0, &tl_jax_summary, tl_jax_kernels, NULL },
	{ "kernel_launchers_summary_by_category", "device time by category of kernels", NULL, 0, 0, &tl_jax_by_category,
	  tl_jax_kernels, NULL },
	{ "kernel_launchers_unique_args", "device time by kernel and inputs", NULL, 0, NEEDS, &tl_jax_unique_args, tl_jax_kernels, NULL },
	{ "df_xla_perf", "every kernel that XLA made, with the bytes of its inputs", NULL, 0, NEEDS, &tl_jax_launchers,
	  tl_jax_kernels, "is xla" },
	{ "xla_summary", "device time of kernels that XLA made, by name without digits", NULL, 0, 0, &tl_jax_xla_summary,
	  tl_jax_kernels, "is xla" },
	OP_SHEET("gemm", "matrix products"),
	OP_SHEET("fa_bwd", "attention, backward"),
	OP_SHEET("fa_fwd", "attention, forward"),
	OP_SHEET("fa_v3", "attention of AITER"),
	OP_SHEET("conv", "convolutions"),
	OP_SHEET("te", "other kernels of Transformer Engine"),
	{ ANALYSIS "gpu_events_averages", "means of times over the GPUs, two decimals", "analysis", 0, 0, NULL,
	  tl_jax_analysis_times, NULL },
	{ ANALYSIS "gpu_events_categorized_mean", "computation by category of kernels", "analysis", 0, 0, &tl_jax_categorized,
	  tl_jax_computation, NULL },
	{ ANALYSIS "xla_grouped", "computation without a category, by name without digits", "analysis", 0, 0, &tl_jax_xla_grouped,
	  tl_jax_computation, "uncategorised" },
	{ ANALYSIS "gemms", "matrix products of the program of a training step", "analysis", 0, 0, NULL, gemms, NULL },
	{ ANALYSIS "gemms_detailed", "the kernels of these on the first GPU", "analysis", 0, 0, NULL, gemms_detailed, NULL },
	{ .name = NULL },
};
const struct tl_sheet_family tl_jax_sheets = { "tl-jax", sheets };
