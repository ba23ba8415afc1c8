/* gaps.h - the times in which a device did nothing.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GAPS_H
#define TL_GAPS_H

#include "work/devices.h"
#include "work/spans.h"

/* Where in the window: before the first event of the device, behind the last one, or between. */
enum tl_gap_where { TL_GAP_HEAD, TL_GAP_BETWEEN, TL_GAP_TAIL };

/* A time in which no event of the device runs, linked or not. */
struct tl_gap {
	int64_t start, end;
	uint32_t device;
	uint32_t before, after; /* the event that ended last before, and the one that starts at the end; TL_NONE at
	                           the head and the tail */
	/* The call that launched `after`, at the tail `before`, if it has a start and a duration; if no call launched that, the call of the
	 * next event of its stream that one launched. TL_NONE: there is none. */
	uint32_t call;
	enum tl_gap_where where;
	/* The device ran what was launched before the recording, which is proven: `after` was launched before the recording (no call of the trace
	 * launched it or an event of the device before it, and its correlation is lower than those of all calls; a trace without calls, and
	 * pages of unified memory that move, prove nothing). Or, in a recording of Kineto, `after` is the first event of its stream and starts 10 ms or more behind
	 * its launch, no event of another stream ends in the 10 us before it, and nothing is used for the first time in between. Or, in
	 * a part of a trace, the device ran what is not in the part. */
	bool unrecorded;
};
static inline int64_t tl_gap_length(const struct tl_gap *g)
{
	return tl_ticks_sub(g->end, g->start);
}

/* Device after device; of each the longest gap first, of equal ones the earliest. */
struct tl_gaps {
	struct tl_gap *items; size_t n, cap;
	int64_t *idle; /* by device: the length of all its gaps, of those that are left out too */
};
/* Finds the `top` longest gaps of each device; top: -1 for all. window: only gaps within it, those at its head
 * and tail, too; NULL: those between events. Takes the time of sorting the gaps. */
void tl_gaps_find(struct tl_gaps *, struct tl_trace *, const struct tl_devices *, const struct tl_span *window, int64_t top);
/* Sorts the gaps from `first` on, those of one device, and keeps the `top` longest. */
void tl_gaps_keep_longest(struct tl_gaps *, size_t first, size_t top);
void tl_gaps_release(struct tl_gaps *);

#endif
