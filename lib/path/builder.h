/* builder.h - what the files that make the graph share.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_BUILDER_H
#define TL_BUILDER_H

#include "work/calls.h"
#include "path/graph.h"

/* A device event in the window. */
struct path_work { uint32_t event, call /* TL_NONE: none in the trace */, start, end /* nodes */, stream; };

/* The work of a stream: indexes of path_maker.work. */
struct path_stream {
	uint32_t *by_start; size_t n;
	uint32_t *by_launch;    /* those without a call first */
	uint32_t *latest;       /* of the first i + 1 by launch: the one that ends last */
};

struct path_point {
	uint32_t node;
	uint32_t event;
	uint32_t around;        /* the innermost event that encloses this one, or TL_NONE */
	uint8_t kind;           /* enum path_point_kind */
	bool loading;           /* after it an annotation of loading data is open */
};
enum path_point_kind { PATH_END, PATH_START, PATH_LABEL };

struct path_thread {
	uint32_t track;
	struct path_point *points; size_t n, cap;
	uint32_t main;          /* of a thread of autograd: the thread that hands over to it; TL_NONE of others */
	bool launches;
};

struct path_maker {
	/* input */
	struct tl_trace *t;
	const struct tl_path_options *o;
	bool whole;             /* the whole trace, not a step */
	/* output */
	struct tl_path_graph *g;
	/* facts of the trace */
	struct tl_waits waits;
	const uint32_t *call_of; /* tl_calls_of_work */
	uint32_t step;          /* its annotation; TL_NONE: the whole trace */
	const struct tl_map *steps; /* tl_step_events */
	struct path_work *work; size_t n_work, cap_work; /* by start */
	uint32_t *launched; size_t n_launched;           /* work with a call, by launch */
	struct path_stream *streams; size_t n_streams;
	struct path_thread *threads; size_t n_threads, cap_threads;
	uint32_t main;          /* index in threads, or TL_NONE */
	int64_t launch_takes;   /* ticks: the median of launches that found room in their queue */
	uint8_t *names;         /* [string]: bits of enum path_name, 0: not asked */
	struct tl_name_rules *name_rules;
	/* found on the way: what waits for what */
	uint32_t *of_call;      /* [event]: the node where a call starts, TL_NONE: it is not in the window; for waits the index of its work,
	                           the last one, TL_NONE: it launched none */
	struct tl_map awaited;  /* call -> 1 + index in work */
	struct tl_map room;     /* launch that found its queue full -> 1 + index of the work whose start made room */
};
enum path_name { PATH_NAME_KNOWN = 1, PATH_NAME_LOADING = 2, PATH_NAME_BACKWARD = 4 };

/* In graph.c. The time is cut to the window. An edge whose delay is longer than the time between its nodes gets that
 * time; one that would go backwards in time is counted instead. */
uint32_t tl_path_node_at(struct tl_path_graph *, int64_t time, uint32_t ends);
void tl_path_join(struct tl_path_graph *, uint32_t from, uint32_t to, int64_t delay, enum tl_edge_type, enum tl_bound, uint32_t owner);
/* So far behind the end of work, at most, a thread that waits for it goes on: ticks. */
static inline int64_t tl_path_wake_time(const struct path_maker *m)
{
	return tl_ticks_of_us(100, m->t->ticks_per_us);
}
/* When all edges are there: finds the order of the nodes, and the edge into each that binds. */
void tl_path_settle(struct tl_path_graph *);

/* builder_host.c: the points of threads; once it is known what is awaited, their edges. */
void tl_path_find_threads(struct path_maker *);
void tl_path_join_threads(struct path_maker *);

#endif
