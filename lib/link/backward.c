/* backward.c - which backward node belongs to which forward event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/backward.h"

#include "base/merge_sort.h"

#include <stdlib.h>

enum { NONE = UINT32_MAX };

void tl_sequences_add(struct tl_sequences *s, int64_t number, uint32_t span)
{
	TL_GROW(s->items, s->cap, s->n + 1);
	s->items[s->n] = (struct tl_numbered){ number, (uint32_t)s->n, span };
	s->n++;
}

void tl_sequences_release(struct tl_sequences *s)
{
	free(s->items);
	*s = (struct tl_sequences){ 0 };
}

static int by_number(const void *a, const void *b, void *unused)
{
	int64_t x = ((const struct tl_numbered *)a)->number, y = ((const struct tl_numbered *)b)->number;
	(void)unused;
	return x < y ? -1 : x > y;
}

/* A forward event and its backward node; at: where their number first appears. */
struct pair { uint32_t at, forward, backward; };

static int by_place(const void *a, const void *b, void *unused)
{
	uint32_t x = ((const struct pair *)a)->at, y = ((const struct pair *)b)->at;
	(void)unused;
	return x < y ? -1 : x > y;
}

/* The first backward node of n events with one number, and the latest starting
 * event on another thread. */
static struct pair pair_up(const struct tl_numbered *e, size_t n, const struct tl_host_spans *spans,
                           int64_t ticks_per_us)
{
	struct pair p = { e->at, NONE, NONE };
	int64_t latest = -ticks_per_us;
	for (size_t i = 0; i < n && p.backward == NONE; i++)
		if (spans->items[e[i].span].bits & TL_SPAN_BACKWARD)
			p.backward = e[i].span;
	for (size_t i = 0; i < n && p.backward != NONE; i++) {
		const struct tl_host_span *s = &spans->items[e[i].span];
		if (tl_host_span_track(s) != tl_host_span_track(&spans->items[p.backward]) && s->ts > latest) {
			latest = s->ts;
			p.forward = e[i].span;
		}
	}
	return p;
}

enum tl_status tl_sequences_push(struct tl_sequences *s, const struct tl_host_spans *spans, int64_t ticks_per_us,
                                 struct tl_sink *next, struct tl_error *err)
{
	struct pair *pairs = NULL;
	size_t n = 0, cap = 0;
	enum tl_status status = TL_OK;
	tl_merge_sort(s->items, s->n, sizeof *s->items, by_number, NULL);
	for (size_t i = 0, end; i < s->n; i = end) {
		for (end = i + 1; end < s->n && s->items[end].number == s->items[i].number;)
			end++;
		struct pair p = pair_up(s->items + i, end - i, spans, ticks_per_us);
		if (p.forward == NONE)
			continue;
		TL_GROW(pairs, cap, n + 1);
		pairs[n++] = p;
	}
	tl_merge_sort(pairs, n, sizeof *pairs, by_place, NULL);
	for (size_t i = 0; i < n && status == TL_OK; i++)
		status = tl_push_link(next, TL_LINK_BACKWARD, spans->items[pairs[i].forward].uid,
		                      spans->items[pairs[i].backward].uid, err);
	free(pairs);
	return status;
}
