/* clock_falls.c - the sheet clock_falls: kernels that take longer while the clock of their device is low.
 *
 * High is the 90th percentile of the clock, by the time of kernels. An idle device has a low clock, too, and so has one that has just
 * begun: only kernels count that run at less than 95 % of it after one of all ran at 95 % or more, and that take longer
 * than the median of at least three of their name, grid and block at the high clock. What a low clock explains is at most the ratio of
 * the two clocks: what a kernel takes beyond that has another cause.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/counter_sheets.h"

#include "base/merge_sort.h"
#include "table/statistics.h"
#include "work/device_events.h"
#include "work/kept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HIGH_SHARE 0.9  /* of the time of kernels */
#define NEAR 0.95       /* of the high clock */
#define SLOWER 1.02     /* the median of those at the low clock by that of the others: less is noise */
enum { LEAST_HIGH = 3 };

/* A kernel, and the mean of the clock while it ran. */
struct run { uint32_t event, group; int64_t start, ticks; double clock; };
struct fall {
	struct tl_trace *t;
	const struct tl_counter *clock;
	struct tl_strtab groups;         /* name, grid and block */
	struct run *runs; size_t n, cap;
	double high, low_ticks, ticks;   /* low_ticks: of the time of kernels, that below it */
	struct tl_arg grid, block;
};

TL_ORDER(by_clock, struct run, TL_ASC(x->clock))
TL_ORDER(by_group, struct run, TL_ASC(x->group) TL_ASC(x->start))

static void add_run(struct fall *f, uint32_t event)
{
	struct key { uint32_t name, types; int64_t grid, block; } key = { .name = f->t->events[event].name };
	const struct tl_ev *e = &f->t->events[event];
	struct tl_series_part p = tl_series_part_at(&f->clock->series, (struct tl_span){ e->ts, tl_ev_end(e) });

	if (e->kind != TL_KIND_KERNEL || p.ticks * 2 < e->dur || p.mean <= 0 || e->dur <= 0)
		return;
	key.types = (uint32_t)tl_arg_get(&f->grid, f->t, event, &key.grid) << 8;
	key.types |= (uint32_t)tl_arg_get(&f->block, f->t, event, &key.block);
	TL_PUSH(f->runs, f->n, f->cap, (struct run){ event, tl_intern(&f->groups, (const char *)&key, sizeof key), e->ts, e->dur, p.mean });
}

/* The high clock; runs before the first at it have not fallen, and go. */
static void settle(struct fall *f)
{
	double sum = 0;
	int64_t first = INT64_MAX;
	size_t n = 0;

	f->ticks = f->low_ticks = f->high = 0;
	for (size_t i = 0; i < f->n; i++)
		f->ticks += (double)f->runs[i].ticks;
	tl_merge_sort(f->runs, f->n, sizeof *f->runs, by_clock, NULL);
	for (size_t i = 0; i < f->n && (!i || sum < HIGH_SHARE * f->ticks); i++) {
		f->high = f->runs[i].clock;
		sum += (double)f->runs[i].ticks;
	}
	for (size_t i = 0; i < f->n; i++)
		if (f->runs[i].clock >= NEAR * f->high && f->runs[i].start < first)
			first = f->runs[i].start;
	for (size_t i = 0; i < f->n; i++)
		if (f->runs[i].start >= first)
			f->runs[n++] = f->runs[i];
	f->n = n;
	for (size_t i = 0; i < n; i++)
		f->low_ticks += f->runs[i].clock < NEAR * f->high ? (double)f->runs[i].ticks : 0;
	tl_merge_sort(f->runs, f->n, sizeof *f->runs, by_group, NULL);
}

/* ---- what else was recorded then ---- */

/* Of the counters of this kind of the device: the mean while these kernels ran, and the greatest value. */
struct beside { const struct tl_counter *counter; double mean, most; };

static struct beside beside(const struct fall *f, const struct tl_counters *all, struct tl_name_answers *kinds, const char *kind,
                            const struct run *runs, size_t n)
{
	struct beside b = { NULL, 0, -INFINITY };
	double ticks = 0;

	for (size_t i = 0; i < all->n && !b.counter; i++) {
		const struct tl_counter *c = &all->items[i];
		if (c->of != TL_SAMPLE_KERNEL && !tl_cell_is_null(c->device) && !tl_cell_compare(&f->t->strings, c->device, f->clock->device) &&
		    !tl_cell_compare(&f->t->strings, c->rank, f->clock->rank) && tl_name_is(kinds, tl_counter_text(f->t, c), kind))
			b.counter = c;
	}
	for (size_t i = 0; b.counter && i < n; i++) {
		struct tl_series_part p = runs[i].clock < NEAR * f->high ?
			tl_series_part_at(&b.counter->series, (struct tl_span){ runs[i].start, tl_ticks_add(runs[i].start, runs[i].ticks) }) : (struct tl_series_part){ 0 };
		b.mean += p.mean * (double)p.ticks;
		ticks += (double)p.ticks;
	}
	b.mean /= ticks > 0 ? ticks : 1;
	for (size_t i = 0; b.counter && i < b.counter->series.n; i++)
		b.most = fmax(b.most, b.counter->series.items[i].value);
	if (ticks <= 0)
		b.counter = NULL;
	return b;
}

static void beside_cells(const struct beside *b, struct tl_cell *mean, struct tl_cell *most)
{
	if (b->counter)
		*mean = tl_cell_real(b->mean);
	if (b->counter && most)
		*most = tl_cell_real(b->most);
}

/* ---- rows ---- */

/* What kernels of a group lose at the low clock; their mean clock and number. */
struct loss { double ticks, clock, median; size_t n_low, n_high; };

static struct loss loss_of(const struct fall *f, const struct run *runs, size_t n, double *room)
{
	struct loss l = { 0 };
	double weight = 0;

	for (size_t i = 0; i < n; i++)
		if (runs[i].clock >= NEAR * f->high)
			room[l.n_high++] = (double)runs[i].ticks;
	l.median = l.n_high ? tl_median(room, l.n_high) : 0;
	for (size_t i = 0; i < n; i++)
		if (runs[i].clock < NEAR * f->high)
			room[l.n_low++] = (double)runs[i].ticks;
	if (l.n_high < LEAST_HIGH || !l.n_low || tl_median(room, l.n_low) < SLOWER * l.median)
		return (struct loss){ 0 };
	for (size_t i = 0; i < n; i++) {
		if (runs[i].clock >= NEAR * f->high)
			continue;
		l.ticks += fmin((double)runs[i].ticks, l.median * f->high / runs[i].clock) - l.median;
		l.clock += runs[i].clock * (double)runs[i].ticks;
		weight += (double)runs[i].ticks;
	}
	l.clock /= weight;
	return l;
}

static void add_rows(struct fall *f, const struct tl_counters *all, struct tl_name_answers *kinds, struct tl_table *rows, uint32_t *row_of)
{
	double *room = tl_alloc((f->n + 1) * sizeof *room);

	for (size_t i = 0, n; i < f->n; i += n) {
		const struct run *runs = f->runs + i;
		uint32_t uid = 0;
		for (n = 1; i + n < f->n && runs[n].group == runs->group; n++)
			;
		struct loss l = loss_of(f, runs, n, room);
		if (!(l.ticks > 0))
			continue;
		for (size_t k = 0; k < n; k++)
			if (runs[k].clock < NEAR * f->high) {
				uid = uid ? uid : f->t->events[runs[k].event].uid + 1;
				row_of[tl_trace_gpu(f->t, runs[k].event)] = uid;
			}
		struct beside power = beside(f, all, kinds, "power", runs, n), warm = beside(f, all, kinds, "temperature", runs, n);
		struct tl_cell c[N_FALL] = { [FALL_RANK] = f->clock->rank, [FALL_DEVICE] = f->clock->device, [FALL_COUNTER] = tl_cell_text(f->clock->name),
			[FALL_UNIT] = tl_cell_text(f->clock->unit), [FALL_NAME] = tl_name_cell(f->t, f->t->events[runs->event].name),
			[FALL_GRID] = tl_arg_list_cell(f->t, &f->grid, runs->event), [FALL_BLOCK] = tl_arg_list_cell(f->t, &f->block, runs->event),
			[FALL_HIGH] = tl_cell_real(f->high), [FALL_LOW] = tl_cell_real(l.clock), [FALL_LOW_PCT] = tl_cell_real(100 * f->low_ticks / f->ticks),
			[FALL_KERNELS] = tl_cell_int((int64_t)l.n_low), [FALL_HIGH_KERNELS] = tl_cell_int((int64_t)l.n_high),
			[FALL_MEDIAN_US] = tl_cell_time((int64_t)(l.median + 0.5), false), [FALL_LOST_MS] = tl_cell_ms((int64_t)(l.ticks + 0.5)),
			[FALL_EX_UID] = tl_cell_int((int64_t)uid - 1) };
		beside_cells(&power, &c[FALL_POWER], &c[FALL_POWER_MAX]);
		beside_cells(&warm, &c[FALL_TEMPERATURE], NULL);
		c[FALL_POWER_UNIT] = power.counter ? tl_cell_text(power.counter->unit) : tl_cell_null();
		tl_table_add_row(rows, c);
	}
	free(room);
}

/* Of several clocks of a device the first counts: one kernel is slow once. */
static bool is_first(struct tl_trace *t, const struct tl_counters *all, struct tl_name_answers *kinds, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (all->items[k].of != TL_SAMPLE_KERNEL && tl_name_is(kinds, tl_counter_text(t, &all->items[k]), "clock") &&
		    !tl_cell_compare(&t->strings, all->items[k].device, all->items[i].device) &&
		    !tl_cell_compare(&t->strings, all->items[k].rank, all->items[i].rank))
			return false;
	return true;
}

void tl_counter_falls(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace *t = ctx;
	const struct tl_counters *all = tl_counters_of(t, TL_COUNTER_RECORDED);
	struct fall f = { .t = t, .grid = tl_arg_of(t, TL_KEY_GRID), .block = tl_arg_of(t, TL_KEY_BLOCK) };
	uint32_t *row_of = tl_row_events(t, in->name);

	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_counters_fall_rows);
	if (!all->n)
		return;
	struct tl_name_answers *kinds = tl_kept_answers(t, TL_COUNTER_KINDS_TABLE);
	const struct tl_devices *d = tl_devices_of(t);
	for (size_t i = 0; i < all->n; i++) {
		f.clock = &all->items[i];
		f.n = 0;
		if (f.clock->of == TL_SAMPLE_KERNEL || tl_cell_is_null(f.clock->device) ||
		    !tl_name_is(kinds, tl_counter_text(t, f.clock), "clock") || !is_first(t, all, kinds, i))
			continue;
		for (size_t k = 0; k < d->n; k++)
			for (size_t e = d->events.start[k]; tl_counter_is_of(t, f.clock, &d->items[k]) && e < d->events.start[k + 1]; e++)
				add_run(&f, d->events.items[e]);
		if (f.n) {
			settle(&f);
			add_rows(&f, all, kinds, in->own_rows, row_of);
		}
	}
	free(f.runs);
	tl_strtab_release(&f.groups);
}
