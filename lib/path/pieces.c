/* pieces.c - why a device did nothing.
 *
 * The thread that launched the work behind a gap tells why. Its time is a chain of intervals, from the return of one launch, or of one call
 * that waits for the device, to the return of the next:
 *
 *     device   ########...................#####         the gap, from the end of work to the start of the next
 *     host     launch]  normal_  [launch]               one interval; what lies behind its end is queued
 *                    <----------------->
 *
 * An interval below a ms is launching, whatever is in it: operators, calls, Python between them. A longer one is named by the
 * innermost operator, else call, else frame that has half of it. Before that, layers take their ticks: the profiler, what is done once,
 * the loader, a server that waits, calls that wait or allocate. Each layer is a set of disjoint segments, so a gap is cut by going from
 * border to border.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "path/pieces.h"

#include "work/calls.h"
#include "work/device_events.h"
#include "work/kept.h"
#include "work/spans.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "work/name_rules.h"
#include "steps/one_off.h"
#include "steps/profiler_time.h"
#include "steps/recorded.h"
#include "steps/step_find.h"

#include <stdlib.h>
#include <string.h>

enum {
	SERVER_US = 10000,
	SLACK_US = 2,    /* a wait returns so much earlier than its work ends, by the trace */
	LATENCY_US = 20, /* what it takes to start work on an idle device */
};

/* A thread that launched the work behind a gap. */
struct thread {
	struct tl_spans times;        /* merged: when the thread matters */
	size_t at;                    /* of these: where the last event was looked for, mostly near the next one */
	int64_t *returns; size_t n, cap; /* of its calls that launched device work, or waited for it; sorted */
	struct tl_innermost calls;    /* its operators and calls that run then */
	struct tl_innermost frames, ranges; /* its Python frames and annotations that run then */
	struct tl_innermost loader, server, profiling;
	struct state { uint32_t name; enum { OTHER, WAITS, ALLOCATES } is; } *states; /* by span of calls */
	const struct tl_innermost *once; /* of its process, or NULL */
	uint32_t track;
};

struct host {
	struct tl_trace *t;
	struct tl_gaps const *gaps;
	struct thread *threads; size_t n, cap;
	uint32_t *of_track;      /* track -> 1 + index in threads; 0: none */
	struct tl_name_answers *wrappers, *work;
	const struct tl_map *steps; /* tl_step_events */
	bool serves;             /* the trace is of a program that waits for requests */
	struct tl_waits waits;
	const struct tl_one_offs *once;
	const struct tl_profiler_time *profiler;
	uint32_t once_names[TL_ONE_OFF_KINDS];
	struct tl_arg cause;     /* of migrations */
	struct tl_idle_pieces *out;
};

const char *tl_idle_class_name(enum tl_idle_class class)
{
#define TL_IDLE_CLASS_TEXT(id, name) name,
	static const char *const names[] = { TL_IDLE_CLASSES(TL_IDLE_CLASS_TEXT) };

	return names[class];
}

/* ---- threads, and what they did ------------------------------------------------------------- */

/* A call that frees waits, too, but where the device is idle it takes its own time. */
static bool is_wait(enum tl_call_kind kind)
{
	return kind >= TL_CALL_AWAITS_DEVICE && kind != TL_CALL_FREES;
}

static struct thread *thread_of(const struct host *h, uint32_t track)
{
	return h->of_track[track] ? &h->threads[h->of_track[track] - 1] : NULL;
}

static void add_thread(struct host *h, uint32_t track)
{
	if (h->of_track[track])
		return;
	TL_PUSH(h->threads, h->n, h->cap,
		(struct thread){ .track = track, .once = TL_ITEM_FIND(&h->once->of_process, h->t->tracks[track].pid) });
	h->of_track[track] = (uint32_t)h->n;
}

static void find_returns(struct host *h)
{
	for (uint32_t i = 0; h->n && i < h->t->n_events; i++) {
		const struct tl_ev *e = &h->t->events[i];
		struct thread *th = tl_kind_is_launch(e->kind) && tl_ev_has_span(e) ? thread_of(h, e->track) : NULL;
		uint32_t n = 0;
		if (!th || tl_is_copy(h->waits.copies, i))
			continue;
		tl_launched_by(h->waits.copies, i, &n);
		if (!n && !is_wait(tl_call_kind(&h->waits, i)))
			continue;
		TL_PUSH(th->returns, th->n, th->cap, tl_ev_end(e));
	}
	for (size_t i = 0; i < h->n; i++)
		tl_sort_times(h->threads[i].returns, h->threads[i].n);
}

/* The interval of a thread that holds a time in a gap. */
static struct tl_span interval_at(const struct thread *th, const struct tl_gap *g, int64_t time)
{
	struct tl_span s = { g->start, g->end };
	size_t i;

	TL_SEARCH(i, th->n, mid, th->returns[mid] <= time);
	if (i && g->where != TL_GAP_TAIL) /* behind the last work the host holds nothing up with what it did before */
		s.start = th->returns[i - 1];
	if (i < th->n)
		s.end = th->returns[i];
	return s;
}

/* Does a time of the thread that matters overlap the span? */
static bool matters(struct thread *th, int64_t start, int64_t end)
{
	const struct tl_spans *times = &th->times;

	if (!((!th->at || times->items[th->at - 1].end <= start) && (th->at == times->n || times->items[th->at].end > start)))
		th->at = tl_spans_from(times, start);
	return th->at < times->n && times->items[th->at].start < end;
}

static struct tl_innermost *spans_of(const struct tl_trace *t, struct thread *thread, const struct tl_ev *e)
{
	return tl_is_annotation(t, e) ? &thread->ranges : e->kind == TL_KIND_CPU_OP || tl_kind_is_launch(e->kind) ? &thread->calls :
		e->kind == TL_KIND_PYTHON ? &thread->frames : NULL;
}

static void add_host_event(struct host *h, struct thread *th, uint32_t event)
{
	const struct tl_ev *e = &h->t->events[event];
	struct tl_innermost *spans = matters(th, e->ts, tl_ev_end(e)) ? spans_of(h->t, th, e) : NULL;

	if (!spans || (spans == &th->frames && e->dur < tl_ticks_of_us(TL_LEAST_FRAME_US, h->t->ticks_per_us)) || tl_is_copy(h->waits.copies, event))
		return;
	tl_innermost_add(spans, e->ts, tl_ev_end(e), event);
	const char *work = spans == &th->calls ? "" : tl_name_answer(h->work, e->name);
	if (!strncmp(work, "loader", 6))
		tl_innermost_add(&th->loader, e->ts, tl_ev_end(e), event);
	if (!strcmp(work, "waiting"))
		tl_innermost_add(&th->server, e->ts, tl_ev_end(e), event);
	if (!strcmp(work, "profiler"))
		tl_innermost_add(&th->profiling, e->ts, tl_ev_end(e), event);
	h->serves |= !strcmp(work, "serving");
}

/* Finds what it means that a span is innermost: the host waits in the outermost call of the spans around that waits; or it allocates or
 * frees, which is no work of the operator around. */
static void find_states(struct host *h, struct thread *th)
{
	th->states = tl_alloc((th->calls.n + 1) * sizeof *th->states);
	for (size_t i = 0; i < th->calls.n; i++) {
		const struct tl_nested *s = &th->calls.spans[i];
		const struct state *around = s->around == TL_NONE ? NULL : &th->states[s->around];
		const struct tl_ev *e = &h->t->events[s->event];
		enum tl_call_kind kind = tl_kind_is_launch(e->kind) ? tl_call_kind(&h->waits, s->event) : TL_CALL_RETURNS;

		if (around && around->is != OTHER)
			th->states[i] = *around;
		else
			th->states[i] = (struct state){ e->name, kind == TL_CALL_ALLOCATES || kind == TL_CALL_FREES ? ALLOCATES :
				is_wait(kind) ? WAITS : OTHER };
	}
}

static void find_host_events(struct host *h)
{
	for (uint32_t i = 0; h->n && i < h->t->n_events; i++) {
		const struct tl_ev *e = &h->t->events[i];
		struct thread *th = tl_ev_has_span(e) && !tl_kind_is_gpu(e->kind) ? thread_of(h, e->track) : NULL;
		if (th)
			add_host_event(h, th, i);
	}
	for (size_t i = 0; i < h->n; i++) {
		struct tl_innermost *all[] = { &h->threads[i].calls, &h->threads[i].frames, &h->threads[i].ranges, &h->threads[i].loader, &h->threads[i].server,
			&h->threads[i].profiling };
		for (size_t k = 0; k < sizeof all / sizeof *all; k++)
			tl_innermost_build(all[k]);
		find_states(h, &h->threads[i]);
	}
}

/* ---- names ------------------------------------------------------------------------------------- */

/* Does a span have this share, in percent, of a time? */
static bool has_share(const struct tl_nested *s, struct tl_span time, int percent)
{
	int64_t from = s->start > time.start ? s->start : time.start, to = s->end < time.end ? s->end : time.end;

	return tl_ticks_sub(to, from) >= tl_ticks_sub(time.end, time.start) / 100 * percent;
}

/* The innermost span at a time, or NULL. */
static const struct tl_nested *innermost_at(const struct tl_innermost *spans, int64_t time)
{
	size_t at = tl_innermost_from(spans, time);

	return at < spans->n_segments && spans->segments[at].start <= time ? &spans->spans[spans->segments[at].span] : NULL;
}

/* Gives the events of the first n spans that have this share of a time and say something, the innermost first; TL_NONE where there are
 * fewer. What has half of a time runs in its middle. */
static void find_covering(struct host *h, const struct tl_innermost *spans, struct tl_span time, int percent, uint32_t *out, size_t n)
{
	const struct tl_nested *s = innermost_at(spans, time.start + tl_ticks_sub(time.end, time.start) / 2);
	size_t found = 0;

	for (; s && found < n; s = s->around == TL_NONE ? NULL : &spans->spans[s->around]) {
		uint32_t name = h->t->events[s->event].name;
		if (has_share(s, time, percent) && !*tl_name_answer(h->wrappers, name) && !tl_is_step(h->steps, h->t, s->event))
			out[found++] = s->event;
	}
	for (; found < n; found++)
		out[found] = TL_NONE;
}

static void find_places(struct host *h, const struct thread *th, struct tl_span time, int percent, struct tl_idle_piece *p)
{
	find_covering(h, &th->frames, time, percent, p->frames, TL_IDLE_FRAMES);
	find_covering(h, &th->ranges, time, percent, &p->range, 1);
}

/* The innermost operator, else call, that has half of a time; NULL: neither. */
static const struct tl_nested *main_call(const struct host *h, const struct thread *th, struct tl_span time)
{
	const struct tl_nested *s = innermost_at(&th->calls, time.start + tl_ticks_sub(time.end, time.start) / 2), *call = NULL;

	for (; s; s = s->around == TL_NONE ? NULL : &th->calls.spans[s->around]) {
		if (!has_share(s, time, 50))
			continue;
		if (h->t->events[s->event].kind == TL_KIND_CPU_OP)
			return s;
		call = call ? call : s;
	}
	return call;
}

/* What the host does in an interval of a ms or more: the event that says so, or TL_NONE. */
static uint32_t name_interval(struct host *h, const struct thread *th, struct tl_span time, struct tl_idle_piece *p)
{
	const struct tl_nested *s = main_call(h, th, time);

	p->class = s ? TL_IDLE_BUSY : TL_IDLE_ELSEWHERE;
	p->name = s ? h->t->events[s->event].name : 0;
	find_places(h, th, time, 50, p);
	return s ? s->event : p->frames[0];
}

/* ---- pieces --------------------------------------------------------------------------------------- */

static void emit(struct host *h, struct tl_idle_piece p)
{
	struct tl_idle_pieces *out = h->out;
	struct tl_idle_piece *last = out->n ? &out->items[out->n - 1] : NULL;
	const struct tl_one_offs *once = h->once;

	if (p.start >= p.end)
		return;
	p.steady = once->has_steady && p.start >= once->steady.start && p.end <= once->steady.end;
	if (last && last->gap == p.gap && last->class == p.class && last->name == p.name && last->steady == p.steady && last->frames[0] == p.frames[0] &&
	    last->range == p.range) {
		last->end = p.end;
		return;
	}
	TL_PUSH(out->items, out->n, out->cap, p);
}

/* The item of a layer at a time, or TL_NONE; *border: the next time at which that changes, if it is earlier. */
static uint32_t layer_at(const struct tl_innermost *layer, int64_t time, int64_t *border)
{
	size_t i = layer ? tl_innermost_from(layer, time) : 0;

	if (!layer || i == layer->n_segments)
		return TL_NONE;
	const struct tl_segment *s = &layer->segments[i];
	int64_t change = s->start <= time ? s->end : s->start;
	*border = change < *border ? change : *border;
	return s->start <= time ? s->span : TL_NONE;
}

/* Is the loader at work, and not just passing a batch on that is there? Behind a wait of the host even that leaves a hole, which is the wait's
 * then. */
static bool loads(struct host *h, const struct thread *th, int64_t time, int64_t *border, const struct tl_idle_piece *base)
{
	uint32_t at = layer_at(&th->loader, time, border);

	for (; at != TL_NONE && th->loader.spans[at].around != TL_NONE; at = th->loader.spans[at].around)
		; /* the outermost one tells how long */
	return at != TL_NONE && (base->class != TL_IDLE_WAITING ||
		tl_ticks_sub(th->loader.spans[at].end, th->loader.spans[at].start) >= tl_ticks_of_us(TL_HOST_US, h->t->ticks_per_us));
}

/* Does a server wait for requests: for 10 ms or, behind the last work, at all? */
static bool awaits_requests(struct host *h, const struct thread *th, int64_t time, int64_t *border, const struct tl_idle_piece *base)
{
	uint32_t at = layer_at(&th->server, time, border);

	return at != TL_NONE && (h->gaps->items[base->gap].where == TL_GAP_TAIL ||
		tl_ticks_sub(th->server.spans[at].end, th->server.spans[at].start) >= tl_ticks_of_us(SERVER_US, h->t->ticks_per_us));
}

/* Is it one of the layers that has the time? Sets class and name, and *border. p: the piece of what no layer takes. */
static bool find_layer(struct host *h, const struct thread *th, int64_t time, int64_t *border, struct tl_idle_piece *p)
{
	uint32_t at;

	if ((at = layer_at(&h->profiler->own, time, border)) != TL_NONE) {
		p->class = TL_IDLE_PROFILER;
		p->name = h->t->events[h->profiler->own.spans[at].event].name;
		return true;
	}
	if (!th)
		return false;
	if ((at = layer_at(&th->profiling, time, border)) != TL_NONE) {
		p->class = TL_IDLE_PROFILER;
		p->name = h->t->events[th->profiling.spans[at].event].name;
		return true;
	}
	if ((at = layer_at(th->once, time, border)) != TL_NONE) {
		const struct tl_one_off *o = &h->once->items[th->once->spans[at].event];
		p->class = o->repeated ? TL_IDLE_RECOMPILE : TL_IDLE_START_UP;
		p->name = h->once_names[o->kind];
		return true;
	}
	if (loads(h, th, time, border, p)) {
		p->class = TL_IDLE_LOADER;
		p->name = 0;
		return true;
	}
	at = layer_at(&th->calls, time, border);
	if (at == TL_NONE && h->serves && awaits_requests(h, th, time, border, p)) {
		p->class = TL_IDLE_SERVER;
		p->name = 0;
		return true;
	}
	if (at == TL_NONE || th->states[at].is == OTHER)
		return false;
	p->class = th->states[at].is == WAITS ? TL_IDLE_WAITING : TL_IDLE_ALLOCATOR;
	p->name = th->states[at].name;
	return true;
}

/* The call in which the host waited when the work before the gap ended; NULL: it did not wait. */
static const struct tl_nested *wait_before(const struct host *h, const struct thread *th, const struct tl_gap *g)
{
	int64_t slack = tl_ticks_of_us(SLACK_US, h->t->ticks_per_us);

	for (int side = 1; side >= -1; side -= 2) {
		const struct tl_nested *s = innermost_at(&th->calls, g->start + side * slack);
		if (g->where != TL_GAP_HEAD && s && th->states[s - th->calls.spans].is == WAITS)
			return s;
	}
	return NULL;
}

/* Does the host do something else for a ms and more in this part of an interval that an event names? Its own time around the event is
 * the same work, and a part of which nothing is known has the name of the rest. */
static bool is_other_work(struct host *h, const struct thread *th, struct tl_span part, const struct tl_ev *named, struct tl_idle_piece p)
{
	if (!named || tl_ticks_sub(part.end, part.start) < tl_ticks_of_us(TL_HOST_US, h->t->ticks_per_us))
		return false;
	uint32_t event = name_interval(h, th, part, &p);
	const struct tl_ev *e = event == TL_NONE ? NULL : &h->t->events[event];
	return e && !(e->ts <= named->ts && tl_ev_end(e) >= tl_ev_end(named));
}

/* Emits a time of a long interval that no layer takes. Two things that the host does one behind the other are two pieces: what has half of
 * the time is named, and what stands before or behind it is named by itself. A time below a ms has the name of its interval. */
static void emit_host(struct host *h, const struct thread *th, struct tl_span time, struct tl_idle_piece p)
{
	bool is_long = tl_ticks_sub(time.end, time.start) >= tl_ticks_of_us(TL_HOST_US, h->t->ticks_per_us);
	uint32_t event = is_long ? name_interval(h, th, time, &p) : TL_NONE;
	const struct tl_ev *named = event == TL_NONE ? NULL : &h->t->events[event];

	p.start = time.start;
	p.end = time.end;
	if (is_other_work(h, th, (struct tl_span){ time.start, named ? named->ts : time.start }, named, p)) {
		emit_host(h, th, (struct tl_span){ time.start, named->ts }, p);
		p.start = named->ts;
	}
	bool other_behind = is_other_work(h, th, (struct tl_span){ named ? tl_ev_end(named) : time.end, time.end }, named, p);
	if (other_behind)
		p.end = tl_ev_end(named);
	emit(h, p);
	if (other_behind)
		emit_host(h, th, (struct tl_span){ p.end, time.end }, p);
}

/* Cuts a time of a gap. th: the thread, of which it has one interval; NULL: it does not matter what a thread did then, for work is queued.
 * base: the piece of what no layer takes. */
static void cut(struct host *h, const struct thread *th, int64_t from, int64_t to, const struct tl_idle_piece *base)
{
	bool of_host = th && (base->class == TL_IDLE_BUSY || base->class == TL_IDLE_ELSEWHERE);
	int64_t border;

	for (int64_t at = from, rest = from; at < to; at = border) {
		struct tl_idle_piece p = *base;
		border = to;
		bool layered = find_layer(h, th, at, &border, &p);
		p.start = at;
		p.end = border;
		if (of_host && (layered || border == to) && rest < (layered ? at : to))
			emit_host(h, th, (struct tl_span){ rest, layered ? at : to }, *base);
		if (layered)
			rest = border;
		if (layered && of_host) /* places are of the interval, not of this */
			find_places(h, th, (struct tl_span){ at, border }, 80, &p);
		if (layered || !of_host)
			emit(h, p);
	}
}

static bool is_migration(struct host *h, uint32_t event)
{
	return event != TL_NONE && h->t->events[event].kind == TL_KIND_MEMCPY && tl_name_is(h->work, h->t->events[event].name, "migration");
}

static void cut_gap(struct host *h, uint32_t number)
{
	const struct tl_gap *g = &h->gaps->items[number];
	struct tl_idle_piece p = { .gap = number, .track = TL_NONE, .range = TL_NONE, .frames = { TL_NONE, TL_NONE, TL_NONE, TL_NONE } };
	struct tl_span gap = { g->start, g->end };

	p.start = g->start;
	p.end = g->end;
	bool behind = is_migration(h, g->before), before = is_migration(h, g->after);
	bool beside = (behind || before) && g->call == TL_NONE && g->where == TL_GAP_BETWEEN;
	p.class = g->unrecorded ? TL_IDLE_UNRECORDED : (behind && before) || beside ? TL_IDLE_MIGRATION :
	          (behind || before) && g->call == TL_NONE ? TL_IDLE_ELSEWHERE : TL_IDLE_UNKNOWN;
	int64_t cause;
	if (p.class == TL_IDLE_MIGRATION && tl_arg_get(&h->cause, h->t, before ? g->after : g->before, &cause) == TL_FIELD_STRING)
		p.name = (uint32_t)cause;
	if (g->unrecorded) {
		emit(h, p);
		return;
	}
	if (g->call == TL_NONE || p.class == TL_IDLE_MIGRATION) {
		cut(h, NULL, g->start, g->end, &p);
		return;
	}
	const struct tl_ev *call = &h->t->events[g->call];
	const struct thread *th = thread_of(h, call->track);
	int64_t returned = g->where == TL_GAP_TAIL || tl_ev_end(call) > g->end ? g->end : tl_ev_end(call), ms = tl_ticks_of_us(TL_HOST_US, h->t->ticks_per_us);
	const struct tl_nested *waits = wait_before(h, th, g);
	uint32_t wait = waits ? th->states[waits - th->calls.spans].name : 0;
	p.track = call->track;
	/* what the host launches behind a wait has the places of the wait: there is the line to repair */
	find_places(h, th, waits ? (struct tl_span){ waits->start, waits->end } : gap, waits || tl_gap_length(g) >= ms ? 80 : 0, &p);
	for (int64_t at = g->start; at < returned;) {
		struct tl_span interval = interval_at(th, g, at);
		struct tl_idle_piece base = p;
		int64_t to = interval.end < returned ? interval.end : returned;
		if (tl_ticks_sub(interval.end, interval.start) >= ms || g->where == TL_GAP_TAIL) {
			name_interval(h, th, interval, &base);
		} else {
			base.class = wait ? TL_IDLE_WAITING : TL_IDLE_LAUNCH;
			base.name = wait ? wait : call->name;
		}
		cut(h, th, at, to, &base);
		at = to;
	}
	bool starts_late = wait && tl_ticks_sub(g->end, returned) < tl_ticks_of_us(LATENCY_US, h->t->ticks_per_us); /* work that is ahead hides it */
	p.class = starts_late ? TL_IDLE_WAITING : TL_IDLE_QUEUED;
	p.name = starts_late ? wait : call->name;
	cut(h, NULL, returned > g->start ? returned : g->start, g->end, &p);
}

/* ---- all ---------------------------------------------------------------------------------------------- */

TL_ORDER_IN(by_start, uint32_t, struct tl_gap, TL_ASC(ctx[*x].start))

/* Cuts the gaps in the order of time, in which what is looked up for a gap lies near what was for the one before; then puts the pieces
 * in the order of the gaps. */
static void cut_gaps(struct host *h, const uint32_t *order)
{
	struct tl_idle_pieces *out = h->out;
	size_t n = h->gaps->n, *next = out->of_gap + 1;

	for (size_t i = 0; i < n; i++)
		cut_gap(h, order[i]);
	struct tl_idle_piece *items = tl_alloc((out->n + 1) * sizeof *items);
	for (size_t i = 0; i < out->n; i++)
		next[out->items[i].gap + 1]++;
	for (size_t i = 1; i <= n; i++)
		next[i] += next[i - 1];
	for (size_t i = 0; i < out->n; i++)
		items[next[out->items[i].gap]++] = out->items[i];
	free(out->items);
	out->items = items;
	out->cap = out->n + 1;
}

static void release(struct host *h)
{
	for (size_t i = 0; i < h->n; i++) {
		struct thread *th = &h->threads[i];
		tl_spans_release(&th->times);
		tl_innermost_release(&th->calls);
		tl_innermost_release(&th->frames);
		tl_innermost_release(&th->ranges);
		tl_innermost_release(&th->loader);
		tl_innermost_release(&th->server);
		tl_innermost_release(&th->profiling);
		free(th->returns);
		free(th->states);
	}
	free(h->threads);
	free(h->of_track);
}

void tl_idle_pieces_find(struct tl_idle_pieces *out, struct tl_trace *t, const struct tl_gaps *gaps)
{
	struct host h = { .t = t, .gaps = gaps, .out = out, .of_track = tl_calloc((size_t)t->n_tracks + 1, sizeof *h.of_track),
	                  .once = tl_one_offs_of(t), .profiler = tl_profiler_time_of(t) };

	*out = (struct tl_idle_pieces){ .of_gap = tl_calloc(gaps->n + 2, sizeof *out->of_gap) };
	h.wrappers = tl_kept_answers(t, TL_WRAPPER_FRAMES);
	h.steps = tl_step_events(t);
	h.work = tl_kept_answers(t, TL_HOST_WORK);
	tl_waits_init(&h.waits, t);
	h.cause = tl_arg_of(t, TL_KEY_CAUSE);
	for (int i = 0; i < TL_ONE_OFF_KINDS; i++)
		h.once_names[i] = tl_intern_str(&t->strings, tl_one_off_name((enum tl_one_off_kind)i));
	uint32_t *order = tl_alloc((gaps->n + 1) * sizeof *order);
	for (uint32_t i = 0; i < gaps->n; i++)
		order[i] = i;
	tl_merge_sort(order, gaps->n, sizeof *order, by_start, gaps->items);
	for (size_t i = 0; i < gaps->n; i++)
		if (gaps->items[order[i]].call != TL_NONE)
			add_thread(&h, t->events[gaps->items[order[i]].call].track);
	find_returns(&h);
	/* What threads do matters from the start of the first interval in a gap to the gap's end. */
	for (size_t i = 0; i < gaps->n; i++) {
		const struct tl_gap *g = &gaps->items[order[i]];
		if (g->call == TL_NONE)
			continue;
		struct thread *th = thread_of(&h, h.t->events[g->call].track);
		struct tl_span first = interval_at(th, g, g->start);
		tl_spans_add(&th->times, first.start < g->start ? first.start : g->start, g->end);
	}
	for (size_t i = 0; i < h.n; i++)
		tl_spans_merge(&h.threads[i].times);
	find_host_events(&h);
	cut_gaps(&h, order);
	free(order);
	release(&h);
}

void tl_idle_pieces_release(struct tl_idle_pieces *p)
{
	free(p->items);
	free(p->of_gap);
	*p = (struct tl_idle_pieces){ 0 };
}

static void release_kept(void *kept)
{
	tl_idle_pieces_release(kept);
}

const struct tl_idle_pieces *tl_idle_pieces_of(struct tl_trace *t)
{
	struct tl_idle_pieces *p = tl_trace_keep(t, sizeof *p, release_kept);

	if (!p->of_gap)
		tl_idle_pieces_find(p, t, &tl_recorded_of(t)->gaps);
	return p;
}

void tl_idle_by_node(const struct tl_host_tree *tree, void (*add)(void *ctx, const struct tl_idle_piece *, uint32_t node, int64_t ticks), void *ctx)
{
	const struct tl_idle_pieces *pieces = tl_idle_pieces_of(tree->trace);
	struct tl_innermosts spans = { 0 };

	tl_host_tree_spans(tree, &spans);
	for (size_t i = 0; i < pieces->n; i++) {
		const struct tl_idle_piece *p = &pieces->items[i];
		const struct tl_innermost *of = p->track == TL_NONE || p->class == TL_IDLE_UNRECORDED ? NULL : TL_ITEM_FIND(&spans, p->track);
		int64_t left = tl_ticks_sub(p->end, p->start);
		for (size_t k = of ? tl_innermost_from(of, p->start) : 0; of && k < of->n_segments && of->segments[k].start < p->end; k++) {
			const struct tl_segment *s = &of->segments[k];
			int64_t from = s->start > p->start ? s->start : p->start, to = s->end < p->end ? s->end : p->end;
			add(ctx, p, of->spans[s->span].event, to - from);
			left -= to - from;
		}
		if (left)
			add(ctx, p, tree->n, left);
	}
	tl_innermosts_release(&spans);
}

enum tl_idle_class tl_idle_main(const struct tl_idle_pieces *p, size_t gap, int64_t ticks[TL_IDLE_N_CLASSES], uint32_t *name)
{
	int main = 0;
	int64_t longest = -1;

	memset(ticks, 0, TL_IDLE_N_CLASSES * sizeof *ticks);
	for (size_t i = p->of_gap[gap]; i < p->of_gap[gap + 1]; i++)
		ticks[p->items[i].class] = tl_ticks_add(ticks[p->items[i].class], tl_ticks_sub(p->items[i].end, p->items[i].start));
	for (int i = 1; i < TL_IDLE_N_CLASSES; i++)
		main = ticks[i] > ticks[main] ? i : main;
	*name = 0;
	for (size_t i = p->of_gap[gap]; i < p->of_gap[gap + 1]; i++) {
		int64_t length = tl_ticks_sub(p->items[i].end, p->items[i].start);
		if (p->items[i].class != main || length <= longest)
			continue;
		longest = length;
		*name = p->items[i].name;
	}
	return (enum tl_idle_class)main;
}
