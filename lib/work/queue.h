/* queue.h - how much work waits on each stream: launched, but not started.
 *
 * At the start of a call the queues of the streams on which it launches grow by the device events that it launches there, at the
 * start of each such event its queue shrinks by one. At one time calls come first, in file order.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_QUEUE_H
#define TL_QUEUE_H

#include "work/series.h"
#include "model/trace.h"

/* The queue of a stream. */
struct tl_queue {
	uint32_t track;        /* of the stream's device events */
	struct tl_series length;
	uint32_t no_call;      /* its device events without a call in the trace, which change nothing */
	uint32_t early;        /* those that start before their call does: clocks disagree, and the length may be below 0 … */
	int64_t earliest;      /* … by so many ticks at most */
};
/* What a call launches on a stream. */
struct tl_queue_launch {
	uint32_t call, queue;  /* an event; an index */
	uint32_t n;            /* its device events */
	int32_t before;        /* the queue's length when the call starts, without them */
};
struct tl_queues {
	struct tl_queue *items; size_t n;            /* in the order of the tracks */
	struct tl_queue_launch *launches; size_t n_launches; /* by start of the call, of one call by queue */
};
/* Found once and kept with the trace, which must be complete. */
const struct tl_queues *tl_queues_of(struct tl_trace *);

/* A queue of this length is full for the drivers of NVIDIA: a launch waits until there is room. */
enum { TL_QUEUE_FULL = 1000 };
/* Calls that find a queue full. */
struct tl_queue_blocked {
	uint32_t calls;
	int64_t ticks;         /* of these calls, less the median of calls of the same name that find it shorter; each counts 0
	                          at least */
	uint32_t unknown;      /* calls of a name that never finds it shorter: their whole time counts */
};
struct tl_queue_blocked tl_queue_blocked(const struct tl_queues *, const struct tl_trace *, uint32_t queue, int64_t full);

#endif
