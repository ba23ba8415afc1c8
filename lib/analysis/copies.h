/* copies.h - events that are copies: what the host did while a graph was captured, below the
 * call that replays the graph (capture/merger.h). They are not the host's time in this trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COPIES_H
#define TL_COPIES_H

#include "analysis/args.h"
#include "analysis/nearest.h"

struct tl_copies {
	struct tl_trace *trace;
	bool any;
	uint32_t first_uid;        /* of the copies; those of the trace's own events are lower */
	/* private */
	struct tl_arg mark;
	struct tl_nearest own;
};
/* They stay with the trace, whose events must be complete. */
struct tl_copies *tl_copies_of(struct tl_trace *);

bool tl_is_copy(const struct tl_copies *, uint32_t event);
/* The call of this trace that launched a device event: the nearest event above the device
 * event that is no copy; TL_NONE if none is. */
uint32_t tl_launching_call(struct tl_copies *, uint32_t gpu);
/* As tl_trace_launched; of a call with a capture below it: what the copies launched. */
const uint32_t *tl_launched_by(const struct tl_copies *, uint32_t call, uint32_t *n);

#endif
