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

/* Adds a span as it is; one that ends before it starts counts as empty at its
 * start. */
void tl_spans_add(struct tl_spans *s, int64_t start, int64_t end);

/* Sorts by start and joins spans that touch or overlap: afterwards the set is
 * ascending and disjoint, which the calls below need. */
void tl_spans_merge(struct tl_spans *s);

/* out becomes a without b (both merged). out is emptied first and must be
 * neither a nor b. */
void tl_spans_subtract(const struct tl_spans *a, const struct tl_spans *b,
                       struct tl_spans *out);

/* Ticks covered by a merged set. */
int64_t tl_spans_length(const struct tl_spans *s);

void tl_spans_clear(struct tl_spans *s); /* memory kept */
void tl_spans_release(struct tl_spans *s);

/* start + dur and end - start that stop at the ends of int64_t instead of
 * running over: hostile stamps give odd numbers, never undefined ones. */
int64_t tl_ticks_add(int64_t a, int64_t b);
int64_t tl_ticks_sub(int64_t a, int64_t b);

#endif
