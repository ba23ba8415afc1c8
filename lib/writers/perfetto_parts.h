/* perfetto_parts.h - what the files that write Perfetto's packets share.
 *
 * The format: perfetto.dev/docs/reference/trace-packet-proto. What the writer says of its own, for tl-parse to read the
 * events as they were, is in packets of chrome_events, which the viewer passes over, and in two arguments of each event.
 * lib/readers/perfetto_own.c reads it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERFETTO_PARTS_H
#define TL_PERFETTO_PARTS_H

#include "model/tables.h"
#include "writers/perfetto.pb-c.h"
#include "writers/perfetto_writer.h"

/* Sets an optional field of a message. */
#define PF_SET(message, field, to) ((message)->has_##field = 1, (message)->field = (to))

/* Bytes that a packet needs at most without its texts and lists, and an item of a list without its texts: a field takes
 * 12 bytes at most. This is known without protobuf-c's walk over the packet for its size, which costs a fifth of tl-view. */
enum { PF_PACKET_ROOM = 1024, PF_ITEM_ROOM = 64 };

enum pf_text_kind { PF_CATEGORIES, PF_NAMES, PF_ARG_NAMES, PF_TEXT_KINDS }; /* lists of InternedData */
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
	struct tl_arena messages;  /* of the packet at hand */
	size_t room;               /* that its texts and lists need at most */
	struct pf_texts { Tl__EventName **items; size_t n, cap; } texts[PF_TEXT_KINDS]; /* that it is the first to have */
	struct tl_by_id known;     /* string id -> bits 1 << PF_NAMES … */
	uint32_t uid_key, layout_key, track_key, start_key, dur_key; /* string ids */
	struct pf_group *groups; size_t n_groups, cap_groups;
	struct pf_track *tracks;   /* [track of the trace] */
	uint32_t next_uuid;        /* of groups and tracks that are not of the trace */
	struct pf_item { int64_t start, end; uint32_t event, lane; } *items; size_t n_items; /* spans by track, then by start */
	uint8_t *flags;            /* [event]: enum pf_event_flag */
	struct tl_bwd *bwds;       /* by forward event */
	struct pf_ids { uint64_t *items; size_t n, cap; } flows, flow_ends; /* of the event at hand */
	struct pf_arg { uint32_t key; enum tl_field_type type; int64_t value; } *args; size_t cap_args;
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
/* A text of the trace as a field; it may hold NUL bytes. */
ProtobufCBinaryData tl_pw_text(struct pf_writer *, uint32_t text);
ProtobufCBinaryData tl_pw_bytes(struct pf_writer *, const char *, size_t len);
/* Writes a packet, with the texts that it is the first to have, and frees its messages. */
void tl_pw_put_packet(struct pf_writer *, Tl__TracePacket *);
/* The number that stands for a text in this sequence of packets. */
uint64_t tl_pw_interned(struct pf_writer *, enum pf_text_kind, uint32_t text);
/* An event on a track, for the caller to add to; the second writes it. */
Tl__TrackEvent tl_pw_event(Tl__TrackEvent__Type, uint64_t track);
void tl_pw_put_event(struct pf_writer *, Tl__TrackEvent *, uint64_t ns);
/* The end of a span; a span without arguments, times in ticks; the value of a counter. */
void tl_pw_put_end(struct pf_writer *, uint64_t track, uint64_t ns);
void tl_pw_put_span(struct pf_writer *, uint64_t track, int64_t start, int64_t end, uint32_t name);
void tl_pw_put_count(struct pf_writer *, uint64_t track, int64_t time, double value);

/* ---- perfetto_lanes.c */

/* Finds groups and tracks, and gives each span its lane. TL_ERR_DATA: too many at a time on one track. */
enum tl_status tl_pw_find_tracks(struct pf_writer *);
void tl_pw_put_tracks(struct pf_writer *);
/* A track of a group that is not of the trace, or of none (UINT32_MAX), below those of the trace. unit: of a counter,
 * a number or a text; 0 and NULL: it is a track of spans. Returns its id. */
uint64_t tl_pw_add_track(struct pf_writer *, uint32_t group, const char *name, Tl__CounterDescriptor__Unit unit, const char *unit_name);
uint32_t tl_pw_group_of(const struct pf_writer *, uint32_t event);

/* ---- perfetto_extra.c */
void tl_pw_put_extra(struct pf_writer *);

#endif
