/* trace_source.h - pushes events of a trace in memory into a sink.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TRACE_SOURCE_H
#define TL_TRACE_SOURCE_H

#include "model/sink.h"
#include "model/trace.h"

/* Zero bytes with trace and to set are a start. The caller calls the sink's begin() with
 * these tables, and its meta(), link() and end() as it likes. */
struct tl_trace_source {
	const struct tl_trace *trace;
	struct tl_sink *to;
	struct tl_tables tables; /* of the events that the sink gets */
	struct tl_by_id strings, tracks, layouts; /* the trace's ids -> those of the tables */
	int64_t *values; size_t cap_values;
};

/* Pushes an event (an index of the trace) with this start and duration, which may differ
 * from those that it has. Events must come in the order of the trace. */
enum tl_status tl_trace_source_event(struct tl_trace_source *, uint32_t event, int64_t ts, int64_t dur,
                                     struct tl_error *);
void tl_trace_source_release(struct tl_trace_source *);

#endif
