/* requeue.c - how much earlier a trace would end if work on devices took less time, or the host did less between launches.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/requeue.h"

#include "work/calls.h"
#include "work/device_events.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "model/trace.h"

#include <stdlib.h>
#include <string.h>

enum node_kind { DEVICE_EVENT, WAIT, PIECE, HOST_END };

/* In the order in which a run goes through them: each depends on earlier ones only. */
struct tl_requeue_node {
	int64_t start, end;       /* as the trace has them */
	/* Behind a time of the host: that, with the delay behind it; INT64_MIN: none. */
	int64_t called;
	uint32_t shift;           /* the wait or piece that shifted this process last before that time */
	/* Behind other nodes: their ends, or their starts, and the delay behind them. */
	struct after { uint32_t node; bool start; int64_t delay; } after[2];
	uint32_t of;              /* the event, by tl_trace_gpu; of a piece its number, or the event that may go */
	uint32_t host;            /* the number of the process, of waits, pieces and ends */
	uint32_t now;             /* of a wait: the node that shifted this process last before its end */
	uint32_t slept, sleeps;   /* of a wait: the last piece of its thread before what it awaited ended, and before its own end; of a piece:
	                             sleeps is the one before */
	uint8_t kind;
	bool aside;               /* of a wait: its thread launches nothing */
	bool with_event;          /* of a piece: it goes with an event */
};

/* ---- what there is ------------------------------------------------------------------------------------ */

/* A time at which something is to be noted, of equal times in this order. */
enum moment_kind { AT_RETURN, AT_PIECE, AT_LAUNCH, AT_WAITING, AT_EVENT, AT_END };
struct moment { int64_t time; uint32_t of; uint8_t kind; };
struct wait { uint32_t call, shift, awaited; int64_t start, end; };

struct maker {
	struct tl_requeue *r;
	struct tl_trace *t;
	const struct tl_devices *devices;
	const struct tl_host_piece *pieces;
	const bool *may_go;
	struct tl_waits calls;
	uint32_t *call_of;             /* by tl_trace_gpu: the call that launched it, with start and duration, or TL_NONE */
	struct moment *moments; size_t n, cap;
	struct wait *waits; size_t n_waits, cap_waits;
	uint32_t *host_of;             /* by track: the number of its process */
	int64_t *host_end;             /* by process: the end of what it does in the window */
	bool *launches;                /* by track: does it launch work? */
	uint32_t *by_end; size_t n_events; /* the device events by their ends */
	int64_t launch_floor, us, device_end;
	/* while moments go by */
	uint32_t *shift;               /* by process: the node that shifted it last */
	uint32_t *piece;               /* by track: its last piece */
	int64_t *returned;             /* by track: when its last launch had returned */
	uint32_t *latest, *ends_last;  /* by track: the device event that started last, and the one that ends last, as nodes */
	uint32_t *running;             /* by device: the device event that started last */
	uint32_t *launch_shift;        /* by tl_trace_gpu: the node that shifted the host last before its launch */
};

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void add_moment(struct maker *m, int64_t time, enum moment_kind kind, uint32_t of)
{
	TL_PUSH(m->moments, m->n, m->cap, (struct moment){ time, of, (uint8_t)kind });
}

static int64_t end_of(const struct maker *m, uint32_t event)
{
	return tl_ev_end(&m->t->events[event]);
}

/* The node of a device event, or TL_NONE. */
static uint32_t node_of(const struct maker *m, uint32_t event)
{
	return m->r->node_of[tl_trace_gpu(m->t, event)];
}

static void add_wait(struct maker *m, uint32_t call, uint32_t awaited, int64_t start, int64_t end)
{
	if (start >= end)
		return;
	TL_GROW(m->waits, m->cap_waits, m->n_waits + 1);
	m->waits[m->n_waits] = (struct wait){ .call = call, .start = start, .end = end, .awaited = awaited, .shift = TL_NONE };
	add_moment(m, start, AT_WAITING, (uint32_t)m->n_waits);
	add_moment(m, end, AT_RETURN, (uint32_t)m->n_waits++);
}

/* The operator within which a kernel runs to its end, with nothing else that the host does between the launch and that end: it waited
 * for the kernel, in a call that is not in the trace. TL_NONE: there is none. */
static uint32_t waits_within(const struct maker *m, uint32_t call, uint32_t kernel)
{
	const struct tl_ev *events = m->t->events;
	int64_t from = end_of(m, call), to = end_of(m, kernel);

	for (uint32_t below = call, at = events[call].parent; at != TL_NONE && events[at].kind == TL_KIND_CPU_OP && tl_ev_has_span(&events[at]);
	     below = at, at = events[at].parent) {
		for (uint32_t next = events[below].next_sibling; next != TL_NONE; next = events[next].next_sibling)
			if (events[next].ts >= from && events[next].ts < to)
				return TL_NONE;
		if (end_of(m, at) >= to)
			return tl_ticks_sub(end_of(m, at), to) <= events[kernel].dur ? at : TL_NONE;
	}
	return TL_NONE;
}

/* Launches, and those in which the host waits until the work is done. */
static void find_launches(struct maker *m)
{
	struct tl_copies *copies = tl_copies_of(m->t);

	m->launch_floor = 10 * m->us;
	for (uint32_t i = 0; i < m->t->n_events; i++) {
		if (m->devices->of[i] == TL_NONE)
			continue;
		const struct tl_ev *e = &m->t->events[i];
		uint32_t call = tl_launching_call(copies, i);
		m->device_end = tl_ev_end(e) > m->device_end ? tl_ev_end(e) : m->device_end;
		m->by_end[m->n_events++] = i;
		if (call == TL_NONE || !tl_ev_has_span(&m->t->events[call]))
			continue;
		const struct tl_ev *c = &m->t->events[call];
		m->call_of[tl_trace_gpu(m->t, i)] = call;
		m->launches[c->track] = true;
		if (e->ts >= c->ts)
			m->launch_floor = least(m->launch_floor, tl_ticks_sub(e->ts, c->ts));
		add_moment(m, end_of(m, call) < e->ts ? end_of(m, call) : e->ts, AT_LAUNCH, i);
		uint32_t n, op;
		tl_launched_by(copies, call, &n);
		if (e->dur < 100 * m->us || n != 1 || tl_call_waits(&m->calls, call))
			continue;
		/* launches that block, and copies of pageable memory, which the host hands over piece by piece */
		op = end_of(m, call) >= tl_ticks_add(e->ts, e->dur / 2) ? call : waits_within(m, call, i);
		if (op != TL_NONE)
			add_wait(m, call, i, op == call ? c->ts : end_of(m, call), end_of(m, op));
	}
}

static void find_waits(struct maker *m, const struct tl_span *window)
{
	for (uint32_t i = 0; i < m->t->n_events; i++) {
		const struct tl_ev *e = &m->t->events[i];
		bool is_call = tl_kind_is_launch(e->kind);
		bool counts = is_call || e->kind == TL_KIND_CPU_OP || (e->kind == TL_KIND_ANNOTATION && tl_ev_end(e) > m->device_end);
		if (!counts || !tl_ev_has_span(e) || tl_is_copy(m->calls.copies, i))
			continue;
		/* of what ends behind the window, what is in it counts for itself: it may wait for the device there */
		int64_t *end = &m->host_end[m->host_of[e->track]], until = tl_ev_end(e) <= window->end ? tl_ev_end(e) : e->ts;
		*end = until > *end ? until : *end;
		if (is_call && tl_call_waits(&m->calls, i))
			add_wait(m, i, TL_NONE, e->ts, tl_ev_end(e));
	}
}

/* ---- what each waits for ------------------------------------------------------------------------------- */

static struct tl_requeue_node *add_node(struct maker *m, enum node_kind kind, uint32_t of, int64_t start, int64_t end)
{
	struct tl_requeue *r = m->r;

	TL_GROW(r->nodes, r->cap, r->n + 1);
	r->nodes[r->n] = (struct tl_requeue_node){ .kind = (uint8_t)kind, .of = of, .start = start, .end = end, .called = INT64_MIN, .shift = TL_NONE,
		.after = { { .node = TL_NONE }, { .node = TL_NONE } }, .now = TL_NONE, .slept = TL_NONE, .sleeps = TL_NONE };
	return &r->nodes[r->n++];
}

/* The last of the times that a node is behind gets what is left up to the time in the trace. */
static void close_node(const struct maker *m, struct tl_requeue_node *node, int64_t time)
{
	int64_t *last = node->called == INT64_MIN ? NULL : &node->called, most = node->called;

	for (int i = 0; i < 2; i++) {
		const struct tl_requeue_node *other = node->after[i].node == TL_NONE ? NULL : &m->r->nodes[node->after[i].node];
		int64_t at = !other ? INT64_MIN : tl_ticks_add(node->after[i].start ? other->start : other->end, node->after[i].delay);
		if (other && (!last || at > most)) {
			last = &node->after[i].delay;
			most = at;
		}
	}
	if (last)
		*last = tl_ticks_add(*last, tl_ticks_sub(time, most));
}

/* What ended last until a time: on the device of an event, or, of what a process launched before `before`. */
static uint32_t ended_last(const struct maker *m, int64_t until, int64_t from, uint32_t device, uint32_t host, int64_t before)
{
	enum { MOST_LOOKED_AT = 64 };
	size_t i, looked_at = 0;

	TL_SEARCH(i, m->n_events, mid, end_of(m, m->by_end[mid]) <= until);
	while (i-- > 0 && end_of(m, m->by_end[i]) >= from && looked_at++ < MOST_LOOKED_AT) {
		uint32_t event = m->by_end[i], call = m->call_of[tl_trace_gpu(m->t, event)];
		if (node_of(m, event) == TL_NONE || (device != TL_NONE && m->devices->of[event] != device))
			continue;
		if (host == TL_NONE || (call != TL_NONE && m->host_of[m->t->events[call].track] == host && m->t->events[call].ts < before))
			return event;
	}
	return TL_NONE;
}

static void take_event(struct maker *m, uint32_t event)
{
	const struct tl_ev *e = &m->t->events[event];
	struct tl_requeue_node *node = add_node(m, DEVICE_EVENT, tl_trace_gpu(m->t, event), e->ts, tl_ev_end(e)), *nodes = m->r->nodes;
	uint32_t call = m->call_of[tl_trace_gpu(m->t, event)], number = (uint32_t)(m->r->n - 1), last = m->ends_last[e->track];
	bool told = false;

	if (last != TL_NONE) {
		int64_t gap = tl_ticks_sub(e->ts, nodes[last].end);
		node->after[0] = gap > -m->us ? (struct after){ last, false, least(gap, 3 * m->us / 2) } :
			(struct after){ m->latest[e->track], true, tl_ticks_sub(e->ts, nodes[m->latest[e->track]].start) };
		told = gap <= 10 * m->us;
	}
	if (call != TL_NONE) {
		const struct tl_ev *c = &m->t->events[call];
		/* a call that takes long submits the work at its end */
		int64_t late = tl_ticks_sub(end_of(m, call), 10 * m->us), from = late > c->ts && e->ts >= late ? late : c->ts;
		node->called = tl_ticks_add(from, least(m->launch_floor, tl_ticks_sub(e->ts, from)));
		node->shift = m->launch_shift[tl_trace_gpu(m->t, event)];
		told = told || tl_ticks_sub(e->ts, node->called) <= 20 * m->us;
	}
	if (!told) {
		uint32_t other = ended_last(m, e->ts, tl_ticks_sub(e->ts, 20 * m->us), m->devices->of[event], TL_NONE, 0);
		uint32_t beside = m->running[m->devices->of[event]];
		if (other != TL_NONE)
			node->after[1] = (struct after){ node_of(m, other), false, least(tl_ticks_sub(e->ts, end_of(m, other)), 3 * m->us / 2) };
		else if (beside != TL_NONE && nodes[beside].end > e->ts) /* it keeps its place beside other work */
			node->after[1] = (struct after){ beside, true, tl_ticks_sub(e->ts, nodes[beside].start) };
	}
	close_node(m, node, e->ts);
	m->r->node_of[tl_trace_gpu(m->t, event)] = number;
	m->latest[e->track] = m->running[m->devices->of[event]] = number;
	if (last == TL_NONE || node->end > nodes[last].end)
		m->ends_last[e->track] = number;
}

/* The device event for whose end a call waits, or TL_NONE. */
static uint32_t awaited_by(struct maker *m, const struct wait *w)
{
	enum tl_call_kind kind = w->awaited == TL_NONE ? tl_call_kind(&m->calls, w->call) : TL_CALL_RETURNS;
	uint32_t last = w->awaited, n = 0;
	const uint32_t *own = kind == TL_CALL_AWAITS_COPY ? tl_launched_by(m->calls.copies, w->call, &n) : NULL;

	for (uint32_t i = 0; i < n; i++)
		if (m->devices->of[own[i]] != TL_NONE && end_of(m, own[i]) <= w->end && node_of(m, own[i]) != TL_NONE)
			last = own[i];
	if (last == TL_NONE)
		last = ended_last(m, w->end, INT64_MIN, TL_NONE, m->host_of[m->t->events[w->call].track], w->start);
	/* an event that was over before tells nothing of what was marked by it */
	return last != TL_NONE && kind == TL_CALL_AWAITS_EVENT && end_of(m, last) <= w->start ? TL_NONE : last;
}

static void take_return(struct maker *m, struct wait *w)
{
	uint32_t track = m->t->events[w->call].track, host = m->host_of[track], awaited = awaited_by(m, w);
	struct tl_requeue_node *node = add_node(m, WAIT, w->call, w->start, w->end);

	node->called = tl_ticks_add(w->start, least(2 * m->us, tl_ticks_sub(w->end, w->start)));
	node->shift = w->shift;
	if (awaited != TL_NONE) {
		int64_t lag = tl_ticks_sub(w->end, end_of(m, awaited));
		node->after[0] = (struct after){ node_of(m, awaited), false, end_of(m, awaited) > w->start ? lag : least(lag, 2 * m->us) };
	}
	close_node(m, node, w->end);
	node->host = host;
	node->aside = !m->launches[track];
	node->now = m->shift[host];
	node->slept = node->sleeps = m->piece[track];
	while (node->slept != TL_NONE && m->r->nodes[node->slept].start >= w->start && (awaited == TL_NONE || m->r->nodes[node->slept].start >= end_of(m, awaited)))
		node->slept = m->r->nodes[node->slept].sleeps;
	m->shift[host] = (uint32_t)(m->r->n - 1);
}

static void take_piece(struct maker *m, uint32_t of, bool with_event, uint32_t track, int64_t start, int64_t end)
{
	struct tl_requeue_node *node = add_node(m, PIECE, of, start, end);

	node->with_event = with_event;
	node->host = m->host_of[track];
	node->shift = m->shift[node->host];
	node->sleeps = m->piece[track];
	m->shift[node->host] = m->piece[track] = (uint32_t)(m->r->n - 1);
}

static void take_launch(struct maker *m, uint32_t event)
{
	uint32_t call = m->call_of[tl_trace_gpu(m->t, event)], track = m->t->events[call].track;
	int64_t end = end_of(m, call), from = tl_ticks_sub(end, 30 * m->us);

	m->launch_shift[tl_trace_gpu(m->t, event)] = m->shift[m->host_of[track]];
	if (m->may_go && m->may_go[tl_trace_gpu(m->t, event)])
		take_piece(m, tl_trace_gpu(m->t, event), true, track, from > m->returned[track] ? from : least(m->returned[track], end), end);
	m->returned[track] = end > m->returned[track] ? end : m->returned[track];
}

static void take(struct maker *m, const struct moment *at)
{
	struct wait *w = &m->waits[at->kind == AT_WAITING || at->kind == AT_RETURN ? at->of : 0];

	switch (at->kind) {
	case AT_PIECE:
		take_piece(m, at->of, false, m->pieces[at->of].track, m->pieces[at->of].start, m->pieces[at->of].end);
		break;
	case AT_LAUNCH:
		take_launch(m, at->of);
		break;
	case AT_WAITING:
		w->shift = m->shift[m->host_of[m->t->events[w->call].track]];
		break;
	case AT_EVENT:
		take_event(m, at->of);
		break;
	case AT_RETURN:
		take_return(m, w);
		break;
	default:
		add_node(m, HOST_END, at->of, at->time, at->time)->shift = m->shift[at->of];
	}
}

TL_ORDER(by_moment, struct moment, TL_ASC(x->time) TL_ASC(x->kind))

TL_ORDER_IN(by_end, uint32_t, struct tl_trace, TL_ASC(tl_ev_end(&ctx->events[*x])))

static uint32_t *none(size_t n)
{
	uint32_t *out = tl_alloc((n + 1) * sizeof *out);

	memset(out, 0xff, (n + 1) * sizeof *out);
	return out;
}

static void release_maker(struct maker *m)
{
	free(m->call_of);
	free(m->moments);
	free(m->waits);
	free(m->host_of);
	free(m->host_end);
	free(m->launches);
	free(m->by_end);
	free(m->shift);
	free(m->piece);
	free(m->returned);
	free(m->latest);
	free(m->ends_last);
	free(m->running);
	free(m->launch_shift);
}

void tl_requeue_init(struct tl_requeue *r, struct tl_trace *t, const struct tl_devices *d, const struct tl_span *window,
                     const struct tl_host_piece *pieces, size_t n_pieces, const bool *may_go)
{
	size_t tracks = t->n_tracks;
	struct maker m = { .r = r, .t = t, .devices = d, .pieces = pieces, .may_go = may_go, .us = t->ticks_per_us, .device_end = INT64_MIN,
		.call_of = none(t->n_gpus), .launch_shift = none(t->n_gpus), .by_end = none(t->n_gpus), .piece = none(tracks),
		.latest = none(tracks), .ends_last = none(tracks), .running = none(d->n), .launches = tl_calloc(tracks + 1, 1),
		.returned = tl_calloc(tracks + 1, sizeof *m.returned) };

	*r = (struct tl_requeue){ .node_of = none(t->n_gpus) };
	tl_waits_init(&m.calls, t);
	/* Numbers the processes of the host. */
	struct tl_map numbers = { 0 };
	m.host_of = tl_calloc((size_t)m.t->n_tracks + 1, sizeof *m.host_of);
	for (uint32_t i = 0; i < m.t->n_tracks; i++)
		m.host_of[i] = tl_map_number(&numbers, m.t->tracks[i].pid, NULL);
	m.r->n_hosts = numbers.count;
	tl_map_release(&numbers);
	m.host_end = tl_calloc(r->n_hosts + 1, sizeof *m.host_end);
	m.shift = none(r->n_hosts);
	for (size_t i = 0; i < r->n_hosts; i++)
		m.host_end[i] = INT64_MIN;
	for (size_t i = 0; i < d->n_events; i++)
		add_moment(&m, t->events[d->by_start[i]].ts, AT_EVENT, d->by_start[i]);
	find_launches(&m);
	find_waits(&m, window);
	for (size_t i = 0; i < n_pieces; i++)
		add_moment(&m, pieces[i].start, AT_PIECE, (uint32_t)i);
	for (size_t i = 0; i < r->n_hosts; i++)
		if (m.host_end[i] != INT64_MIN)
			add_moment(&m, m.host_end[i], AT_END, (uint32_t)i);
	tl_merge_sort(m.by_end, m.n_events, sizeof *m.by_end, by_end, t);
	tl_merge_sort(m.moments, m.n, sizeof *m.moments, by_moment, NULL);
	for (size_t i = 0; i < m.n; i++)
		take(&m, &m.moments[i]);
	release_maker(&m);
	r->starts = tl_calloc(r->n + 1, sizeof *r->starts);
	r->ends = tl_calloc(r->n + 1, sizeof *r->ends);
	r->covered = tl_calloc(r->n_hosts + 1, sizeof *r->covered);
	r->end = tl_ticks_sub(0, tl_requeue_run(r, NULL, NULL));
}

/* ---- a run --------------------------------------------------------------------------------------------- */

/* By node, `starts` has the start of a device event, and of waits and pieces the shift of the process from there on; `ends` has the
 * end of a device event, and of a piece how long those of its thread are up to it. */
static int64_t known(const int64_t *values, uint32_t node)
{
	return node == TL_NONE ? 0 : values[node];
}

/* The last of the times that the node is behind; INT64_MIN: there is none. */
static int64_t time_of(const struct tl_requeue *r, const struct tl_requeue_node *n)
{
	int64_t time = n->called == INT64_MIN ? INT64_MIN : tl_ticks_sub(n->called, known(r->starts, n->shift));

	for (int i = 0; i < 2; i++) {
		if (n->after[i].node == TL_NONE)
			continue;
		int64_t at = tl_ticks_add((n->after[i].start ? r->starts : r->ends)[n->after[i].node], n->after[i].delay);
		time = at > time ? at : time;
	}
	return time;
}

static void run_event(struct tl_requeue *r, size_t i, const int64_t *less)
{
	const struct tl_requeue_node *n = &r->nodes[i];
	const struct after *order = &n->after[0];
	int64_t cut = less ? less[n->of] : 0, time = time_of(r, n);

	if (cut == TL_REQUEUE_GONE && order->node != TL_NONE && !order->start)
		time = tl_ticks_add(r->ends[order->node], least(order->delay, 0));
	r->starts[i] = time == INT64_MIN ? n->start : time;
	r->ends[i] = tl_ticks_add(r->starts[i], cut == TL_REQUEUE_GONE ? 0 : tl_ticks_sub(tl_ticks_sub(n->end, n->start), cut));
}

static void run_piece(struct tl_requeue *r, size_t i, const int64_t *less, const bool *without)
{
	const struct tl_requeue_node *n = &r->nodes[i];
	bool goes = n->with_event ? less && less[n->of] == TL_REQUEUE_GONE : without && without[n->of];
	int64_t from = n->start > r->covered[n->host] ? n->start : r->covered[n->host], length = goes && n->end > from ? tl_ticks_sub(n->end, from) : 0;

	if (length)
		r->covered[n->host] = n->end;
	r->starts[i] = tl_ticks_add(known(r->starts, n->shift), length);
	r->ends[i] = tl_ticks_add(known(r->ends, n->sleeps), length);
}

static void run_wait(struct tl_requeue *r, size_t i)
{
	const struct tl_requeue_node *n = &r->nodes[i];
	int64_t now = known(r->starts, n->now), slept = tl_ticks_sub(known(r->ends, n->sleeps), known(r->ends, n->slept));
	int64_t earlier = tl_ticks_add(tl_ticks_sub(n->end, time_of(r, n)), slept);

	r->starts[i] = n->aside && now > earlier ? now : earlier;
}

int64_t tl_requeue_run(struct tl_requeue *r, const int64_t *less, const bool *without)
{
	int64_t end = INT64_MIN;

	for (size_t i = 0; i < r->n_hosts; i++)
		r->covered[i] = INT64_MIN;
	for (size_t i = 0; i < r->n; i++) {
		const struct tl_requeue_node *n = &r->nodes[i];
		int64_t until = INT64_MIN;
		if (n->kind == DEVICE_EVENT) {
			run_event(r, i, less);
			until = r->ends[i];
		} else if (n->kind == WAIT) {
			run_wait(r, i);
		} else if (n->kind == PIECE) {
			run_piece(r, i, less, without);
		} else {
			until = tl_ticks_sub(n->end, known(r->starts, n->shift));
		}
		end = until > end ? until : end;
	}
	return end == INT64_MIN ? 0 : tl_ticks_sub(r->end, end);
}

void tl_requeue_release(struct tl_requeue *r)
{
	free(r->nodes);
	free(r->node_of);
	free(r->starts);
	free(r->ends);
	free(r->covered);
	*r = (struct tl_requeue){ 0 };
}
