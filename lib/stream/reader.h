/* reader.h - the stream reader's parts and what they share. Private to lib/stream.
 *
 *   reader.c         frames, header, definitions, end
 *   reader_events.c  events and links: from bytes to calls of the sink
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STREAM_READER_H
#define TL_STREAM_READER_H

#include <string.h>

#include "stream/window.h"
#include "stream/stream.h"
#include "stream/wire.h"

/* Events or links handed over in one call: few enough to stay in the nearest cache. */
#define BATCH 64

struct string_def { const char *s; uint32_t len; };
struct track_def { uint32_t pid, tid; };
struct layout_def {
	uint32_t cat, n_fields;
	size_t first; /* in fields and types */
	uint64_t last; /* 1 << number of varints before its events' last one; 0: too many */
	uint32_t sink_id;
	uint8_t kind, flags;
	bool drop;
	char ph;
};

struct reader {
	struct source src;
	struct tl_sink *sink;
	struct tl_error *err;
	struct tl_stream_filter *filter;
	uint32_t crc;
	const uint8_t *end; /* of the present frame's payload */
	bool begun, packs, copies; /* the sink takes values, frames as they stand */
	bool ends; /* this machine finds varints' ends fast */

	/* The stream's tables since the last reset; entry i - 1 is number i. */
	struct string_def *strings;
	struct track_def *tracks;
	struct layout_def *layouts;
	struct tl_field *fields; /* keys are numbers of the stream */
	uint8_t *types;          /* of the fields */
	size_t n_strings, n_tracks, n_layouts, n_fields;
	size_t cap_strings, cap_tracks, cap_layouts, cap_fields, cap_types;
	struct tl_arena text;

	/* The sink's ids in its present generation; 0 = not handed over yet.
	 * track_ids[0] is the track without process and thread. */
	uint32_t *string_ids, *track_ids;
	size_t cap_string_ids, cap_track_ids;
	uint32_t generation;

	struct tl_counts counts;
	uint64_t n_links;
	int64_t values[TL_MAX_FIELDS];
	struct tl_field sink_fields[TL_MAX_FIELDS];
	union { /* for a sink that packs */
		struct tl_packed_event events[BATCH];
		struct tl_link links[BATCH];
	} batch;
};

static inline uint64_t offset_of(const struct reader *r, const uint8_t *p)
{
	if (p > r->end)
		p = r->end;
	return r->src.base + (uint64_t)(p - r->src.data);
}

#define damaged(r, p, ...) tl_fail_at((r)->err, TL_ERR_DATA, (int64_t)offset_of(r, p), __VA_ARGS__)
/* ---- ids of the sink --------------------------------------------------------------- */

static inline void forget_ids(struct reader *r)
{
	memset(r->string_ids, 0, (r->n_strings + 1) * sizeof *r->string_ids);
	memset(r->track_ids, 0, (r->n_tracks + 1) * sizeof *r->track_ids);
	for (size_t i = 0; i < r->n_layouts; i++)
		r->layouts[i].sink_id = 0;
	r->generation = r->sink->generation;
}

static inline uint32_t sink_string(struct reader *r, uint64_t id)
{
	uint32_t *known = &r->string_ids[id];

	if (!*known && id) {
		struct string_def *d = &r->strings[id - 1];
		*known = r->sink->ops->string(r->sink, d->s, d->len);
	}
	return *known;
}

static inline uint32_t sink_track(struct reader *r, uint64_t id)
{
	uint32_t *known = &r->track_ids[id];

	if (!*known) {
		struct track_def none = { 0, 0 }, *d = id ? &r->tracks[id - 1] : &none;
		uint32_t pid = sink_string(r, d->pid), tid = sink_string(r, d->tid);
		*known = r->sink->ops->track(r->sink, pid, tid);
	}
	return *known;
}

static inline uint32_t sink_layout(struct reader *r, struct layout_def *d)
{
	struct tl_layout l = { sink_string(r, d->cat), d->kind, d->ph, d->flags, d->n_fields, r->sink_fields };

	for (uint32_t i = 0; i < d->n_fields; i++) {
		r->sink_fields[i] = r->fields[d->first + i];
		r->sink_fields[i].key = sink_string(r, r->sink_fields[i].key);
	}
	return d->sink_id = r->sink->ops->layout(r->sink, &l);
}

/* The payload of a frame of events, of one of links. */
enum tl_status tl_read_events(struct reader *r, const uint8_t *p);
enum tl_status tl_read_links(struct reader *r, const uint8_t *p);

#endif
