/* retime.h - when everything would come if something were faster.
 *
 * Waits, gaps between kernels and the least time of a launch stay as they are; so does which work runs on which stream. What the
 * allocator, clocks and other ranks would do is not known.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RETIME_H
#define TL_RETIME_H

#include "path/longest.h"

/* The edges that are faster, by edge: their delays are divided by k, rounded down; k 0: they take no time. */
struct tl_faster { const uint8_t *edges; int64_t k; };

/* Fills [node]: its time. faster: NULL for none, then all times are those of the trace. */
void tl_retime(const struct tl_path_graph *, const struct tl_faster *, int64_t *times);
/* The longest path then; as tl_longest. times: those of tl_retime. */
struct tl_path_step *tl_longest_then(const struct tl_path_graph *, const struct tl_faster *, const int64_t *times, size_t *n);

/* How long the delay of an edge is then. */
static inline int64_t tl_delay_then(const struct tl_path_graph *g, const struct tl_faster *f, uint32_t edge)
{
	int64_t delay = g->edges[edge].delay;

	return !f || !f->edges[edge] ? delay : f->k ? delay / f->k : 0;
}

#endif
