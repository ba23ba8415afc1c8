/* builder_host.c - the threads of the host: their points in time, and what each point waits for.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "path/builder.h"

#include "work/device_events.h"
#include "steps/step_find.h"
#include "base/merge_sort.h"
#include "base/search.h"

#include <stdlib.h>

/* Bits of enum path_name. */
static unsigned name_bits(struct path_maker *m, uint32_t name)
{
	static const char *const answers[] = { "loading", "backward", NULL };

	if (!m->names[name]) {
		uint64_t all = tl_name_rules_all(m->name_rules, tl_str(&m->t->strings, name), tl_str_len(&m->t->strings, name), answers);
		m->names[name] = (uint8_t)(PATH_NAME_KNOWN | (all & 1 ? PATH_NAME_LOADING : 0) | (all & 2 ? PATH_NAME_BACKWARD : 0));
	}
	return m->names[name];
}

/* ---- points -------------------------------------------------------------------------------- */

/* An annotation that crosses the event around it: its borders are points, but it owns no time. */
struct label { int64_t at; uint32_t event; };

struct open_event { uint32_t event; int64_t end; };
struct nest {
	struct path_maker *m;
	struct path_thread *thread;
	struct open_event *open; size_t n, cap;
	struct label *labels; size_t n_labels, cap_labels;
	struct tl_spans loading;
};

static void add_point(struct nest *s, int64_t time, uint32_t event, enum path_point_kind kind)
{
	struct path_thread *th = s->thread;

	TL_PUSH(th->points, th->n, th->cap,
		(struct path_point){ tl_path_node_at(s->m->g, time, kind == PATH_END ? event : TL_NONE), event, s->n ? s->open[s->n - 1].event : TL_NONE,
		(uint8_t)kind, false });
}

static void close_one(struct nest *s)
{
	struct open_event top = s->open[--s->n];

	add_point(s, top.end < s->m->g->host_end ? top.end : s->m->g->host_end, top.event, PATH_END);
}

static void add_label(struct nest *s, int64_t at, uint32_t event)
{
	TL_PUSH(s->labels, s->n_labels, s->cap_labels, (struct label){ at, event });
}

static void nest_event(struct nest *s, uint32_t event)
{
	struct path_maker *m = s->m;
	const struct tl_ev *e = &m->t->events[event];
	int64_t end = tl_ev_end(e);

	if (e->kind == TL_KIND_ANNOTATION && name_bits(m, e->name) & PATH_NAME_LOADING)
		tl_spans_add(&s->loading, e->ts, end);
	while (s->n && s->open[s->n - 1].end <= e->ts)
		close_one(s);
	if (s->n && end > s->open[s->n - 1].end) {
		if (e->kind == TL_KIND_ANNOTATION) {
			m->g->facts[TL_FACT_CROSSING]++;
			add_label(s, e->ts, event);
			add_label(s, end < m->g->host_end ? end : m->g->host_end, event);
			return;
		}
		m->g->facts[TL_FACT_CUT]++;
		end = s->open[s->n - 1].end;
	}
	add_point(s, e->ts, event, PATH_START);
	if (tl_kind_is_launch(e->kind))
		m->of_call[event] = s->thread->points[s->thread->n - 1].node;
	TL_PUSH(s->open, s->n, s->cap, (struct open_event){ event, end });
}

TL_ORDER(by_time, struct label, TL_ASC(x->at))

/* The innermost event that runs after a point. */
static uint32_t owner_after(const struct path_point *p)
{
	return p->kind == PATH_START ? p->event : p->around;
}

static int64_t time_of(const struct path_maker *m, const struct path_point *p)
{
	return m->g->nodes[p->node].at;
}

/* Puts the labels among the points, each behind those of its time; none where no point is before or after, and none within a call. */
static void place_labels(struct nest *s)
{
	struct path_thread *th = s->thread;
	struct path_thread old = *th;
	size_t at = 0;

	if (!s->n_labels)
		return;
	tl_merge_sort(s->labels, s->n_labels, sizeof *s->labels, by_time, NULL);
	th->points = NULL;
	th->n = th->cap = 0;
	for (size_t i = 0; i <= s->n_labels; i++) {
		for (; at < old.n && (i == s->n_labels || time_of(s->m, &old.points[at]) <= s->labels[i].at); at++)
			TL_PUSH(th->points, th->n, th->cap, old.points[at]);
		if (i == s->n_labels || !at || s->labels[i].at > time_of(s->m, &old.points[old.n - 1]))
			continue;
		uint32_t owner = owner_after(&old.points[at - 1]);
		if (owner != TL_NONE && tl_kind_is_launch(s->m->t->events[owner].kind))
			continue;
		TL_PUSH(th->points, th->n, th->cap,
			(struct path_point){ tl_path_node_at(s->m->g, s->labels[i].at, TL_NONE), s->labels[i].event, owner,
			PATH_LABEL, false });
	}
	free(old.points);
}

static void add_thread(struct path_maker *m, const uint32_t *events, size_t n)
{
	TL_GROW(m->threads, m->cap_threads, m->n_threads + 1);
	struct path_thread *th = &m->threads[m->n_threads++];
	*th = (struct path_thread){ .track = m->t->events[events[0]].track, .main = TL_NONE };
	struct nest s = { .m = m, .thread = th };

	TL_GROW(th->points, th->cap, 2 * n);
	for (size_t i = 0; i < n; i++)
		nest_event(&s, events[i]);
	while (s.n)
		close_one(&s);
	place_labels(&s);
	size_t at = 0;
	tl_spans_merge(&s.loading);
	for (size_t i = 0; i < s.thread->n && s.loading.n; i++) {
		int64_t time = time_of(s.m, &s.thread->points[i]);
		while (at < s.loading.n && s.loading.items[at].end <= time)
			at++;
		s.thread->points[i].loading = at < s.loading.n && s.loading.items[at].start <= time;
	}
	free(s.open);
	free(s.labels);
	tl_spans_release(&s.loading);
}

/* By thread and start; of equal starts the longest first, which is around the others. */
TL_ORDER_IN(by_nesting, uint32_t, struct tl_trace,
	TL_ASC(ctx->events[*x].track) TL_ASC(ctx->events[*x].ts) TL_DESC(ctx->events[*x].dur))

static bool is_host_event(const struct path_maker *m, uint32_t event)
{
	const struct tl_ev *e = &m->t->events[event];

	if (!tl_ev_has_span(e) || tl_ev_end(e) < m->g->window.start || e->ts > m->g->host_end || tl_is_copy(m->waits.copies, event))
		return false;
	if (e->kind == TL_KIND_ANNOTATION || e->kind == TL_KIND_CPU_OP)
		return !tl_is_step(m->steps, m->t, event);
	return e->kind == TL_KIND_PYTHON || tl_kind_is_launch(e->kind);
}

/* ---- which thread is which ------------------------------------------------------------------- */

static uint32_t thread_of(const struct path_maker *m, uint32_t track)
{
	for (size_t i = 0; i < m->n_threads; i++)
		if (m->threads[i].track == track)
			return (uint32_t)i;
	return TL_NONE;
}

static size_t calls_of(const struct path_maker *m, const struct path_thread *th)
{
	size_t n = 0;

	for (size_t i = 0; i < th->n; i++)
		n += tl_kind_is_launch(m->t->events[th->points[i].event].kind);
	return n;
}

/* The thread of the step; of the whole trace the one with most calls. */
static void find_main(struct path_maker *m)
{
	size_t most = 0;

	if (!m->whole) {
		m->main = thread_of(m, m->t->events[m->step].track);
		return;
	}
	for (size_t i = 0; i < m->n_threads; i++) {
		size_t n = calls_of(m, &m->threads[i]);
		if (m->main != TL_NONE && n <= most)
			continue;
		m->main = (uint32_t)i;
		most = n;
	}
}

static bool runs_backward(struct path_maker *m, const struct path_thread *th)
{
	for (size_t i = 0; i < th->n; i++)
		if (name_bits(m, m->t->events[th->points[i].event].name) & PATH_NAME_BACKWARD)
			return true;
	return false;
}

/* The threads of autograd: those that arrows lead to, and those beside the main one that run nodes of the backward pass. */
static void find_autograd(struct path_maker *m)
{
	uint32_t *number = tl_alloc(((size_t)m->t->n_tracks + 1) * sizeof *number);

	for (size_t i = 0; i <= m->t->n_tracks; i++)
		number[i] = TL_NONE;
	for (size_t i = 0; i < m->n_threads; i++)
		number[m->threads[i].track] = (uint32_t)i;
	for (size_t i = 0; i < m->t->n_bwds; i++) {
		uint32_t from = number[m->t->events[m->t->bwds[i].fwd].track], to = number[m->t->events[m->t->bwds[i].bwd].track];
		if (from != to && from != TL_NONE && to != TL_NONE && m->threads[from].main == TL_NONE)
			m->threads[to].main = from;
	}
	for (size_t i = 0; i < m->n_threads; i++)
		if (i != m->main && m->threads[i].main == TL_NONE && m->main != TL_NONE && runs_backward(m, &m->threads[i]))
			m->threads[i].main = m->main;
	free(number);
}

void tl_path_find_threads(struct path_maker *m)
{
	uint32_t *events = tl_alloc(((size_t)m->t->n_events + 1) * sizeof *events);
	size_t n = 0, end;

	for (uint32_t i = 0; i < m->t->n_events; i++)
		if (is_host_event(m, i))
			events[n++] = i;
	if (n)
		tl_merge_sort(events, n, sizeof *events, by_nesting, m->t);
	TL_GROW(m->g->nodes, m->g->cap_nodes, 2 * n + 2 * m->n_work + 3); /* at once: what is left of smaller ones would be of no use */
	for (size_t i = 0; i < n; i = end) {
		for (end = i; end < n && m->t->events[events[end]].track == m->t->events[events[i]].track; end++)
			;
		add_thread(m, events + i, end - i);
	}
	free(events);
	find_main(m);
	find_autograd(m);
	bool *launches = tl_calloc((size_t)m->t->n_tracks + 1, sizeof *launches);
	for (size_t i = 0; i < m->n_work; i++)
		if (m->work[i].call != TL_NONE)
			launches[m->t->events[m->work[i].call].track] = true;
	for (size_t i = 0; i < m->n_threads; i++)
		m->threads[i].launches = launches[m->threads[i].track];
	free(launches);
}

/* ---- edges ---------------------------------------------------------------------------------------- */

/* Outermost events of threads that the main thread waits for: their ends as nodes, by start. */
struct stretch { int64_t start, end; uint32_t node; };
struct stretches { struct stretch *items; size_t n, cap; };

TL_ORDER(by_stretch, struct stretch, TL_ASC(x->start))

static struct stretches find_stretches(const struct path_maker *m, uint32_t main)
{
	struct stretches s = { 0 };

	for (size_t i = 0; i < m->n_threads; i++) {
		const struct path_thread *th = &m->threads[i];
		int64_t start = 0;
		for (size_t k = 0; th->main == main && k < th->n; k++) {
			const struct path_point *p = &th->points[k];
			if (p->around != TL_NONE || p->kind == PATH_LABEL)
				continue;
			if (p->kind == PATH_START) {
				start = time_of(m, p);
				continue;
			}
			TL_PUSH(s.items, s.n, s.cap, (struct stretch){ start, time_of(m, p), p->node });
		}
	}
	if (s.n)
		tl_merge_sort(s.items, s.n, sizeof *s.items, by_stretch, NULL);
	return s;
}

/* The last stretch that lies in a time, if the first one that starts in it does. */
static const struct stretch *last_within(const struct stretches *s, int64_t from, int64_t to)
{
	size_t i;

	TL_SEARCH(i, s->n, mid, s->items[mid].start < from);
	if (i == s->n || s->items[i].end > to)
		return NULL;
	while (i + 1 < s->n && s->items[i + 1].start <= to && s->items[i + 1].end <= to)
		i++;
	return &s->items[i];
}

/* The last point of a thread until a time, or NULL. */
static const struct path_point *point_until(const struct path_maker *m, const struct path_thread *th, int64_t time)
{
	size_t i;

	TL_SEARCH(i, th->n, mid, time_of(m, &th->points[mid]) <= time);
	return i ? &th->points[i - 1] : NULL;
}

/* What woke a thread that did nothing for a time: the last point of another thread of its process until then, if that awaited work
 * for half of the time or more, and until just before. NULL: that is not so. */
static const struct path_point *woken_by(const struct path_maker *m, const struct path_thread *th, int64_t from, int64_t to)
{
	const struct tl_trace_track *tracks = m->t->tracks;
	int64_t wake = tl_path_wake_time(m);

	for (size_t i = 0; tl_ticks_sub(to, from) > wake && i < m->n_threads; i++) {
		const struct path_thread *other = &m->threads[i];
		const struct path_point *last = other != th && tracks[other->track].pid == tracks[th->track].pid ? point_until(m, other, to) : NULL;
		for (const struct path_point *p = last; p && p >= other->points && tl_ticks_sub(to, time_of(m, p)) <= wake; p--)
			if (p->kind == PATH_END && tl_map_get(&m->awaited, p->event) && tl_ticks_sub(to, m->t->events[p->event].ts) >= tl_ticks_sub(to, from) / 2)
				return last;
	}
	return NULL;
}

static enum tl_bound bound_of(const struct path_maker *m, const struct path_point *p, uint32_t owner)
{
	if (owner == TL_NONE)
		return TL_BOUND_HOST_IDLE;
	if (tl_map_get(&m->awaited, owner))
		return TL_BOUND_SYNC;
	if (p->loading)
		return TL_BOUND_LOADING;
	switch (m->t->events[owner].kind) {
	case TL_KIND_PYTHON: return TL_BOUND_PYTHON;
	case TL_KIND_ANNOTATION: return TL_BOUND_ANNOTATION;
	case TL_KIND_CPU_OP: return TL_BOUND_OPERATOR;
	default: return TL_BOUND_CALL;
	}
}

static void join_points(struct path_maker *m, const struct path_thread *th, const struct stretches *waited, size_t i)
{
	struct tl_path_graph *g = m->g;
	const struct path_point *p = &th->points[i], *q = &th->points[i + 1];
	uint32_t owner = owner_after(p);
	const uint32_t *awaited = owner == TL_NONE ? NULL : tl_map_get(&m->awaited, owner);

	if (awaited && p->kind == PATH_START && q->kind == PATH_END && q->event == owner) {
		uint32_t done = m->work[*awaited - 1].end;
		int64_t rest = tl_ticks_sub(time_of(m, q), g->nodes[done].at);
		tl_path_join(g, p->node, q->node, rest, TL_EDGE_HOST, TL_BOUND_SYNC, owner);
		tl_path_join(g, done, q->node, rest, TL_EDGE_SYNC, TL_BOUND_SYNC, owner);
		return;
	}
	const uint32_t *room = owner == TL_NONE ? NULL : tl_map_get(&m->room, owner);
	if (room && p->kind == PATH_START && q->kind == PATH_END && q->event == owner) {
		tl_path_join(g, p->node, q->node, m->launch_takes, TL_EDGE_HOST, TL_BOUND_CALL, owner);
		tl_path_join(g, m->work[*room - 1].start, q->node, INT64_MAX, TL_EDGE_FULL, TL_BOUND_SYNC, owner);
		return;
	}
	if (th->main != TL_NONE && owner == TL_NONE) {
		const struct path_point *from = point_until(m, &m->threads[th->main], time_of(m, q));
		tl_path_join(g, p->node, q->node, 0, TL_EDGE_IDLE, TL_BOUND_HOST_IDLE, TL_NONE);
		if (from)
			tl_path_join(g, from->node, q->node, 0, TL_EDGE_HAND_OVER, TL_BOUND_HAND_OVER, q->event);
		return;
	}
	bool idle = owner == TL_NONE || (m->t->events[owner].kind != TL_KIND_CPU_OP && !tl_kind_is_launch(m->t->events[owner].kind));
	const struct path_point *waker = idle && th->launches ? woken_by(m, th, time_of(m, p), time_of(m, q)) : NULL;
	if (waker)
		tl_path_join(g, waker->node, q->node, INT64_MAX, TL_EDGE_HAND_OVER, TL_BOUND_HAND_OVER, q->event);
	else if (waited->n && (owner == TL_NONE || !tl_kind_is_launch(m->t->events[owner].kind))) {
		const struct stretch *last = last_within(waited, time_of(m, p), time_of(m, q));
		if (last) {
			tl_path_join(g, last->node, q->node, 0, TL_EDGE_RETURN, TL_BOUND_HAND_OVER, owner);
			tl_path_join(g, p->node, q->node, 0, TL_EDGE_WAITS, bound_of(m, p, owner), owner);
			return;
		}
	}
	tl_path_join(g, p->node, q->node, waker ? 0 : INT64_MAX, waker ? TL_EDGE_IDLE : TL_EDGE_HOST, bound_of(m, p, owner), owner);
}

static void join_thread(struct path_maker *m, uint32_t number)
{
	const struct path_thread *th = &m->threads[number];
	const struct path_point *first = &th->points[0];
	struct stretches waited = find_stretches(m, number);

	tl_path_join(m->g, 0, first->node, th->main != TL_NONE ? 0 : INT64_MAX, TL_EDGE_THREAD, TL_BOUND_HOST_IDLE, TL_NONE);
	if (th->main != TL_NONE) {
		const struct path_point *from = point_until(m, &m->threads[th->main], time_of(m, first));
		if (from)
			tl_path_join(m->g, from->node, first->node, 0, TL_EDGE_HAND_OVER, TL_BOUND_HAND_OVER, first->event);
	}
	for (size_t i = 0; i + 1 < th->n; i++)
		join_points(m, th, &waited, i);
	free(waited.items);
}

/* The end of the host and of all. */
static void join_ends(struct path_maker *m)
{
	struct tl_path_graph *g = m->g;
	uint32_t host_end = tl_path_node_at(g, g->host_end, TL_NONE);
	bool any = false;

	g->sink = tl_path_node_at(g, g->window.end, TL_NONE);
	for (size_t i = 0; i < m->n_threads; i++)
		any = any || m->threads[i].launches;
	for (size_t i = 0; i < m->n_threads; i++) {
		uint32_t last = m->threads[i].points[m->threads[i].n - 1].node;
		if (m->whole && (!any || m->threads[i].launches))
			tl_path_join(g, last, host_end, 0, TL_EDGE_END, TL_BOUND_HOST_IDLE, TL_NONE);
		else if (!m->whole && i == m->main)
			tl_path_join(g, last, host_end, INT64_MAX, TL_EDGE_HOST, TL_BOUND_HOST_IDLE, TL_NONE);
	}
	for (size_t s = 0; s < m->n_streams; s++) {
		const struct path_stream *stream = &m->streams[s];
		tl_path_join(g, m->work[stream->latest[stream->n - 1]].end, g->sink, 0, TL_EDGE_END, TL_BOUND_HOST_IDLE, TL_NONE);
	}
	if (g->nodes[host_end].in != TL_NONE)
		tl_path_join(g, host_end, g->sink, 0, TL_EDGE_END, TL_BOUND_HOST_IDLE, TL_NONE);
}

void tl_path_join_threads(struct path_maker *m)
{
	for (size_t i = 0; i < m->n_threads; i++)
		join_thread(m, (uint32_t)i);
	join_ends(m);
}
