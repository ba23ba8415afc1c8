/* jax_gemms.c - the sheets of TraceLens's second report of JAX traces about the matrix
 * products of a program: all that it has, and the kernels of the first GPU that do them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/jax_events.h"

#include <string.h>

#include "roofline/measure.h"
#include "table/statistics.h"

/* ---- gemms -------------------------------------------------------------------------------- */

static void add_product(struct tl_table *t, const struct tl_hlo_op *op)
{
	struct tl_cell c[7] = { tl_cell_text(tl_intern_str(t->strings, op->name)) };
	struct tl_hlo_gemm g;
	const char *reason;

	if (tl_hlo_gemm(op, &g, &reason)) {
		const int64_t numbers[] = { g.batch, g.m, g.n, g.k, g.beta };
		for (size_t i = 0; i < 5; i++)
			c[1 + i] = tl_cell_int(numbers[i]);
	}
	if (op->type)
		c[6] = tl_cell_text(tl_intern_str(t->strings, op->type));
	tl_table_add_row(t, c);
}

struct tl_table *tl_jax_make_gemms(void *ctx, const struct tl_sheet *s)
{
	static const char *const columns[] = { "name", "Batch", "M", "N", "K", "Beta", "Type", NULL };
	struct tl_jax *j = ctx;
	struct tl_table *t = tl_table_new(&j->trace->strings, 1, columns);
	const struct tl_hlo_op *ops;
	size_t n, p = 0;

	(void)s;
	for (; tl_hlo_program(j->programs, j->options.program, p, &ops, &n); p++)
		for (size_t i = 0; i < n; i++)
			if (ops[i].is_gemm && !ops[i].root)
				add_product(t, &ops[i]);
	j->doubts.no_program |= !p;
	return t;
}

/* ---- gemms_detailed ------------------------------------------------------------------------- */

enum {
	GFLOPS, TIME, TFLOPS, MOVED, INTENSITY, TBS, SIZE_M, SIZE_N, SIZE_K, BIAS, STRIDE_A, STRIDE_B, TYPES, BATCH, SIMULATION, ONE,
	TRANSPOSE, N_COLUMNS
};
static const char *const columns[] = {
	"GFLOPS", "Kernel Time (µs)", "TFLOPS/s", "Data Moved (MB)", "FLOPS/Byte", "TB/s", "param: M", "param: N", "param: K", "param: bias",
	"param: stride_A", "param: stride_B", "param: dtype_A_B", "param: Op B", "param: simulation_dtype", "param: B", "param: transpose",
	NULL
};

/* The parameters of the model jax_gemm, and the columns that have them. */
static const struct { const char *param; size_t column; } params[] = {
	{ "M", SIZE_M }, { "N", SIZE_N }, { "K", SIZE_K }, { "bias", BIAS }, { "dtype_A_B", TYPES }, { "B", BATCH },
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
	struct tl_cell c[N_COLUMNS] = {
		[GFLOPS] = tl_cell_real(m->gflops), [TIME] = tl_cell_real(us), [TFLOPS] = rates.tflops, [MOVED] = rates.moved,
		[INTENSITY] = rates.intensity, [TBS] = rates.tbs, [ONE] = tl_cell_int(1),
	};

	for (size_t i = 0; i < m->n_params; i++)
		for (size_t p = 0; p < sizeof params / sizeof *params; p++)
			if (!strcmp(m->params[i].name, params[p].param))
				c[params[p].column] = m->params[i].value;
	for (size_t i = 0; i < N_COLUMNS; i++)
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

struct tl_table *tl_jax_make_gemms_detailed(void *ctx, const struct tl_sheet *s)
{
	struct tl_jax *j = ctx;
	struct tl_table *t = tl_table_new(&j->trace->strings, 1, columns);
	const struct tl_hlo_op *ops;
	size_t n;

	(void)s;
	j->doubts.no_program |= !tl_hlo_program(j->programs, j->options.program, 0, &ops, &n);
	for (size_t i = 0; i < j->n; i++) {
		const struct tl_jax_event *e = &j->events[i];
		if (e->metrics && e->op->is_gemm && tl_jax_is_kernel(e) && tl_jax_track(j, e->event)->pid == j->pids[0] && in_program(j, e->op))
			add_kernel(t, j, e);
	}
	return t;
}
