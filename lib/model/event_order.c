/* event_order.c - events in the order of their starts.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "model/event_order.h"

#include "base/merge_sort.h"

static int by_start(const void *a, const void *b, void *trace)
{
	const struct tl_ev *events = ((const struct tl_trace *)trace)->events;
	int64_t x = events[*(const uint32_t *)a].ts, y = events[*(const uint32_t *)b].ts;

	return x < y ? -1 : x > y;
}

static int by_track(const void *a, const void *b, void *trace)
{
	const struct tl_ev *events = ((const struct tl_trace *)trace)->events;
	uint32_t x = events[*(const uint32_t *)a].track, y = events[*(const uint32_t *)b].track;

	return x != y ? (x < y ? -1 : 1) : by_start(a, b, trace);
}

void tl_sort_by_start(const struct tl_trace *t, uint32_t *events, size_t n)
{
	tl_merge_sort(events, n, sizeof *events, by_start, (void *)t);
}

void tl_sort_by_track(const struct tl_trace *t, uint32_t *events, size_t n)
{
	tl_merge_sort(events, n, sizeof *events, by_track, (void *)t);
}
