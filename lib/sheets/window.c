/* window.c - what each device did in the time that a recording is about.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/window.h"

#include "work/device_events.h"

#include <stdlib.h>

static void release(void *p)
{
	struct tl_window *w = p;

	tl_fair_time_release(&w->fair);
	free(w->idle);
	free(w->ticks);
}

const struct tl_window *tl_window_of(struct tl_trace *t)
{
	struct tl_window *w = tl_trace_keep(t, sizeof *w, release);

	if (w->devices)
		return w;
	tl_mark_work_once(t);
	w->devices = tl_devices_of(t);
	w->recorded = tl_recorded_of(t);
	w->pieces = tl_idle_pieces_of(t);
	w->idle = tl_calloc(w->devices->n + 1, sizeof *w->idle);
	w->ticks = tl_calloc(w->devices->n + 1, sizeof *w->ticks);
	for (size_t i = 0; i < w->devices->n; i++) {
		w->idle[i] = w->recorded->idle[i];
		w->ticks[i] = w->recorded->ticks[i];
	}
	w->all_ticks = w->recorded->all_ticks;
	for (size_t i = 0; i < w->pieces->n; i++) {
		const struct tl_idle_piece *p = &w->pieces->items[i];
		uint32_t device = w->recorded->gaps.items[p->gap].device;
		int64_t ticks = p->class == TL_IDLE_SERVER ? tl_ticks_sub(p->end, p->start) : 0;
		w->idle[device] -= ticks;
		w->ticks[device] -= ticks;
		w->all_ticks -= ticks;
	}
	tl_fair_time_find(&w->fair, t, w->devices, &w->recorded->window);
	return w;
}
