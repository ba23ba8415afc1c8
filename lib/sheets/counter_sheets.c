/* counter_sheets.c - the sheets of tl-counters: what the profiler recorded over time, in steps, and while kernels ran.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/counter_sheets.h"

#include "base/merge_sort.h"
#include "base/search.h"
#include "work/device_events.h"
#include "work/kept.h"
#include "steps/step_find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct tl_counters *counters_of(struct tl_trace *t)
{
	return tl_counters_of(t, TL_COUNTER_RECORDED);
}

/* Cells that all three sheets begin with. */
enum { RANK, PROCESS, DEVICE, COUNTER, TRACK, UNIT, N_FIRST };

static void first_cells(const struct tl_counter *c, struct tl_cell *cells)
{
	cells[RANK] = c->rank;
	cells[PROCESS] = c->process;
	cells[DEVICE] = c->device;
	cells[COUNTER] = tl_cell_text(c->name);
	cells[TRACK] = c->track;
	cells[UNIT] = tl_cell_text(c->unit);
}

/* ---- counters ------------------------------------------------------------------------------ */

/* The first point with a value, and the last. */
static void ends_of(const struct tl_series *s, double *first, double *last)
{
	*first = *last = NAN;
	for (size_t i = 0; i < s->n; i++) {
		double value = s->items[i].value;
		*first = isnan(*first) ? value : *first;
		*last = isnan(value) ? *last : value;
	}
}

/* The values of kernels, each once. */
static struct tl_series_part part_of_kernels(const struct tl_series *s)
{
	struct tl_series_part p = { .least = INFINITY, .most = -INFINITY };

	for (size_t i = 0; i < s->n; i++) {
		double v = s->items[i].value;
		p.least = v < p.least ? v : p.least;
		p.most = v > p.most ? v : p.most;
		p.mean += v / (double)s->n;
	}
	return p;
}

void tl_counter_series(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace *t = ctx;
	const struct tl_counters *all = counters_of(t);
	struct tl_table *rows = tl_table_new(&t->strings, t->ticks_per_us, tl_counters_series_rows);

	for (size_t i = 0; i < all->n; i++) {
		const struct tl_counter *c = &all->items[i];
		const struct tl_series *s = &c->series;
		struct tl_cell cells[N_SERIES] = { 0 };
		if (!c->samples)
			continue;
		bool of_kernels = c->of == TL_SAMPLE_KERNEL;
		struct tl_series_part p = of_kernels ? part_of_kernels(s) : tl_series_part_at(s, (struct tl_span){ s->items[0].at, s->items[s->n - 1].at });
		double first, last, busy = tl_counter_busy_mean(t, c);
		ends_of(s, &first, &last);
		if (!of_kernels && !p.ticks) /* all at one time */
			p = (struct tl_series_part){ last, last, last, 0 };
		first_cells(c, cells);
		cells[SERIES_OF] = tl_cell_str(&t->strings, tl_sample_of_name(c->of));
		cells[SERIES_SAMPLES] = tl_cell_int(c->samples);
		cells[SERIES_FIRST] = of_kernels ? tl_cell_null() : tl_cell_real(first);
		cells[SERIES_LAST] = of_kernels ? tl_cell_null() : tl_cell_real(last);
		cells[SERIES_MIN] = tl_cell_real(last < p.least && !of_kernels ? last : p.least);
		cells[SERIES_MEAN] = tl_cell_real(p.mean);
		cells[SERIES_MAX] = tl_cell_real(last > p.most && !of_kernels ? last : p.most);
		cells[SERIES_BUSY_MEAN] = isnan(busy) ? tl_cell_null() : tl_cell_real(busy);
		tl_table_add_row(rows, cells);
	}
	in->own_rows = rows;
}

/* ---- steps --------------------------------------------------------------------------------- */

/* Points with a value within a span. */
static size_t samples_in(const struct tl_series *s, struct tl_span span)
{
	size_t at, n = 0;

	TL_SEARCH(at, s->n, mid, s->items[mid].at < span.start);
	for (; at < s->n && s->items[at].at < span.end; at++)
		n += !isnan(s->items[at].value);
	return n;
}

static void add_step(struct tl_table *rows, struct tl_trace *t, const struct tl_counter *c, const struct tl_step *s)
{
	struct tl_span span = { s->from, s->to };
	struct tl_series_part p = tl_series_part_at(&c->series, span);
	struct tl_cell cells[N_STEP] = { 0 };

	if (!p.ticks)
		return;
	first_cells(c, cells);
	cells[STEP_STEP] = tl_name_cell(t, tl_step_name(t, s));
	cells[STEP_SAMPLES] = tl_cell_int((int64_t)samples_in(&c->series, span));
	cells[STEP_MIN] = tl_cell_real(p.least);
	cells[STEP_MEAN] = tl_cell_real(p.mean);
	cells[STEP_MAX] = tl_cell_real(p.most);
	tl_table_add_row(rows, cells);
}

void tl_counter_steps(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace *t = ctx;
	const struct tl_counters *all = counters_of(t);
	struct tl_table *rows = tl_table_new(&t->strings, t->ticks_per_us, tl_counters_step_rows);

	in->own_rows = rows;
	if (!all->n)
		return;
	const struct tl_steps *steps = tl_steps_of(t);
	struct tl_ranks ranks = tl_ranks_of(t);
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; all->items[i].of != TL_SAMPLE_KERNEL && k < steps->n; k++) {
			const struct tl_counter *c = &all->items[i];
			if (steps->items[k].event != TL_NONE &&
			    (tl_cell_is_null(c->rank) || !tl_cell_compare(&t->strings, c->rank, tl_rank_of(t, &ranks, steps->items[k].event))))
				add_step(rows, t, c, &steps->items[k]);
		}
}

/* ---- kernels ------------------------------------------------------------------------------- */

/* Kernels of one name, grid and block, and a counter while they ran. */
struct group { uint32_t first, kernels; int64_t ticks; double weight, sum, least, most; };

/* The kernels of a counter's devices, put together as they come. */
struct groups {
	struct tl_trace *t;
	struct tl_arg grid, block;
	struct tl_strtab keys;
	struct group *items; size_t n, cap;
};

static void add_kernel(struct groups *g, uint32_t event, struct tl_series_part p, double weight)
{
	struct key { uint32_t name, types; int64_t grid, block; } key = { .name = g->t->events[event].name };

	key.types = (uint32_t)tl_arg_get(&g->grid, g->t, event, &key.grid) << 8;
	key.types |= (uint32_t)tl_arg_get(&g->block, g->t, event, &key.block);
	uint32_t id = tl_intern(&g->keys, (const char *)&key, sizeof key);
	if (id > g->n)
		TL_PUSH(g->items, g->n, g->cap, (struct group){ .first = event, .least = INFINITY, .most = -INFINITY });
	struct group *to = &g->items[id - 1];
	to->kernels++;
	to->ticks = tl_ticks_add(to->ticks, g->t->events[event].dur);
	to->weight += weight;
	to->sum += p.mean * weight;
	to->least = p.least < to->least ? p.least : to->least;
	to->most = p.most > to->most ? p.most : to->most;
}

static void group_kernels(struct groups *g, const struct tl_counter *c)
{
	const struct tl_devices *d = tl_devices_of(g->t);
	const struct tl_series *s = &c->series;

	for (size_t i = 0; c->of == TL_SAMPLE_KERNEL && i < s->n; i++)
		if (tl_ev_has_span(&g->t->events[s->items[i].at]))
			add_kernel(g, (uint32_t)s->items[i].at, (struct tl_series_part){ s->items[i].value, s->items[i].value, s->items[i].value, 0 }, 1);
	for (size_t i = 0; c->of != TL_SAMPLE_KERNEL && i < d->n; i++)
		for (size_t k = d->events.start[i]; tl_counter_is_of(g->t, c, &d->items[i]) && k < d->events.start[i + 1]; k++) {
			const struct tl_ev *e = &g->t->events[d->events.items[k]];
			struct tl_series_part p = { 0 };
			if (e->kind == TL_KIND_KERNEL)
				p = tl_series_part_at(s, (struct tl_span){ e->ts, tl_ev_end(e) });
			if (p.ticks)
				add_kernel(g, d->events.items[k], p, (double)p.ticks);
		}
}

TL_ORDER(by_time, struct group, TL_DESC(x->ticks) TL_ASC(x->first))

void tl_counter_kernels(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace *t = ctx;
	const struct tl_counters *all = counters_of(t);
	struct tl_table *rows = tl_table_new(&t->strings, t->ticks_per_us, tl_counters_kernel_rows);
	struct groups g = { .t = t, .grid = tl_arg_of(t, TL_KEY_GRID), .block = tl_arg_of(t, TL_KEY_BLOCK) };

	for (size_t i = 0; i < all->n; i++) {
		g.n = 0;
		tl_strtab_clear(&g.keys);
		group_kernels(&g, &all->items[i]);
		tl_merge_sort(g.items, g.n, sizeof *g.items, by_time, NULL);
		for (size_t k = 0; k < g.n; k++) {
			const struct group *group = &g.items[k];
			struct tl_cell cells[N_KERNEL] = { 0 };
			first_cells(&all->items[i], cells);
			cells[KERNEL_NAME] = tl_name_cell(t, t->events[group->first].name);
			cells[KERNEL_GRID] = tl_arg_list_cell(t, &g.grid, group->first);
			cells[KERNEL_BLOCK] = tl_arg_list_cell(t, &g.block, group->first);
			cells[KERNEL_KERNELS] = tl_cell_int(group->kernels);
			cells[KERNEL_KERNEL_MS] = tl_cell_ms(group->ticks);
			cells[KERNEL_SUM] = all->items[i].of == TL_SAMPLE_KERNEL ? tl_cell_real(group->sum) : tl_cell_null();
			cells[KERNEL_MEAN] = tl_cell_real(group->sum / group->weight);
			cells[KERNEL_MIN] = tl_cell_real(group->least);
			cells[KERNEL_MAX] = tl_cell_real(group->most);
			tl_table_add_row(rows, cells);
		}
	}
	free(g.items);
	tl_strtab_release(&g.keys);
	in->own_rows = rows;
}

/* Is the value that of the kernels? Samples over time are, if two and more of them lie within a kernel, on average. */
static bool is_of_kernels(const struct tl_counter *c, const struct group *g)
{
	const struct tl_series *s = &c->series;

	return c->of == TL_SAMPLE_KERNEL ||
		(s->n > 1 && (double)g->ticks * (double)(s->n - 1) >= 2 * (double)g->kernels * (double)tl_ticks_sub(s->items[s->n - 1].at, s->items[0].at));
}

static void add_limit(struct tl_table *rows, struct groups *g, const struct tl_counter *c, const struct group *of, size_t column)
{
	struct tl_trace *t = g->t;
	uint32_t name = t->events[of->first].name;
	const char *kind = tl_name_answer(tl_kept_answers(t, TL_KERNEL_KINDS), name), *inner = tl_name_answer(tl_kept_answers(t, TL_KERNEL_INTERNAL), name),
		*precision = tl_name_answer(tl_kept_answers(t, TL_KERNEL_PRECISION), name);
	struct tl_cell cells[N_LIMIT] = { [LIMIT_RANK] = c->rank, [LIMIT_PROCESS] = c->process, [LIMIT_DEVICE] = c->device,
		[LIMIT_NAME] = tl_name_cell(t, name), [LIMIT_GRID] = tl_arg_list_cell(t, &g->grid, of->first),
		[LIMIT_BLOCK] = tl_arg_list_cell(t, &g->block, of->first), [LIMIT_KERNELS] = tl_cell_int(of->kernels),
		[LIMIT_KERNEL_TIME] = tl_cell_time(of->ticks, false), [LIMIT_KIND] = tl_cell_str(&t->strings, *inner ? inner : *kind ? kind : "unknown"),
		[LIMIT_PRECISION] = tl_cell_str(&t->strings, *precision ? precision : NULL) };

	cells[column] = tl_cell_real(of->sum / of->weight);
	tl_table_add_row(rows, cells);
}

void tl_counter_limits(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace *t = ctx;
	const struct tl_counters *all = counters_of(t);
	struct groups g = { .t = t, .grid = tl_arg_of(t, TL_KEY_GRID), .block = tl_arg_of(t, TL_KEY_BLOCK) };

	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_counters_limit_rows);
	for (size_t i = 0; i < all->n; i++) {
		const char *what = tl_name_answer(tl_kept_answers(t, TL_COUNTER_KINDS_TABLE), tl_counter_text(t, &all->items[i]));
		bool memory = !strcmp(what, "memory");
		if (!memory && strcmp(what, "matrix") != 0)
			continue;
		g.n = 0;
		tl_strtab_clear(&g.keys);
		group_kernels(&g, &all->items[i]);
		for (size_t k = 0; k < g.n; k++)
			if (is_of_kernels(&all->items[i], &g.items[k]))
				add_limit(in->own_rows, &g, &all->items[i], &g.items[k], memory ? LIMIT_MEMORY : LIMIT_MATRIX);
	}
	free(g.items);
	tl_strtab_release(&g.keys);
}
