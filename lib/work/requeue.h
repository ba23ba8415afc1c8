/* requeue.h - how much earlier a trace would end if work on devices took less time, or the host did less between launches.
 *
 * The times of a trace are found again from what each one waits for, with the changes in force; without a change they are
 * exactly those of the trace.
 *
 *     host    ..launch a..launch b......[ call that waits ]..launch c
 *                  \          \                      ^          \
 *     stream        `-> aaaaaa  `....-> bbbbbbbbbbbb-'           `-> cccc
 *                             `- order -^          `--- order -------^
 *
 * A device event starts when the last of these times has come: its launch, and the launch floor; the end of the event before it
 * on its stream, and 1.5 us (of events that overlap by less than 1 us, as in graphs, as much less; of others the start, and what
 * lies between the two); where neither explains the start within 20 and 10 us, the end of the event of another stream that ended
 * last, at most 20 us before. The time that comes last is followed by what the trace shows, the others by their floors. The host
 * does what it did, at the times of the trace less a shift of its process. A call that waits returns behind its own start, and
 * behind the end of what it awaited as long as in the trace; the shift from there on is what it returns earlier. What a thread
 * that launches nothing waits for can only add to the shift: others may go on without it.
 * The host's pieces that take no time add their length to the shift, each moment once.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REQUEUE_H
#define TL_REQUEUE_H

#include "work/devices.h"
#include "work/spans.h"

/* A time of a thread of the host in which a device did nothing, and the row of a sheet that tells of it. */
struct tl_host_piece { int64_t start, end; uint32_t track, row; };

/* Ticks that a device event takes less: all of it, with its launch on the host, which takes 30 us at most. */
#define TL_REQUEUE_GONE INT64_MAX

struct tl_requeue {
	struct tl_requeue_node *nodes; size_t n, cap;
	uint32_t *node_of;         /* by tl_trace_gpu: its node, or TL_NONE */
	int64_t *starts, *ends;    /* by node, of the latest run; of a device event when it starts and ends */
	int64_t *covered;          /* by process */
	int64_t end;               /* without a change */
	size_t n_hosts, n_waits;
};
/* window: the end of what the host does counts up to its end. pieces: those that a run may take out. may_go, by tl_trace_gpu: what a
 * run may let go; NULL: nothing. The trace must be complete. Takes the time of sorting device events and waits. */
void tl_requeue_init(struct tl_requeue *, struct tl_trace *, const struct tl_devices *, const struct tl_span *window,
                     const struct tl_host_piece *pieces, size_t n_pieces, const bool *may_go);
/* How many ticks earlier the last device event and the host end if device events take so many ticks less (by
 * tl_trace_gpu, TL_REQUEUE_GONE or at most their duration), and the host's pieces no time (by piece); NULL: none. In proportion to device
 * events, waits and pieces. More of either never gives less. */
int64_t tl_requeue_run(struct tl_requeue *, const int64_t *less, const bool *without);
void tl_requeue_release(struct tl_requeue *);

#endif
