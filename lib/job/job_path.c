/* job_path.c - the chain of work and communication that bounds the job.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/replay_parts.h"

#include "work/spans.h"

#include <stdlib.h>
#include <string.h>

/* From the last end back: work goes back along the edge that binds, to the communication before it; this one to the last seat of its meeting,
 * if it waited for that, and so to another rank. All parts follow each other, so they add up to the job. */

void tl_replay_trail_open(struct replay_trail *t, const struct tl_replay *r)
{
	size_t n = 0;

	t->first = tl_alloc((r->n + 1) * sizeof *t->first);
	for (size_t i = 0; i < r->n; i++) {
		t->first[i] = n;
		n += (size_t)r->ranks[i].n;
	}
	t->seats = tl_calloc(n + 1, sizeof *t->seats);
}

void tl_replay_trail_close(struct replay_trail *t)
{
	free(t->first);
	free(t->seats);
}

/* The edge that binds: nothing else lets it start later. */
static const struct tl_seat_edge *binding(const struct tl_seat_work *w)
{
	const struct tl_seat_edge *best = NULL;

	for (size_t i = 0; i < w->n; i++)
		best = !best || w->edges[i].slack < best->slack ? &w->edges[i] : best;
	return best;
}

void tl_replay_trail_add(struct replay_trail *t, size_t rank, const struct tl_seat_work *w, const struct trail_seat *s)
{
	struct trail_seat *to = &t->seats[t->first[rank] + (size_t)w->number];
	const struct tl_seat_edge *e = binding(w);

	*to = *s;
	to->met = true;
	to->has_edge = e != NULL;
	if (e)
		to->edge = *e;
}

struct walking { const struct tl_replay *r; const struct replay_trail *t; struct tl_job_part *parts; size_t n, cap; };

static void add(struct walking *w, enum tl_job_part_kind kind, size_t rank, int64_t number, size_t group, int64_t ticks)
{
	const struct replay_rank *r = &w->r->ranks[rank];
	int64_t step = number < 0 ? 0 : tl_replay_step(r, number);

	if (ticks > 0)
		TL_PUSH(w->parts, w->n, w->cap, (struct tl_job_part){ kind, rank, step < 0 ? 0 : step, group, ticks });
}

/* The work of an edge, the last of it first: which of it came last is not known. */
static void add_work(struct walking *w, size_t rank, int64_t number, const struct tl_seat_edge *e)
{
	add(w, TL_PART_COMPUTES, rank, number, SIZE_MAX, e->compute);
	add(w, TL_PART_EXPERTS, rank, number, SIZE_MAX, e->experts);
	add(w, TL_PART_IDLES, rank, number, SIZE_MAX, tl_ticks_add(e->gap, e->slack));
}

struct tl_job_part *tl_replay_walk(const struct tl_replay *r, const struct replay_trail *t, size_t *n)
{
	struct walking w = { .r = r, .t = t };
	size_t rank = SIZE_MAX, all = 0;
	int64_t start = INT64_MAX, at;

	for (size_t i = 0; i < r->n; i++) {
		if (!r->ranks[i].known)
			continue;
		all += (size_t)r->ranks[i].n;
		rank = rank == SIZE_MAX || r->ranks[i].end > r->ranks[rank].end ? i : rank;
		start = r->ranks[i].start < start ? r->ranks[i].start : start;
	}
	const struct tl_seat_edge *e = rank == SIZE_MAX ? NULL : binding(&r->ranks[rank].last);
	int64_t number = rank == SIZE_MAX ? 0 : r->ranks[rank].n - 1;
	at = rank == SIZE_MAX ? 0 : r->ranks[rank].end;
	for (size_t left = all + 1; e && left; left--) { /* a damaged part may lead round in a circle */
		int64_t from = e->from, before = tl_ticks_sub(at, tl_ticks_add(tl_ticks_add(e->compute, e->experts), tl_ticks_add(e->gap, e->slack)));
		add_work(&w, rank, number, e);
		at = before;
		const struct trail_seat *s = from < 0 || from >= r->ranks[rank].n ? NULL : &t->seats[t->first[rank] + (size_t)from];
		if (!s || !s->met)
			break;
		const struct trail_seat *last = s->waits ? &t->seats[t->first[s->last_rank] + (size_t)s->last_number] : s;
		size_t next = s->waits ? s->last_rank : rank;
		add(&w, TL_PART_ABSENT, next, from, s->group, s->waits ? s->late : 0);
		add(&w, TL_PART_COMMUNICATES, next, s->waits ? s->last_number : from, s->group, tl_ticks_sub(at, last->ts) - (s->waits ? s->late : 0));
		at = last->ts;
		number = s->waits ? s->last_number : from;
		rank = next;
		e = last->has_edge ? &last->edge : NULL;
	}
	if (rank != SIZE_MAX)
		add(&w, TL_PART_BEFORE, rank, -1, SIZE_MAX, tl_ticks_sub(at, start));
	for (size_t i = 0; i < w.n / 2; i++) {
		struct tl_job_part p = w.parts[i];
		w.parts[i] = w.parts[w.n - 1 - i];
		w.parts[w.n - 1 - i] = p;
	}
	*n = w.n;
	return w.parts;
}
