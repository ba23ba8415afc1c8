/* sort_starts.c - sorting by start.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/sort_starts.h"

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
