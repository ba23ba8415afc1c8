/* window.c - what each device did in the time that a recording is about.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/window.h"

#include "analysis/device_events.h"

#include <stdlib.h>

static void release(void *p)
{
	struct tl_window *w = p;

	tl_fair_time_release(&w->fair);
	free(w->causes);
}

const struct tl_window *tl_window_of(struct tl_trace *t)
{
	struct tl_window *w = tl_trace_keep(t, sizeof *w, release);

	if (w->devices)
		return w;
	tl_mark_work_once(t);
	w->devices = tl_devices_of(t);
	w->recorded = tl_recorded_of(t);
	w->causes = tl_gap_causes(t, &w->recorded->gaps);
	tl_fair_time_find(&w->fair, t, w->devices, &w->recorded->window);
	return w;
}
