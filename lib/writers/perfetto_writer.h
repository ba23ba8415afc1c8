/* perfetto_writer.h - writes a trace in memory as Perfetto's packets, for its viewer and for tl-parse; tl-view(1) says what is in them.
 *
 *   perfetto_writer.c   events to packets
 *   perfetto_packets.c  packets: times, texts by number, events on a track
 *   perfetto_lanes.c    tracks: which there are, and on which each event is
 *   perfetto_extra.c    tracks of what is not an event: counters, idle time, the critical path
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERFETTO_WRITER_H
#define TL_PERFETTO_WRITER_H

#include "base/io.h"
#include "model/trace.h"

/* Times to show, in ticks; those of one track stand together and do not overlap. */
struct tl_perfetto_mark { const char *track, *name; int64_t start, end; };
struct tl_perfetto_options {
	bool path;        /* the critical path of the whole trace, too */
	const struct tl_perfetto_mark *marks; size_t n_marks;
};
struct tl_perfetto_report {
	uint64_t n_spans, n_instants;
	uint64_t n_kept;  /* events that the viewer does not show: arrows as such, names, counters as such */
	uint64_t n_flows; /* arrows between two spans */
	uint64_t n_lanes, n_moved; /* further tracks, and how many events are on them */
	uint64_t n_rounded;   /* events whose times are no whole ns */
	uint64_t n_unshown;   /* events that begin before the time 0 or end behind the last one, shown from it, up to it */
};
/* Fills the report, too. The trace should be linked. Memory beside the trace: 36 bytes an event. */
enum tl_status tl_perfetto_write(struct tl_trace *, const struct tl_perfetto_options *, struct tl_output *,
                                 struct tl_perfetto_report *, struct tl_error *);

#endif
