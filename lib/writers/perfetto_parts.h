/* perfetto_parts.h - what the files that write Perfetto's packets share.
 *
 * The format: perfetto.dev/docs/reference/trace-packet-proto. What the writer says of its own, for tl-parse to read the
 * events as they were, is in packets of chrome_events, which the viewer passes over, and in two arguments of each event.
 * lib/readers/perfetto_own.c reads it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERFETTO_PARTS_H
#define TL_PERFETTO_PARTS_H

#include "model/tables.h"
#include "writers/perfetto_writer.h"
#include "writers/protobuf_put.h"

/* Numbers of fields. */
enum { PF_PACKET = 1 }; /* of Trace */
enum { PF_CHROME = 5, PF_STAMP = 8, PF_SEQUENCE = 10, PF_EVENT = 11, PF_INTERNED = 12, PF_FLAGS = 13, PF_DESCRIPTOR = 60 }; /* of TracePacket */
enum { PF_CATEGORY = 3, PF_ARG = 4, PF_TYPE = 9, PF_NAME = 10, PF_TRACK = 11, PF_NAME_TEXT = 23, PF_COUNT = 30, PF_REAL = 44, PF_FLOW = 47,
       PF_FLOW_END = 48 }; /* of TrackEvent */
enum { PF_ARG_NAME = 1, PF_ARG_NATURAL = 3, PF_ARG_INT = 4, PF_ARG_TEXT = 6, PF_ARG_JSON = 9, PF_ARG_NAME_TEXT = 10 }; /* of DebugAnnotation */
enum { PF_CATEGORIES = 1, PF_NAMES = 2, PF_ARG_NAMES = 3 }; /* of InternedData */
enum { PF_CLEARED = 1, PF_NEEDS_STATE = 2, PF_BEGIN = 1, PF_END = 2, PF_INSTANT = 3, PF_COUNTER = 4, PF_ONE_SEQUENCE = 1 };

enum { PF_LANE_BITS = 24 }; /* a track's id: its number in the trace + 1, then the number of its lane */

/* Processes and devices: tracks of one of them are together. */
struct pf_group {
	uint32_t pid;      /* string id of JSON text */
	bool device;
	bool process;      /* a process with a number: it has a ProcessDescriptor */
	int64_t number;    /* of the process */
	int64_t sort;      /* what the trace says of its place */
	int64_t rank;      /* INT64_MIN: the trace does not say */
	uint32_t uuid, place;
	uint32_t name, label; /* string ids, 0: none */
	uint32_t n_extra;  /* tracks below it that are not of the trace */
};
struct pf_track {
	uint32_t group;
	uint32_t place;    /* among the tracks of the group */
	uint32_t n_lanes;  /* 0: nothing is shown on it */
	int64_t sort, number; /* what the trace says of its place; of the thread */
	bool device, has_number;
};

struct pf_writer {
	struct tl_trace *t;
	const struct tl_perfetto_options *options;
	struct tl_perfetto_report *report;
	struct tl_output *out;
	struct tl_error *err;
	enum tl_status status;
	struct tl_buf packets;     /* not yet written */
	struct tl_buf interned;    /* for the packet at hand */
	struct tl_by_id known;     /* string id -> bits 1 << PF_NAMES … */
	uint32_t uid_key, layout_key, track_key, start_key, dur_key; /* string ids */
	struct pf_group *groups; size_t n_groups, cap_groups;
	struct pf_track *tracks;   /* [track of the trace] */
	uint32_t next_uuid;        /* of groups and tracks that are not of the trace */
	struct pf_item { int64_t start, end; uint32_t event, lane; } *items; size_t n_items; /* spans by track, then by start */
	uint8_t *flags;            /* [event]: enum pf_event_flag */
	struct tl_bwd *bwds;       /* by forward event */
	int64_t *values; size_t cap_values;
};
enum pf_event_flag { PF_SHOWN = 1, PF_LAUNCHES = 2, PF_LAUNCHED = 4, PF_FORWARD = 8, PF_BACKWARD = 16 };

/* ---- perfetto_packets.c */

/* Writes the packets, if they have more than so many bytes. */
void tl_pw_flush(struct pf_writer *, size_t limit);
/* How an event is written. */
enum pf_shape { PF_AS_SPAN, PF_AS_INSTANT, PF_KEPT };
enum pf_shape tl_pw_shape(const struct tl_trace *, const struct tl_ev *);

/* A tick as ns, rounded, from 0 on. */
uint64_t tl_pw_ns(const struct pf_writer *, int64_t ticks);
/* Each begins or ends a packet with a time, or without. */
size_t tl_pw_open_packet(struct pf_writer *, bool has_time, uint64_t ns, bool needs_state);
void tl_pw_close_packet(struct pf_writer *, size_t packet);
/* The number that stands for a text in this sequence of packets. kind: PF_CATEGORIES, PF_NAMES, PF_ARG_NAMES. */
uint64_t tl_pw_interned(struct pf_writer *, unsigned kind, uint32_t text);
/* Begins a TrackEvent in a packet, which tl_pb_close ends with 2 bytes of room. */
size_t tl_pw_open_event(struct pf_writer *, unsigned type, uint64_t track);
/* Packets: the end of a span; a span without arguments, times in ticks; the value of a counter. */
void tl_pw_put_end(struct pf_writer *, uint64_t track, uint64_t ns);
void tl_pw_put_span(struct pf_writer *, uint64_t track, int64_t start, int64_t end, uint32_t name);
void tl_pw_put_count(struct pf_writer *, uint64_t track, int64_t time, double value);

/* ---- perfetto_lanes.c */

/* Finds groups and tracks, and gives each span its lane. TL_ERR_DATA: too many at a time on one track. */
enum tl_status tl_pw_find_tracks(struct pf_writer *);
void tl_pw_put_tracks(struct pf_writer *);
/* A track of a group that is not of the trace, or of none (UINT32_MAX), below those of the trace. unit: of a counter,
 * a number of CounterDescriptor.Unit or a text; 0 and NULL: it is a track of spans. Returns its id. */
uint64_t tl_pw_add_track(struct pf_writer *, uint32_t group, const char *name, unsigned unit, const char *unit_name);
uint32_t tl_pw_group_of(const struct pf_writer *, uint32_t event);

/* ---- perfetto_extra.c */
void tl_pw_put_extra(struct pf_writer *);

#endif
