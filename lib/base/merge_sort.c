/* merge_sort.c - a stable sort: merges neighbouring sorted runs until one is left.
 * The events of a trace are few such runs.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/merge_sort.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct sort {
	size_t size;
	int (*compare)(const void *, const void *, void *);
	void *ctx;
};

/* The end of the sorted run that begins at `from`. */
static const char *run_end(const struct sort *s, const char *from, const char *end)
{
	const char *next = from < end ? from + s->size : end;
	while (next < end && s->compare(next - s->size, next, s->ctx) <= 0)
		next += s->size;
	return next;
}

/* Merges the runs a to b and b to end into out. */
static void merge(const struct sort *s, const char *a, const char *b, const char *end, char *out)
{
	const char *past_a = b;
	while (a < past_a && b < end) {
		const char **from = s->compare(a, b, s->ctx) <= 0 ? &a : &b;
		memcpy(out, *from, s->size);
		*from += s->size;
		out += s->size;
	}
	memcpy(out, a, (size_t)(past_a - a));
	memcpy(out + (past_a - a), b, (size_t)(end - b));
}

void tl_merge_sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *, void *), void *ctx)
{
	const struct sort s = { size, compare, ctx };
	char *from = items, *to, *room;
	if (n < 2 || run_end(&s, from, from + n * size) == from + n * size)
		return;
	room = to = tl_alloc(n * size);
	for (size_t runs = 2; runs > 1;) {
		const char *end = from + n * size, *next;
		runs = 0;
		for (const char *a = from; a < end; a = next, runs++) {
			const char *b = run_end(&s, a, end);
			next = run_end(&s, b, end);
			merge(&s, a, b, next, to + (a - from));
		}
		char *sorted = to;
		to = from;
		from = sorted;
	}
	if (from == room)
		memcpy(items, room, n * size);
	free(room);
}
