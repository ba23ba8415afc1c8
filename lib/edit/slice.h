/* slice.h - a part of a trace: the device work that was asked for, and what belongs to it.
 * tl-slice(1) says which events that are, and why.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SLICE_H
#define TL_SLICE_H

#include "model/sink.h"

/* All that is given must hold. TL_SLICE_WHOLE is the whole trace. */
struct tl_slice_options {
	int64_t from, to;        /* picoseconds since the trace's start; device events are cut there */
	int64_t first_step, last_step; /* -1: any. Numbers of steps (tl_numbered_steps_of) or, with `annotation`,
	                            which of the matching annotations of a thread, from 1 */
	const char *annotation;  /* regular expression; NULL: any */
	const struct tl_regex *step_marker; /* see tl_steps_mark_by; NULL: none */
	int64_t device, rank;    /* -1: any */
	const char *thread;      /* its number or name; NULL: any */
	const char *stream;      /* as sheets show it; NULL: any */
};
#define TL_SLICE_WHOLE { INT64_MIN, INT64_MAX, -1, -1, NULL, NULL, -1, -1, NULL, NULL }
bool tl_slice_is_whole(const struct tl_slice_options *);

struct tl_slice_report {
	uint32_t device_events, kept_device_events;
	uint32_t cut;      /* device events cut at a border of the time */
	uint32_t partial;  /* operators, or calls without one, that lost a part of their device work */
	uint32_t lone_backward; /* backward passes with device work whose forward operator is not in the slice */
};

/* A sink that, at the end of a linked trace, passes a slice of it on to `next`: linked, and
 * with the uids of the whole trace. The options must outlive it. A wrong expression is
 * TL_ERR_USAGE; a device, step and so on that the trace does not have is TL_ERR_DATA in
 * end(), which names those that it has. Memory: that of the trace (trace.h) and 24 bytes a
 * link. Free with tl_slicer_free. */
enum tl_status tl_slicer_new(struct tl_sink **out, struct tl_sink *next, const struct tl_slice_options *,
                             struct tl_error *);
const struct tl_slice_report *tl_slicer_report(const struct tl_sink *); /* after end() */
void tl_slicer_free(struct tl_sink *);

#endif
