/* gaps.h - the times in which a device did nothing.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GAPS_H
#define TL_GAPS_H

#include "analysis/devices.h"
#include "analysis/spans.h"

/* A time between device events in which no event of the device runs, linked or not. */
struct tl_gap {
	int64_t start, end;
	uint32_t device;
	uint32_t before, after; /* the event that ended last before, and the one that starts at the end */
	uint32_t call;          /* that launched `after`, if it has a start and a duration; else TL_NONE */
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
/* Finds the `top` longest gaps of each device; top: -1 for all. Takes the time of sorting
 * the device events. */
void tl_gaps_find(struct tl_gaps *, struct tl_trace *, const struct tl_devices *, int64_t top);
void tl_gaps_release(struct tl_gaps *);

#endif
