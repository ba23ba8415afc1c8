/* overlap.c - which device events run at the same time on different streams.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/overlap.h"

#include "base/merge_sort.h"
#include "base/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- running events ---------------------------------------------------------- */

/* The device events that run at a moment of the sweep, by index: a ring in which those
 * of one stream stand side by side, so that they can be passed over together: an event that
 * starts is compared with those of other streams only.
 *
 *     ,-> self -> a -> b -> c -> d -.     first and last of stream 7: a and b,
 *     `-----------------------------'     of stream 9: c and d
 */
struct ring {
	uint32_t *next, *previous; /* by index; the last one is that of the ring itself */
	uint32_t *first, *last;    /* by number of a stream: TL_NONE if none of its events runs */
	uint32_t self;
};

static uint32_t *new_array(size_t n)
{
	uint32_t *a = tl_alloc(n * sizeof *a);

	memset(a, 0xff, n * sizeof *a); /* TL_NONE */
	return a;
}

static void ring_add(struct ring *r, uint32_t i, uint32_t stream)
{
	uint32_t after = r->last[stream] == TL_NONE ? r->self : r->last[stream];

	r->next[i] = r->next[after];
	r->previous[i] = after;
	r->previous[r->next[i]] = i;
	r->next[after] = i;
	r->last[stream] = i;
	if (r->first[stream] == TL_NONE)
		r->first[stream] = i;
}

static void ring_remove(struct ring *r, uint32_t i, uint32_t stream)
{
	if (r->first[stream] == i && r->last[stream] == i)
		r->first[stream] = r->last[stream] = TL_NONE;
	else if (r->first[stream] == i)
		r->first[stream] = r->next[i];
	else if (r->last[stream] == i)
		r->last[stream] = r->previous[i];
	r->next[r->previous[i]] = r->next[i];
	r->previous[r->next[i]] = r->previous[i];
}

/* ---- the sweep -------------------------------------------------------------- */

struct other { uint32_t slot, index; };

struct sweep {
	struct tl_overlaps *o;
	const uint32_t *events; /* by index; their places in o are `base` higher */
	uint32_t base;
	uint32_t *streams;      /* by index: number of the stream */
	struct ring running;    /* events of 1 µs or longer */
	struct tl_pyset active; /* uids of all that run: gives the order in which pairs are found */
	struct other *others; size_t cap_others;
	uint64_t pairs;
};

struct point { int64_t time; uint32_t index; bool start; };

TL_ORDER(by_time, struct point, TL_ASC(x->time) TL_ASC(x->start)) /* ends come first */

static const struct tl_ev *event_at(const struct sweep *s, uint32_t i)
{
	return &s->o->trace->events[s->events[i]];
}

static struct point *make_points(const struct sweep *s, size_t n, size_t *n_points)
{
	struct point *p = tl_alloc((2 * n + 1) * sizeof *p);
	size_t m = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *e = event_at(s, i);
		int64_t end = tl_ev_end(e);

		if (end <= e->ts)
			continue;
		p[m++] = (struct point){ e->ts, i, true };
		p[m++] = (struct point){ end, i, false };
	}
	tl_merge_sort(p, m, sizeof *p, by_time, NULL);
	*n_points = m;
	return p;
}

/* Fills what tells a stream from others. Equal numbers are one stream: 7 and 7.0 are.
 * An event without a stream, the i-th, is on one of its own. */
static void stream_key(struct tl_cell c, uint32_t i, int64_t key[2])
{
	key[0] = c.type;
	key[1] = i;
	if (c.type == TL_CELL_TEXT) {
		key[1] = c.text;
	} else if (c.type == TL_CELL_REAL && fabs(c.d) < 9e15 && c.d == nearbyint(c.d)) {
		key[0] = TL_CELL_INT;
		key[1] = (int64_t)c.d;
	} else if (c.type == TL_CELL_REAL) {
		memcpy(&key[1], &c.d, sizeof c.d);
	} else if (c.type != TL_CELL_NULL) {
		key[0] = TL_CELL_INT;
		key[1] = c.i;
	}
}

static bool is_long(const struct sweep *s, int64_t from, int64_t end)
{
	return tl_ticks_sub(end, from) >= s->o->trace->ticks_per_us;
}

TL_ORDER(by_slot, struct other, TL_ASC(x->slot))

/* The running events of other streams that overlap the one that starts, in the order of
 * the set of active ones; returns how many. */
static size_t find_others(struct sweep *s, uint32_t index)
{
	const struct ring *r = &s->running;
	const struct tl_ev *e = event_at(s, index);
	uint32_t stream = s->streams[index];
	size_t n = 0;

	for (uint32_t i = r->next[r->self]; i != r->self; i = r->next[i]) {
		if (i == r->first[stream]) {
			i = r->last[stream];
			continue;
		}
		const struct tl_ev *f = event_at(s, i);
		int64_t end_e = tl_ev_end(e), end_f = tl_ev_end(f);
		s->pairs++;
		if (!is_long(s, e->ts, end_e < end_f ? end_e : end_f))
			continue;
		TL_PUSH(s->others, n, s->cap_others, (struct other){ tl_pyset_slot(&s->active, f->uid), i });
	}
	tl_merge_sort(s->others, n, sizeof *s->others, by_slot, NULL);
	return n;
}

static void start_event(struct sweep *s, uint32_t index)
{
	const struct tl_ev *e = event_at(s, index);

	if (is_long(s, e->ts, tl_ev_end(e))) {
		size_t n = find_others(s, index);
		for (size_t k = 0; k < n; k++) {
			uint32_t other = s->others[k].index;
			tl_pyset_add(&s->o->sets[s->base + index], event_at(s, other)->uid);
			tl_pyset_add(&s->o->sets[s->base + other], e->uid);
		}
		ring_add(&s->running, index, s->streams[index]);
	}
	tl_pyset_add(&s->active, e->uid);
}

static void end_event(struct sweep *s, uint32_t index)
{
	const struct tl_ev *e = event_at(s, index);

	if (is_long(s, e->ts, tl_ev_end(e)))
		ring_remove(&s->running, index, s->streams[index]);
	tl_pyset_remove(&s->active, e->uid);
}

static enum tl_status sweep_part(struct tl_overlaps *o, const uint32_t *events, size_t n, struct tl_error *err)
{
	struct sweep s = { .o = o, .events = events, .base = o->n - (uint32_t)n };
	size_t n_points;
	struct point *points = make_points(&s, n, &n_points);
	enum tl_status rc = TL_OK;

	struct tl_strtab known = { 0 };
	s.streams = tl_alloc((n + 1) * sizeof *s.streams);
	for (uint32_t i = 0; i < n; i++) {
		int64_t key[2];
		stream_key(s.o->streams[s.base + i], i, key);
		s.streams[i] = tl_intern(&known, (const char *)key, sizeof key);
	}
	tl_strtab_release(&known);
	s.running = (struct ring){ new_array(n + 1), new_array(n + 1), new_array(n + 1), new_array(n + 1), (uint32_t)n };
	s.running.next[n] = s.running.previous[n] = s.running.self;
	for (size_t i = 0; i < n_points && !rc; i++) {
		if (points[i].start)
			start_event(&s, points[i].index);
		else
			end_event(&s, points[i].index);
		if (s.pairs > TL_OVERLAP_MAX_PAIRS)
			rc = tl_fail(err, TL_ERR_DATA, "too many device events overlap: more than %u pairs "
			             "by event %u; leave out --include_overlap_info", TL_OVERLAP_MAX_PAIRS,
			             (unsigned)event_at(&s, points[i].index)->uid);
	}
	free(s.running.next);
	free(s.running.previous);
	free(s.running.first);
	free(s.running.last);
	tl_pyset_release(&s.active);
	free(s.streams);
	free(s.others);
	free(points);
	return rc;
}

enum tl_status tl_overlaps_build(struct tl_overlaps *o, struct tl_trace *t, const struct tl_gpu_select *sel,
                                 struct tl_error *err)
{
	enum tl_status rc = TL_OK;

	*o = (struct tl_overlaps){ .trace = t };
	o->place = tl_alloc(((size_t)t->n_events + 1) * sizeof *o->place);
	memset(o->place, 0xff, ((size_t)t->n_events + 1) * sizeof *o->place);
	o->stream = tl_arg_of(t, TL_KEY_STREAM);
	for (int part = 0; part <= sel->detect_recompute && !rc; part++) {
		size_t n;
		uint32_t *events = tl_gpu_events(t, sel, part, &n, NULL);

		o->sets = tl_realloc(o->sets, (o->n + n + 1) * sizeof *o->sets);
		o->streams = tl_realloc(o->streams, (o->n + n + 1) * sizeof *o->streams);
		memset(o->sets + o->n, 0, (n + 1) * sizeof *o->sets);
		for (size_t i = 0; i < n; i++) {
			o->streams[o->n] = tl_arg_cell(t, &o->stream, events[i]);
			o->place[events[i]] = o->n++;
		}
		rc = sweep_part(o, events, n, err);
		free(events);
	}
	if (rc)
		tl_overlaps_release(o);
	return rc;
}

void tl_overlaps_release(struct tl_overlaps *o)
{
	for (uint32_t i = 0; i < o->n; i++)
		tl_pyset_release(&o->sets[i]);
	free(o->sets);
	free(o->streams);
	free(o->place);
	tl_spans_release(&o->spans);
	tl_spans_release(&o->merged);
	*o = (struct tl_overlaps){ 0 };
}

enum tl_status tl_overlaps_check(const struct tl_overlaps *o, struct tl_error *err)
{
	if (!o->exhausted)
		return TL_OK;
	return tl_fail(err, TL_ERR_DATA, "too many device events overlap: the rows would name more than %u of them; "
	               "leave out --include_overlap_info", TL_OVERLAP_MAX_NAMES);
}

/* ---- what a launcher's row says -------------------------------------------------- */

/* Overlapping events of one name. */
struct same_name { uint32_t name; struct tl_cell stream; uint64_t n; double durs, shares; };
struct names TL_KEYED(struct same_name);

/* A part of the busy time, rounded to two decimals. Ticks are divided, not µs, which
 * are rounded already. */
static double share_of(int64_t part, int64_t busy)
{
	return busy > 0 ? tl_round_hundredths((double)part / (double)busy) : 0;
}

/* Adds what overlaps an event; returns in how many of its ticks something does. */
static int64_t add_overlaps(struct tl_overlaps *o, uint32_t event, int64_t busy, struct names *g)
{
	const struct tl_trace *t = o->trace;
	const struct tl_ev *e = &t->events[event];
	uint32_t uid;

	if (o->place[event] == TL_NONE)
		return 0;
	tl_spans_clear(&o->merged);
	for (size_t i = 0; tl_pyset_next(&o->sets[o->place[event]], &i, &uid);) {
		uint32_t other = tl_trace_by_uid(t, uid);
		const struct tl_ev *f = &t->events[other];
		int64_t from = e->ts > f->ts ? e->ts : f->ts, end = tl_ev_end(e);
		bool is_new;
		struct same_name *s = TL_ITEM(g, f->name, &is_new);

		if (is_new)
			*s = (struct same_name){ .name = f->name, .stream = o->streams[o->place[other]] };
		if (tl_ev_end(f) < end)
			end = tl_ev_end(f);
		tl_spans_add(&o->merged, from, end);
		s->n++;
		s->durs += tl_trace_us(t, f->dur);
		s->shares += share_of(tl_ticks_sub(end, from), busy);
	}
	tl_spans_merge(&o->merged);
	return tl_spans_length(&o->merged);
}

static struct tl_cell names_text(struct tl_overlaps *o, const struct names *g)
{
	struct tl_strtab *strings = &o->trace->strings;
	struct tl_buf text = { 0 };

	for (size_t i = 0; i < g->n; i++) {
		tl_buf_adds(&text, i ? ", " : "[");
		tl_repr_text(&text, tl_str(strings, g->items[i].name), tl_str_len(strings, g->items[i].name));
	}
	tl_buf_addc(&text, ']');
	return tl_cell_text(tl_intern_buf(strings, &text));
}

void tl_overlaps_of(struct tl_overlaps *o, const uint32_t *events, uint32_t n,
                    struct tl_details *details, struct tl_cell *names, struct tl_cell *share)
{
	const struct tl_trace *t = o->trace;
	bool ints;
	int64_t busy = tl_busy_ticks(t, events, n, &o->spans, &ints), overlapped = 0;
	struct names g = { 0 };

	*names = *share = tl_cell_null();
	for (uint32_t i = 0; i < n && !o->exhausted; i++)
		overlapped = tl_ticks_add(overlapped, add_overlaps(o, events[i], busy, &g));
	o->n_names += (uint32_t)g.n;
	o->exhausted |= o->n_names > TL_OVERLAP_MAX_NAMES;
	if (g.n && !o->exhausted) {
		*names = names_text(o, &g);
		*share = tl_cell_real(share_of(overlapped, busy));
	}
	for (size_t i = 0; i < g.n && !o->exhausted; i++) {
		const struct same_name *s = &g.items[i];

		tl_details_add(details, &(struct tl_detail){ .name = s->name, .stream = s->stream,
			.dur = tl_round_hundredths(s->durs / (double)s->n),
			.overlap = tl_round_hundredths(s->shares / (double)s->n) });
	}
	TL_KEYED_RELEASE(&g);
}
