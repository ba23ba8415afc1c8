/* merge_sort.c - a stable sort: sorts both halves and merges them where they are not
 * in order already.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/merge_sort.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct sort {
	size_t size;
	int (*compare)(const void *, const void *, void *);
	void *ctx;
	char *spare; /* room for half of the items */
};

static bool in_order(const struct sort *s, const char *a, const char *b)
{
	return s->compare(a, b, s->ctx) <= 0;
}

static void sort(const struct sort *s, char *items, size_t n)
{
	char *second = items + n / 2 * s->size, *end = items + n * s->size;

	if (n < 2)
		return;
	sort(s, items, n / 2);
	sort(s, second, n - n / 2);
	if (in_order(s, second - s->size, second))
		return;
	size_t len = (size_t)(second - items);
	memcpy(s->spare, items, len);
	for (const char *first = s->spare, *past = first + len; first < past; items += s->size) {
		bool take_first = second == end || in_order(s, first, second);
		memcpy(items, take_first ? first : second, s->size);
		if (take_first)
			first += s->size;
		else
			second += s->size;
	}
}

void tl_merge_sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *, void *), void *ctx)
{
	struct sort s = { size, compare, ctx, NULL };
	char *item = items;
	size_t i = 1;

	for (; i < n && in_order(&s, item, item + size); i++)
		item += size;
	if (i >= n)
		return;
	s.spare = tl_alloc(n / 2 * size);
	sort(&s, items, n);
	free(s.spare);
}

TL_ORDER(by_number, uint32_t, TL_ASC(*x))
TL_ORDER(by_time, int64_t, TL_ASC(*x))

void tl_sort_numbers(uint32_t *numbers, size_t n)
{
	tl_merge_sort(numbers, n, sizeof *numbers, by_number, NULL);
}

void tl_sort_times(int64_t *times, size_t n)
{
	tl_merge_sort(times, n, sizeof *times, by_time, NULL);
}
