/* event_order.c - events in the order of their starts.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "model/event_order.h"

#include "base/merge_sort.h"

TL_ORDER_IN(by_start, uint32_t, struct tl_trace, TL_ASC(ctx->events[*x].ts))

TL_ORDER_IN(by_track, uint32_t, struct tl_trace, TL_ASC(ctx->events[*x].track) TL_ASC(ctx->events[*x].ts))

void tl_sort_by_start(const struct tl_trace *t, uint32_t *events, size_t n)
{
	tl_merge_sort(events, n, sizeof *events, by_start, (void *)t);
}

void tl_sort_by_track(const struct tl_trace *t, uint32_t *events, size_t n)
{
	tl_merge_sort(events, n, sizeof *events, by_track, (void *)t);
}
