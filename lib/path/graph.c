/* graph.c - the nodes and edges of the graph, and which edge binds.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "path/graph.h"

#include "path/builder.h"

#include <stdlib.h>

#define TL_TEXT_OF(id, text) [id] = text,

const char *tl_edge_name(unsigned type)
{
	static const char *const names[] = { TL_EDGES(TL_TEXT_OF) };

	return names[type];
}

const char *tl_bound_name(unsigned bound)
{
	static const char *const names[] = { TL_BOUNDS(TL_TEXT_OF) };

	return names[bound];
}

const char *tl_path_fact_name(unsigned fact)
{
	static const char *const names[] = { TL_PATH_FACTS(TL_TEXT_OF) };

	return names[fact];
}

uint32_t tl_path_node_at(struct tl_path_graph *g, int64_t time, uint32_t ends)
{
	int64_t at = time < g->window.start ? g->window.start : time > g->window.end ? g->window.end : time;

	TL_GROW(g->nodes, g->cap_nodes, g->n_nodes + 1);
	g->nodes[g->n_nodes] = (struct tl_path_node){ at, TL_NONE, ends };
	return (uint32_t)g->n_nodes++;
}

void tl_path_join(struct tl_path_graph *g, uint32_t from, uint32_t to, int64_t delay, enum tl_edge_type type, enum tl_bound bound,
                  uint32_t owner)
{
	int64_t gap = tl_ticks_sub(g->nodes[to].at, g->nodes[from].at);

	if (gap < 0) {
		g->facts[TL_FACT_BACKWARDS]++;
		return;
	}
	TL_GROW(g->edges, g->cap_edges, g->n_edges + 1);
	g->edges[g->n_edges] = (struct tl_path_edge){ delay < 0 ? 0 : delay > gap ? gap : delay, from, g->nodes[to].in, owner,
		(uint8_t)type, (uint8_t)bound };
	g->nodes[to].in = (uint32_t)g->n_edges++;
}

/* ---- order ---------------------------------------------------------------------------------- */

/* Takes an edge out of the list of the edges into a node. */
static void take_out(struct tl_path_graph *g, uint32_t node, uint32_t edge)
{
	uint32_t *at = &g->nodes[node].in;

	while (*at != edge)
		at = &g->edges[*at].next;
	*at = g->edges[edge].next;
}

/* All nodes before a node, and the node, get their places: a walk back along the edges without recursion, as the chain of a
 * thread is as long as the trace. seen: 0 for a node not met yet; at[]: the edge to look at next. */
struct orderer { struct tl_path_graph *g; uint8_t *seen; uint32_t *stack, *at; size_t n; };
enum { UNSEEN, OPEN, DONE };

static void order_from(struct orderer *o, uint32_t top)
{
	struct tl_path_graph *g = o->g;
	size_t depth = 0;

	o->stack[depth++] = top;
	o->seen[top] = OPEN;
	o->at[top] = g->nodes[top].in;
	while (depth) {
		uint32_t v = o->stack[depth - 1], e = o->at[v];
		if (e == TL_NONE) {
			o->seen[v] = DONE;
			g->order[o->n++] = v;
			depth--;
			continue;
		}
		uint32_t u = g->edges[e].from;
		o->at[v] = g->edges[e].next;
		if (o->seen[u] == OPEN) {
			take_out(g, v, e);
			g->facts[TL_FACT_CIRCLES]++;
		} else if (o->seen[u] == UNSEEN) {
			o->seen[u] = OPEN;
			o->at[u] = g->nodes[u].in;
			o->stack[depth++] = u;
		}
	}
}

/* ---- binding ---------------------------------------------------------------------------------- */

static bool explains_better(const struct tl_path_graph *g, uint32_t a, uint32_t b)
{
	const struct tl_path_edge *x = &g->edges[a], *y = &g->edges[b];
	int64_t of_x = tl_ticks_add(g->nodes[x->from].at, x->delay), of_y = tl_ticks_add(g->nodes[y->from].at, y->delay);

	if (of_x != of_y)
		return of_x > of_y;
	return x->type != y->type ? x->type < y->type : a < b;
}

static bool into_device(enum tl_edge_type type)
{
	return type == TL_EDGE_ORDER || type == TL_EDGE_OVERLAP || type == TL_EDGE_LAUNCH || type == TL_EDGE_BEFORE || type == TL_EDGE_NO_LAUNCH;
}

/* The edge that binds becomes the first of its node, and lasts until the node. */
static void bind(struct tl_path_graph *g, uint32_t v, int64_t most_unexplained)
{
	uint32_t best = g->nodes[v].in;

	for (uint32_t e = best; e != TL_NONE; e = g->edges[e].next)
		if (explains_better(g, e, best))
			best = e;
	struct tl_path_edge *b = &g->edges[best];
	int64_t gap = tl_ticks_sub(g->nodes[v].at, g->nodes[b->from].at);
	if (into_device(b->type) && tl_ticks_sub(gap, b->delay) > most_unexplained)
		b->bound = TL_BOUND_UNKNOWN;
	b->delay = gap;
	take_out(g, v, best);
	b->next = g->nodes[v].in;
	g->nodes[v].in = best;
}

/* ---- all ------------------------------------------------------------------------------------------ */

void tl_path_settle(struct tl_path_graph *g)
{
	struct orderer o = { .g = g, .seen = tl_calloc(g->n_nodes, 1), .stack = tl_alloc(g->n_nodes * sizeof *o.stack),
	                     .at = tl_alloc(g->n_nodes * sizeof *o.at) };
	g->order = tl_alloc(g->n_nodes * sizeof *g->order);
	for (uint32_t v = 0; v < g->n_nodes; v++)
		if (!o.seen[v])
			order_from(&o, v);
	free(o.seen);
	free(o.stack);
	free(o.at);
	int64_t most = tl_ticks_of_us(10, g->trace->ticks_per_us);
	for (uint32_t v = 1; v < g->n_nodes; v++) {
		if (g->nodes[v].in == TL_NONE) {
			g->facts[TL_FACT_UNBOUND]++;
			tl_path_join(g, 0, v, INT64_MAX, TL_EDGE_UNBOUND, TL_BOUND_HOST_IDLE, TL_NONE);
		}
		bind(g, v, most);
	}
}

void tl_path_graph_release(struct tl_path_graph *g)
{
	free(g->nodes);
	free(g->edges);
	free(g->order);
	*g = (struct tl_path_graph){ 0 };
}

/* ---- the longest path through the graph, and how much later each node could come ------------------------- */

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

/* Goes through the nodes from the last to the first. T1 comes latest at its own time. A node may come so late that no node
 * behind it comes later than that one's latest time: the least of those times, each less the delay of the edge to it. */
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

/* ---- when everything would come if something were faster ------------------------------------------------- */

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
