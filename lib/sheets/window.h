/* window.h - what each device did in the time that a recording is about (steps/recorded.h), found once for all sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_WINDOW_H
#define TL_WINDOW_H

#include "work/fair_time.h"
#include "path/pieces.h"
#include "steps/recorded.h"

struct tl_window {
	const struct tl_recorded *recorded;
	const struct tl_devices *devices;
	const struct tl_idle_pieces *pieces; /* of the gaps of `recorded` */
	/* Of each device, without what is unrecorded and without the time in which a server waits for requests: the ticks in which it is idle, and
	 * those of the window; and the sum of these. */
	int64_t *idle, *ticks, all_ticks;
	struct tl_fair_time fair;      /* of the device events in the window */
};
/* Kept with the trace, which must have its annotations and may have Python frames. Marks the work of the trace. */
const struct tl_window *tl_window_of(struct tl_trace *);

#endif
