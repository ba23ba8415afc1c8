/* host_spans.c - what the linker keeps of events on the host's clock.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/host_spans.h"

#include "base/merge_sort.h"

#include <stdlib.h>
#include <string.h>

uint32_t tl_host_spans_add(struct tl_host_spans *s, const struct tl_host_span *span)
{
	TL_GROW(s->items, s->cap, s->n + 1);
	s->items[s->n] = *span;
	return (uint32_t)s->n++;
}

void tl_host_spans_release(struct tl_host_spans *s)
{
	free(s->items);
	*s = (struct tl_host_spans){ 0 };
}

int64_t tl_host_span_end(const struct tl_host_span *s)
{
	int64_t end;
	if (__builtin_add_overflow(s->ts, s->dur, &end))
		return s->dur < 0 ? INT64_MIN : INT64_MAX;
	return end;
}

static int by_start(const void *a, const void *b, void *spans)
{
	int64_t x = ((const struct tl_host_span *)spans)[*(const uint32_t *)a].ts;
	int64_t y = ((const struct tl_host_span *)spans)[*(const uint32_t *)b].ts;
	return x < y ? -1 : x > y;
}

uint32_t *tl_host_spans_by_start(const struct tl_host_spans *s, size_t *n)
{
	uint32_t *order = tl_alloc((s->n + 1) * sizeof *order);
	*n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].bits & TL_SPAN_IN_TREE)
			order[(*n)++] = (uint32_t)i;
	tl_merge_sort(order, *n, sizeof *order, by_start, s->items);
	return order;
}
