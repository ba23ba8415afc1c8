/* curve.c - which points of a curve a picture needs.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/curve.h"

#include "base/memory.h"
#include "analysis/spans.h"

static void keep_extremes(const struct tl_curve *c, bool *stays, size_t from, size_t to)
{
	size_t least = from;

	for (size_t k = 0; k < c->n_values; k++) {
		size_t most = from;
		for (size_t i = from; i < to; i++) {
			least = !k && c->value(c->ctx, i, k) < c->value(c->ctx, least, k) ? i : least;
			most = c->value(c->ctx, i, k) > c->value(c->ctx, most, k) ? i : most;
		}
		stays[most] = true;
	}
	stays[from] = stays[least] = stays[to - 1] = true;
}

bool *tl_curve_points(const struct tl_curve *c, int64_t parts)
{
	bool *stays = tl_calloc(c->n + 1, sizeof *stays);
	int64_t start = c->n ? c->time(c->ctx, 0) : 0, span = c->n ? tl_ticks_sub(c->time(c->ctx, c->n - 1), start) : 0;
	int64_t width = !parts ? 0 : span / parts < INT64_MAX ? span / parts + 1 : INT64_MAX;

	for (size_t from = 0, to; from < c->n; from = to) {
		to = from + 1;
		while (width && to < c->n && tl_ticks_sub(c->time(c->ctx, to), start) / width == tl_ticks_sub(c->time(c->ctx, from), start) / width)
			to++;
		keep_extremes(c, stays, from, to);
	}
	return stays;
}
