/* recorded.c - what a recording is about, and when devices were idle in it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/recorded.h"

#include "analysis/device_events.h"
#include "steps/step_find.h"

#include <stdlib.h>

static void extend(struct tl_span *window, int64_t start, int64_t end)
{
	window->start = start < window->start ? start : window->start;
	window->end = end > window->end ? end : window->end;
}

static struct tl_span find_window(const struct tl_trace *t, const struct tl_steps *steps)
{
	struct tl_span window = { INT64_MAX, INT64_MIN }, device = window;

	for (size_t i = 0; i < steps->n; i++)
		extend(&window, steps->items[i].from, steps->items[i].to);
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		bool on_device = tl_kind_is_gpu(e->kind);

		if (!tl_ev_has_span(e))
			continue;
		if (on_device ? tl_gpu_linked(e) : !steps->n && (e->kind == TL_KIND_CPU_OP || tl_kind_is_launch(e->kind)))
			extend(&window, e->ts, tl_ev_end(e));
		else if (on_device && tl_ev_end(e) > window.end)
			window.end = tl_ev_end(e);
		if (on_device)
			extend(&device, e->ts, tl_ev_end(e));
	}
	if (window.start == INT64_MAX) /* the trace tells of devices only */
		window = device;
	return window.start > window.end ? (struct tl_span){ 0, 0 } : window;
}

struct kept_recording { bool found; struct tl_recorded recorded; };

static void release_kept(void *kept)
{
	struct tl_recorded *r = &((struct kept_recording *)kept)->recorded;

	tl_gaps_release(&r->gaps);
	free(r->idle);
	free(r->ticks);
}

static void sum_by_device(struct tl_recorded *r, size_t n_devices)
{
	r->idle = tl_alloc((n_devices + 1) * sizeof *r->idle);
	r->ticks = tl_alloc((n_devices + 1) * sizeof *r->ticks);
	for (size_t d = 0; d < n_devices; d++) {
		r->idle[d] = r->gaps.idle[d];
		r->ticks[d] = tl_ticks_sub(r->window.end, r->window.start);
	}
	for (size_t i = 0; i < r->gaps.n; i++) {
		const struct tl_gap *gap = &r->gaps.items[i];
		if (!gap->unrecorded)
			continue;
		r->idle[gap->device] -= tl_gap_length(gap);
		r->ticks[gap->device] -= tl_gap_length(gap);
	}
	for (size_t d = 0; d < n_devices; d++)
		r->all_ticks = tl_ticks_add(r->all_ticks, r->ticks[d]);
}

const struct tl_recorded *tl_recorded_of(struct tl_trace *t)
{
	struct kept_recording *k = tl_trace_keep(t, sizeof *k, release_kept);

	if (k->found)
		return &k->recorded;
	k->recorded.window = find_window(t, tl_steps_of(t));
	tl_gaps_find(&k->recorded.gaps, t, tl_devices_of(t), &k->recorded.window, -1);
	sum_by_device(&k->recorded, tl_devices_of(t)->n);
	k->found = true;
	return &k->recorded;
}
