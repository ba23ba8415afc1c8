/* spans.h - sets of half-open time spans on exact integer ticks, and nested spans.
 *
 * A struct tl_spans or tl_innermost is owned by its user; zero bytes are an empty one, and
 * tl_spans_release or tl_innermost_release frees it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SPANS_H
#define TL_SPANS_H

#include "base/base.h"
#include "base/map.h"
#include "model/trace.h"

struct tl_span { int64_t start, end; };
struct tl_spans { struct tl_span *items; size_t n, cap; };

/* Adds a span. One that ends before it starts becomes an empty one at its start. */
void tl_spans_add(struct tl_spans *s, int64_t start, int64_t end);

/* Sorts spans by start and joins those that touch or overlap. The calls below need
 * merged sets. */
void tl_spans_merge(struct tl_spans *s);

/* out becomes what a covers and b does not. out is neither a nor b. */
void tl_spans_subtract(const struct tl_spans *a, const struct tl_spans *b, struct tl_spans *out);

/* How many ticks a set covers. */
int64_t tl_spans_length(const struct tl_spans *s);

/* How many of them within a time. */
int64_t tl_spans_within(const struct tl_spans *s, int64_t from, int64_t to);
/* The index of the first span that ends after a time; s->n if none does. */
size_t tl_spans_from(const struct tl_spans *s, int64_t time);

void tl_spans_clear(struct tl_spans *s); /* memory kept */
void tl_spans_release(struct tl_spans *s);

/* a + b, a - b and ticks of a time in µs, limited to the range of int64_t: numbers of hostile
 * traces must not overflow. */
static inline int64_t tl_ticks_times(int64_t a, int64_t n)
{
	int64_t r;

	return !__builtin_mul_overflow(a, n, &r) ? r : (a < 0) != (n < 0) ? INT64_MIN : INT64_MAX;
}
static inline int64_t tl_ticks_add(int64_t a, int64_t b)
{
	int64_t r;

	return !__builtin_add_overflow(a, b, &r) ? r : a < 0 ? INT64_MIN : INT64_MAX;
}
static inline int64_t tl_ticks_sub(int64_t a, int64_t b)
{
	int64_t r;

	return !__builtin_sub_overflow(a, b, &r) ? r : a < 0 ? INT64_MIN : INT64_MAX;
}
int64_t tl_ticks_of_us(int64_t us, int64_t ticks_per_us);

/* ---- nested spans of one thread, and which of them is innermost when ---------------------------- */

struct tl_innermost {
	/* by start; of equal starts the longest first, then as they were added. around: the index
	 * of the span that is innermost when this one starts, or TL_NONE; always a lower index */
	struct tl_nested { int64_t start, end; uint32_t event, around; } *spans; size_t n, cap;
	/* after tl_innermost_build: disjoint, by time; while none of the spans runs no segment does */
	struct tl_segment { int64_t start, end; uint32_t span; } *segments; size_t n_segments, cap_segments;
};
/* Adds a span; event: whatever the user wants to find there. */
void tl_innermost_add(struct tl_innermost *, int64_t start, int64_t end, uint32_t event);
/* Sorts the spans and makes the segments. Of spans that overlap without being nested, the
 * one that started last is innermost until its end. Takes the time of sorting. */
void tl_innermost_build(struct tl_innermost *);
/* The index of the first segment that ends after a time; n_segments if none does. */
size_t tl_innermost_from(const struct tl_innermost *, int64_t time);
void tl_innermost_release(struct tl_innermost *);

/* The spans of several threads or processes, each of which has a key. Zero bytes are none. */
struct tl_innermosts TL_KEYED(struct tl_innermost);
void tl_innermosts_add(struct tl_innermosts *, uint64_t key, int64_t start, int64_t end, uint32_t event);
void tl_innermosts_build(struct tl_innermosts *);
/* The innermost span that runs at a time, of those of a key; *of receives them. NULL: none runs then. */
const struct tl_nested *tl_innermosts_span(const struct tl_innermosts *, uint64_t key, int64_t time, const struct tl_innermost **of);
/* The next one around it that still runs at that time, or NULL. */
const struct tl_nested *tl_innermost_around(const struct tl_innermost *, const struct tl_nested *, int64_t time);
/* What was found at a time: the `event` of the innermost span; TL_NONE: none runs then. */
uint32_t tl_innermosts_at(const struct tl_innermosts *, uint64_t key, int64_t time);
void tl_innermosts_release(struct tl_innermosts *);

#endif
