/* trace_sink.h - the sink that fills a trace in memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TRACE_SINK_H
#define TL_TRACE_SINK_H

#include "model/sink.h"
#include "model/trace.h"

struct tl_trace_options {
	uint32_t drop_kinds; /* bit (1u << kind): not kept. Metadata is read all the
	                        same, and python frames that may be tree nodes are
	                        kept whatever this says */
};

/* The trace is whole when end() has returned. Free the sink at any time; the trace
 * is the caller's (tl_trace_free). */
struct tl_sink *tl_trace_sink_new(struct tl_trace **out, const struct tl_trace_options *);
void tl_trace_sink_free(struct tl_sink *);

#endif
