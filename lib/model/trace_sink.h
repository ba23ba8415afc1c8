/* trace_sink.h - the sink that fills a trace in memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TRACE_SINK_H
#define TL_TRACE_SINK_H

#include "model/sink.h"
#include "model/trace.h"

struct tl_trace_options {
	uint32_t drop_kinds; /* bits 1u << kind: events of these kinds are not kept. Names
	                        of processes and threads are read all the same; python
	                        frames are kept if they are nodes of the tree */
	/* Called with the header, before any event: returns the kinds to drop in place of
	   drop_kinds. NULL: not called. */
	uint32_t (*drop_kinds_of)(void *ctx, const struct tl_header *);
	void *ctx;
};

/* The trace is whole when end() has returned. Free the sink at any time; the trace
 * is the caller's (tl_trace_free). */
struct tl_sink *tl_trace_sink_new(struct tl_trace **out, const struct tl_trace_options *);
void tl_trace_sink_free(struct tl_sink *);

#endif
