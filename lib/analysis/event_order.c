/* event_order.c - events in the order of their starts.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/event_order.h"

#include "base/merge_sort.h"

static int by_start(const void *a, const void *b, void *trace)
{
	const struct tl_ev *events = ((const struct tl_trace *)trace)->events;
	int64_t x = events[*(const uint32_t *)a].ts, y = events[*(const uint32_t *)b].ts;

	return x < y ? -1 : x > y;
}

void tl_sort_by_start(const struct tl_trace *t, uint32_t *events, size_t n)
{
	tl_merge_sort(events, n, sizeof *events, by_start, (void *)t);
}
