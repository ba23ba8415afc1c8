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
	const char *mark;        /* key of an argument, 1, that each event gets; or NULL */
	struct tl_by_id strings, tracks, layouts; /* the trace's ids -> those of the tables */
	int64_t *values; size_t cap_values;
};

/* Pushes an event (an index of the trace) with this start and duration, which may differ
 * from those that it has. Events must come in the order of the trace. */
enum tl_status tl_trace_source_event(struct tl_trace_source *, uint32_t event, int64_t ts, int64_t dur,
                                     struct tl_error *);
/* The event as one of the tables: all of *out but its uid and times, and valid until the next call. times:
 * TL_HAS_TS, TL_HAS_DUR, TL_INT_TS and TL_INT_DUR of its layout. */
void tl_trace_source_copy(struct tl_trace_source *, uint32_t event, uint8_t times, struct tl_event *out);
/* To be called when the caller emptied the tables, and before `trace` becomes another one. */
void tl_trace_source_forget(struct tl_trace_source *);
void tl_trace_source_release(struct tl_trace_source *);

#endif
