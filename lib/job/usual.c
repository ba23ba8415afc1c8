/* usual.c - what a rank does more than others of its role, up to each place of the step.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/replay_parts.h"

#include "base/merge_sort.h"
#include "base/search.h"
#include "table/statistics.h"
#include "work/spans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which edge binds a communication differs from rank to rank and from step to step, so edges are not compared. The sums of what
 * ranks of a role did themselves are, at the same communication: D(step, place), the sum of the rank less the median of the others.
 * From step to step D grows by g, the median of what it grows in a step; within a step it is E(place), the median of what it grew
 * since the step began. What D is beyond E in one step is a pause, if it is over PAUSE_US and PAUSE_DEVIATIONS times the median
 * deviation. With fewer than FEW_STEPS steps, nothing tells what returns in each: then the line is straight from the begin of the step to its end. */
enum { PAUSE_US = 200, FEW_STEPS = 3 };
static const double PAUSE_DEVIATIONS = 5.2;

/* A sum of a rank, and how it differs from those of others; sorted by rank and number. hidden: how much of its idle time since
 * the number before others may have had as well, unseen. */
struct difference { uint32_t rank; int64_t number; double own[TL_OWN], d[TL_OWN], hidden; };

/* ---- what others have there ----------------------------------------------------------------------- */

TL_ORDER(by_value, double, TL_ASC(*x))

/* Where others go from one communication right to the next one, nothing tells how long the host would have let them wait: the median
 * of how much longer that may have been. */
static double find_hidden(const struct replay_sum *sums, size_t n, double *room)
{
	for (size_t i = 0; i < n; i++)
		room[i] = (double)sums[i].hidden;
	return tl_median(room, n);
}

/* Ranks of a role at one communication. */
static enum tl_status compare(struct tl_replay *r, struct tl_sorter *to, const struct replay_sum *sums, size_t n, double *room, struct tl_error *err)
{
	struct tl_buf key = { 0 };
	enum tl_status st = TL_OK;
	double *sorted[TL_OWN] = { room, room + n };

	if (n < 2)
		return TL_OK;
	double hidden = find_hidden(sums, n, room);
	for (int w = 0; w < TL_OWN; w++) {
		for (size_t i = 0; i < n; i++)
			sorted[w][i] = (double)sums[i].own[w];
		tl_merge_sort(sorted[w], n, sizeof *sorted[w], by_value, NULL);
	}
	for (size_t i = 0; i < n && !st; i++) {
		struct difference d = { .rank = sums[i].rank, .number = sums[i].number };
		d.hidden = fmax(hidden - (double)sums[i].hidden, 0);
		for (int w = 0; w < TL_OWN; w++) {
			size_t at;
			d.own[w] = (double)sums[i].own[w];
			TL_SEARCH(at, n, mid, sorted[w][mid] < d.own[w]);
			d.d[w] = d.own[w] - (sorted[w][tl_middle_of_others(n, at, false)] + sorted[w][tl_middle_of_others(n, at, true)]) / 2;
		}
		r->ranks[sums[i].rank].judged = true;
		tl_buf_clear(&key);
		tl_key_add_int(&key, sums[i].rank);
		tl_key_add_int(&key, sums[i].number);
		st = tl_sorter_add(to, key.data, key.len, &d, sizeof d, err);
	}
	tl_buf_release(&key);
	return st;
}

static enum tl_status compare_all(struct tl_replay *r, struct tl_sorter *to, struct tl_error *err)
{
	struct replay_sum *sums = NULL;
	double *room = NULL;
	size_t n = 0, cap = 0, cap_room = 0;
	struct tl_buf key = { 0 };
	struct tl_sorted next;
	enum tl_status st;

	while (!(st = tl_sorter_next(r->sums, &next, err))) {
		bool same = next.data && key.len == next.key_len && !memcmp(key.data, next.key, key.len);
		if (n && !same) {
			TL_GROW(room, cap_room, TL_OWN * n);
			if ((st = compare(r, to, sums, n, room, err)))
				break;
			n = 0;
		}
		if (!next.data)
			break;
		struct replay_sum s;
		memcpy(&s, next.data, sizeof s);
		TL_PUSH(sums, n, cap, s);
		if (same)
			continue;
		tl_buf_clear(&key);
		tl_buf_add(&key, next.key, next.key_len);
	}
	tl_buf_release(&key);
	free(sums);
	free(room);
	return st;
}

/* ---- a rank -------------------------------------------------------------------------------------------- */

/* [step * places + place]; NAN where nothing could be compared. */
struct grid { double *own, *d, *room; };

/* What values are at the begin of each step: the last one before it, else 0. */
static void find_begins(const struct replay_rank *r, const double *values, double *begins)
{
	double before = 0;

	for (int64_t i = 0; i < r->steps * r->places; i++) {
		if (i % r->places == 0)
			begins[i / r->places] = before;
		before = isnan(values[i]) ? before : values[i];
	}
}

/* The median of what values grew from the begin of the step to the place, over steps. */
static double growth(const struct replay_rank *r, const double *values, const double *begins, int64_t place, double *room)
{
	size_t n = 0;

	for (int64_t s = 0; s < r->steps; s++)
		if (!isnan(values[s * r->places + place]))
			room[n++] = values[s * r->places + place] - begins[s];
	return n ? tl_median(room, n) : NAN;
}

static void find_pauses(struct tl_replay *t, struct replay_rank *r, const struct grid *g, const double *begins, int what)
{
	const float *e = r->lines[what].e;
	int64_t last = r->places - 1;
	size_t n = 0;

	for (int64_t s = 0; s < r->steps; s++)
		if (!isnan(g->d[s * r->places + last]))
			g->room[n++] = fabs(g->d[s * r->places + last] - begins[s] - (double)e[last]);
	double deviation = n >= 3 ? tl_median(g->room, n) : INFINITY, least = fmax(PAUSE_US * (double)t->ticks_per_us, PAUSE_DEVIATIONS * deviation);
	for (int64_t s = 0; s < r->steps; s++) {
		const double *d = g->d + s * r->places;
		double more = d[last] - begins[s] - (double)e[last];
		int64_t place = 0;
		if (!(more > least))
			continue;
		while (place < last && !(d[place] - begins[s] - (double)e[place] > more / 2))
			place++;
		TL_PUSH(r->pauses, r->n_pauses, r->cap_pauses, (struct replay_pause){ s, (size_t)place, more, what });
	}
}

static void find_line(struct tl_replay *t, struct replay_rank *r, const struct grid *g, int what)
{
	struct replay_line *line = &r->lines[what];
	double *begins = tl_alloc(2 * (size_t)r->steps * sizeof *begins), *own_begins = begins + r->steps, x = 0, e = 0;

	line->x = tl_calloc((size_t)r->places, sizeof *line->x);
	line->e = tl_calloc((size_t)r->places, sizeof *line->e);
	find_begins(r, g->d, begins);
	find_begins(r, g->own, own_begins);
	for (int64_t p = 0; p < r->places; p++) {
		double grown = growth(r, g->d, begins, p, g->room), own = growth(r, g->own, own_begins, p, g->room);
		e = isnan(grown) ? e : grown;
		x = isnan(own) || own < x ? x : own;
		line->e[p] = (float)e;
		line->x[p] = (float)x;
	}
	for (int64_t p = 0; p < r->places && r->steps < FEW_STEPS && x > 0; p++)
		line->e[p] = (float)(e * (double)line->x[p] / x);
	find_pauses(t, r, g, begins, what);
	free(begins);
}

/* Takes off what others may have had as well. */
static void leave_hidden(struct difference *d, size_t n)
{
	double before = 0, hidden = 0;

	for (size_t i = 0; i < n; i++) {
		double grown = d[i].d[TL_OWN_IDLE] - before;
		before = d[i].d[TL_OWN_IDLE];
		hidden += fmax(fmin(grown, d[i].hidden), 0);
		d[i].d[TL_OWN_IDLE] -= hidden;
	}
}

static void take_rank(struct tl_replay *t, struct replay_rank *r, struct difference *d, size_t n)
{
	size_t cells = (size_t)(r->steps * r->places);
	struct grid grids[TL_OWN];

	leave_hidden(d, n);
	for (int w = 0; w < TL_OWN; w++) {
		struct grid *g = &grids[w];
		g->own = tl_alloc((3 * cells + 1) * sizeof *g->own);
		g->d = g->own + cells;
		g->room = g->d + cells;
		for (size_t i = 0; i < 2 * cells; i++)
			g->own[i] = NAN;
		for (size_t i = 0; i < n; i++) {
			size_t at = (size_t)(tl_replay_step(r, d[i].number) * r->places) + tl_replay_place(r, d[i].number);
			g->own[at] = d[i].own[w];
			g->d[at] = d[i].d[w];
		}
		find_line(t, r, g, w);
		free(g->own);
	}
}

enum tl_status tl_replay_find_usual(struct tl_replay *r, struct tl_error *err)
{
	struct tl_sorter *by_rank = tl_sorter_new();
	struct difference *d = NULL, next_one = { .rank = 0 };
	size_t n = 0, cap = 0;
	struct tl_sorted next;
	enum tl_status st = compare_all(r, by_rank, err);

	tl_sorter_free(r->sums);
	r->sums = NULL;
	while (!st && !(st = tl_sorter_next(by_rank, &next, err))) {
		if (next.data)
			memcpy(&next_one, next.data, sizeof next_one);
		if (n && (!next.data || next_one.rank != d[0].rank)) {
			take_rank(r, &r->ranks[d[0].rank], d, n);
			n = 0;
		}
		if (!next.data)
			break;
		TL_PUSH(d, n, cap, next_one);
	}
	free(d);
	tl_sorter_free(by_rank);
	return st;
}

/* ---- what of an edge is too much ---------------------------------------------------------------------------- */

/* The line at x, which may be in a step before: each has the same line. */
static double line_at(const struct replay_line *l, size_t places, double x)
{
	double whole = (double)l->x[places - 1], all = (double)l->e[places - 1], before = 0;
	size_t at;

	if (x < 0 && whole > 0) {
		double steps = ceil(-x / whole);
		x += steps * whole;
		before = -steps * all;
	}
	if (x <= 0)
		return before;
	TL_SEARCH(at, places, mid, (double)l->x[mid] < x);
	if (at == places)
		return before + all;
	double x0 = at ? (double)l->x[at - 1] : 0, e0 = at ? (double)l->e[at - 1] : 0, x1 = (double)l->x[at], e1 = (double)l->e[at];
	return before + (x1 > x0 ? e0 + (e1 - e0) * (x - x0) / (x1 - x0) : e1);
}

double tl_replay_too_much(const struct replay_rank *r, int what, size_t place, double work)
{
	const struct replay_line *l = &r->lines[what];

	if (!l->x || work <= 0)
		return 0;
	double more = (double)l->e[place] - line_at(l, (size_t)r->places, (double)l->x[place] - work);
	return more < work ? more : work;
}

double tl_replay_paused(const struct replay_rank *r, int what, int64_t step, size_t place, double work)
{
	const struct replay_line *l = &r->lines[what];
	double sum = 0;

	for (size_t i = 0; i < r->n_pauses; i++) {
		const struct replay_pause *p = &r->pauses[i];
		if (p->what != what || p->step > step || (p->step == step && p->place > place))
			continue;
		/* between the two, by what is usual, and the pause itself */
		double since = (double)(step - p->step) * (double)l->x[r->places - 1] + (double)l->x[place] - (double)l->x[p->place];
		sum += since < work ? p->ticks : 0;
	}
	return sum < work ? sum : work;
}
