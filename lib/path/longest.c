/* longest.c - the longest path through the graph, and how much later each node could come.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "path/longest.h"

struct tl_path_step *tl_longest(const struct tl_path_graph *g, size_t *n)
{
	struct tl_path_step *steps;
	size_t at = 0;

	for (uint32_t v = g->sink; v; v = g->edges[g->nodes[v].in].from)
		at++;
	*n = at;
	steps = tl_alloc((at + 1) * sizeof *steps);
	for (uint32_t v = g->sink; v; v = g->edges[g->nodes[v].in].from)
		steps[--at] = (struct tl_path_step){ g->nodes[v].in, v };
	return steps;
}

int64_t *tl_path_slack(const struct tl_path_graph *g)
{
	int64_t *late = tl_alloc(g->n_nodes * sizeof *late);

	for (size_t i = 0; i < g->n_nodes; i++)
		late[i] = g->window.end;
	for (size_t i = g->n_nodes; i-- > 0;) {
		uint32_t v = g->order[i];
		for (uint32_t e = g->nodes[v].in; e != TL_NONE; e = g->edges[e].next) {
			int64_t latest = tl_ticks_sub(late[v], g->edges[e].delay);
			if (latest < late[g->edges[e].from])
				late[g->edges[e].from] = latest;
		}
	}
	for (size_t i = 0; i < g->n_nodes; i++)
		late[i] = tl_ticks_sub(late[i], g->nodes[i].at);
	return late;
}
