/* host_spans.h - what the linker keeps of events on the host's clock.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_HOST_SPANS_H
#define TL_HOST_SPANS_H

#include "base/base.h"

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

/* The end of a span, cut to what an int64_t holds. */
int64_t tl_host_span_end(const struct tl_host_span *);

/* The numbers of the spans that are nodes, by start; of equal starts the first in the
 * file comes first. *n receives how many. The caller frees them. */
uint32_t *tl_host_spans_by_start(const struct tl_host_spans *, size_t *n);

#endif
