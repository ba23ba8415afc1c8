/* builder.c - makes the graph of a step or a trace: its window, its device work, and what waits for what.
 *
 * The graph says for each point in time what it had to wait for. Each device event, and each event of the host, has a node
 * at its start and one at its end; an edge from x to y with a delay says "y comes no earlier than x and the delay".
 *
 *     thread    T0 -host-> [launch a  launch b] -host-> [wait ......] -host-> ... -end-> T1
 *                           |launch    |launch           ^return                          ^
 *     stream 7              v          |                 |                                |
 *                           aaaaaaaaa--order-.           |                                |
 *     stream 9                         v     |           |                                |
 *                                      bbb   `-> cccc ---'                                |
 *                                         `-event wait-> dddd ------------end-------------'
 *
 * It is made in this order:
 *   window   the time of the step, and the device work that belongs to it;
 *   threads  the points of each thread of the host, in the order of time (builder_host.c);
 *   work     nodes of the work, its launches, and its order on its stream;
 *   waits    streams that wait for others, what each synchronising call awaits, and launches that found their queue full;
 *   threads  their edges, now that it is known which calls wait for work.
 * Then graph.c puts the nodes in an order in which edges go forward, and finds for each node the edge that binds: that
 * which explains best when it came. From T1 backwards along binding edges, that is the critical path.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "path/builder.h"

#include "work/device_events.h"
#include "work/launchers.h"
#include "work/queue.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "model/trace.h"
#include "steps/step_find.h"
#include "table/statistics.h"

#include <stdlib.h>
#include <string.h>

static const struct tl_ev *event_of(const struct path_maker *m, uint32_t work)
{
	return &m->t->events[m->work[work].event];
}

/* ---- the window, and the work in it ---------------------------------------------------------------------- */

/* The end of the work that calls within a time launched; no earlier than the time's. */
static int64_t launched_until(const struct path_maker *m, const struct tl_step *step)
{
	int64_t end = step->to;

	for (uint32_t i = 0; i < m->t->n_events; i++) {
		const struct tl_ev *e = &m->t->events[i];
		if (m->call_of[i] == TL_NONE || !tl_gpu_usable(e))
			continue;
		int64_t at = m->t->events[m->call_of[i]].ts;
		if (at >= step->from && at <= step->to && tl_ev_end(e) > end)
			end = tl_ev_end(e);
	}
	return end;
}

/* Steps partition time: each begins where what the one before launched has ended. *device_end: the end of what it launched. */
static enum tl_status step_window(struct path_maker *m, struct tl_error *err, int64_t *device_end)
{
	const struct tl_steps *s = tl_numbered_steps_of(m->t);
	int64_t before = INT64_MIN;

	for (size_t i = 0; i < s->n && m->step == TL_NONE; i++) {
		const struct tl_step *step = &s->items[i];
		int64_t start = step->from > before ? step->from : before, end = launched_until(m, step);
		before = end;
		if (step->number != m->o->step)
			continue;
		m->step = step->event;
		m->g->window.start = start;
		m->g->host_end = step->to > start ? step->to : start;
		*device_end = end > start ? end : start;
	}
	if (m->step != TL_NONE)
		return TL_OK;
	if (!s->n)
		return tl_fail(err, TL_ERR_DATA, "the trace has no steps, so no step %lld: without --step the path is that of the whole trace",
		               (long long)m->o->step);
	return tl_fail(err, TL_ERR_DATA, "the trace has no step %lld; its steps are %lld to %lld", (long long)m->o->step,
	               (long long)s->items[0].number, (long long)s->items[s->n - 1].number);
}

static bool is_host(const struct tl_ev *e)
{
	return (e->kind == TL_KIND_CPU_OP || e->kind == TL_KIND_ANNOTATION || e->kind == TL_KIND_PYTHON || tl_kind_is_launch(e->kind)) &&
		tl_ev_has_span(e);
}

/* From the first event to the end of the threads that launch work, of all if none does, and of the work. */
static enum tl_status trace_window(struct path_maker *m, struct tl_error *err)
{
	const struct tl_trace *t = m->t;
	bool *launches = tl_calloc((size_t)t->n_tracks + 1, sizeof *launches), any = false;
	struct tl_copies *copies = tl_copies_of(m->t);
	int64_t start = INT64_MAX, device_end = INT64_MIN, host_end = INT64_MIN;

	for (uint32_t i = 0; i < t->n_events; i++)
		if (m->call_of[i] != TL_NONE && tl_gpu_usable(&t->events[i]))
			any = launches[t->events[m->call_of[i]].track] = true;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		bool work = tl_gpu_usable(e);
		if (!work && (!is_host(e) || tl_is_copy(copies, i)))
			continue;
		start = e->ts < start ? e->ts : start;
		if (work)
			device_end = tl_ev_end(e) > device_end ? tl_ev_end(e) : device_end;
		else if ((!any || launches[e->track]) && tl_ev_end(e) > host_end)
			host_end = tl_ev_end(e);
	}
	free(launches);
	if (start == INT64_MAX)
		return tl_fail(err, TL_ERR_DATA, "the trace has no operators, calls or device events with a start and a duration");
	m->g->host_end = host_end > start ? host_end : start;
	m->g->window = (struct tl_span){ start, m->g->host_end > device_end ? m->g->host_end : device_end };
	return TL_OK;
}

TL_ORDER_IN(by_start_and_end, struct path_work, struct tl_trace,
	TL_ASC(ctx->events[x->event].ts) TL_ASC(ctx->events[x->event].dur))

/* The work that runs in the window; of a step not what later ones launched. */
static void find_work(struct path_maker *m, int64_t until)
{
	const struct tl_trace *t = m->t;
	const struct tl_span *w = &m->g->window;

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (!tl_gpu_usable(e) || tl_ev_end(e) > w->end)
			continue;
		if (!m->whole && (tl_ev_end(e) <= w->start || e->ts >= until ||
		                  (m->call_of[i] != TL_NONE && t->events[m->call_of[i]].ts > tl_ev_end(&t->events[m->step]))))
			continue;
		TL_PUSH(m->work, m->n_work, m->cap_work, (struct path_work){ .event = i, .call = m->call_of[i] });
	}
	if (m->n_work)
		tl_merge_sort(m->work, m->n_work, sizeof *m->work, by_start_and_end, m->t);
	m->g->launches = (uint32_t)m->n_work;
}

static enum tl_status find_window(struct path_maker *m, struct tl_error *err)
{
	int64_t device_end = INT64_MAX;

	m->call_of = tl_calls_of_work(m->t);
	m->of_call = tl_alloc(((size_t)m->t->n_events + 1) * sizeof *m->of_call);
	for (uint32_t i = 0; i < m->t->n_events; i++)
		m->of_call[i] = TL_NONE;
	enum tl_status status = m->whole ? trace_window(m, err) : step_window(m, err, &device_end);
	if (status != TL_OK)
		return status;
	if (!m->whole)
		m->g->window.end = m->g->host_end > device_end ? m->g->host_end : device_end;
	find_work(m, device_end);
	return TL_OK;
}

/* ---- work, streams and their order ----------------------------------------------------------------------- */

TL_ORDER_IN(by_launch, uint32_t, struct path_maker, TL_ASC(ctx->t->events[ctx->work[*x].call].ts))

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

static void join_work(struct path_maker *m)
{
	struct tl_path_graph *g = m->g;

	m->launched = tl_alloc((m->n_work + 1) * sizeof *m->launched);
	for (uint32_t i = 0; i < m->n_work; i++)
		if (m->work[i].call != TL_NONE)
			m->launched[m->n_launched++] = i;
	if (m->n_launched)
		tl_merge_sort(m->launched, m->n_launched, sizeof *m->launched, by_launch, m);
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

/* ---- what waits for work --------------------------------------------------------------------------------- */

/* Streams wait for each other, and the host waits for streams in some calls. A trace tells both only if the profiler was asked
 * for events of the category cuda_sync. Else they are inferred, and counted. */

/* What a call of synchronisation is about, by the profiler: -1 for what is not known. */
struct sync { uint32_t call; int64_t correlation, device, stream, wait_on, record; };

struct waiter {
	struct path_maker *m;
	struct tl_arg correlation, device, stream;
	struct sync *syncs; size_t n, cap;
	struct tl_map sync_of;    /* correlation -> 1 + index in syncs */
	struct tl_map record_at;  /* correlation of a call that records an event -> the call */
	bool *known;              /* [work]: it is known what it waits for */
};

static int64_t whole(const struct tl_arg *a, const struct tl_trace *t, uint32_t event)
{
	int64_t value;

	return tl_arg_get(a, t, event, &value) == TL_FIELD_INT ? value : -1;
}

static void find_syncs(struct waiter *w)
{
	const struct tl_trace *t = w->m->t;
	uint32_t cat = tl_strtab_find(&t->strings, "cuda_sync", strlen("cuda_sync"));
	struct tl_arg wait_on = tl_arg_of(t, "wait_on_stream"), record = tl_arg_of(t, TL_KEY_RECORD);

	w->correlation = tl_arg_of(t, TL_KEY_CORRELATION);
	w->device = tl_arg_of(t, TL_KEY_DEVICE);
	w->stream = tl_arg_of(t, TL_KEY_STREAM);
	for (uint32_t i = 0; cat && i < t->n_events; i++) {
		if (t->layouts[t->events[i].layout].cat != cat)
			continue;
		TL_GROW(w->syncs, w->cap, w->n + 1);
		struct sync *s = &w->syncs[w->n++];
		*s = (struct sync){ i, whole(&w->correlation, t, i), whole(&w->device, t, i), whole(&w->stream, t, i), whole(&wait_on, t, i),
			whole(&record, t, i) };
		if (s->stream == UINT32_MAX)
			s->stream = -1;
		*tl_map_put(&w->sync_of, (uint64_t)s->correlation, NULL) = (uint32_t)w->n;
	}
}

static const struct sync *sync_of(const struct waiter *w, uint32_t call)
{
	int64_t id = w->n ? whole(&w->correlation, w->m->t, call) : -1;
	const uint32_t *n = id < 0 ? NULL : tl_map_get(&w->sync_of, (uint64_t)id);

	return n ? &w->syncs[*n - 1] : NULL;
}

static const struct path_stream *stream_of(const struct waiter *w, int64_t device, int64_t stream, uint32_t *number)
{
	for (size_t s = 0; stream >= 0 && s < w->m->n_streams; s++) {
		uint32_t event = w->m->work[w->m->streams[s].by_start[0]].event;
		if (whole(&w->stream, w->m->t, event) != stream || whole(&w->device, w->m->t, event) != device)
			continue;
		*number = (uint32_t)s;
		return &w->m->streams[s];
	}
	return NULL;
}

/* How much of a stream's work was launched before a time; what has no call was. */
static size_t launched_before(const struct path_maker *m, const struct path_stream *s, int64_t time)
{
	size_t n;

	TL_SEARCH(n, s->n, mid, m->work[s->by_launch[mid]].call == TL_NONE || m->t->events[m->work[s->by_launch[mid]].call].ts < time);
	return n;
}

/* The last work that was launched on the stream of a recorded event before the record; TL_NONE if that is not known. */
static uint32_t work_before_record(const struct waiter *w, const struct sync *s)
{
	const uint32_t *record = s->record < 0 ? NULL : tl_map_get(&w->record_at, (uint64_t)s->record);
	uint32_t number;
	const struct path_stream *stream = record ? stream_of(w, s->device, s->wait_on, &number) : NULL;
	size_t n = stream ? launched_before(w->m, stream, w->m->t->events[*record].ts) : 0;

	return n ? stream->by_launch[n - 1] : TL_NONE;
}

/* ---- streams ------------------------------------------------------------------------------------ */

/* A thread that launches work: the last of each stream, and how many waits concern its next launch. */
struct launcher { uint32_t track, *last; size_t waits; };
/* What the next launch on a stream waits for. */
struct pending { uint32_t stream, work; };
struct sequence {
	struct launcher *launchers; size_t n, cap;
	struct pending *pending; size_t n_pending, cap_pending;
};

static struct launcher *launcher_of(struct sequence *q, uint32_t track, size_t n_streams)
{
	for (size_t i = 0; i < q->n; i++)
		if (q->launchers[i].track == track)
			return &q->launchers[i];
	TL_GROW(q->launchers, q->cap, q->n + 1);
	struct launcher *l = &q->launchers[q->n++];
	*l = (struct launcher){ track, tl_alloc((n_streams + 1) * sizeof *l->last), 0 };
	for (size_t s = 0; s < n_streams; s++)
		l->last[s] = TL_NONE;
	return l;
}

static void wait_for(struct waiter *w, uint32_t awaited, uint32_t work, enum tl_edge_type type)
{
	struct path_maker *m = w->m;

	m->g->facts[type == TL_EDGE_WAIT ? TL_FACT_WAIT : type == TL_EDGE_WAIT_TIMED ? TL_FACT_WAIT_TIMED : TL_FACT_WAIT_INFERRED]++;
	tl_path_join(m->g, m->work[awaited].end, m->work[work].start, 0, type, TL_BOUND_WAIT, m->work[work].event);
	w->known[work] = true;
}

/* What this thread launched last on another stream of the device: the latest to end, if that was before the work starts. */
static uint32_t latest_elsewhere(const struct waiter *w, const struct launcher *l, uint32_t work)
{
	const struct path_maker *m = w->m;
	uint32_t latest = TL_NONE;

	for (size_t s = 0; s < m->n_streams; s++) {
		uint32_t o = l->last[s];
		if (o == TL_NONE || s == m->work[work].stream ||
		    whole(&w->device, m->t, m->work[o].event) != whole(&w->device, m->t, m->work[work].event) ||
		    tl_ev_end(event_of(m, o)) > event_of(m, work)->ts)
			continue;
		if (latest == TL_NONE || tl_ev_end(event_of(m, o)) > tl_ev_end(event_of(m, latest)))
			latest = o;
	}
	return latest;
}

static void take_launch(struct waiter *w, struct sequence *q, uint32_t work)
{
	struct path_maker *m = w->m;
	struct launcher *l = launcher_of(q, m->t->events[m->work[work].call].track, m->n_streams);
	size_t kept = 0;

	for (size_t i = 0; i < q->n_pending; i++) {
		if (q->pending[i].stream == m->work[work].stream)
			wait_for(w, q->pending[i].work, work, TL_EDGE_WAIT);
		else
			q->pending[kept++] = q->pending[i];
	}
	q->n_pending = kept;
	if (l->waits) {
		uint32_t latest = latest_elsewhere(w, l, work);
		for (; l->waits; l->waits--)
			if (latest != TL_NONE)
				wait_for(w, latest, work, TL_EDGE_WAIT_INFERRED);
	}
	l->last[m->work[work].stream] = work;
}

static void take_wait(struct waiter *w, struct sequence *q, uint32_t call)
{
	const struct sync *s = sync_of(w, call);
	uint32_t number;

	if (!s) {
		launcher_of(q, w->m->t->events[call].track, w->m->n_streams)->waits += !w->m->o->no_inferred;
		return;
	}
	uint32_t work = work_before_record(w, s);
	if (work == TL_NONE || !stream_of(w, s->device, s->stream, &number))
		return;
	TL_PUSH(q->pending, q->n_pending, q->cap_pending, (struct pending){ number, work });
}

struct wait_calls { uint32_t *items; size_t n, cap; };

/* Calls that make a stream wait, by start, and those that record events. */
static struct wait_calls find_wait_calls(struct waiter *w)
{
	struct tl_trace *t = w->m->t;
	struct wait_calls calls = { 0 };

	for (uint32_t i = 0; i < t->n_events; i++) {
		if (!tl_kind_is_launch(t->events[i].kind) || !tl_ev_has_span(&t->events[i]) || tl_is_copy(w->m->waits.copies, i))
			continue;
		enum tl_call_kind kind = tl_call_kind(&w->m->waits, i);
		if (kind == TL_CALL_RECORDS) {
			int64_t id = whole(&w->correlation, t, i);
			if (id >= 0)
				*tl_map_put(&w->record_at, (uint64_t)id, NULL) = i;
		} else if (kind == TL_CALL_STREAM_WAITS) {
			TL_PUSH(calls.items, calls.n, calls.cap, i);
		}
	}
	tl_sort_by_start(t, calls.items, calls.n);
	return calls;
}

static void join_waiting_streams(struct waiter *w, const struct wait_calls *calls)
{
	struct path_maker *m = w->m;
	struct sequence q = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < m->n_launched; i++) {
		int64_t time = m->t->events[m->work[m->launched[i]].call].ts;
		for (; at < calls->n && m->t->events[calls->items[at]].ts <= time; at++)
			take_wait(w, &q, calls->items[at]);
		take_launch(w, &q, m->launched[i]);
	}
	for (size_t i = 0; i < q.n; i++)
		free(q.launchers[i].last);
	free(q.launchers);
	free(q.pending);
}

/* ---- waits that only times tell ---------------------------------------------------------------- */

TL_ORDER_IN(by_end, uint32_t, struct path_maker, TL_ASC(tl_ev_end(event_of(ctx, *x))) TL_ASC(event_of(ctx, *x)->ts))

/* The work of another stream of the device that ended last until the work starts, and not before `from`. */
static uint32_t ended_before(const struct waiter *w, const uint32_t *by_end_, uint32_t work, int64_t from)
{
	const struct path_maker *m = w->m;
	int64_t start = event_of(m, work)->ts, device = whole(&w->device, m->t, m->work[work].event);
	size_t i;

	TL_SEARCH(i, m->n_work, mid, tl_ev_end(event_of(m, by_end_[mid])) <= start);
	while (i-- > 0 && tl_ev_end(event_of(m, by_end_[i])) > from) {
		uint32_t o = by_end_[i];
		if (m->work[o].stream != m->work[work].stream && whole(&w->device, m->t, m->work[o].event) == device)
			return o;
	}
	return TL_NONE;
}

/* Work that starts later than all that it is known to wait for waited for what ended shortly before. */
static void join_by_time(struct waiter *w)
{
	struct path_maker *m = w->m;
	uint32_t *ends = tl_alloc((m->n_work + 1) * sizeof *ends);
	int64_t ten = tl_ticks_of_us(10, m->t->ticks_per_us);

	for (uint32_t i = 0; i < m->n_work; i++)
		ends[i] = i;
	if (m->n_work)
		tl_merge_sort(ends, m->n_work, sizeof *ends, by_end, m);
	for (size_t s = 0; s < m->n_streams; s++) {
		int64_t busy = INT64_MIN;
		for (size_t i = 0; i < m->streams[s].n; i++) {
			uint32_t work = m->streams[s].by_start[i], call = m->work[work].call;
			int64_t start = event_of(m, work)->ts, after = m->g->window.start;
			if (call != TL_NONE && tl_ticks_add(m->t->events[call].ts, m->g->launch_floor) > after)
				after = tl_ticks_add(m->t->events[call].ts, m->g->launch_floor);
			if (i && tl_ticks_add(busy, m->g->gap_floor) > after)
				after = tl_ticks_add(busy, m->g->gap_floor);
			if (!w->known[work] && tl_ticks_sub(start, after) > ten) {
				int64_t from = start - 2 * ten > after ? start - 2 * ten : after;
				uint32_t awaited = m->o->no_inferred ? TL_NONE : ended_before(w, ends, work, from);
				if (awaited != TL_NONE)
					wait_for(w, awaited, work, TL_EDGE_WAIT_TIMED);
				else
					m->g->facts[TL_FACT_NO_CAUSE]++;
			}
			busy = tl_ev_end(event_of(m, work)) > busy ? tl_ev_end(event_of(m, work)) : busy;
		}
	}
	free(ends);
}

/* ---- calls ------------------------------------------------------------------------------------------ */

/* The work of a stream that was launched before the call and ends last in it or before. */
static uint32_t last_of(struct path_maker *m, const struct path_stream *s, const struct tl_ev *call)
{
	size_t n = launched_before(m, s, call->ts);
	uint32_t last = TL_NONE;

	for (; n; n--) {
		uint32_t o = s->by_launch[n - 1];
		if (tl_ev_end(event_of(m, s->latest[n - 1])) <= tl_ev_end(call)) {
			if (last == TL_NONE || tl_ev_end(event_of(m, s->latest[n - 1])) >= tl_ev_end(event_of(m, last)))
				last = s->latest[n - 1];
			break;
		}
		if (tl_ev_end(event_of(m, o)) > tl_ev_end(call))
			m->g->facts[TL_FACT_LATE_WORK] += event_of(m, o)->ts < tl_ev_end(call);
		else if (last == TL_NONE || tl_ev_end(event_of(m, o)) >= tl_ev_end(event_of(m, last)))
			last = o;
	}
	return last;
}

static uint32_t last_of_all(struct path_maker *m, const struct tl_ev *call)
{
	uint32_t last = TL_NONE;

	for (size_t s = 0; s < m->n_streams; s++) {
		uint32_t o = last_of(m, &m->streams[s], call);
		if (o != TL_NONE && (last == TL_NONE || tl_ev_end(event_of(m, o)) > tl_ev_end(event_of(m, last))))
			last = o;
	}
	return last;
}

/* last: the stream of the thread's latest launch, or NULL. */
static uint32_t awaited_by(struct waiter *w, uint32_t call, uint32_t copy, const struct path_stream *last)
{
	struct path_maker *m = w->m;
	const struct tl_ev *e = &m->t->events[call];
	enum tl_call_kind kind = tl_call_kind(&m->waits, call);
	const struct sync *s = sync_of(w, call);
	uint32_t number;

	if (kind == TL_CALL_AWAITS_DEVICE || kind == TL_CALL_FREES)
		return last_of_all(m, e);
	if (kind == TL_CALL_AWAITS_COPY)
		return copy;
	if (kind != TL_CALL_AWAITS_STREAM && kind != TL_CALL_AWAITS_EVENT)
		return TL_NONE;
	if (s && s->record >= 0 && tl_map_get(&w->record_at, (uint64_t)s->record))
		return work_before_record(w, s);
	if (s && s->stream >= 0) {
		const struct path_stream *stream = stream_of(w, s->device, s->stream, &number);
		return stream ? last_of(m, stream, e) : TL_NONE;
	}
	uint32_t work = m->o->no_inferred ? TL_NONE : kind == TL_CALL_AWAITS_EVENT ? last_of_all(m, e) : last ? last_of(m, last, e) : TL_NONE;
	if (kind == TL_CALL_AWAITS_EVENT && (work == TL_NONE || tl_ticks_sub(tl_ev_end(e), tl_ev_end(event_of(m, work))) > tl_path_wake_time(m))) {
		m->g->facts[TL_FACT_SYNC_UNKNOWN]++;
		return TL_NONE;
	}
	m->g->facts[TL_FACT_SYNC_INFERRED] += !m->o->no_inferred;
	return work;
}

static void find_awaited_of(struct waiter *w, const struct path_thread *th)
{
	struct path_maker *m = w->m;
	const struct path_stream *last = NULL;

	for (size_t i = 0; i < th->n; i++) {
		uint32_t call = th->points[i].event;
		const struct tl_ev *e = &m->t->events[call];
		if (th->points[i].kind != PATH_START || !tl_kind_is_launch(e->kind))
			continue;
		uint32_t work = m->of_call[call], awaited = awaited_by(w, call, work, last);
		if (awaited != TL_NONE && tl_ev_end(event_of(m, awaited)) > e->ts && tl_ev_end(event_of(m, awaited)) <= tl_ev_end(e))
			*tl_map_put(&m->awaited, call, NULL) = awaited + 1;
		if (work != TL_NONE)
			last = &m->streams[m->work[work].stream];
	}
}

/* ---- full queues ---------------------------------------------------------------------------------------- */

/* The work of a stream that started last until a time, or TL_NONE. */
static uint32_t started_until(const struct path_maker *m, uint32_t track, int64_t time)
{
	for (size_t s = 0; s < m->n_streams; s++) {
		const struct path_stream *x = &m->streams[s];
		size_t i;
		if (event_of(m, x->by_start[0])->track != track)
			continue;
		TL_SEARCH(i, x->n, mid, event_of(m, x->by_start[mid])->ts <= time);
		return i ? x->by_start[i - 1] : TL_NONE;
	}
	return TL_NONE;
}

/* A launch that finds a full queue, and takes over ten times as long as others usually do, ends when work starts and makes room. */
static void find_full(struct path_maker *m)
{
	const struct tl_queues *q = tl_queues_of(m->t);
	int64_t *usual = tl_alloc((q->n_launches + 1) * sizeof *usual);
	size_t n = 0;

	for (size_t i = 0; i < q->n_launches; i++)
		if (q->launches[i].before < TL_QUEUE_FULL)
			usual[n++] = m->t->events[q->launches[i].call].dur;
	m->launch_takes = tl_median_int(usual, n, false);
	free(usual);
	for (size_t i = 0; n && i < q->n_launches; i++) {
		const struct tl_queue_launch *l = &q->launches[i];
		const struct tl_ev *call = &m->t->events[l->call];
		if (l->before < TL_QUEUE_FULL || call->dur / 10 <= m->launch_takes)
			continue;
		uint32_t work = started_until(m, q->items[l->queue].track, tl_ev_end(call));
		if (work == TL_NONE || event_of(m, work)->ts <= call->ts)
			continue;
		*tl_map_put(&m->room, l->call, NULL) = work + 1;
		m->g->facts[TL_FACT_FULL]++;
	}
}

/* ---- both ---------------------------------------------------------------------------------------------- */

static void join_waits(struct path_maker *m)
{
	struct waiter w = { .m = m, .known = tl_calloc(m->n_work + 1, sizeof *w.known) };

	find_syncs(&w);
	struct wait_calls calls = find_wait_calls(&w);
	join_waiting_streams(&w, &calls);
	join_by_time(&w);
	for (uint32_t i = 0; i < m->t->n_events; i++)
		m->of_call[i] = TL_NONE;
	for (uint32_t i = 0; i < m->n_work; i++)
		if (m->work[i].call != TL_NONE)
			m->of_call[m->work[i].call] = i;
	for (size_t i = 0; i < m->n_threads; i++)
		find_awaited_of(&w, &m->threads[i]);
	find_full(m);
	free(calls.items);
	free(w.syncs);
	free(w.known);
	tl_map_release(&w.sync_of);
	tl_map_release(&w.record_at);
}

/* ---- all ------------------------------------------------------------------------------------------------- */

static void release_maker(struct path_maker *m)
{
	for (size_t i = 0; i < m->n_threads; i++)
		free(m->threads[i].points);
	for (size_t s = 0; s < m->n_streams; s++)
		free(m->streams[s].by_start);
	free(m->streams);
	free(m->threads);
	free(m->of_call);
	free(m->work);
	free(m->launched);
	free(m->names);
	tl_map_release(&m->awaited);
	tl_map_release(&m->room);
	tl_name_rules_free(m->name_rules);
}

enum tl_status tl_path_graph_make(struct tl_path_graph *g, struct tl_trace *t, const struct tl_path_options *o, struct tl_error *err)
{
	struct path_maker m = { .g = g, .t = t, .o = o, .step = TL_NONE, .main = TL_NONE, .whole = o->step < 0 };

	*g = (struct tl_path_graph){ .trace = t };
	tl_mark_work_once(t);
	tl_waits_init(&m.waits, t);
	m.steps = tl_step_events(t);
	m.name_rules = tl_name_rules_new(TL_HOST_NAMES);
	m.names = tl_calloc((size_t)t->strings.count + 1, 1);
	enum tl_status status = find_window(&m, err);
	if (status == TL_OK) {
		tl_path_node_at(g, g->window.start, TL_NONE);
		tl_path_find_threads(&m);
		join_work(&m);
		join_waits(&m);
		free(m.of_call);
		m.of_call = NULL;
		tl_path_join_threads(&m);
	}
	release_maker(&m);
	if (status == TL_OK)
		tl_path_settle(g);
	return status;
}
