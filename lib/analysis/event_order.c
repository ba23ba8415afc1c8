/* event_order.c - events in the order of their starts.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/event_order.h"

#include <stdlib.h>
#include <string.h>

static void merge_sort(const struct tl_trace *t, uint32_t *a, uint32_t *spare, size_t n)
{
	size_t half = n / 2, i = 0, j = half, k = 0;

	if (n < 2)
		return;
	merge_sort(t, a, spare, half);
	merge_sort(t, a + half, spare, n - half);
	if (t->events[a[half - 1]].ts <= t->events[a[half]].ts)
		return;
	memcpy(spare, a, half * sizeof *a);
	while (i < half && j < n)
		a[k++] = t->events[spare[i]].ts <= t->events[a[j]].ts ? spare[i++] : a[j++];
	memcpy(a + k, spare + i, (half - i) * sizeof *a);
}

void tl_sort_by_start(const struct tl_trace *t, uint32_t *events, size_t n)
{
	size_t i = 1;

	while (i < n && t->events[events[i - 1]].ts <= t->events[events[i]].ts)
		i++;
	if (i >= n)
		return;
	uint32_t *spare = tl_alloc(n / 2 * sizeof *spare);
	merge_sort(t, events, spare, n);
	free(spare);
}
