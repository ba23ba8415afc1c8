/* spans.h - sets of half-open time spans on exact integer ticks.
 *
 * A struct tl_spans is owned by its user; zero bytes are an empty one and
 * tl_spans_release frees it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SPANS_H
#define TL_SPANS_H

#include "base/base.h"

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
int64_t tl_ticks_add(int64_t a, int64_t b);
int64_t tl_ticks_sub(int64_t a, int64_t b);
int64_t tl_ticks_of_us(int64_t us, int64_t ticks_per_us);

#endif
