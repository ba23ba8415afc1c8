/* event_order.h - events by start, and what follows from that order.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ORDER_H
#define TL_ORDER_H

#include "analysis/sort_starts.h"
#include "model/trace.h"

/* The same events by start, equal ones in the order given: `events` itself where
 * it is so already, else a copy that is malloc'ed in *copy (NULL otherwise). */
const uint32_t *tl_events_by_start(const struct tl_trace *, const uint32_t *events, uint32_t n, uint32_t **copy);

/* tl_trace_us for many numbers: ticks of less than 2^53 are exact as doubles. */
static inline double tl_us(const struct tl_trace *t, int64_t ticks)
{
	const int64_t exact = (int64_t)1 << 53;
	return ticks > -exact && ticks < exact && t->ticks_per_us < exact ? (double)ticks / (double)t->ticks_per_us : tl_trace_us(t, ticks);
}

/* Time of device events, given by start, as double arithmetic from the trace's
 * start makes it. It is shown nowhere: where exact times are equal, the
 * reference's rounding errors decide its order of rows, and cumulative columns
 * depend on that order. */
double tl_rounded_time(const struct tl_trace *, const uint32_t *by_start, uint32_t n);

#endif
