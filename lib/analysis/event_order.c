/* event_order.c - events by start, and what follows from that order.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/event_order.h"

#include "analysis/interval.h"

#include <stdlib.h>

const uint32_t *tl_events_by_start(const struct tl_trace *t, const uint32_t *events, uint32_t n, uint32_t **copy)
{
	uint32_t i = 1;

	*copy = NULL;
	while (i < n && t->events[events[i - 1]].ts <= t->events[events[i]].ts)
		i++;
	if (i >= n)
		return events;
	struct tl_start *s = tl_alloc(n * sizeof *s);
	*copy = tl_alloc(n * sizeof **copy);
	for (i = 0; i < n; i++)
		s[i] = (struct tl_start){ t->events[events[i]].ts, events[i] };
	tl_sort_starts(s, n);
	for (i = 0; i < n; i++)
		(*copy)[i] = s[i].item;
	free(s);
	return *copy;
}

double tl_rounded_time(const struct tl_trace *t, const uint32_t *by_start, uint32_t n)
{
	double sum = 0, start = 0, end = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[by_start[i]];
		double s = tl_us(t, tl_ticks_sub(e->ts, t->first_ts)), f = s + tl_us(t, e->dur);

		if (!i || s > end) {
			sum += end - start;
			start = s;
			end = f;
		} else if (f > end) {
			end = f;
		}
	}
	return sum + (end - start);
}
