/* overlap.c - which device events run at the same time on different streams.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/overlap.h"

#include "base/merge_sort.h"
#include "json/value.h"

#include <stdlib.h>
#include <string.h>

/* ---- the sweep -------------------------------------------------------------- */

struct point { int64_t time; uint32_t event; bool start; };

static int by_time(const void *pa, const void *pb, void *ctx)
{
	const struct point *a = pa, *b = pb;

	(void)ctx;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->start - b->start; /* ends come first */
}

static struct point *make_points(const struct tl_trace *t, const uint32_t *events, size_t n, size_t *n_points)
{
	struct point *p = tl_alloc((2 * n + 1) * sizeof *p);
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[events[i]];
		int64_t end = tl_ev_end(e);

		if (end <= e->ts)
			continue;
		p[m++] = (struct point){ e->ts, events[i], true };
		p[m++] = (struct point){ end, events[i], false };
	}
	tl_merge_sort(p, m, sizeof *p, by_time, NULL);
	*n_points = m;
	return p;
}

static bool same_stream(struct tl_cell a, struct tl_cell b)
{
	if (a.type == TL_CELL_NULL || a.type != b.type)
		return false;
	return a.type == TL_CELL_TEXT ? a.text == b.text :
	       a.type == TL_CELL_REAL ? a.d == b.d : a.i == b.i;
}

struct sweep {
	struct tl_overlaps *o;
	struct tl_pyset active;
	uint64_t steps, pairs;
};

static void start_event(struct sweep *s, uint32_t event)
{
	const struct tl_trace *t = s->o->trace;
	const struct tl_ev *e = &t->events[event];
	uint32_t here = s->o->place[event], uid;

	for (size_t i = 0; tl_pyset_next(&s->active, &i, &uid);) {
		uint32_t other = tl_trace_by_uid(t, uid), there = s->o->place[other];
		const struct tl_ev *f = &t->events[other];
		int64_t end_e = tl_ev_end(e), end_f = tl_ev_end(f);
		int64_t end = end_e < end_f ? end_e : end_f;

		s->steps++;
		if (same_stream(s->o->streams[here], s->o->streams[there]) ||
		    tl_ticks_sub(end, e->ts > f->ts ? e->ts : f->ts) < t->ticks_per_us)
			continue;
		tl_pyset_add(&s->o->sets[here], uid);
		tl_pyset_add(&s->o->sets[there], e->uid);
		s->pairs++;
	}
	tl_pyset_add(&s->active, e->uid);
}

static enum tl_status sweep_part(struct tl_overlaps *o, const uint32_t *events, size_t n, struct tl_error *err)
{
	struct sweep s = { .o = o };
	size_t n_points;
	struct point *points = make_points(o->trace, events, n, &n_points);
	enum tl_status rc = TL_OK;

	for (size_t i = 0; i < n_points && !rc; i++) {
		if (points[i].start)
			start_event(&s, points[i].event);
		else
			tl_pyset_remove(&s.active, o->trace->events[points[i].event].uid);
		if (s.pairs > TL_OVERLAP_MAX_PAIRS || s.steps > TL_OVERLAP_MAX_STEPS)
			rc = tl_fail(err, TL_ERR_DATA, "too many device events overlap: more than %u pairs "
			             "by event %u", TL_OVERLAP_MAX_PAIRS, (unsigned)o->trace->events[points[i].event].uid);
	}
	tl_pyset_release(&s.active);
	free(points);
	return rc;
}

enum tl_status tl_overlaps_build(struct tl_overlaps *o, struct tl_trace *t, const struct tl_gpu_select *sel,
                                 struct tl_error *err)
{
	enum tl_status rc = TL_OK;

	*o = (struct tl_overlaps){ .trace = t, .cells = { .trace = t } };
	o->place = tl_alloc(((size_t)t->n_events + 1) * sizeof *o->place);
	memset(o->place, 0xff, ((size_t)t->n_events + 1) * sizeof *o->place);
	tl_arg_init(&o->stream, t, TL_KEY_STREAM);
	for (int part = 0; part <= sel->detect_recompute && !rc; part++) {
		size_t n;
		uint32_t *events = tl_gpu_events(t, sel, part, &n, NULL);

		o->sets = tl_realloc(o->sets, (o->n + n + 1) * sizeof *o->sets);
		o->streams = tl_realloc(o->streams, (o->n + n + 1) * sizeof *o->streams);
		memset(o->sets + o->n, 0, (n + 1) * sizeof *o->sets);
		for (size_t i = 0; i < n; i++) {
			o->streams[o->n] = tl_arg_cell(&o->cells, &o->stream, events[i]);
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
	tl_arg_release(&o->stream);
	tl_arg_cells_release(&o->cells);
	tl_spans_release(&o->spans);
	tl_spans_release(&o->merged);
	*o = (struct tl_overlaps){ 0 };
}

/* ---- what a launcher's row says -------------------------------------------------- */

/* Overlapping events of one name. */
struct same_name { uint32_t name; struct tl_cell stream; uint64_t n; double durs, shares; };
struct names { struct same_name *items; size_t n, cap; struct tl_map index; };

static struct same_name *group_of(struct names *g, uint32_t name, struct tl_cell stream)
{
	bool is_new;
	uint32_t *slot = tl_map_put(&g->index, name, &is_new);

	if (is_new) {
		TL_GROW(g->items, g->cap, g->n + 1);
		g->items[g->n] = (struct same_name){ .name = name, .stream = stream };
		*slot = (uint32_t)g->n++;
	}
	return &g->items[*slot];
}

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
		struct same_name *s = group_of(g, f->name, o->streams[o->place[other]]);

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
	struct tl_cell cell;

	for (size_t i = 0; i < g->n; i++) {
		tl_buf_adds(&text, i ? ", " : "[");
		tl_repr_text(&text, tl_str(strings, g->items[i].name), tl_str_len(strings, g->items[i].name));
	}
	tl_buf_addc(&text, ']');
	cell = tl_cell_text(tl_intern(strings, text.data, text.len));
	tl_buf_release(&text);
	return cell;
}

void tl_overlaps_of(struct tl_overlaps *o, const uint32_t *events, uint32_t n,
                    struct tl_details *details, struct tl_cell *names, struct tl_cell *share)
{
	const struct tl_trace *t = o->trace;
	bool ints;
	int64_t busy = tl_busy_ticks(t, events, n, &o->spans, &ints), overlapped = 0;
	struct names g = { 0 };

	*names = *share = tl_cell_null();
	for (uint32_t i = 0; i < n; i++)
		overlapped = tl_ticks_add(overlapped, add_overlaps(o, events[i], busy, &g));
	if (g.n) {
		*names = names_text(o, &g);
		*share = tl_cell_real(share_of(overlapped, busy));
	}
	for (size_t i = 0; i < g.n; i++) {
		const struct same_name *s = &g.items[i];

		tl_details_add(details, &(struct tl_detail){ .name = s->name, .stream = s->stream,
			.dur = tl_round_hundredths(s->durs / (double)s->n),
			.overlap = tl_round_hundredths(s->shares / (double)s->n) });
	}
	free(g.items);
	tl_map_release(&g.index);
}
