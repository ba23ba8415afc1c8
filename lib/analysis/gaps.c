/* gaps.c - the times in which a device did nothing, and what the host did then.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/gaps.h"

#include "analysis/copies.h"
#include "analysis/device_events.h"
#include "model/event_order.h"
#include "analysis/innermost.h"
#include "base/merge_sort.h"
#include "kernels/name_rules.h"
#include "model/trace.h"

#include <stdlib.h>

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
	int64_t a = tl_gap_length(pa), b = tl_gap_length(pb);

	(void)ctx;
	return a > b ? -1 : a < b;
}

/* Keeps the longest of the gaps from `first` on. */
static void keep_longest(struct tl_gaps *g, size_t first, size_t top)
{
	if (g->n > first)
		tl_merge_sort(g->items + first, g->n - first, sizeof *g->items, longest_first, NULL);
	if (g->n - first > top)
		g->n = first + top;
}

/* Adds the `top` longest gaps between n events of a device, which are sorted by start;
 * returns the sum of all its gaps. */
static int64_t find_gaps(struct tl_copies *copies, uint32_t device, const uint32_t *events, size_t n, size_t top,
                         struct tl_gaps *out)
{
	const struct tl_trace *t = copies->trace;
	uint32_t last = n ? events[0] : TL_NONE; /* of the events so far the one that ends last */
	int64_t idle = 0, least = 0;             /* gaps of the length `least` are too short by now */
	size_t first = out->n, enough = top < 100 ? 200 : top * 2;

	for (size_t i = 1; i < n; i++) {
		int64_t from = tl_ev_end(&t->events[last]), start = t->events[events[i]].ts, gap = tl_ticks_sub(start, from);

		if (gap > least && top) {
			TL_GROW(out->items, out->cap, out->n + 1);
			out->items[out->n++] = (struct tl_gap){ .start = from, .end = start, .device = device, .before = last,
			                                     .after = events[i], .call = call_of(copies, events[i]) };
		}
		if (out->n - first == enough) {
			keep_longest(out, first, top);
			least = tl_gap_length(&out->items[out->n - 1]);
		}
		idle = tl_ticks_add(idle, gap > 0 ? gap : 0);
		if (tl_ev_end(&t->events[events[i]]) > from)
			last = events[i];
	}
	keep_longest(out, first, top);
	return idle;
}

void tl_gaps_find(struct tl_gaps *g, struct tl_trace *t, const struct tl_devices *d, int64_t top)
{
	struct tl_split_events events = tl_split_events(d->of, d->n, NULL, t->n_events);
	size_t most = top < 0 || top > UINT32_MAX ? UINT32_MAX : (size_t)top;

	*g = (struct tl_gaps){ .idle = tl_calloc(d->n + 1, sizeof *g->idle) };
	for (uint32_t i = 0; i < d->n; i++) {
		uint32_t *first = events.items + events.start[i];
		size_t n = events.start[i + 1] - events.start[i];

		tl_sort_by_start(t, first, n);
		g->idle[i] = find_gaps(tl_copies_of(t), i, first, n, most, g);
	}
	tl_split_events_release(&events);
}

void tl_gaps_release(struct tl_gaps *g)
{
	free(g->items);
	free(g->idle);
	*g = (struct tl_gaps){ 0 };
}

/* ---- what the host did ------------------------------------------------------------------- */

/* A thread that launched the work behind a gap. */
struct thread {
	struct tl_spans gaps;         /* merged: when the thread matters */
	struct tl_innermost calls;    /* its operators and calls that run then */
	struct state { uint32_t name; bool waiting; } *states; /* by span of calls */
};

struct host {
	struct tl_trace *t;
	struct thread *threads; size_t n, cap;
	uint32_t *of_track;      /* track -> 1 + index in threads; 0: none */
	struct tl_name_rules *waiting;
	const struct tl_copies *copies;
};

static struct thread *thread_of(const struct host *h, uint32_t track)
{
	return h->of_track[track] ? &h->threads[h->of_track[track] - 1] : NULL;
}

/* Where the launching call starts, or the gap's border before or after that. */
static int64_t launch_start(const struct tl_trace *t, const struct tl_gap *g)
{
	int64_t start = t->events[g->call].ts;

	return start < g->start ? g->start : start > g->end ? g->end : start;
}

static void add_threads(struct host *h, const struct tl_gaps *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct tl_gap *gap = &g->items[i];
		if (gap->call == TL_NONE || launch_start(h->t, gap) == gap->start)
			continue;
		uint32_t *number = &h->of_track[h->t->events[gap->call].track];
		if (!*number) {
			TL_GROW(h->threads, h->cap, h->n + 1);
			h->threads[h->n++] = (struct thread){ 0 };
			*number = (uint32_t)h->n;
		}
		tl_spans_add(&h->threads[*number - 1].gaps, gap->start, launch_start(h->t, gap));
	}
	for (size_t i = 0; i < h->n; i++)
		tl_spans_merge(&h->threads[i].gaps);
}

/* Does a span overlap one of a merged set? */
static bool overlaps(const struct tl_spans *s, int64_t start, int64_t end)
{
	size_t at = tl_spans_from(s, start);

	return at < s->n && s->items[at].start < end;
}

static void add_calls(struct host *h)
{
	for (uint32_t i = 0; h->n && i < h->t->n_events; i++) {
		const struct tl_ev *e = &h->t->events[i];
		if ((e->kind != TL_KIND_CPU_OP && !tl_kind_is_launch(e->kind)) || !tl_ev_has_span(e) || tl_is_copy(h->copies, i))
			continue;
		struct thread *thread = thread_of(h, e->track);
		if (thread && overlaps(&thread->gaps, e->ts, tl_ev_end(e)))
			tl_innermost_add(&thread->calls, e->ts, tl_ev_end(e), i);
	}
}

/* Does the host wait for the device in this call? */
static bool waits(struct host *h, uint32_t call)
{
	const struct tl_ev *e = &h->t->events[call];
	const char *name = tl_str(&h->t->strings, e->name);
	uint32_t n;
	const uint32_t *launched = tl_launched_by(h->copies, call, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *g = &h->t->events[launched[i]];
		if (g->kind == TL_KIND_MEMCPY && tl_gpu_usable(g) && tl_ev_end(g) <= tl_ev_end(e))
			return true;
	}
	return *tl_name_rules_find(h->waiting, name, tl_str_len(&h->t->strings, e->name));
}

/* Finds what it means that a span is innermost: the host waits in the outermost call of the
 * spans around that waits; else it is busy with the innermost operator, or with the
 * innermost call if there is no operator. */
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
		else if (!is_op && waits(h, s->event))
			thread->states[i] = (struct state){ e->name, true };
		else if (is_op || !around)
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

static void split_gap(const struct host *h, const struct tl_gap *g, struct times times[2], struct tl_gap_cause *c)
{
	int64_t start = launch_start(h->t, g), end = tl_ev_end(&h->t->events[g->call]);

	if (start > g->start)
		split_host_time(thread_of(h, h->t->events[g->call].track), g, start, times, c);
	end = end < start ? start : end > g->end ? g->end : end;
	c->parts[TL_GAP_LAUNCH] = tl_ticks_sub(end, start);
	c->parts[TL_GAP_QUEUED] = tl_ticks_sub(g->end, end);
	c->names[TL_GAP_LAUNCH] = c->names[TL_GAP_QUEUED] = h->t->events[g->call].name;
}

static void release(struct host *h)
{
	for (size_t i = 0; i < h->n; i++) {
		tl_spans_release(&h->threads[i].gaps);
		tl_innermost_release(&h->threads[i].calls);
		free(h->threads[i].states);
	}
	free(h->threads);
	free(h->of_track);
	tl_name_rules_free(h->waiting);
}

struct tl_gap_cause *tl_gap_causes(struct tl_trace *t, const struct tl_gaps *g)
{
	struct host h = { .t = t, .of_track = tl_calloc((size_t)t->n_tracks + 1, sizeof *h.of_track),
	                  .waiting = tl_name_rules_new(TL_WAITING_CALLS), .copies = tl_copies_of(t) };
	struct times times[2] = { 0 };
	struct tl_gap_cause *causes = tl_calloc(g->n + 1, sizeof *causes);

	add_threads(&h, g);
	add_calls(&h);
	for (size_t i = 0; i < h.n; i++) {
		tl_innermost_build(&h.threads[i].calls);
		find_states(&h, &h.threads[i]);
	}
	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].call != TL_NONE)
			split_gap(&h, &g->items[i], times, &causes[i]);
	for (int i = 0; i < 2; i++) {
		free(times[i].ticks);
		free(times[i].names);
	}
	release(&h);
	return causes;
}

enum tl_gap_part tl_gap_main_cause(const struct tl_gap_cause *c)
{
	enum tl_gap_part longest = TL_GAP_WAITING;

	for (int i = 1; i < TL_GAP_PARTS; i++)
		if (c->parts[i] > c->parts[longest])
			longest = (enum tl_gap_part)i;
	return longest;
}
