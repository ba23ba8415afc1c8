/* path_device.c - the device work of the window: when it was launched, and what ran before it on its stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "path/graph_parts.h"

#include "analysis/device_events.h"
#include "base/merge_sort.h"
#include "table/statistics.h"

#include <stdlib.h>

static const struct tl_ev *event_of(const struct path_maker *m, uint32_t work)
{
	return &m->t->events[m->work[work].event];
}

TL_ORDER_IN(by_launch, uint32_t, struct path_maker, TL_ASC(ctx->t->events[ctx->work[*x].call].ts))

static void find_launched(struct path_maker *m)
{
	m->launched = tl_alloc((m->n_work + 1) * sizeof *m->launched);
	for (uint32_t i = 0; i < m->n_work; i++)
		if (m->work[i].call != TL_NONE)
			m->launched[m->n_launched++] = i;
	if (m->n_launched)
		tl_merge_sort(m->launched, m->n_launched, sizeof *m->launched, by_launch, m);
}

/* Each track of device events is a stream. */
static void number_streams(struct path_maker *m)
{
	uint32_t *number = tl_calloc((size_t)m->t->n_tracks + 1, sizeof *number);
	size_t cap = 0;

	for (size_t i = 0; i < m->n_work; i++) {
		uint32_t *n = &number[event_of(m, (uint32_t)i)->track];
		if (!*n) {
			TL_PUSH(m->streams, m->n_streams, cap, (struct path_stream){ 0 });
			*n = (uint32_t)m->n_streams;
		}
		m->work[i].stream = *n - 1;
		m->streams[*n - 1].n++;
	}
	free(number);
}

static void fill_streams(struct path_maker *m)
{
	size_t *at = tl_calloc(m->n_streams + 1, sizeof *at);

	for (size_t s = 0; s < m->n_streams; s++) {
		struct path_stream *x = &m->streams[s];
		x->by_start = tl_alloc(3 * x->n * sizeof *x->by_start);
		x->by_launch = x->by_start + x->n;
		x->latest = x->by_launch + x->n;
	}
	for (uint32_t i = 0; i < m->n_work; i++)
		m->streams[m->work[i].stream].by_start[at[m->work[i].stream]++] = i;
	for (size_t s = 0; s < m->n_streams; s++)
		at[s] = 0;
	for (uint32_t i = 0; i < m->n_work; i++)
		if (m->work[i].call == TL_NONE)
			m->streams[m->work[i].stream].by_launch[at[m->work[i].stream]++] = i;
	for (size_t i = 0; i < m->n_launched; i++) {
		uint32_t w = m->launched[i];
		m->streams[m->work[w].stream].by_launch[at[m->work[w].stream]++] = w;
	}
	for (size_t s = 0; s < m->n_streams; s++) {
		struct path_stream *x = &m->streams[s];
		for (size_t i = 0; i < x->n; i++) {
			bool later = !i || tl_ev_end(event_of(m, x->by_launch[i])) > tl_ev_end(event_of(m, x->latest[i - 1]));
			x->latest[i] = later ? x->by_launch[i] : x->latest[i - 1];
		}
	}
	free(at);
}

void tl_path_release_streams(struct path_maker *m)
{
	for (size_t s = 0; s < m->n_streams; s++)
		free(m->streams[s].by_start);
	free(m->streams);
}

/* What a launch takes at least, where the stream was empty; what lies between two events of a stream where the host was early. */
static void find_floors(struct path_maker *m)
{
	int64_t *gaps = tl_alloc((m->n_work + 1) * sizeof *gaps), launch = tl_ticks_of_us(10, m->t->ticks_per_us);
	int64_t most = tl_ticks_of_us(5, m->t->ticks_per_us);
	size_t n = 0;

	for (size_t s = 0; s < m->n_streams; s++)
		for (size_t i = 0; i < m->streams[s].n; i++) {
			uint32_t w = m->streams[s].by_start[i];
			const struct tl_ev *k = event_of(m, w), *p = i ? event_of(m, m->streams[s].by_start[i - 1]) : NULL;
			const struct tl_ev *c = m->work[w].call == TL_NONE ? NULL : &m->t->events[m->work[w].call];
			if (c && k->ts >= c->ts && (!p || tl_ev_end(p) <= c->ts) && tl_ticks_sub(k->ts, c->ts) < launch)
				launch = tl_ticks_sub(k->ts, c->ts);
			if (c && p && tl_ev_end(p) > tl_ev_end(c) && k->ts >= tl_ev_end(p))
				gaps[n++] = tl_ticks_sub(k->ts, tl_ev_end(p));
		}
	int64_t median = tl_median_int(gaps, n, false);
	m->g->launch_floor = launch;
	m->g->gap_floor = median < most ? median : most;
	free(gaps);
}

static enum tl_bound bound_of(const struct tl_ev *e)
{
	if (tl_gpu_is_comm(e))
		return TL_BOUND_COMMUNICATION;
	return e->kind == TL_KIND_KERNEL ? TL_BOUND_COMPUTE : TL_BOUND_COPY;
}

/* Work starts after the work before it on its stream: the last that ended, and if the one that started last still runs, as in
 * branches of a graph, after the start of that. Nodes of a graph that follow each other often overlap by a part of a microsecond:
 * the one before then has ended when the next one starts, so that no edge goes back in time. */
static void join_stream(struct path_maker *m, const struct path_stream *s)
{
	struct tl_path_graph *g = m->g;
	uint32_t before = TL_NONE, done = TL_NONE;
	int64_t most = tl_ticks_of_us(1, m->t->ticks_per_us);

	for (size_t i = 0; i < s->n; i++) {
		const struct path_work *w = &m->work[s->by_start[i]];
		const struct tl_ev *k = &m->t->events[w->event];
		if (before != TL_NONE && tl_ticks_sub(tl_ev_end(event_of(m, before)), k->ts) < most) {
			int64_t *end = &g->nodes[m->work[before].end].at, start = g->nodes[w->start].at;
			*end = *end < start ? *end : start;
			tl_path_join(g, m->work[before].end, w->start, g->gap_floor, TL_EDGE_ORDER, TL_BOUND_GAP, w->event);
			if (done == TL_NONE || tl_ev_end(event_of(m, before)) >= tl_ev_end(event_of(m, done)))
				done = before;
		} else if (before != TL_NONE) {
			tl_path_join(g, m->work[before].start, w->start, 0, TL_EDGE_OVERLAP, TL_BOUND_GAP, w->event);
			g->facts[TL_FACT_OVERLAP]++;
			if (done != TL_NONE)
				tl_path_join(g, m->work[done].end, w->start, g->gap_floor, TL_EDGE_ORDER, TL_BOUND_GAP, w->event);
		}
		uint32_t call = w->call == TL_NONE ? TL_NONE : m->of_call[w->call];
		if (call != TL_NONE && (m->whole || m->t->events[w->call].ts >= g->window.start)) {
			tl_path_join(g, call, w->start, g->launch_floor, TL_EDGE_LAUNCH, TL_BOUND_LAUNCH, w->event);
		} else if (before == TL_NONE || w->call == TL_NONE) {
			tl_path_join(g, 0, w->start, 0, w->call == TL_NONE ? TL_EDGE_NO_LAUNCH : TL_EDGE_BEFORE, TL_BOUND_BEFORE, w->event);
			g->facts[TL_FACT_NO_LAUNCH]++;
		}
		before = s->by_start[i];
	}
}

void tl_path_join_work(struct path_maker *m)
{
	struct tl_path_graph *g = m->g;

	find_launched(m);
	number_streams(m);
	fill_streams(m);
	TL_GROW(g->edges, g->cap_edges, g->n_nodes + 5 * m->n_work + 3);
	for (size_t i = 0; i < m->n_work; i++) {
		struct path_work *w = &m->work[i];
		const struct tl_ev *e = &m->t->events[w->event];
		w->start = tl_path_node_at(g, e->ts, TL_NONE);
		w->end = tl_path_node_at(g, tl_ev_end(e), w->event);
		tl_path_join(g, w->start, w->end, INT64_MAX, TL_EDGE_DEVICE, bound_of(e), w->event);
	}
	find_floors(m);
	for (size_t s = 0; s < m->n_streams; s++)
		join_stream(m, &m->streams[s]);
}
