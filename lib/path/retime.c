/* retime.c - when everything would come if something were faster.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "path/retime.h"

void tl_retime(const struct tl_path_graph *g, const int64_t *less, int64_t *times)
{
	times[0] = g->window.start;
	for (size_t i = 1; i < g->n_nodes; i++) {
		uint32_t v = g->order[i];
		int64_t time = INT64_MIN;
		for (uint32_t e = g->nodes[v].in; e != TL_NONE; e = g->edges[e].next) {
			int64_t at = tl_ticks_add(times[g->edges[e].from], tl_delay_then(g, less, e));
			time = at > time ? at : time;
		}
		times[v] = time;
	}
}

/* The edge that a node waits for then: of several the one that binds in the trace, if it is among them. */
static uint32_t binding_then(const struct tl_path_graph *g, const int64_t *less, const int64_t *times, uint32_t v)
{
	uint32_t e = g->nodes[v].in;

	while (tl_ticks_add(times[g->edges[e].from], tl_delay_then(g, less, e)) != times[v])
		e = g->edges[e].next;
	return e;
}

struct tl_path_step *tl_longest_then(const struct tl_path_graph *g, const int64_t *less, const int64_t *times, size_t *n)
{
	struct tl_path_step *steps = NULL;
	size_t cap = 0;

	*n = 0;
	for (uint32_t v = g->sink; v; v = g->edges[steps[*n - 1].edge].from) {
		TL_GROW(steps, cap, *n + 1);
		steps[*n] = (struct tl_path_step){ binding_then(g, less, times, v), v };
		++*n;
	}
	for (size_t i = 0; i < *n / 2; i++) {
		struct tl_path_step s = steps[i];
		steps[i] = steps[*n - 1 - i];
		steps[*n - 1 - i] = s;
	}
	return steps;
}
