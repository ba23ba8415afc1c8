/* host_tree.h - what the host ran, thread by thread: events within one another, what of their time is their own, and the
 * device work that was launched in each.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_HOST_TREE_H
#define TL_HOST_TREE_H

#include "work/spans.h"

struct tl_host_node {
	uint32_t event;
	uint32_t around;   /* the node in which it starts and runs, the innermost; TL_NONE: none */
	uint32_t past;     /* those within it are the nodes behind it, up to this one */
	uint32_t last;     /* tl_host_tree_merge: this node and those up to here are one; without it the node itself */
	uint32_t n_within; /* how many nodes have it around them */
	bool merged;       /* part of the one around it */
	int64_t start, ticks;    /* ticks: its duration, cut where the node around ends */
	int64_t within, calls;   /* the ticks of the nodes, and of the runtime calls, that are in it and in none within it */
};
/* A node is before those within it. A call is of the innermost node that runs when it starts, whatever its id says. */
struct tl_host_tree {
	struct tl_trace *trace;
	struct tl_host_node *nodes; uint32_t n;
	uint32_t n_cut;          /* nodes that ended after the one around them */
	/* Device events with a start and a duration, by the node of their call: those of node i are from work_from[i] on; those
	 * of no node from work_from[n] on, up to work_from[n + 1] */
	uint32_t *work, n_work, *work_from;
	int64_t *ticks_before;   /* [i]: the durations of the items of work before this one */
	int64_t calls_outside;   /* ticks of the calls in no node */
	int64_t n_calls_outside;
};
/* The tree of the events that `wants` chooses, which have a start and a duration; ctx: for `wants`. To be freed with tl_host_tree_free. */
struct tl_host_tree *tl_host_tree_new(struct tl_trace *, bool (*wants)(const struct tl_trace *, uint32_t event, void *ctx), void *ctx);
void tl_host_tree_free(struct tl_host_tree *);
/* Which node is the innermost when: its number is the `event` of the spans, by track. To be released. */
void tl_host_tree_spans(const struct tl_host_tree *, struct tl_innermosts *);

/* Makes one of an operator and the only node within it, if that is an operator of the same name, and so on: the lower one is
 * `merged`; its calls, its work and what is within it are the upper one's. */
void tl_host_tree_merge(struct tl_host_tree *);

/* For `wants`: operators but steps. */
bool tl_host_wants_operator(const struct tl_trace *, uint32_t event, void *unused);

/* What a sum over the work in nodes from one up to, but without, another is; up to n + 1: with the work in none. before: as
 * ticks_before, or of some of the work only. */
static inline int64_t tl_host_work_ticks(const struct tl_host_tree *h, const int64_t *before, uint32_t from, uint32_t to)
{
	return before[h->work_from[to]] - before[h->work_from[from]];
}

#endif
