/* retime.h - when everything would come if something were faster.
 *
 * Waits, gaps between kernels and the least time of a launch stay as they are; so does which work runs on which stream. What the
 * allocator, clocks and other ranks would do is not known.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RETIME_H
#define TL_RETIME_H

#include "path/longest.h"

/* Fills [node]: its time, if the delay of each edge is so many ticks less, at most all of it; more, if that is below 0.
 * less: NULL for none, then all times are those of the trace. */
void tl_retime(const struct tl_path_graph *, const int64_t *less, int64_t *times);
/* The longest path then; as tl_longest. times: those of tl_retime. */
struct tl_path_step *tl_longest_then(const struct tl_path_graph *, const int64_t *less, const int64_t *times, size_t *n);

/* How long the delay of an edge is then. */
static inline int64_t tl_delay_then(const struct tl_path_graph *g, const int64_t *less, uint32_t edge)
{
	return g->edges[edge].delay - (less ? less[edge] : 0);
}

#endif
