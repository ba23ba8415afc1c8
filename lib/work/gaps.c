/* gaps.c - the times in which a device did nothing.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/gaps.h"

#include "work/calls.h"
#include "work/device_events.h"
#include "work/kept.h"
#include "base/merge_sort.h"
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

TL_ORDER(longest_first, struct tl_gap, TL_DESC(tl_gap_length(x)) TL_ASC(x->start))

void tl_gaps_keep_longest(struct tl_gaps *g, size_t first, size_t top)
{
	if (g->n > first)
		tl_merge_sort(g->items + first, g->n - first, sizeof *g->items, longest_first, NULL);
	if (g->n - first > top)
		g->n = first + top;
}

enum { QUEUED_US = 10000, BEHIND_US = 10 }; /* see tl_gap.unrecorded */

/* What is known of a device so far, while its events come in the order of their starts. */
struct finder {
	struct tl_copies *copies;
	struct tl_name_answers *work;
	struct tl_arg correlation;
	int64_t first_correlation; /* the lowest of calls; INT64_MAX: none has one */
	bool has_calls, looked;   /* whether the trace has calls; whether that was looked for */
	uint32_t *next_call;      /* by place among the events of the device: see tl_gap.call */
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

/* Was it launched before all calls of the trace? Numbers that go with calls tell it; where there are no calls, nothing does. */
static bool is_before_calls(struct finder *f, uint32_t event)
{
	struct tl_trace *t = f->copies->trace;
	int64_t own, of_call;

	if (tl_name_is(f->work, t->events[event].name, "migration"))
		return false;
	for (uint32_t i = 0; !f->looked && i < t->n_events; i++) {
		if (!tl_kind_is_launch(t->events[i].kind))
			continue;
		f->has_calls = true;
		if (tl_arg_get(&f->correlation, t, i, &of_call) == TL_FIELD_INT && of_call > 0)
			f->first_correlation = of_call < f->first_correlation ? of_call : f->first_correlation;
	}
	f->looked = true;
	return f->has_calls && (tl_arg_get(&f->correlation, t, event, &own) != TL_FIELD_INT || own < f->first_correlation);
}

static bool is_unrecorded(struct finder *f, uint32_t event, const struct tl_gap *g)
{
	const struct tl_trace *t = f->copies->trace;
	const struct tl_ev *e = &t->events[event];
	uint32_t call = call_of(f->copies, event);

	if (call == TL_NONE)
		return !f->launched && is_before_calls(f, event);
	return t->source && !strcmp(t->source, "pytorch") && !f->stream_has_events[e->track] &&
		tl_gap_length(g) > tl_ticks_of_us(BEHIND_US, t->ticks_per_us) &&
		tl_ticks_sub(e->ts, tl_ev_end(&t->events[call])) >= tl_ticks_of_us(QUEUED_US, t->ticks_per_us);
}

/* Adds the gap before an event, TL_NONE: the tail, and the call that it tells of. Returns its length. */
static int64_t add_gap(struct finder *f, uint32_t event, uint32_t call)
{
	struct tl_gap gap = { .start = busy_until(f), .end = starts_at(f, event), .device = f->device, .before = f->last,
	                      .after = event, .where = event == TL_NONE ? TL_GAP_TAIL : f->last == TL_NONE ? TL_GAP_HEAD : TL_GAP_BETWEEN };
	size_t enough = f->top < 100 ? 200 : f->top * 2;
	int64_t length = tl_gap_length(&gap);
	struct tl_gaps *out = f->out;

	if (length > f->least && f->top) {
		gap.call = call;
		gap.unrecorded = event != TL_NONE && is_unrecorded(f, event, &gap);
		TL_PUSH(out->items, out->n, out->cap, gap);
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
	/* The call that launched each of these events, or the next one of its stream that a call launched. */
	uint32_t *next = tl_alloc(((size_t)t->n_tracks + 1) * sizeof *next);
	for (size_t i = 0; i < n; i++)
		next[t->events[events[i]].track] = TL_NONE;
	for (size_t i = n; i-- > 0;) {
		uint32_t call = call_of(f->copies, events[i]), *of_stream = &next[t->events[events[i]].track];
		f->next_call[i] = *of_stream = call == TL_NONE ? *of_stream : call;
	}
	free(next);
	for (size_t i = 0; i < n; i++) {
		if (f->last != TL_NONE || f->window)
			idle = tl_ticks_add(idle, add_gap(f, events[i], f->next_call[i]));
		f->launched |= i >= first_launched;
		f->stream_has_events[t->events[events[i]].track] = true;
		if (f->last == TL_NONE || tl_ev_end(&t->events[events[i]]) > tl_ev_end(&t->events[f->last]))
			f->last = events[i];
	}
	if (f->window)
		idle = tl_ticks_add(idle, add_gap(f, TL_NONE, f->last == TL_NONE ? TL_NONE : call_of(f->copies, f->last)));
	tl_gaps_keep_longest(f->out, f->first, f->top);
	return idle;
}

void tl_gaps_find(struct tl_gaps *g, struct tl_trace *t, const struct tl_devices *d, const struct tl_span *window, int64_t top)
{
	struct finder f = { .copies = tl_copies_of(t), .window = window, .out = g,
	                    .top = top < 0 || top > UINT32_MAX ? UINT32_MAX : (size_t)top,
	                    .stream_has_events = tl_calloc((size_t)t->n_tracks + 1, sizeof *f.stream_has_events),
	                    .next_call = tl_alloc((d->n_events + 1) * sizeof *f.next_call), .first_correlation = INT64_MAX };

	*g = (struct tl_gaps){ .idle = tl_calloc(d->n + 1, sizeof *g->idle) };
	f.correlation = tl_arg_of(t, TL_KEY_CORRELATION);
	f.work = tl_kept_answers(t, TL_HOST_WORK);
	for (f.device = 0; f.device < d->n; f.device++) {
		size_t first = d->events.start[f.device];
		g->idle[f.device] = find_gaps(&f, d->events.items + first, d->events.start[f.device + 1] - first);
	}
	free(f.next_call);
	free(f.stream_has_events);
}

void tl_gaps_release(struct tl_gaps *g)
{
	free(g->items);
	free(g->idle);
	*g = (struct tl_gaps){ 0 };
}
