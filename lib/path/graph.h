/* graph.h - what had to wait for what in a step or a trace: points in time, and edges that say "not before".
 *
 * A node is the start or the end of a host or device event, cut to the window. An edge has a delay: its end comes no
 * earlier than its start and that. One edge into each node binds: it is the one that explains when the node came.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GRAPH_H
#define TL_GRAPH_H

#include "work/spans.h"
#include "model/trace.h"

/* Of edges that explain a node equally well the first in this order binds. */
#define TL_EDGES(X) \
	X(TL_EDGE_DEVICE, "device") \
	X(TL_EDGE_SYNC, "sync") \
	X(TL_EDGE_FULL, "full queue") \
	X(TL_EDGE_WAIT, "event wait") \
	X(TL_EDGE_WAIT_INFERRED, "event wait, inferred") \
	X(TL_EDGE_WAIT_TIMED, "event wait, by timing") \
	X(TL_EDGE_ORDER, "stream order") \
	X(TL_EDGE_LAUNCH, "launch") \
	X(TL_EDGE_RETURN, "return") \
	X(TL_EDGE_HAND_OVER, "hand-over") \
	X(TL_EDGE_HOST, "host") \
	X(TL_EDGE_END, "end") \
	X(TL_EDGE_OVERLAP, "stream overlap") \
	X(TL_EDGE_BEFORE, "launched before the window") \
	X(TL_EDGE_NO_LAUNCH, "launch not in the trace") \
	X(TL_EDGE_THREAD, "thread starts") \
	X(TL_EDGE_IDLE, "thread idle") \
	X(TL_EDGE_WAITS, "thread waits") \
	X(TL_EDGE_UNBOUND, "unbound")
#define TL_FIRST_OF(id, text) id,
enum tl_edge_type { TL_EDGES(TL_FIRST_OF) TL_EDGE_TYPES };
const char *tl_edge_name(unsigned type);

/* What the time of an edge counts as. */
#define TL_BOUNDS(X) \
	X(TL_BOUND_COMPUTE, "compute") \
	X(TL_BOUND_COMMUNICATION, "communication") \
	X(TL_BOUND_COPY, "copies") \
	X(TL_BOUND_LAUNCH, "launch latency") \
	X(TL_BOUND_GAP, "kernel gaps") \
	X(TL_BOUND_WAIT, "event wait") \
	X(TL_BOUND_OPERATOR, "operator") \
	X(TL_BOUND_CALL, "call") \
	X(TL_BOUND_PYTHON, "Python") \
	X(TL_BOUND_ANNOTATION, "annotation") \
	X(TL_BOUND_LOADING, "data loading") \
	X(TL_BOUND_SYNC, "sync") \
	X(TL_BOUND_HAND_OVER, "hand-over") \
	X(TL_BOUND_HOST_IDLE, "host idle") \
	X(TL_BOUND_BEFORE, "launched before") \
	X(TL_BOUND_UNKNOWN, "cause unknown")
enum tl_bound { TL_BOUNDS(TL_FIRST_OF) TL_BOUNDS_N };
const char *tl_bound_name(unsigned bound);

struct tl_path_edge {
	int64_t delay;        /* ticks */
	uint32_t from, next;  /* a node; the next edge into the same node, or TL_NONE */
	uint32_t owner;       /* the event whose time it is, or TL_NONE */
	uint8_t type, bound;
};
struct tl_path_node {
	int64_t at;           /* ticks */
	uint32_t in;          /* the first edge into it, which binds; the source has none */
	uint32_t ends;        /* the event that ends here, or TL_NONE */
};

/* What is not an edge, or only inferred: counts. */
#define TL_PATH_FACTS(X) \
	X(TL_FACT_CROSSING, "annotations that cross their parent, not nested") \
	X(TL_FACT_CUT, "host events cut to the end of their parent") \
	X(TL_FACT_OVERLAP, "device events that overlap their predecessor on the stream by 1 us or more") \
	X(TL_FACT_NO_LAUNCH, "device events without a launch in the window") \
	X(TL_FACT_WAIT, "event waits of the trace") \
	X(TL_FACT_WAIT_INFERRED, "event waits, inferred from calls") \
	X(TL_FACT_WAIT_TIMED, "event waits, inferred from times") \
	X(TL_FACT_SYNC_INFERRED, "synchronisations whose stream is inferred") \
	X(TL_FACT_SYNC_UNKNOWN, "synchronisations with an event without its record") \
	X(TL_FACT_FULL, "launches that waited for room in a full queue") \
	X(TL_FACT_LATE_WORK, "device events that end after the call that awaits them") \
	X(TL_FACT_NO_CAUSE, "gaps above 10 us before device events, without a cause") \
	X(TL_FACT_BACKWARDS, "edges left out, backwards in time") \
	X(TL_FACT_CIRCLES, "edges left out, in a circle of points of one time") \
	X(TL_FACT_UNBOUND, "points that nothing explains")
enum tl_path_fact { TL_PATH_FACTS(TL_FIRST_OF) TL_PATH_FACTS_N };
const char *tl_path_fact_name(unsigned fact);

struct tl_path_graph {
	struct tl_trace *trace;
	struct tl_span window;  /* T0 and T1 */
	int64_t host_end;       /* when the step ended on the host */
	struct tl_path_node *nodes; size_t n_nodes, cap_nodes; /* node 0 is T0 */
	struct tl_path_edge *edges; size_t n_edges, cap_edges;
	uint32_t *order;        /* all nodes, those that edges come from before those that they go to; the first is node 0 */
	uint32_t sink;          /* the node of T1 */
	uint32_t facts[TL_PATH_FACTS_N];
	uint32_t launches;      /* device events in the window */
	int64_t launch_floor, gap_floor;
};

struct tl_path_options {
	int64_t step;           /* the number of a step; -1: the whole trace */
	bool no_inferred;       /* no edges that are inferred */
};
/* Makes the graph. Takes time in proportion to the events, after sorting. The trace must have its Python frames, if
 * they are to count, its annotations, and its events of kind other, which tell of synchronisation. TL_ERR_DATA: there is
 * no such step, or the trace has no event with a time. Release it in either case. */
enum tl_status tl_path_graph_make(struct tl_path_graph *, struct tl_trace *, const struct tl_path_options *, struct tl_error *);
void tl_path_graph_release(struct tl_path_graph *);

/* ---- the longest path through the graph, and how much later each node could come ------------------------- */

struct tl_path_step { uint32_t edge, to; }; /* an edge of the path, and the node that it goes to */
/* The edges of the path from T0 to T1, which the caller frees. They follow each other, so that their times sum up to the
 * window. */
struct tl_path_step *tl_longest(const struct tl_path_graph *, size_t *n);

/* [node]: how many ticks later it could come without T1 coming later; 0 on the path. The caller frees it. */
int64_t *tl_path_slack(const struct tl_path_graph *);

/* When everything would come if something were faster.
 *
 * Waits, gaps between kernels and the least time of a launch stay as they are; so does which work runs on which stream. What the
 * allocator, clocks and other ranks would do is not known. */

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
