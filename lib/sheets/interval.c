/* interval.c - sets of half-open time spans on exact integer ticks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/interval.h"

#include <stdlib.h>
#include <string.h>

int64_t tl_ticks_add(int64_t a, int64_t b)
{
	int64_t r;

	if (__builtin_add_overflow(a, b, &r))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return r;
}

int64_t tl_ticks_sub(int64_t a, int64_t b)
{
	int64_t r;

	if (__builtin_sub_overflow(a, b, &r))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return r;
}

void tl_spans_add(struct tl_spans *s, int64_t start, int64_t end)
{
	TL_GROW(s->items, s->cap, s->n + 1);
	s->items[s->n++] = (struct tl_span){ start, end < start ? start : end };
}

static void merge_two(const struct tl_span *a, const struct tl_span *b, const struct tl_span *end, struct tl_span *to)
{
	const struct tl_span *i = a, *j = b;

	while (i < b && j < end)
		*to++ = i->start <= j->start ? *i++ : *j++;
	while (i < b)
		*to++ = *i++;
	while (j < end)
		*to++ = *j++;
}

/* Sorts by start: the runs that are in order already are merged in pairs until
 * there is one, between the items and as much room beside them. Streams of a
 * device, one after the other, are few long runs. */
static void sort_runs(struct tl_spans *s, size_t n_runs)
{
	struct tl_span *from = s->items, *spare = tl_alloc(s->n * sizeof *spare), *to = spare;
	size_t *at = tl_alloc((n_runs + 2) * sizeof *at), n = 0; /* where each run begins */

	for (size_t i = 0; i < s->n; i++)
		if (!i || from[i - 1].start > from[i].start)
			at[n++] = i;
	while (n > 1) {
		struct tl_span *was = from;
		size_t n_pairs = (n + 1) / 2;
		at[n] = at[n + 1] = s->n;
		for (size_t i = 0; i < n_pairs; i++) {
			merge_two(from + at[2 * i], from + at[2 * i + 1], from + at[2 * i + 2], to + at[2 * i]);
			at[i] = at[2 * i];
		}
		n = n_pairs;
		from = to;
		to = was;
	}
	if (from != s->items)
		memcpy(s->items, from, s->n * sizeof *from);
	free(at);
	free(spare);
}

void tl_spans_merge(struct tl_spans *s)
{
	size_t n = 0, n_runs = 1;

	if (s->n < 2)
		return;
	/* device events come nearly always in time order already */
	for (size_t i = 1; i < s->n; i++)
		n_runs += s->items[i - 1].start > s->items[i].start;
	if (n_runs > 1)
		sort_runs(s, n_runs);
	for (size_t i = 1; i < s->n; i++) {
		struct tl_span *last = &s->items[n];

		if (s->items[i].start > last->end)
			s->items[++n] = s->items[i];
		else if (s->items[i].end > last->end)
			last->end = s->items[i].end;
	}
	s->n = n + 1;
}

void tl_spans_subtract(const struct tl_spans *a, const struct tl_spans *b,
                       struct tl_spans *out)
{
	size_t j = 0;

	out->n = 0;
	for (size_t i = 0; i < a->n; i++) {
		int64_t at = a->items[i].start, end = a->items[i].end;

		while (j < b->n && b->items[j].end <= at)
			j++;
		for (size_t k = j; k < b->n && b->items[k].start < end; k++) {
			if (b->items[k].start > at)
				tl_spans_add(out, at, b->items[k].start);
			if (b->items[k].end > at)
				at = b->items[k].end;
		}
		if (at < end)
			tl_spans_add(out, at, end);
	}
}

int64_t tl_spans_length(const struct tl_spans *s)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum = tl_ticks_add(sum, tl_ticks_sub(s->items[i].end, s->items[i].start));
	return sum;
}

void tl_spans_clear(struct tl_spans *s)
{
	s->n = 0;
}

void tl_spans_release(struct tl_spans *s)
{
	free(s->items);
	*s = (struct tl_spans){ 0 };
}
