/* spans.c - sets of half-open time spans on exact integer ticks, and nested spans.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/spans.h"

#include "base/merge_sort.h"
#include "base/search.h"

#include <stdlib.h>

int64_t tl_ticks_of_us(int64_t us, int64_t ticks_per_us)
{
	int64_t ticks;

	return !__builtin_mul_overflow(us, ticks_per_us, &ticks) ? ticks : us < 0 ? INT64_MIN : INT64_MAX;
}

void tl_spans_add(struct tl_spans *s, int64_t start, int64_t end)
{
	TL_PUSH(s->items, s->n, s->cap, (struct tl_span){ start, end < start ? start : end });
}

TL_ORDER(by_start, struct tl_span, TL_ASC(x->start))

void tl_spans_merge(struct tl_spans *s)
{
	size_t n = 0;

	if (!s->n)
		return;
	tl_merge_sort(s->items, s->n, sizeof *s->items, by_start, NULL);
	for (size_t i = 1; i < s->n; i++) {
		struct tl_span *last = &s->items[n];

		if (s->items[i].start > last->end)
			s->items[++n] = s->items[i];
		else if (s->items[i].end > last->end)
			last->end = s->items[i].end;
	}
	s->n = n + 1;
}

void tl_spans_subtract(const struct tl_spans *a, const struct tl_spans *b, struct tl_spans *out)
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

size_t tl_spans_from(const struct tl_spans *s, int64_t time)
{
	size_t at;

	TL_SEARCH(at, s->n, mid, s->items[mid].end <= time);
	return at;
}

int64_t tl_spans_within(const struct tl_spans *s, int64_t from, int64_t to)
{
	int64_t sum = 0;

	for (size_t i = tl_spans_from(s, from); i < s->n && s->items[i].start < to; i++) {
		int64_t start = s->items[i].start, end = s->items[i].end;
		sum = tl_ticks_add(sum, tl_ticks_sub(end < to ? end : to, start > from ? start : from));
	}
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

/* ---- nested spans of one thread, and which of them is innermost when ------------------------------------- */

void tl_innermost_add(struct tl_innermost *m, int64_t start, int64_t end, uint32_t event)
{
	TL_PUSH(m->spans, m->n, m->cap, (struct tl_nested){ start, end < start ? start : end, event, TL_NONE });
}

TL_ORDER(by_nesting, struct tl_nested, TL_ASC(x->start) TL_DESC(x->end))

/* The spans that run now, the innermost last; `now` is where the last segment ended. */
struct stack { uint32_t *items; size_t n, cap; int64_t now; };

/* The innermost span has run until `time`. */
static void run_until(struct tl_innermost *m, struct stack *s, int64_t time)
{
	if (time <= s->now)
		return;
	TL_PUSH(m->segments, m->n_segments, m->cap_segments, (struct tl_segment){ s->now, time, s->items[s->n - 1] });
	s->now = time;
}

void tl_innermost_build(struct tl_innermost *m)
{
	struct stack s = { .now = INT64_MIN };

	tl_merge_sort(m->spans, m->n, sizeof *m->spans, by_nesting, NULL);
	for (uint32_t i = 0; i <= m->n; i++) {
		int64_t start = i < m->n ? m->spans[i].start : INT64_MAX;

		for (; s.n && m->spans[s.items[s.n - 1]].end <= start; s.n--)
			run_until(m, &s, m->spans[s.items[s.n - 1]].end);
		if (i == m->n)
			break;
		if (s.n) {
			run_until(m, &s, start);
			m->spans[i].around = s.items[s.n - 1];
		}
		s.now = start;
		TL_PUSH(s.items, s.n, s.cap, i);
	}
	free(s.items);
}

size_t tl_innermost_from(const struct tl_innermost *m, int64_t time)
{
	size_t at;

	TL_SEARCH(at, m->n_segments, mid, m->segments[mid].end <= time);
	return at;
}

void tl_innermost_release(struct tl_innermost *m)
{
	free(m->spans);
	free(m->segments);
	*m = (struct tl_innermost){ 0 };
}

void tl_innermosts_add(struct tl_innermosts *s, uint64_t key, int64_t start, int64_t end, uint32_t event)
{
	tl_innermost_add(TL_ITEM(s, key, NULL), start, end, event);
}

void tl_innermosts_build(struct tl_innermosts *s)
{
	for (size_t i = 0; i < s->n; i++)
		tl_innermost_build(&s->items[i]);
}

const struct tl_nested *tl_innermosts_span(const struct tl_innermosts *s, uint64_t key, int64_t time, const struct tl_innermost **of)
{
	const struct tl_innermost *m = *of = TL_ITEM_FIND(s, key);
	size_t at = m ? tl_innermost_from(m, time) : 0;
	bool is_within = m && at < m->n_segments && m->segments[at].start <= time;

	return is_within ? &m->spans[m->segments[at].span] : NULL;
}

const struct tl_nested *tl_innermost_around(const struct tl_innermost *m, const struct tl_nested *span, int64_t time)
{
	while (span->around != TL_NONE) {
		span = &m->spans[span->around];
		if (span->end > time)
			return span;
	}
	return NULL;
}

uint32_t tl_innermosts_at(const struct tl_innermosts *s, uint64_t key, int64_t time)
{
	const struct tl_innermost *of;
	const struct tl_nested *span = tl_innermosts_span(s, key, time, &of);

	return span ? span->event : TL_NONE;
}

void tl_innermosts_release(struct tl_innermosts *s)
{
	for (size_t i = 0; i < s->n; i++)
		tl_innermost_release(&s->items[i]);
	TL_KEYED_RELEASE(s);
	*s = (struct tl_innermosts){ 0 };
}
