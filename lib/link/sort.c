/* sort.c - spans by start time. A trace holds them in a few sorted runs, which
 * are merged. Else start times and span numbers usually fit into one 64-bit
 * word together: these are radix-sorted. When they do not, merging sorts the
 * numbers alone.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/linker.h"

#include <stdlib.h>
#include <string.h>

struct range { size_t n; int64_t min, max; bool sorted; };

static struct range survey(const struct linker *l)
{
	struct range r = { 0, INT64_MAX, INT64_MIN, true };
	for (size_t i = 0; i < l->spans.n; i++) {
		const struct span *s = span_at(l, i);
		if (!tl_link_in_tree(s->bits))
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

uint64_t *tl_link_sort(const struct linker *l, size_t *n, uint64_t *mask)
{
	struct range r = survey(l);
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
		if (tl_link_in_tree(s->bits))
			*at++ = packed ? ((uint64_t)s->ts - (uint64_t)r.min) << low | i : i;
	}
	if (r.sorted)
		return a;
	uint64_t *b = tl_alloc((r.n + 1) * sizeof *b);
	uint64_t *result = packed ? radix_sort(a, b, r.n, low, high) : merge_sort(l, a, b, r.n);
	free(result == a ? b : a);
	return result;
}

/* ---- the tree's spans, one by one ---- */

static bool before(const struct head *a, const struct head *b)
{
	return a->ts != b->ts ? a->ts < b->ts : a->at < b->at;
}

/* Puts a head among the n that follow its place, which are in order. */
static void insert(struct head *place, struct head h, uint32_t n)
{
	for (; n && !before(&h, place + 1); n--, place++)
		place[0] = place[1];
	*place = h;
}

/* Makes the first of what is left the next span. */
static void look_at_first(struct cursor *c)
{
	const struct head *h = c->heads;
	c->span = NULL;
	if (!c->n_heads)
		return;
	uint32_t block_end = (h->at | (BLOCK_ITEMS - 1)) + 1;
	c->span = span_at(c->l, h->at);
	c->at = h->at;
	c->end = h->end < block_end ? h->end : block_end;
	c->limit = c->n_heads > 1 ? h[1].ts : INT64_MAX;
}

static void next_sorted(struct cursor *c)
{
	c->span = NULL;
	c->end = 0; /* each takes a step */
	if (c->n_taken < c->n_sorted)
		c->span = span_at(c->l, c->sorted[c->n_taken++] & c->mask);
}

void tl_link_cursor(struct cursor *c, const struct linker *l)
{
	const struct runs *r = &l->runs;
	memset(c, 0, sizeof *c);
	c->l = l;
	if (r->n > MAX_RUNS) {
		c->sorted = tl_link_sort(l, &c->n_sorted, &c->mask);
		next_sorted(c);
		return;
	}
	struct head *h = c->heads + MAX_RUNS;
	for (uint32_t i = r->n; i-- > 0;) {
		uint32_t end = i + 1 < r->n ? r->first[i + 1] : (uint32_t)l->spans.n;
		insert(--h, (struct head){ span_at(l, r->first[i])->ts, r->first[i], end }, c->n_heads++);
	}
	memmove(c->heads, h, c->n_heads * sizeof *h);
	look_at_first(c);
}

void tl_link_cursor_step(struct cursor *c)
{
	if (c->sorted) {
		next_sorted(c);
		return;
	}
	struct head h = c->heads[0];
	h.at = c->at;
	while (h.at < h.end && !tl_link_in_tree(span_at(c->l, h.at)->bits))
		h.at++;
	if (h.at < h.end) {
		h.ts = span_at(c->l, h.at)->ts;
		insert(c->heads, h, c->n_heads - 1);
	} else {
		c->n_heads--;
		memmove(c->heads, c->heads + 1, c->n_heads * sizeof *c->heads);
	}
	look_at_first(c);
}

void tl_link_cursor_release(struct cursor *c)
{
	free(c->sorted);
}
