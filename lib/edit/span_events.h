/* span_events.h - the events inside spans of threads, and the device work launched there.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SPAN_EVENTS_H
#define TL_SPAN_EVENTS_H

#include "model/trace.h"

/* Finds events by thread and time, and by correlation. Made once a trace, which must outlive
 * it; 16 bytes an event. */
struct tl_span_index;
struct tl_span_index *tl_span_index_new(const struct tl_trace *);
void tl_span_index_free(struct tl_span_index *);

/* Events (indexes) that were chosen, each once. Zero bytes are none; tl_span_events_release. */
struct tl_span_events {
	uint32_t *items; size_t n, cap;
	bool *chosen;            /* [event] */
	size_t n_device;         /* device events, annotations of devices included */
	int64_t device_time;     /* ticks: for each span, from the first start of one to the last end */
	int64_t device_busy;     /* ticks: their durations, added up */
};
/* Adds the events of some threads (indexes of tl_trace.tracks) that lie in a span, ends
 * included, and what has the correlation of one of them: device events, and arrows that lead
 * to these. First those of the host in the order of the trace, then the device's. */
void tl_span_events_add(struct tl_span_events *, const struct tl_span_index *, const uint32_t *tracks, size_t n_tracks,
                        int64_t from, int64_t to);
/* Once all spans are added: adds names of processes and threads, and what else has no time,
 * and sorts all into the order of the trace. */
void tl_span_events_end(struct tl_span_events *, const struct tl_span_index *);
/* None are chosen again; keeps the memory for the next. */
void tl_span_events_clear(struct tl_span_events *);
void tl_span_events_release(struct tl_span_events *);

#endif
