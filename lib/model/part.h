/* part.h - sinks that pass a trace on: a part of it, and counted; to two sinks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PART_H
#define TL_PART_H

#include "model/sink.h"

struct tl_part {
	struct tl_sink sink;    /* what the source pushes into */
	struct tl_sink *next;
	uint32_t drop_kinds;    /* bits 1u << kind: events of these kinds are not passed on */
	int64_t least_frame_us; /* nor are Python frames that last less, but for calls of modules */
	bool drop_links;        /* the next sink gets a trace that is not linked */
	bool drop_members;
	bool tell_count;        /* the next sink is told of a number of events that it cannot see */
	bool refuse_linked;     /* a linked trace is an error: its links name the events */
	uint64_t n_events, n_links, n_members; /* passed on */
	uint64_t n_short_frames; /* left out for least_frame_us */
	const struct tl_tables *tables;
	/* private */
	int64_t least_frame;    /* ticks */
	uint64_t n_source;      /* events of the source, dropped ones included */
	uint64_t n_known;       /* of those, what the next sink knows of */
};

/* Sets sink and next, and all else to 0. */
void tl_part_init(struct tl_part *, struct tl_sink *next);

/* ---- two sinks instead of one ----------------------------------------------------------- */

struct tl_tee {
	struct tl_sink sink;     /* what the source pushes into */
	struct tl_sink *to[2];   /* each call goes to the first, then to the second if the first did not fail */
};

void tl_tee_init(struct tl_tee *, struct tl_sink *first, struct tl_sink *second);

#endif
