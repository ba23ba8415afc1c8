/* curve.h - which points of a curve a picture needs.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CURVE_H
#define TL_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
