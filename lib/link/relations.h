/* relations.h - what the linker keeps of events, and the relations that it finds in that.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RELATIONS_H
#define TL_RELATIONS_H

#include "model/sink.h"

enum { /* tl_host_span.bits */
	TL_SPAN_CPU_OP = 1,
	TL_SPAN_IN_TREE = 2,    /* a node: an operator, a call, or a frame if asked for */
	TL_SPAN_RECOMPUTE = 4,  /* recompute frame, or below one */
	TL_SPAN_BACKWARD = 8,   /* name of a backward node */
	TL_SPAN_GRAPH = 16,     /* launches a whole graph */
	TL_SPAN_TRACK_SHIFT = 8 /* the track's number above the flags */
};
enum { TL_SPAN_MAX_TRACKS = 1 << 24 };

struct tl_host_span {
	int64_t ts, dur;
	uint32_t uid;
	uint32_t bits;
};
struct tl_host_spans { struct tl_host_span *items; size_t n, cap; }; /* in file order */

/* The number of a new span. */
uint32_t tl_host_spans_add(struct tl_host_spans *, const struct tl_host_span *);
void tl_host_spans_release(struct tl_host_spans *);

static inline uint32_t tl_host_span_track(const struct tl_host_span *s)
{
	return s->bits >> TL_SPAN_TRACK_SHIFT;
}

/* ---- the host call tree: a stack per thread, walked in order of start ------------------- */

/* Pushes a link for every node, root and recomputed node into `next`, in order of
 * start, and marks spans below recomputed ones as recomputed. The tracks of the spans
 * are numbers below n_tracks. *n_misfits receives how many nodes have no place in the
 * tree: tl-link(1), Call tree. */
enum tl_status tl_call_tree(struct tl_host_spans *, uint32_t n_tracks, int64_t ticks_per_us, struct tl_sink *next,
                            uint64_t *n_misfits, struct tl_error *);

/* ---- which runtime call launched which device events ------------------------------------ */

/* A call and a device event have up to two ids. Which of them links the two is known
 * only at the end of the trace. */
enum tl_launch_id { TL_BY_CORRELATION, TL_BY_EXTERNAL_ID, TL_N_IDS };
#define TL_NO_ID INT64_MIN /* the argument is absent or null */

struct tl_launches { /* each in file order */
	struct tl_call { int64_t id[TL_N_IDS]; uint32_t span; } *calls;
	struct tl_device { int64_t id[TL_N_IDS]; uint32_t uid, bits; } *devices; /* bits: track and flags */
	struct tl_arrow { int64_t id; uint32_t track; bool is_end; } *arrows;
	size_t n_calls, cap_calls, n_devices, cap_devices, n_arrows, cap_arrows;
};

/* Calls and device events without any id are left out. */
void tl_launches_add_call(struct tl_launches *, const int64_t id[TL_N_IDS], uint32_t span);
void tl_launches_add_device(struct tl_launches *, const int64_t id[TL_N_IDS], uint32_t uid, uint32_t track);
void tl_launches_add_arrow(struct tl_launches *, int64_t id, bool is_end, uint32_t track);
void tl_launches_release(struct tl_launches *);

struct tl_launch_options {
	enum tl_launch_id by;
	bool all_of_id;      /* there are no arrows: a call launched all device events of its id */
	const bool *is_whole; /* by track: process and thread are both known, so that an arrow may end there */
};
/* n calls and m device events of one id are n * m launches. So each device event is
 * linked to the first call that launched all events of its id, but further such links
 * are made only up to this number in all. */
#define TL_LAUNCHES_AGAIN(n_devices) (16 * (uint64_t)(n_devices) + (1 << 18))
/* Device events that a call launched; launches that were left out for being too many. */
struct tl_launch_counts { uint64_t linked, left_out; };
/* Pushes a link for every launch into `next`, in order of the calls, and marks of
 * recomputed device events. */
enum tl_status tl_launches_push(struct tl_launches *, const struct tl_host_spans *, const struct tl_launch_options *,
                                struct tl_sink *next, struct tl_launch_counts *, struct tl_error *);

/* ---- which backward node belongs to which forward event --------------------------------- */

/* Events with a sequence number, in file order. */
struct tl_sequences {
	struct tl_numbered { int64_t number; uint32_t at, span; } *items;
	size_t n, cap;
};
void tl_sequences_add(struct tl_sequences *, int64_t number, uint32_t span);
void tl_sequences_release(struct tl_sequences *);

/* Pushes a link for each sequence number that has a backward node and a forward
 * event, tl-link(1), Backward: in the order in which the numbers first appear. */
enum tl_status tl_sequences_push(struct tl_sequences *, const struct tl_host_spans *, int64_t ticks_per_us,
                                 struct tl_sink *next, struct tl_error *);

#endif
