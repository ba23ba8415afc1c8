/* recorded.h - what a recording is about, and when devices were idle in it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RECORDED_H
#define TL_RECORDED_H

#include "analysis/gaps.h"

struct tl_recorded {
	/* From the start of the first step (tl_steps_of) or launched device event to the end of the last step or
	 * device event, whichever is earlier and later. Without steps: operators and calls instead; without these
	 * all device events. Empty: the trace has none of them. */
	struct tl_span window;
	struct tl_gaps gaps; /* all those of tl_devices_of within the window */
	/* Of each device, without what is unrecorded: the ticks in which it is idle, and those of the window. */
	int64_t *idle, *ticks;
	int64_t all_ticks; /* the sum of ticks over the devices */
};
/* Found once and kept with the trace, which must be complete. */
const struct tl_recorded *tl_recorded_of(struct tl_trace *);

#endif
