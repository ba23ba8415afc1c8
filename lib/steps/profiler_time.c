/* profiler_time.c - the time that the profiler takes for itself.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/profiler_time.h"

#include "work/calls.h"
#include "work/device_events.h"
#include "work/kept.h"
#include "steps/step_find.h"

#include <string.h>

enum { END_US = 100 }; /* what ends so soon behind the last device event is still about it */

struct kept_time { struct tl_profiler_time time; bool found; };

static void release_kept(void *kept)
{
	struct tl_profiler_time *p = &((struct kept_time *)kept)->time;

	tl_innermost_release(&p->own);
	tl_innermost_release(&p->loading);
}

/* Has a call of the runtime half of an event or more? */
static bool lies_in_call(const struct tl_trace *t, const struct tl_ev *e)
{
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *call = &t->events[i];
		int64_t from = call->ts > e->ts ? call->ts : e->ts, to = tl_ev_end(call) < tl_ev_end(e) ? tl_ev_end(call) : tl_ev_end(e);
		if (tl_kind_is_launch(call->kind) && tl_ev_has_span(call) && to > from && tl_ticks_sub(to, from) >= e->dur / 2)
			return true;
	}
	return false;
}

static void find_events(struct tl_profiler_time *p, const struct tl_trace *t)
{
	struct tl_name_answers *kinds = tl_kept_answers(t, TL_OVERHEAD_KINDS);

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (e->kind != TL_KIND_OVERHEAD || !tl_ev_has_span(e))
			continue;
		bool unknown = tl_name_is(kinds, e->name, "unknown"), program = tl_name_is(kinds, e->name, "first-use") || (unknown && lies_in_call(t, e));
		if (program || unknown || tl_name_is(kinds, e->name, "profiler"))
			tl_innermost_add(program ? &p->loading : &p->own, e->ts, tl_ev_end(e), i);
	}
}

/* What the end of the recording looks like. */
struct ends { int64_t first_device, device, wait, launch; uint32_t waits; };

static struct ends find_ends(struct tl_trace *t)
{
	struct ends ends = { INT64_MAX, INT64_MIN, INT64_MIN, INT64_MIN, TL_NONE };
	struct tl_waits waits;

	tl_waits_init(&waits, t);
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		uint32_t n = 0;
		if (tl_gpu_usable(e)) {
			ends.first_device = e->ts < ends.first_device ? e->ts : ends.first_device;
			ends.device = tl_ev_end(e) > ends.device ? tl_ev_end(e) : ends.device;
		}
		if (!tl_kind_is_launch(e->kind) || !tl_ev_has_span(e))
			continue;
		tl_launched_by(waits.copies, i, &n);
		if (n && e->ts > ends.launch)
			ends.launch = e->ts;
		if (tl_ev_end(e) > ends.wait && tl_call_kind(&waits, i) == TL_CALL_AWAITS_DEVICE) {
			ends.wait = tl_ev_end(e);
			ends.waits = i;
		}
	}
	return ends;
}

/* Does the program do something behind a time, that did not go on during the whole recording? */
static bool goes_on(const struct tl_trace *t, const struct ends *ends, int64_t time)
{
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		bool told = e->kind == TL_KIND_CPU_OP || e->kind == TL_KIND_ANNOTATION || e->kind == TL_KIND_PYTHON;
		if (told && tl_ev_has_span(e) && tl_ev_end(e) > time && e->ts > ends->first_device)
			return true;
	}
	return false;
}

static void find_tail(struct tl_profiler_time *p, struct tl_trace *t)
{
	const struct tl_steps *steps = tl_steps_of(t);
	struct ends ends;

	if (!t->source || strcmp(t->source, "pytorch") != 0)
		return;
	ends = find_ends(t);
	int64_t start = ends.device;
	bool marked = tl_steps_are_marked(steps);
	for (size_t i = 0; marked && i < steps->n; i++)
		start = steps->items[i].to > start ? steps->items[i].to : start;
	if (ends.device == INT64_MIN || ends.wait <= start || ends.launch >= start)
		return;
	if (marked || !goes_on(t, &ends, tl_ticks_add(start, tl_ticks_of_us(END_US, t->ticks_per_us))))
		tl_innermost_add(&p->own, start, ends.wait, ends.waits);
}

const struct tl_profiler_time *tl_profiler_time_of(struct tl_trace *t)
{
	struct kept_time *k = tl_trace_keep(t, sizeof *k, release_kept);

	if (!k->found) {
		find_events(&k->time, t);
		find_tail(&k->time, t);
		tl_innermost_build(&k->time.own);
		tl_innermost_build(&k->time.loading);
		k->found = true;
	}
	return &k->time;
}
