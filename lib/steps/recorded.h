/* recorded.h - what a recording is about, and when devices were idle in it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RECORDED_H
#define TL_RECORDED_H

#include "work/gaps.h"
#include "model/sink.h"

struct tl_recorded {
	/* Of a part of a trace what its member TL_META_WINDOW tells. Else from the start of the first step (tl_steps_of) or
	 * launched device event to the end of the last step or device event, whichever is earlier and later. Without steps:
	 * operators and calls instead, but those that start behind Kineto's own span of the recording; without these
	 * all device events. Empty: the trace has none of them. */
	struct tl_span window;
	struct tl_gaps gaps; /* all those of tl_devices_of within the window */
	/* Of each device, without what is unrecorded: the ticks in which it is idle, and those of the window. */
	int64_t *idle, *ticks;
	int64_t all_ticks; /* the sum of ticks over the devices */
	bool is_part;      /* what is unrecorded may be work that is not in the part */
};
/* Found once and kept with the trace, which must be complete. */
const struct tl_recorded *tl_recorded_of(struct tl_trace *);

/* tl_gaps_find for the devices of a trace. Gaps of a part are cut where a device ran what is not in it, by TL_META_WINDOW: these
 * pieces are unrecorded. */
void tl_recorded_gaps(struct tl_gaps *, struct tl_trace *, const struct tl_span *window, int64_t top);

/* Pushes the member TL_META_WINDOW of a part that has these events (kept, by event) and is of this time: what was asked for of
 * the window of the trace, and when its devices ran what is not in the part. So a device is idle in a part when it is idle in
 * the trace. steps: the part is one of steps; only theirs counts, by the same rule as that of a trace. */
enum tl_status tl_push_window(struct tl_sink *, struct tl_trace *, const bool *kept, struct tl_span time, bool steps, struct tl_error *);

#endif
