/* order.c - events by start, and what follows from that order.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/order.h"

#include "sheets/interval.h"

#include <stdlib.h>
#include <string.h>

static void merge(const struct tl_start *i, const struct tl_start *middle, const struct tl_start *end, struct tl_start *to)
{
	const struct tl_start *j = middle;

	while (i < middle && j < end)
		*to++ = i->ts <= j->ts ? *i++ : *j++;
	while (i < middle)
		*to++ = *i++;
	while (j < end)
		*to++ = *j++;
}

/* The runs that are in order already are merged in pairs until there is one,
 * between the items and as much room beside them. */
void tl_sort_starts(struct tl_start *items, size_t n)
{
	size_t n_runs = n > 0;

	for (size_t i = 1; i < n; i++)
		n_runs += items[i - 1].ts > items[i].ts;
	if (n_runs < 2)
		return;
	struct tl_start *spare = tl_alloc(n * sizeof *spare), *from = items, *to = spare;
	size_t *at = tl_alloc((n_runs + 2) * sizeof *at), left = 0; /* where each run begins */

	for (size_t i = 0; i < n; i++)
		if (!i || items[i - 1].ts > items[i].ts)
			at[left++] = i;
	while (left > 1) {
		struct tl_start *was = from;
		size_t n_pairs = (left + 1) / 2;
		at[left] = at[left + 1] = n;
		for (size_t i = 0; i < n_pairs; i++) {
			merge(from + at[2 * i], from + at[2 * i + 1], from + at[2 * i + 2], to + at[2 * i]);
			at[i] = at[2 * i];
		}
		left = n_pairs;
		from = to;
		to = was;
	}
	if (from != items)
		memcpy(items, from, n * sizeof *from);
	free(at);
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
