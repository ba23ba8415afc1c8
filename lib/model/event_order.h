/* event_order.h - events in the order of their starts.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_EVENT_ORDER_H
#define TL_EVENT_ORDER_H

#include "model/trace.h"

/* Sorts events (their indexes) by start; those with equal starts keep their order. */
void tl_sort_by_start(const struct tl_trace *, uint32_t *events, size_t n);
/* The same of each track, one track after the other. */
void tl_sort_by_track(const struct tl_trace *, uint32_t *events, size_t n);

#endif
