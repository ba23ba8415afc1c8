/* jax_analysis.c - the sheets of TraceLens's second report of JAX traces: GPU time and
 * computation by category, rounded to two decimals.
 *
 * Here the category of a kernel is what its own name says; that of its operation counts where
 * the name says nothing.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/jax_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "table/statistics.h"

#define UNCATEGORISED "Uncategorized Events"

/* ---- the means of times ------------------------------------------------------------------ */

static struct tl_cell rounded(double x)
{
	return tl_cell_real(tl_numpy_round2(x));
}

static void add_time(struct tl_table *t, const char *name, double ms, double total)
{
	const struct tl_cell c[] = {
		tl_cell_text(tl_intern_str(t->strings, name)), rounded(ms), total > 0 ? rounded(ms / total * 100) : tl_cell_null(),
	};

	tl_table_add_row(t, c);
}

struct tl_table *tl_jax_make_analysis_times(void *ctx, const struct tl_sheet *s)
{
	static const char *const columns[] = { "type", "time ms", "percent", NULL };
	struct tl_jax *j = ctx;
	struct tl_table *t = tl_table_new(&j->trace->strings, 1, columns);
	double ms[TL_TIMES];

	(void)s;
	if (!tl_jax_mean_times(j, ms))
		return t;
	for (size_t i = 0; i < TL_TIMES; i++) {
		if (i == TL_TIME_COMM)
			add_time(t, "overlapped_comm", ms[TL_TIME_COMM] - ms[TL_TIME_EXPOSED_COMM], ms[TL_TIME_TOTAL]);
		add_time(t, tl_gpu_time_names[i], ms[i], ms[TL_TIME_TOTAL]);
	}
	return t;
}

/* ---- computation ---------------------------------------------------------------------------- */

enum { CATEGORY, SHORT_NAME, TIME, OTHER, N_COLUMNS };
static const char *const row_columns[] = { "category", "short name", "time", "uncategorised", NULL };

struct computation {
	struct tl_jax *jax;
	struct tl_table *rows;
	int64_t uncategorised;   /* ticks of kernels without a category */
	double gpus, us;         /* how many GPUs; how long they computed, all together */
};

/* The name without digits and without the underscores at its end. */
static uint32_t short_name(struct tl_strtab *strings, uint32_t name)
{
	const char *s = tl_str(strings, name);
	size_t len = tl_str_len(strings, name);

	while (len && s[len - 1] == '_')
		len--;
	return tl_without_digits(strings, s, len);
}

static void add_row(struct computation *a, const struct tl_jax_event *e)
{
	struct tl_jax *j = a->jax;
	struct tl_strtab *strings = &j->trace->strings;
	uint32_t name = j->trace->events[e->event].name;
	const char *category = tl_jax_category(j, name);
	struct tl_cell c[N_COLUMNS] = { 0 };

	if (!*category)
		category = tl_jax_category(j, tl_jax_text(j, TL_JAX_HLO_OP, e->event));
	c[CATEGORY] = tl_cell_text(tl_intern_str(strings, *category ? category : UNCATEGORISED));
	c[SHORT_NAME] = tl_cell_text(short_name(strings, name));
	c[TIME] = tl_cell_time(tl_jax_dur(j, e), false);
	c[OTHER] = tl_cell_bool(!*category);
	if (!*category)
		a->uncategorised = tl_ticks_add(a->uncategorised, tl_jax_dur(j, e));
	tl_table_add_row(a->rows, c);
}

/* Totals: how many GPUs; the time that percentages are of. */
#define TIME_COLUMNS \
	{ "count", .kind = TL_COUNT }, \
	{ "sum", .kind = TL_SUM, .in = "time", .hidden = true }, \
	{ "ms", .kind = TL_MS, .in = "sum", .hidden = true }, \
	{ "time ms", .kind = TL_MS, .in = "sum", .rounded = true }, \
	{ "time ms per gpu", .kind = TL_SHARE, .in = "ms", .total = 1, .rounded = true }, \
	{ "percent", .kind = TL_PERCENT, .in = "sum", .total = 2, .rounded = true }, \
	{ .name = NULL }
static const struct tl_column category_columns[] = { { "name", .kind = TL_KEY, .in = "category" }, TIME_COLUMNS };
static const struct tl_column name_columns[] = { { "short_name_grouped", .kind = TL_KEY, .in = "short name" }, TIME_COLUMNS };
const struct tl_sheet_def tl_jax_categorized = {
	.name = "gpu_events_categorized_mean", .rows = row_columns, .columns = category_columns, .order = { { "sum", true } },
};
const struct tl_sheet_def tl_jax_xla_grouped = {
	.name = "xla_grouped", .rows = row_columns, .columns = name_columns, .keys_ascending = true, .order = { { "sum", true } },
};

/* The kernels that compute. */
static struct computation computation_of(struct tl_jax *j)
{
	struct computation a = { .jax = j, .rows = tl_table_new(&j->trace->strings, j->trace->ticks_per_us, row_columns) };
	double ms[TL_TIMES];

	a.gpus = (double)tl_jax_mean_times(j, ms);
	a.us = ms[TL_TIME_COMPUTATION] * 1000 * a.gpus;
	for (size_t i = 0; i < j->n; i++)
		if (j->events[i].work == TL_GPU_COMPUTE)
			add_row(&a, &j->events[i]);
	return a;
}

/* A row for kernels without a category, if there are none. */
static void add_empty_row(struct tl_table *t)
{
	const struct tl_cell c[] = {
		tl_cell_text(tl_intern_str(t->strings, UNCATEGORISED)), tl_cell_int(0), tl_cell_real(0), tl_cell_real(0), tl_cell_real(0),
	};

	tl_table_add_row(t, c);
}

struct tl_table *tl_jax_make_categorized(void *ctx, const struct tl_sheet *s)
{
	struct computation a = computation_of(ctx);
	bool any = a.rows->n_rows;
	struct tl_table *t = tl_sheet_make(s->def, &(struct tl_sheet_input){ .own_rows = a.rows, .totals = { a.gpus, a.us } });

	if (any && !a.uncategorised)
		add_empty_row(t);
	return t;
}

struct tl_table *tl_jax_make_xla_grouped(void *ctx, const struct tl_sheet *s)
{
	struct computation a = computation_of(ctx);

	return tl_sheet_make(s->def, &(struct tl_sheet_input){ .own_rows = a.rows, .where = "uncategorised",
		.totals = { a.gpus, tl_trace_us(a.jax->trace, a.uncategorised) } });
}
