/* fair_time.c - what each device event took of the time of its device.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/fair_time.h"

#include "work/device_events.h"
#include "base/merge_sort.h"
#include "model/trace.h"

#include <math.h>
#include <stdlib.h>

/* ---- fair time -------------------------------------------------------------------------- */

/* Where k events run at once, each has 1/k of the time. The walk goes through the starts and ends of a device's events in the
 * order of time. `each` grows by 1/k a tick; an event has what `each` grew between its start and its end, so that no event looks
 * at those beside it. Of two kernels:
 *
 *     a      0 |-------------| 4          a has 3 - 0 = 3
 *     b             2 |-------------| 6   b has 5 - 2 = 3, and both the 6 in which the device computes
 *     each   0        2      3      5
 */

/* A device, at a moment of the walk. */
struct walk {
	const struct tl_trace *t;
	int64_t *ticks;               /* of the result */
	int64_t now;
	struct work {
		uint32_t running;         /* events that do this kind of work */
		double each;              /* what an event has got that runs since the device began to be busy */
		int64_t all, given;       /* in this busy time: ticks of this kind, and what the events that ended have of them */
		double due;               /* what they should have */
		uint32_t last;            /* the one that ended last */
	} of[TL_GPU_WORKS];
	double *got;                  /* by tl_trace_gpu: `each` of its work when it started */
};

/* Sums of shares such as 1/3 miss whole numbers by less than this. */
#define ROUNDING 1e-3

static void go_to(struct walk *w, int64_t time)
{
	int64_t length = tl_ticks_sub(time, w->now);

	w->now = time;
	for (unsigned k = 0; k < TL_GPU_WORKS; k++) { /* in the order of precedence */
		struct work *of = &w->of[k];
		if (!of->running)
			continue;
		of->each += (double)length / of->running;
		of->all = tl_ticks_add(of->all, length);
		return;
	}
}

/* The device does nothing: what remains of divisions goes to the last event. */
static void finish_busy_time(struct walk *w)
{
	for (unsigned k = 0; k < TL_GPU_WORKS; k++) {
		struct work *of = &w->of[k];
		if (of->all)
			w->ticks[tl_trace_gpu(w->t, of->last)] += tl_ticks_sub(of->all, of->given);
		*of = (struct work){ .last = TL_NONE };
	}
}

static void end_event(struct walk *w, uint32_t event)
{
	struct work *of = &w->of[tl_gpu_work(&w->t->events[event])];

	of->running--;
	uint32_t gpu = tl_trace_gpu(w->t, event);
	of->due += of->each - w->got[gpu];
	w->ticks[gpu] = tl_ticks_sub((int64_t)floor(of->due + ROUNDING), of->given);
	of->given = tl_ticks_add(of->given, w->ticks[gpu]);
	of->last = event;
	for (unsigned k = 0; k < TL_GPU_WORKS; k++)
		if (w->of[k].running)
			return;
	finish_busy_time(w);
}

static int64_t within(const struct tl_span *window, int64_t time)
{
	return !window ? time : time < window->start ? window->start : time > window->end ? window->end : time;
}

struct end { int64_t time; uint32_t event; };

TL_ORDER(by_time, struct end, TL_ASC(x->time))

/* events: n of one device, by start; ends: the same by end, but those that are outside of the window or empty. */
static void share_device(struct walk *w, const uint32_t *events, size_t n, struct end *ends, const struct tl_span *window)
{
	size_t n_ends = 0, at = 0;

	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &w->t->events[events[i]];
		int64_t end = within(window, tl_ev_end(e));
		if (end > within(window, e->ts))
			ends[n_ends++] = (struct end){ end, events[i] };
	}
	tl_merge_sort(ends, n_ends, sizeof *ends, by_time, NULL);
	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &w->t->events[events[i]];
		int64_t start = within(window, e->ts);
		if (within(window, tl_ev_end(e)) <= start)
			continue;
		for (; ends[at].time <= start; at++) { /* the event itself ends later */
			go_to(w, ends[at].time);
			end_event(w, ends[at].event);
		}
		go_to(w, start);
		uint32_t event = events[i];
		struct work *of = &w->of[tl_gpu_work(&w->t->events[event])];
		of->running++;
		w->got[tl_trace_gpu(w->t, event)] = of->each;
	}
	for (; at < n_ends; at++) {
		go_to(w, ends[at].time);
		end_event(w, ends[at].event);
	}
}

/* ---- all devices --------------------------------------------------------------------------- */

void tl_fair_time_find(struct tl_fair_time *f, struct tl_trace *t, const struct tl_devices *d, const struct tl_span *window)
{
	size_t n = (size_t)t->n_gpus + 1;
	struct walk walk = { .t = t, .got = tl_alloc(n * sizeof *walk.got) };
	struct end *ends = tl_alloc((d->n_events + 1) * sizeof *ends);

	*f = (struct tl_fair_time){ tl_calloc(n, sizeof *f->ticks) };
	walk.ticks = f->ticks;
	for (size_t i = 0; i < d->n; i++) {
		finish_busy_time(&walk);
		share_device(&walk, d->events.items + d->events.start[i], d->events.start[i + 1] - d->events.start[i], ends, window);
	}
	free(walk.got);
	free(ends);
}

void tl_fair_time_release(struct tl_fair_time *f)
{
	free(f->ticks);
	*f = (struct tl_fair_time){ 0 };
}
