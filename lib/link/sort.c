/* sort.c - spans by start time. Start times and span numbers usually fit into
 * one 64-bit word together: these are radix-sorted. When they do not, merging
 * sorts the numbers alone.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/private.h"

#include <stdlib.h>
#include <string.h>

static bool wanted(const struct span *s, bool annotations)
{
	uint32_t role = s->bits & SPAN_ROLE;
	return annotations ? role == SPAN_ANNOTATION : role <= SPAN_PYTHON;
}

struct range { size_t n; int64_t min, max; bool sorted; };

static struct range survey(const struct linker *l, bool annotations)
{
	struct range r = { 0, INT64_MAX, INT64_MIN, true };
	for (size_t i = 0; i < l->spans.n; i++) {
		const struct span *s = span_at(l, i);
		if (!wanted(s, annotations))
			continue;
		r.sorted &= r.max <= s->ts;
		r.min = s->ts < r.min ? s->ts : r.min;
		r.max = s->ts > r.max ? s->ts : r.max;
		r.n++;
	}
	return r;
}

static int bits_of(uint64_t x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

/* Least significant digit first over bits [low, high) of a; b is of equal size.
 * Returns the one that holds the result. */
static uint64_t *radix_sort(uint64_t *a, uint64_t *b, size_t n, int low, int high)
{
	enum { DIGIT = 11, SIZE = 1 << DIGIT };
	size_t count[SIZE];
	for (int at = low; at < high; at += DIGIT) {
		memset(count, 0, sizeof count);
		for (size_t i = 0; i < n; i++)
			count[a[i] >> at & (SIZE - 1)]++;
		for (size_t i = 0, sum = 0; i < SIZE; i++) {
			size_t c = count[i];
			count[i] = sum;
			sum += c;
		}
		for (size_t i = 0; i < n; i++)
			b[count[a[i] >> at & (SIZE - 1)]++] = a[i];
		uint64_t *other = a;
		a = b;
		b = other;
	}
	return a;
}

static bool earlier(const struct linker *l, uint64_t x, uint64_t y)
{
	return span_at(l, x)->ts < span_at(l, y)->ts;
}

static void merge(const struct linker *l, const uint64_t *a, size_t n_a, const uint64_t *b,
                  size_t n_b, uint64_t *out)
{
	while (n_a && n_b) {
		if (earlier(l, *b, *a)) {
			*out++ = *b++;
			n_b--;
		} else {
			*out++ = *a++;
			n_a--;
		}
	}
	memcpy(out, a, n_a * sizeof *a);
	memcpy(out + n_a, b, n_b * sizeof *b);
}

static uint64_t *merge_sort(const struct linker *l, uint64_t *a, uint64_t *b, size_t n)
{
	for (size_t width = 1; width < n; width *= 2) {
		for (size_t i = 0; i < n; i += 2 * width) {
			size_t n_a = width < n - i ? width : n - i;
			size_t n_b = width < n - i - n_a ? width : n - i - n_a;
			merge(l, a + i, n_a, a + i + n_a, n_b, b + i);
		}
		uint64_t *other = a;
		a = b;
		b = other;
	}
	return a;
}

uint64_t *tl_link_sort(const struct linker *l, bool annotations, size_t *n, uint64_t *mask)
{
	struct range r = survey(l, annotations);
	int low = bits_of(l->spans.n), high = low;
	bool packed = false;
	if (r.n && !r.sorted) {
		high += bits_of((uint64_t)r.max - (uint64_t)r.min);
		packed = high <= 64;
	}
	*n = r.n;
	*mask = packed ? ((uint64_t)1 << low) - 1 : UINT64_MAX;
	uint64_t *a = tl_alloc((r.n + 1) * sizeof *a), *at = a;
	for (size_t i = 0; i < l->spans.n; i++) {
		const struct span *s = span_at(l, i);
		if (wanted(s, annotations))
			*at++ = packed ? ((uint64_t)s->ts - (uint64_t)r.min) << low | i : i;
	}
	if (r.sorted)
		return a;
	uint64_t *b = tl_alloc((r.n + 1) * sizeof *b);
	uint64_t *result = packed ? radix_sort(a, b, r.n, low, high) : merge_sort(l, a, b, r.n);
	free(result == a ? b : a);
	return result;
}
