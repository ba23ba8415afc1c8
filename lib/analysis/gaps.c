/* gaps.c - the times in which a device did nothing, and what the host did then.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/gaps.h"

#include "analysis/copies.h"
#include "analysis/device_events.h"
#include "model/event_order.h"
#include "analysis/innermost.h"
#include "analysis/waits.h"
#include "base/merge_sort.h"
#include "kernels/name_rules.h"
#include "model/trace.h"

#include <stdlib.h>
#include <string.h>

/* ---- gaps ------------------------------------------------------------------------------ */

/* The call that launched a device event, if it has a start and a duration. */
static uint32_t call_of(struct tl_copies *copies, uint32_t gpu)
{
	uint32_t call = tl_launching_call(copies, gpu);
	const struct tl_ev *e = call == TL_NONE ? NULL : &copies->trace->events[call];

	return e && tl_ev_has_span(e) ? call : TL_NONE;
}

static int longest_first(const void *pa, const void *pb, void *ctx)
{
	const struct tl_gap *a = pa, *b = pb;

	(void)ctx;
	if (tl_gap_length(a) != tl_gap_length(b))
		return tl_gap_length(a) > tl_gap_length(b) ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

void tl_gaps_keep_longest(struct tl_gaps *g, size_t first, size_t top)
{
	if (g->n > first)
		tl_merge_sort(g->items + first, g->n - first, sizeof *g->items, longest_first, NULL);
	if (g->n - first > top)
		g->n = first + top;
}

/* What is known of a device so far, while its events come in the order of their starts. */
struct finder {
	struct tl_copies *copies;
	const struct tl_span *window;
	struct tl_gaps *out;
	bool *stream_has_events;  /* by track */
	uint32_t device, last;    /* last: the event that ends last */
	bool launched;            /* one was launched by a call, or the trace tells of no launch of the device at all */
	int64_t least;            /* gaps of this length are too short by now */
	size_t first, top;
};

/* Until when the device was busy, and when it is so again with an event; all within the window. */
static int64_t busy_until(const struct finder *f)
{
	int64_t end = f->last == TL_NONE ? f->window->start : tl_ev_end(&f->copies->trace->events[f->last]);

	return f->window && end < f->window->start ? f->window->start : end;
}

static int64_t starts_at(const struct finder *f, uint32_t event)
{
	int64_t start = event == TL_NONE ? f->window->end : f->copies->trace->events[event].ts;

	return f->window && start > f->window->end ? f->window->end : start;
}

static bool is_unrecorded(const struct finder *f, uint32_t event, uint32_t call)
{
	const struct tl_trace *t = f->copies->trace;
	const struct tl_ev *e = &t->events[event];

	if (call == TL_NONE)
		return !f->launched;
	return !f->stream_has_events[e->track] &&
		tl_ticks_sub(e->ts, tl_ev_end(&t->events[call])) >= tl_ticks_of_us(1000, t->ticks_per_us);
}

/* Adds the gap before an event, TL_NONE: the tail. Returns its length. */
static int64_t add_gap(struct finder *f, uint32_t event)
{
	struct tl_gap gap = { .start = busy_until(f), .end = starts_at(f, event), .device = f->device, .before = f->last,
	                      .after = event, .where = event == TL_NONE ? TL_GAP_TAIL : f->last == TL_NONE ? TL_GAP_HEAD : TL_GAP_BETWEEN };
	size_t enough = f->top < 100 ? 200 : f->top * 2;
	int64_t length = tl_gap_length(&gap);
	struct tl_gaps *out = f->out;

	if (length > f->least && f->top) {
		uint32_t launched = event == TL_NONE ? f->last : event;
		gap.call = launched == TL_NONE ? TL_NONE : call_of(f->copies, launched);
		gap.unrecorded = event != TL_NONE && is_unrecorded(f, event, gap.call);
		TL_GROW(out->items, out->cap, out->n + 1);
		out->items[out->n++] = gap;
	}
	if (out->n - f->first == enough) {
		tl_gaps_keep_longest(out, f->first, f->top);
		f->least = tl_gap_length(&out->items[out->n - 1]);
	}
	return length > 0 ? length : 0;
}

/* Adds the longest gaps of a device with n events, which are sorted by start; returns the sum of all its gaps. */
static int64_t find_gaps(struct finder *f, const uint32_t *events, size_t n)
{
	const struct tl_trace *t = f->copies->trace;
	int64_t idle = 0;

	size_t first_launched = 0;

	while (first_launched < n && tl_launching_call(f->copies, events[first_launched]) == TL_NONE)
		first_launched++;
	f->last = TL_NONE;
	f->launched = first_launched == n;
	f->least = 0;
	f->first = f->out->n;
	for (size_t i = 0; i < n; i++) {
		if (f->last != TL_NONE || f->window)
			idle = tl_ticks_add(idle, add_gap(f, events[i]));
		f->launched |= i >= first_launched;
		f->stream_has_events[t->events[events[i]].track] = true;
		if (f->last == TL_NONE || tl_ev_end(&t->events[events[i]]) > tl_ev_end(&t->events[f->last]))
			f->last = events[i];
	}
	if (f->window)
		idle = tl_ticks_add(idle, add_gap(f, TL_NONE));
	tl_gaps_keep_longest(f->out, f->first, f->top);
	return idle;
}

void tl_gaps_find(struct tl_gaps *g, struct tl_trace *t, const struct tl_devices *d, const struct tl_span *window, int64_t top)
{
	struct tl_split_events events = tl_split_events(d->of, d->n, NULL, t->n_events);
	struct finder f = { .copies = tl_copies_of(t), .window = window, .out = g,
	                    .top = top < 0 || top > UINT32_MAX ? UINT32_MAX : (size_t)top,
	                    .stream_has_events = tl_calloc((size_t)t->n_tracks + 1, sizeof *f.stream_has_events) };

	*g = (struct tl_gaps){ .idle = tl_calloc(d->n + 1, sizeof *g->idle) };
	for (f.device = 0; f.device < d->n; f.device++) {
		uint32_t *first = events.items + events.start[f.device];
		size_t n = events.start[f.device + 1] - events.start[f.device];

		tl_sort_by_start(t, first, n);
		g->idle[f.device] = find_gaps(&f, first, n);
	}
	free(f.stream_has_events);
	tl_split_events_release(&events);
}

void tl_gaps_release(struct tl_gaps *g)
{
	free(g->items);
	free(g->idle);
	*g = (struct tl_gaps){ 0 };
}

int64_t tl_gap_launch_start(const struct tl_trace *t, const struct tl_gap *g)
{
	int64_t start = g->where == TL_GAP_TAIL ? g->end : t->events[g->call].ts;

	return start < g->start ? g->start : start > g->end ? g->end : start;
}

/* ---- what the host did ------------------------------------------------------------------- */

/* A thread that launched the work behind a gap. */
struct thread {
	struct tl_spans gaps;         /* merged: when the thread matters */
	size_t at;                    /* of these: where the last event was looked for, mostly near the next one */
	struct tl_innermost calls;    /* its operators and calls that run then */
	struct tl_innermost frames, ranges; /* its Python frames and annotations that run then */
	struct state { uint32_t name; bool waiting; } *states; /* by span of calls */
};

struct host {
	struct tl_trace *t;
	struct thread *threads; size_t n, cap;
	uint32_t *of_track;      /* track -> 1 + index in threads; 0: none */
	struct tl_name_answers wrappers;
	struct tl_waits waits;
};

static struct thread *thread_of(const struct host *h, uint32_t track)
{
	return h->of_track[track] ? &h->threads[h->of_track[track] - 1] : NULL;
}

static void add_threads(struct host *h, const struct tl_gaps *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct tl_gap *gap = &g->items[i];
		if (gap->call == TL_NONE)
			continue;
		uint32_t *number = &h->of_track[h->t->events[gap->call].track];
		if (!*number) {
			TL_GROW(h->threads, h->cap, h->n + 1);
			h->threads[h->n++] = (struct thread){ 0 };
			*number = (uint32_t)h->n;
		}
		tl_spans_add(&h->threads[*number - 1].gaps, gap->start, gap->end);
	}
	for (size_t i = 0; i < h->n; i++)
		tl_spans_merge(&h->threads[i].gaps);
}

/* Is a gap the first that ends after a time? */
static bool is_first_after(const struct tl_spans *gaps, size_t at, int64_t time)
{
	return (!at || gaps->items[at - 1].end <= time) && (at == gaps->n || gaps->items[at].end > time);
}

/* Does a gap of the thread overlap the span? */
static bool in_gap(struct thread *thread, int64_t start, int64_t end)
{
	const struct tl_spans *gaps = &thread->gaps;

	if (!is_first_after(gaps, thread->at, start))
		thread->at = tl_spans_from(gaps, start);
	return thread->at < gaps->n && gaps->items[thread->at].start < end;
}

bool tl_is_annotation(const struct tl_trace *t, const struct tl_ev *e)
{
	return e->kind == TL_KIND_ANNOTATION || (e->kind == TL_KIND_CPU_OP && strchr(tl_str(&t->strings, e->name), '#'));
}

static struct tl_innermost *spans_of(const struct tl_trace *t, struct thread *thread, const struct tl_ev *e)
{
	return tl_is_annotation(t, e) ? &thread->ranges : e->kind == TL_KIND_CPU_OP || tl_kind_is_launch(e->kind) ? &thread->calls :
		e->kind == TL_KIND_PYTHON ? &thread->frames : NULL;
}

static void add_host_events(struct host *h)
{
	int64_t least_frame = tl_ticks_of_us(TL_LEAST_FRAME_US, h->t->ticks_per_us);

	for (uint32_t i = 0; h->n && i < h->t->n_events; i++) {
		const struct tl_ev *e = &h->t->events[i];
		struct thread *thread = tl_ev_has_span(e) ? thread_of(h, e->track) : NULL;
		struct tl_innermost *spans = thread ? spans_of(h->t, thread, e) : NULL;

		if (spans && (spans != &thread->frames || e->dur >= least_frame) && !tl_is_copy(h->waits.copies, i) &&
		    in_gap(thread, e->ts, tl_ev_end(e)))
			tl_innermost_add(spans, e->ts, tl_ev_end(e), i);
	}
}

/* Finds what it means that a span is innermost: the host waits in the outermost call of the
 * spans around that waits; else it is busy with the innermost operator, or with the
 * innermost call if there is no operator, or if it allocates: that is no work of the operator. */
static void find_states(struct host *h, struct thread *thread)
{
	thread->states = tl_alloc((thread->calls.n + 1) * sizeof *thread->states);
	for (size_t i = 0; i < thread->calls.n; i++) {
		const struct tl_nested *s = &thread->calls.spans[i];
		const struct state *around = s->around == TL_NONE ? NULL : &thread->states[s->around];
		const struct tl_ev *e = &h->t->events[s->event];
		bool is_op = e->kind == TL_KIND_CPU_OP;

		if (around && around->waiting)
			thread->states[i] = *around;
		else if (!is_op && tl_call_waits(&h->waits, s->event))
			thread->states[i] = (struct state){ e->name, true };
		else if (is_op || !around || tl_call_kind(&h->waits, s->event) == TL_CALL_ALLOCATES)
			thread->states[i] = (struct state){ e->name, false };
		else
			thread->states[i] = *around;
	}
}

/* Ticks by name. */
struct times { struct tl_map of_name; int64_t *ticks; uint32_t *names; size_t n, cap, cap_names; };

static void add_time(struct times *t, uint32_t name, int64_t ticks)
{
	bool is_new;
	uint32_t *at = tl_map_put(&t->of_name, name, &is_new);

	if (is_new) {
		TL_GROW(t->ticks, t->cap, t->n + 1);
		TL_GROW(t->names, t->cap_names, t->n + 1);
		t->names[t->n] = name;
		t->ticks[t->n] = 0;
		*at = (uint32_t)t->n++;
	}
	t->ticks[*at] = tl_ticks_add(t->ticks[*at], ticks);
}

/* Gives the sum and the name with the most time, of equal ones the first; and empties it. */
static void take_times(struct times *t, int64_t *sum, uint32_t *name)
{
	int64_t most = 0;

	for (size_t i = 0; i < t->n; i++) {
		*sum = tl_ticks_add(*sum, t->ticks[i]);
		if (t->ticks[i] > most) {
			most = t->ticks[i];
			*name = t->names[i];
		}
	}
	tl_map_release(&t->of_name);
	t->n = 0;
}

/* Splits the time from the gap's start to the launching call. */
static void split_host_time(const struct thread *thread, const struct tl_gap *g, int64_t end, struct times times[2],
                            struct tl_gap_cause *c)
{
	const struct tl_innermost *calls = &thread->calls;

	for (size_t i = tl_innermost_from(calls, g->start); i < calls->n_segments && calls->segments[i].start < end; i++) {
		const struct tl_segment *s = &calls->segments[i];
		const struct state *state = &thread->states[s->span];
		int64_t from = s->start > g->start ? s->start : g->start, to = s->end < end ? s->end : end;

		add_time(&times[state->waiting ? TL_GAP_WAITING : TL_GAP_BUSY], state->name, tl_ticks_sub(to, from));
	}
	for (int part = TL_GAP_WAITING; part <= TL_GAP_BUSY; part++)
		take_times(&times[part], &c->parts[part], &c->names[part]);
	c->parts[TL_GAP_ELSEWHERE] = tl_ticks_sub(end, g->start) - c->parts[TL_GAP_WAITING] - c->parts[TL_GAP_BUSY];
}

/* Does a span last for 80 % of a gap? Of a short gap it is enough that the span runs in its middle. */
static bool covers(const struct host *h, const struct tl_nested *s, const struct tl_gap *g)
{
	int64_t from = s->start > g->start ? s->start : g->start, to = s->end < g->end ? s->end : g->end;

	return tl_gap_length(g) < tl_ticks_of_us(1000, h->t->ticks_per_us) || tl_ticks_sub(to, from) >= tl_gap_length(g) / 10 * 8;
}

/* Gives the events of the first n spans that cover a gap and are more than wrappers, the innermost first; TL_NONE where
 * there are fewer. What covers more than half of a gap runs in its middle. */
static void find_covering(struct host *h, const struct tl_innermost *spans, const struct tl_gap *g, uint32_t *out, size_t n)
{
	int64_t middle = g->start + tl_gap_length(g) / 2;
	size_t at = tl_innermost_from(spans, middle), found = 0;
	uint32_t i = at < spans->n_segments && spans->segments[at].start <= middle ? spans->segments[at].span : TL_NONE;

	for (; i != TL_NONE && found < n; i = spans->spans[i].around) {
		const struct tl_nested *s = &spans->spans[i];

		if (covers(h, s, g) && !*tl_name_answer(&h->wrappers, h->t->events[s->event].name))
			out[found++] = s->event;
	}
	for (; found < n; found++)
		out[found] = TL_NONE;
}

/* Of a gap in which the host waits for a time. */
static bool is_refill(const struct host *h, const struct thread *thread, const struct tl_gap *g, const struct tl_gap_cause *c)
{
	const struct tl_segment *s = thread->calls.segments + tl_innermost_from(&thread->calls, g->start);

	return s->start <= g->start && thread->states[s->span].waiting &&
		tl_gap_length(g) - c->parts[TL_GAP_WAITING] - c->parts[TL_GAP_QUEUED] < tl_ticks_of_us(TL_REFILL_US, h->t->ticks_per_us);
}

static void split_gap(struct host *h, const struct tl_gap *g, struct times times[2], struct tl_gap_cause *c)
{
	int64_t start = tl_gap_launch_start(h->t, g), end = tl_ev_end(&h->t->events[g->call]);
	struct thread *thread = thread_of(h, h->t->events[g->call].track);

	if (start > g->start)
		split_host_time(thread, g, start, times, c);
	find_covering(h, &thread->frames, g, c->frames, TL_GAP_FRAMES);
	find_covering(h, &thread->ranges, g, &c->range, 1);
	end = end < start ? start : end > g->end ? g->end : end;
	c->parts[TL_GAP_LAUNCH] = tl_ticks_sub(end, start);
	c->parts[TL_GAP_QUEUED] = tl_ticks_sub(g->end, end);
	c->names[TL_GAP_LAUNCH] = c->names[TL_GAP_QUEUED] = h->t->events[g->call].name;
	c->is_refill = c->parts[TL_GAP_WAITING] && is_refill(h, thread, g, c);
}

static void release(struct host *h)
{
	for (size_t i = 0; i < h->n; i++) {
		tl_spans_release(&h->threads[i].gaps);
		tl_innermost_release(&h->threads[i].calls);
		tl_innermost_release(&h->threads[i].frames);
		tl_innermost_release(&h->threads[i].ranges);
		free(h->threads[i].states);
	}
	free(h->threads);
	free(h->of_track);
	tl_waits_release(&h->waits);
	tl_name_answers_release(&h->wrappers);
}

struct tl_gap_cause *tl_gap_causes(struct tl_trace *t, const struct tl_gaps *g)
{
	struct host h = { .t = t, .of_track = tl_calloc((size_t)t->n_tracks + 1, sizeof *h.of_track) };
	struct times times[2] = { 0 };
	struct tl_gap_cause *causes = tl_calloc(g->n + 1, sizeof *causes);

	tl_name_answers_init(&h.wrappers, TL_WRAPPER_FRAMES, &t->strings);
	tl_waits_init(&h.waits, t);
	add_threads(&h, g);
	add_host_events(&h);
	for (size_t i = 0; i < h.n; i++) {
		tl_innermost_build(&h.threads[i].calls);
		tl_innermost_build(&h.threads[i].frames);
		tl_innermost_build(&h.threads[i].ranges);
		find_states(&h, &h.threads[i]);
	}
	for (size_t i = 0; i < g->n; i++) {
		causes[i].frames[0] = causes[i].range = TL_NONE;
		if (g->items[i].call != TL_NONE)
			split_gap(&h, &g->items[i], times, &causes[i]);
	}
	for (int i = 0; i < 2; i++) {
		free(times[i].ticks);
		free(times[i].names);
	}
	release(&h);
	return causes;
}

const char *tl_gap_part_name(enum tl_gap_part part)
{
	static const char *const names[TL_GAP_PARTS] = { "host waiting", "host busy", "host elsewhere", "launch-bound", "queued" };

	return names[part];
}

enum tl_gap_part tl_gap_main_cause(const struct tl_gap_cause *c)
{
	enum tl_gap_part longest = TL_GAP_WAITING;

	for (int i = 1; i < TL_GAP_PARTS; i++)
		if (c->parts[i] > c->parts[longest])
			longest = (enum tl_gap_part)i;
	return longest;
}

const char *tl_gap_cause_name(const struct tl_gap *g, enum tl_gap_part part)
{
	return g->unrecorded ? "unrecorded" : g->call == TL_NONE ? "unknown" : tl_gap_part_name(part);
}
