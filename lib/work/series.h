/* series.h - a value over time, such as the length of a queue, and what it is on average.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SERIES_H
#define TL_SERIES_H

#include "work/spans.h"
#include "model/samples.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Points in order of time; of several at one time the last one holds. Where the value is not a number there is none: such time is in no
 * mean. Zero bytes are a series that is 0 all the time. */
struct tl_series {
	double before;          /* the value before the first point */
	struct tl_point *items; size_t n, cap;
};
void tl_series_add(struct tl_series *, int64_t at, double value);
void tl_series_release(struct tl_series *);

/* What a series is in a span of time. */
struct tl_series_part {
	double mean;            /* by time; 0 of an empty span */
	double least, most;     /* values that it has for no time, as of several points at one time, count too */
	int64_t ticks;          /* in which there is a value */
};
/* *at: where the search begins, 0 at first; it is moved to the last point before the span's end, so that spans one after the
 * other take time in proportion to the points. */
struct tl_series_part tl_series_part(const struct tl_series *, struct tl_span, size_t *at);
/* The same of a span anywhere, found by search. */
struct tl_series_part tl_series_part_at(const struct tl_series *, struct tl_span);

/* Shares of the span's time, 0 to 1; 0 of an empty span. */
struct tl_series_shares {
	double at_zero, at_limit; /* in which the value is 0, and in which it is `limit` or more */
};
struct tl_series_shares tl_series_shares(const struct tl_series *, struct tl_span, double limit);
/* The least value so that the series is no greater for this share (0 to 1) of the span's time, for each of n ascending shares;
 * 0 of an empty span. */
void tl_series_percentiles(const struct tl_series *, struct tl_span, const double *shares, size_t n, double *out);

/* ---- which points of a curve a picture needs ------------------------------------------------------------- */

/* n points in order of time, each with n_values values. */
struct tl_curve {
	const void *ctx;
	size_t n, n_values;
	int64_t (*time)(const void *ctx, size_t i);
	int64_t (*value)(const void *ctx, size_t i, size_t k);
};
/* Divides the time into so many equal parts. Of each stay the first and the last point, the least first value and the
 * greatest of each value. parts 0: all points stay. Returns for each point whether it stays; the caller frees it. */
bool *tl_curve_points(const struct tl_curve *, int64_t parts);

#endif
