/* memory_categories.c - memory by what it is for, of timelines of torch.profiler's export_memory_timeline.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/memory_categories.h"

#include "analysis/args.h"
#include "analysis/curve.h"
#include "base/merge_sort.h"
#include "analysis/spans.h"
#include "sheets/memory_sheets.h"

#include <stdlib.h>
#include <string.h>

enum { N_CATEGORIES = 8, TOTAL = N_CATEGORIES, N_VALUES };
static const char *const categories[N_VALUES] = { TL_MEMORY_CATEGORIES, "(all)" };

/* Bytes of each category, and of all, from a time on; has_time: of what was there before it is not told. */
struct point { bool has_time; int64_t time; int64_t bytes[N_VALUES]; };
struct points { struct point *items; size_t n, cap; size_t peaks[N_VALUES]; };

static int by_time(const void *pa, const void *pb, void *ctx)
{
	const struct point *a = pa, *b = pb;

	(void)ctx;
	if (a->has_time != b->has_time)
		return a->has_time ? 1 : -1;
	return a->time < b->time ? -1 : a->time > b->time;
}

/* The category of an event; unknown: one with another name. */
static size_t category_of(struct tl_trace *t, const struct tl_arg *category, uint32_t event)
{
	int64_t text = 0;
	const char *name = tl_arg_get(category, t, event, &text) == TL_FIELD_STRING ? tl_str(&t->strings, (uint32_t)text) : "";
	size_t k = 0;

	while (k < N_CATEGORIES - 1 && strcmp(name, categories[k]))
		k++;
	return k;
}

static void add_changes(struct points *p, struct tl_trace *t)
{
	uint32_t name = tl_strtab_find(&t->strings, TL_MEMORY_CATEGORY, sizeof TL_MEMORY_CATEGORY - 1);
	struct tl_arg bytes = tl_arg_of(t, "Bytes"), category = tl_arg_of(t, TL_KEY_CATEGORY);
	int64_t change;

	for (uint32_t i = 0; name && i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (e->name != name || e->kind != TL_KIND_INSTANT || tl_arg_get(&bytes, t, i, &change) != TL_FIELD_INT)
			continue;
		bool has_time = (e->flags & TL_EV_HAS_TS) != 0;
		TL_GROW(p->items, p->cap, p->n + 1);
		p->items[p->n] = (struct point){ .has_time = has_time, .time = has_time ? e->ts : 0 };
		p->items[p->n].bytes[category_of(t, &category, i)] = change;
		p->items[p->n++].bytes[TOTAL] = change;
	}
}

/* Makes sums of the changes, one point for each time. */
static void sum_up(struct points *p)
{
	size_t n = 0;

	tl_merge_sort(p->items, p->n, sizeof *p->items, by_time, NULL);
	for (size_t i = 0; i < p->n; i++) {
		struct point sum = p->items[i];
		for (size_t k = 0; i && k < N_VALUES; k++)
			sum.bytes[k] = tl_ticks_add(p->items[n - 1].bytes[k], sum.bytes[k]);
		n -= i && !by_time(&p->items[n - 1], &sum, NULL);
		p->items[n++] = sum;
	}
	p->n = n;
}

static struct points points_of(struct tl_trace *t)
{
	struct points p = { 0 };

	add_changes(&p, t);
	sum_up(&p);
	for (size_t i = 0; i < p.n; i++)
		for (size_t k = 0; k < N_VALUES; k++)
			p.peaks[k] = p.items[i].bytes[k] > p.items[p.peaks[k]].bytes[k] ? i : p.peaks[k];
	return p;
}

/* From the first change, whose time what was there before has, too. Absolute times of 19 digits would lose some as cells. */
static struct tl_cell time_cell(const struct points *p, size_t i)
{
	size_t first = p->n > 1 && !p->items[0].has_time;

	return tl_cell_time(i < first ? 0 : tl_ticks_sub(p->items[i].time, p->items[first].time), false);
}

/* ---- memory_categories ------------------------------------------------------------------- */

static const char *const curve_columns[] = {
	"time_us", "parameter_bytes", "optimizer_state_bytes", "input_bytes", "temporary_bytes", "activation_bytes", "gradient_bytes",
	"autograd_detail_bytes", "unknown_bytes", "allocated_bytes", NULL
};

static int64_t time_at(const void *points, size_t i)
{
	const struct points *p = points;

	return p->items[i + (!p->items[i].has_time && i + 1 < p->n)].time;
}

/* The total first: of that the least counts, too. */
static int64_t bytes_at(const void *points, size_t i, size_t k)
{
	return ((const struct points *)points)->items[i].bytes[TOTAL - k];
}

void tl_memory_categories(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_memory_view *v = ctx;
	struct points p = points_of(v->trace);
	bool *shown = tl_curve_points(&(struct tl_curve){ &p, p.n, N_VALUES, time_at, bytes_at }, v->options->curve_points);

	in->own_rows = tl_table_new(&v->trace->strings, v->trace->ticks_per_us, curve_columns);
	for (size_t i = 0; i < p.n; i++) {
		struct tl_cell c[1 + N_VALUES] = { time_cell(&p, i) };
		for (size_t k = 0; k < N_VALUES; k++)
			c[1 + k] = tl_cell_int(p.items[i].bytes[k]);
		if (shown[i])
			tl_table_add_row(in->own_rows, c);
	}
	free(shown);
	free(p.items);
}

/* ---- memory_category_peaks ------------------------------------------------------------------- */

enum { K_CATEGORY, K_BYTES, K_PEAK, K_LARGEST, K_TIME, K_START, K_END, K_COLUMNS };
static const char *const peak_rows[] = {
	"category", "at_peak_bytes", "peak", "largest_bytes", "largest_us", "at_start_bytes", "at_end_bytes", NULL
};
static const struct tl_column peak_columns[] = {
	{ "category", .kind = TL_KEY }, { "at_peak_bytes", .kind = TL_SUM }, { "peak", .kind = TL_FIRST, .hidden = true },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = "at_peak_bytes", .of = "peak" }, { "largest_bytes", .kind = TL_FIRST },
	{ "largest_us", .kind = TL_FIRST }, { "at_start_bytes", .kind = TL_FIRST }, { "at_end_bytes", .kind = TL_FIRST },
	{ .name = NULL }
};
const struct tl_sheet_def tl_memory_category_peaks_def = {
	.name = "memory_category_peaks", .rows = peak_rows, .columns = peak_columns, .order = { { "at_peak_bytes", true } },
};

void tl_memory_category_peaks(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace *t = ((const struct tl_memory_view *)ctx)->trace;
	struct points p = points_of(t);

	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, peak_rows);
	for (size_t i = 0; p.n && i < N_VALUES; i++) {
		size_t k = (TOTAL + i) % N_VALUES; /* all of them first */
		const struct point *peak = &p.items[p.peaks[TOTAL]], *largest = &p.items[p.peaks[k]];
		if (largest->bytes[k] <= 0 && k != TOTAL)
			continue;
		tl_table_add_row(in->own_rows, (struct tl_cell[K_COLUMNS]){
			[K_CATEGORY] = tl_cell_str(&t->strings, categories[k]),
			[K_BYTES] = tl_cell_int(peak->bytes[k]), [K_PEAK] = tl_cell_int(peak->bytes[TOTAL]),
			[K_LARGEST] = tl_cell_int(largest->bytes[k]), [K_TIME] = time_cell(&p, p.peaks[k]),
			[K_START] = tl_cell_int(p.items[0].bytes[k]), [K_END] = tl_cell_int(p.items[p.n - 1].bytes[k]) });
	}
	free(p.items);
}
