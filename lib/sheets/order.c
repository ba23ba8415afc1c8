/* order.c - events by start, and what follows from that order.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/order.h"

#include "sheets/interval.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT_RUN = 8 };

static void insert_all(struct tl_start *a, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct tl_start x = a[i];
		size_t at = i;
		for (; at && a[at - 1].ts > x.ts; at--)
			a[at] = a[at - 1];
		a[at] = x;
	}
}

static void merge_sort(struct tl_start *a, struct tl_start *spare, size_t n)
{
	size_t half = n / 2, i = 0, j = half, k = 0;

	if (n <= SHORT_RUN) {
		insert_all(a, n);
		return;
	}
	merge_sort(a, spare, half);
	merge_sort(a + half, spare, n - half);
	if (a[half - 1].ts <= a[half].ts)
		return; /* in order already */
	memcpy(spare, a, half * sizeof *a);
	while (i < half && j < n)
		a[k++] = spare[i].ts <= a[j].ts ? spare[i++] : a[j++];
	memcpy(a + k, spare + i, (half - i) * sizeof *a);
}

void tl_sort_starts(struct tl_start *items, size_t n)
{
	size_t i = 1;

	while (i < n && items[i - 1].ts <= items[i].ts)
		i++;
	if (i >= n)
		return;
	struct tl_start *spare = tl_alloc((n / 2 + 1) * sizeof *spare);
	merge_sort(items, spare, n);
	free(spare);
}

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
