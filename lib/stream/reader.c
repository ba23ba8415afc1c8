/* reader.c - reads the binary event stream, tl-stream(5), into a sink.
 *
 * Ids of the stream are translated to ids of the sink when an event uses them;
 * the text of the tables is kept, so that a sink that starts its own tables
 * anew gets what it needs again.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "stream/ends.h"
#include "stream/header.h"
#include "stream/source.h"
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

static uint64_t offset_of(const struct reader *r, const uint8_t *p)
{
	if (p > r->end)
		p = r->end;
	return r->src.base + (uint64_t)(p - r->src.data);
}

#define damaged(r, p, ...) tl_fail_at((r)->err, TL_ERR_DATA, (int64_t)offset_of(r, p), __VA_ARGS__)

/* ---- small pieces ------------------------------------------------------------ */

/* A varint of definitions and counts; NULL (and the error set) when it is
 * broken, reaches behind the frame or is greater than max. */
static const uint8_t *take(struct reader *r, const uint8_t *p, uint64_t max, const char *what, uint64_t *v)
{
	unsigned bad = 0;
	const uint8_t *next = p;

	if (p < r->end)
		next = tl_get_varint(p, v, &bad);
	if (p >= r->end || next > r->end || bad) {
		damaged(r, p, "damaged event stream: the frame ends within %s", what);
		return NULL;
	}
	if (*v > max) {
		damaged(r, p, "damaged event stream: %s %" PRIu64 ", at most %" PRIu64 " is possible",
		        what, *v, max);
		return NULL;
	}
	return next;
}

static enum tl_status table_full(struct reader *r, const uint8_t *p, const char *what)
{
	return damaged(r, p, "damaged event stream: more than %u %s without a reset", READER_ENTRIES, what);
}

/* ---- header ------------------------------------------------------------------- */

/* Keys that are not known come from a later minor version. */
static enum tl_status read_header_lines(struct reader *r, const uint8_t *p, struct header_lines *l)
{
	while (p < r->end) {
		const uint8_t *nl = memchr(p, '\n', (size_t)(r->end - p));
		const uint8_t *eq = nl ? memchr(p, '=', (size_t)(nl - p)) : NULL;

		if (!eq)
			return damaged(r, p, "damaged event stream: header line without '=' or newline");
		if (tl_header_add(l, (const char *)p, (size_t)(eq - p), (const char *)eq + 1,
		                  (size_t)(nl - eq - 1)) == HEADER_BAD_VALUE)
			return damaged(r, p, "damaged event stream: bad header line '%.*s'",
			               nl - p > 200 ? 200 : (int)(nl - p), (const char *)p);
		p = nl + 1;
	}
	return TL_OK;
}

static enum tl_status read_header(struct reader *r, const uint8_t *p)
{
	struct header_lines l;
	enum tl_status st;

	if (r->begun)
		return damaged(r, p, "damaged event stream: a second header");
	r->begun = true;
	tl_header_init(&l);
	st = read_header_lines(r, p, &l);
	if (st == TL_OK && !tl_header_finish(&l))
		st = damaged(r, p, "damaged event stream: header without ticks_per_us");
	if (st == TL_OK && l.h.linked && r->filter->refuse_linked)
		st = tl_fail(r->err, TL_ERR_DATA, "events cannot be dropped from a linked stream: its links name them");
	if (st == TL_OK)
		st = tl_sink_begin(&r->sink, &l.h, r->err);
	r->generation = r->sink->generation;
	r->packs = r->sink->ops->packed_events != NULL;
	r->copies = r->packs && r->sink->ops->frame;
	if (st == TL_OK && r->packs)
		r->sink->ops->table(r->sink);
	tl_header_release(&l);
	return st;
}

/* ---- ids of the sink --------------------------------------------------------------- */

static void forget_ids(struct reader *r)
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

static uint32_t sink_layout(struct reader *r, struct layout_def *d)
{
	struct tl_layout l = { sink_string(r, d->cat), d->kind, d->ph, d->flags, d->n_fields, r->sink_fields };

	for (uint32_t i = 0; i < d->n_fields; i++) {
		r->sink_fields[i] = r->fields[d->first + i];
		r->sink_fields[i].key = sink_string(r, r->sink_fields[i].key);
	}
	return d->sink_id = r->sink->ops->layout(r->sink, &l);
}

/* ---- definitions ---------------------------------------------------------------- */

static enum tl_status read_strings(struct reader *r, const uint8_t *p)
{
	while (p < r->end) {
		uint64_t len;
		const uint8_t *s = take(r, p, TL_STREAM_MAX_STRING, "string length", &len);

		if (!s)
			return TL_ERR_DATA;
		if (len > (size_t)(r->end - s))
			return damaged(r, p, "damaged event stream: a string of %" PRIu64
			               " bytes in a frame with %zu left", len, (size_t)(r->end - s));
		if (r->n_strings >= READER_ENTRIES)
			return table_full(r, p, "strings");
		TL_GROW(r->string_ids, r->cap_string_ids, r->n_strings + 2);
		if (!r->packs) {
			TL_GROW(r->strings, r->cap_strings, r->n_strings + 1);
			r->strings[r->n_strings] = (struct string_def){
				tl_arena_dup(&r->text, (const char *)s, len), (uint32_t)len };
		}
		r->string_ids[++r->n_strings] = r->packs ? r->sink->ops->string(r->sink, (const char *)s, len) : 0;
		r->counts.strings++;
		p = s + len;
	}
	return TL_OK;
}

static enum tl_status read_tracks(struct reader *r, const uint8_t *p)
{
	while (p < r->end) {
		uint64_t pid, tid;

		if (r->n_tracks >= READER_ENTRIES)
			return table_full(r, p, "tracks");
		p = take(r, p, r->n_strings, "process string", &pid);
		if (p)
			p = take(r, p, r->n_strings, "thread string", &tid);
		if (!p)
			return TL_ERR_DATA;
		TL_GROW(r->tracks, r->cap_tracks, r->n_tracks + 1);
		TL_GROW(r->track_ids, r->cap_track_ids, r->n_tracks + 2);
		r->tracks[r->n_tracks++] = (struct track_def){ (uint32_t)pid, (uint32_t)tid };
		r->track_ids[r->n_tracks] = 0;
		if (r->packs)
			(void)sink_track(r, r->n_tracks);
	}
	return TL_OK;
}

static const uint8_t *read_field(struct reader *r, const uint8_t *p)
{
	struct tl_field *f;
	uint64_t key;

	p = take(r, p, r->n_strings, "field key", &key);
	if (!p)
		return NULL;
	if (key == 0 || p >= r->end || (*p & 0x7f) < TL_FIELD_INT || (*p & 0x7f) > TL_FIELD_JSON) {
		damaged(r, p, "damaged event stream: a field without key or of unknown type");
		return NULL;
	}
	TL_GROW(r->fields, r->cap_fields, r->n_fields + 1);
	TL_GROW(r->types, r->cap_types, r->n_fields + 1);
	f = &r->fields[r->n_fields];
	*f = (struct tl_field){ (uint32_t)key, *p & 0x7f, *p >> 7 };
	r->types[r->n_fields++] = f->type;
	return p + 1;
}

/* Layout, name, track, gap, times and fields are the varints of an event. */
static uint64_t last_varint(const struct layout_def *d)
{
	uint32_t n = 4 + !!(d->flags & TL_HAS_TS) + !!(d->flags & TL_HAS_DUR) + d->n_fields;

	return n <= ENDS_BYTES ? UINT64_C(1) << (n - 1) : 0;
}

static enum tl_status read_layouts(struct reader *r, const uint8_t *p)
{
	while (p < r->end) {
		struct layout_def d = { .first = r->n_fields };
		uint64_t cat, n;

		p = take(r, p, r->n_strings, "category string", &cat);
		if (!p)
			return TL_ERR_DATA;
		if (r->end - p < 4 || p[0] >= TL_KIND_COUNT || p[2] >= 64)
			return damaged(r, p, "damaged event stream: a layout of unknown kind or flags");
		d.cat = (uint32_t)cat;
		d.kind = p[0];
		d.ph = (char)p[1];
		d.flags = p[2];
		d.drop = r->filter->drop_kinds >> d.kind & 1;
		p = take(r, p + 3, TL_MAX_FIELDS, "field count", &n);
		if (!p)
			return TL_ERR_DATA;
		d.n_fields = (uint32_t)n;
		d.last = last_varint(&d);
		if (r->n_layouts >= READER_ENTRIES / 16 || r->n_fields >= READER_ENTRIES)
			return table_full(r, p, "fields or a sixteenth of it layouts");
		for (uint64_t i = 0; i < n && p; i++)
			p = read_field(r, p);
		if (!p)
			return TL_ERR_DATA;
		TL_GROW(r->layouts, r->cap_layouts, r->n_layouts + 1);
		r->layouts[r->n_layouts++] = d;
		if (r->packs && !d.drop)
			(void)sink_layout(r, &r->layouts[r->n_layouts - 1]);
	}
	return TL_OK;
}

static enum tl_status read_reset(struct reader *r, const uint8_t *p)
{
	if (p != r->end)
		return damaged(r, p, "damaged event stream: a reset frame with a payload");
	r->n_strings = r->n_tracks = r->n_layouts = r->n_fields = 0;
	tl_arena_clear(&r->text);
	if (r->packs)
		r->sink->ops->table(r->sink);
	return TL_OK;
}

/* ---- records ------------------------------------------------------------------------- */

static enum tl_status cut_record(struct reader *r, const uint8_t *p, const char *what)
{
	return damaged(r, p, "damaged event stream: %s reaches behind its block or has a broken number", what);
}

static enum tl_status bad_id(struct reader *r, const uint8_t *p, const char *what, uint64_t id, size_t n)
{
	return damaged(r, p, "damaged event stream: an event with %s %" PRIu64 " of %zu", what, id, n);
}

/* A value that read_values could not take at once: a string not yet given to
 * the sink, or a number out of range. */
static bool slow_string(struct reader *r, const uint8_t *p, uint64_t id, int64_t *value)
{
	if (id > r->n_strings) {
		bad_id(r, p, "string", id, r->n_strings);
		return false;
	}
	*value = sink_string(r, id);
	return true;
}

/* The values of an event's fields into r->values; NULL when they are bad. */
static const uint8_t *read_values(struct reader *r, const uint8_t *p, const struct layout_def *d, unsigned *bad)
{
	/* copies, since the stores below might change what r points at */
	const uint8_t *types = r->types + d->first, *end = r->end;
	const uint32_t *ids = r->string_ids;
	const uint64_t n_strings = r->n_strings;
	int64_t *to = r->values;

	for (uint32_t i = 0; i < d->n_fields; i++) {
		uint64_t v;

		if (p >= end) {
			cut_record(r, p, "an event");
			return NULL;
		}
		p = tl_get_varint(p, &v, bad);
		if (types[i] == TL_FIELD_INT)
			*to++ = (int64_t)tl_unzigzag(v);
		else if (v <= n_strings && ids[v])
			*to++ = ids[v];
		else if (!slow_string(r, p, v, to++))
			return NULL;
	}
	return p;
}

/* The four numbers that every event begins with: nearly always a byte each, or
 * two for the name. */
static inline const uint8_t *read_numbers(const uint8_t *p, uint64_t *layout, uint64_t *name, uint64_t *track,
                                          uint64_t *skipped, unsigned *bad)
{
	uint64_t w = tl_load_le64(p);

	if (!(w & 0x80808080u)) {
		*layout = w & 0x7f;
		*name = w >> 8 & 0x7f;
		*track = w >> 16 & 0x7f;
		*skipped = w >> 24 & 0x7f;
		return p + 4;
	}
	if ((w & 0x8080808080u) == 0x8000) {
		*layout = w & 0x7f;
		*name = (w >> 8 & 0x7f) | (w >> 9 & 0x3f80);
		*track = w >> 24 & 0x7f;
		*skipped = w >> 32 & 0x7f;
		return p + 5;
	}
	p = tl_get_varint(p, layout, bad);
	p = tl_get_varint(p, name, bad);
	p = tl_get_varint(p, track, bad);
	return tl_get_varint(p, skipped, bad);
}

/* What the loops over events look at for each of them. A copy, since the
 * compiler must think that whatever they write may change the reader. */
struct view {
	const uint8_t *p, *end;
	uint64_t next_uid, min_uid, last_ts;
	struct layout_def *layouts;
	size_t n_layouts, n_strings, n_tracks;
};

/* What an event has before its values. */
struct event_head {
	struct layout_def *d;
	uint64_t layout, name, track, uid;
	int64_t ts, dur;
};

static struct view view_of(const struct reader *r, const uint8_t *p)
{
	return (struct view){ p, r->end, 0, r->counts.next_uid, 0, r->layouts, r->n_layouts, r->n_strings, r->n_tracks };
}

static enum tl_status bad_head(struct reader *r, const uint8_t *start, const struct event_head *h)
{
	if (h->layout - 1 >= r->n_layouts)
		return bad_id(r, start, "layout", h->layout, r->n_layouts);
	if (h->name > r->n_strings)
		return bad_id(r, start, "name", h->name, r->n_strings);
	return bad_id(r, start, "track", h->track, r->n_tracks);
}

/* Reads up to an event's values, which come next; false when it is none. */
static inline __attribute__((always_inline)) bool read_head(struct view *w, struct event_head *h, unsigned *bad)
{
	uint64_t skipped, v;
	const uint8_t *p = read_numbers(w->p, &h->layout, &h->name, &h->track, &skipped, bad);

	if (h->layout - 1 >= w->n_layouts || h->name > w->n_strings || h->track > w->n_tracks)
		return false;
	h->d = &w->layouts[h->layout - 1];
	h->ts = h->dur = 0;
	if (h->d->flags & TL_HAS_TS) {
		p = tl_get_any_varint(p, &v, bad);
		w->last_ts += tl_unzigzag(v);
		h->ts = (int64_t)w->last_ts;
	}
	if (h->d->flags & TL_HAS_DUR) {
		p = tl_get_any_varint(p, &v, bad);
		h->dur = (int64_t)tl_unzigzag(v);
	}
	h->uid = w->next_uid + skipped;
	w->p = p;
	return true;
}

/* Is all well behind the values of an event? */
static inline __attribute__((always_inline)) bool close_event(struct view *w, const struct event_head *h, unsigned bad)
{
	if (!w->p || w->p > w->end || bad || h->uid < w->next_uid || h->uid < w->min_uid || h->uid == TL_NO_UID)
		return false;
	w->min_uid = w->next_uid = h->uid + 1;
	return true;
}

static enum tl_status bad_event(struct reader *r, const uint8_t *start, const struct view *w,
                                const struct event_head *h, unsigned bad)
{
	if (!w->p || w->p > w->end || bad || h->uid < w->next_uid)
		return cut_record(r, start, "an event");
	return damaged(r, start, "damaged event stream: event %" PRIu64 " after event %" PRIu64,
	               h->uid, w->min_uid - 1);
}

static enum tl_status push_event(struct reader *r, const struct event_head *h)
{
	struct tl_event ev = { .uid = h->uid, .ts = h->ts, .dur = h->dur, .values = r->values };
	enum tl_status st;

	ev.layout = h->d->sink_id ? h->d->sink_id : sink_layout(r, h->d);
	ev.name = sink_string(r, h->name);
	ev.track = sink_track(r, h->track);
	st = r->sink->ops->event(r->sink, &ev, r->err);
	if (r->sink->generation != r->generation)
		forget_ids(r);
	return st;
}

static enum tl_status read_events(struct reader *r, const uint8_t *p)
{
	struct view w = view_of(r, p);
	enum tl_status st = TL_OK;

	while (w.p < w.end && st == TL_OK) {
		const uint8_t *start = w.p;
		struct event_head h;
		unsigned bad = 0;

		if (!read_head(&w, &h, &bad))
			return bad_head(r, start, &h);
		if (h.d->drop)
			w.p = tl_skip_varints(w.p, w.end, h.d->n_fields);
		else if (!(w.p = read_values(r, w.p, h.d, &bad)))
			return TL_ERR_DATA;
		if (!close_event(&w, &h, bad))
			return bad_event(r, start, &w, &h, bad);
		r->counts.events[h.d->kind]++;
		if (!h.d->drop)
			st = push_event(r, &h);
	}
	r->counts.next_uid = w.min_uid;
	return st;
}

/* Steps over an event of a sink that takes values as they stand; `to` is filled
 * whether it is kept or not. */
static inline __attribute__((always_inline)) enum tl_status
read_packed(struct reader *r, struct view *w, struct tl_packed_event *to, bool *drop)
{
	const uint8_t *start = w->p, *packed;
	struct event_head h;
	unsigned bad = 0;

	if (!read_head(w, &h, &bad))
		return bad_head(r, start, &h);
	packed = w->p;
	w->p = tl_skip_varints(packed, w->end, h.d->n_fields);
	if (!close_event(w, &h, bad))
		return bad_event(r, start, w, &h, bad);
	r->counts.events[h.d->kind]++;
	*drop = h.d->drop;
	*to = (struct tl_packed_event){
		{ h.uid, h.d->sink_id, r->string_ids[h.name], r->track_ids[h.track], h.ts, h.dur, NULL },
		packed, (size_t)(w->p - packed) };
	return TL_OK;
}

/* Up to BATCH events for a sink that takes their values as they stand. */
static enum tl_status read_batch(struct reader *r, struct view *in, size_t *n)
{
	struct view w = *in;
	struct tl_packed_event *to = r->batch.events, *past = to + BATCH;

	while (w.p < w.end && to < past) {
		bool drop = false;
		enum tl_status st = read_packed(r, &w, to, &drop);

		if (st != TL_OK)
			return st;
		to += !drop;
	}
	*n = (size_t)(to - r->batch.events);
	*in = w;
	return TL_OK;
}

#ifdef ENDS_HERE
/* What changes from event to event, for the loop below to keep in registers. */
struct place {
	const uint8_t *p;
	uint64_t next_uid, last_ts;
};

/* An event as nearly all are: numbers of a byte each, or two for the name, the
 * rest in reach. False, and nothing done, when it is another or damaged. */
ENDS_INLINE bool read_plain(struct reader *r, struct place *at, const uint8_t *end, struct tl_packed_event *to, bool *drop)
{
	const uint8_t *p = at->p, *packed;
	uint64_t ends = ends_of(p), word = tl_load_le64(p), past;
	uint64_t two = word >> 15 & 1; /* bytes of the name, less one */
	uint64_t layout = (word & 0x7f) - 1, name = (word >> 8 & 0x7f) | ((word >> 9 & 0x3f80) & -two);
	uint64_t rest = word >> (16 + 8 * two), track = rest & 0x7f; /* then the gap */
	uint64_t ts = 0, dur = 0;
	const struct layout_def *d;
	unsigned len;

	if ((word & 0x80) | (rest & 0x8080) | (word >> 16 & 0x80 & -two))
		return false;
	if (layout >= r->n_layouts || name > r->n_strings || track > r->n_tracks)
		return false;
	d = &r->layouts[layout];
	past = _pdep_u64(d->last, ends); /* the bit of the last byte */
	packed = p + 4 + two;
	ends >>= 4 + two;
	if (d->flags & TL_HAS_TS) {
		len = (unsigned)_tzcnt_u64(ends) + 1;
		if (len > 8)
			return false;
		ts = at->last_ts + tl_unzigzag(ends_value(tl_load_le64(packed), len));
		packed += len;
		ends >>= len;
	}
	if (d->flags & TL_HAS_DUR) {
		len = (unsigned)_tzcnt_u64(ends) + 1;
		if (len > 8)
			return false;
		dur = tl_unzigzag(ends_value(tl_load_le64(packed), len));
		packed += len;
	}
	p += _tzcnt_u64(past) + 1;
	if (!past || p > end)
		return false;
	at->p = p;
	at->next_uid += rest >> 8 & 0x7f;
	to->ev = (struct tl_event){ at->next_uid++, d->sink_id, r->string_ids[name], r->track_ids[track],
	                            (int64_t)ts, (int64_t)dur, NULL };
	to->packed = packed;
	to->len = (size_t)(p - packed);
	if (d->flags & TL_HAS_TS)
		at->last_ts = ts;
	r->counts.events[d->kind]++;
	*drop = d->drop;
	return true;
}

static __attribute__((noinline)) enum tl_status
read_rare(struct reader *r, struct view *w, struct tl_packed_event *to, bool *drop)
{
	return read_packed(r, w, to, drop);
}

/* The same as read_batch. */
static ENDS_TARGET enum tl_status read_batch_by_ends(struct reader *r, struct view *w, size_t *n)
{
	struct tl_packed_event *to = r->batch.events, *past = to + BATCH;
	struct place at = { w->p, w->next_uid, w->last_ts };
	const uint8_t *end = w->end;
	/* the first event of a block, and uids near their end, are read with more checks */
	bool plain = w->next_uid && w->next_uid < TL_NO_UID / 2;

	while (at.p < end && to < past) {
		bool drop = false;

		if (!plain || !read_plain(r, &at, end, to, &drop)) {
			enum tl_status st;

			w->p = at.p;
			w->last_ts = at.last_ts;
			if (plain)
				w->min_uid = w->next_uid = at.next_uid;
			st = read_rare(r, w, to, &drop);
			if (st != TL_OK)
				return st;
			at = (struct place){ w->p, w->next_uid, w->last_ts };
			plain = w->next_uid < TL_NO_UID / 2;
		}
		to += !drop;
	}
	*n = (size_t)(to - r->batch.events);
	w->p = at.p;
	w->last_ts = at.last_ts;
	if (plain)
		w->min_uid = w->next_uid = at.next_uid;
	return TL_OK;
}
#endif

static enum tl_status read_packed_events(struct reader *r, const uint8_t *p)
{
	struct view w = view_of(r, p);
	enum tl_status st = TL_OK;

	while (w.p < w.end && st == TL_OK) {
		size_t n = 0;

#ifdef ENDS_HERE
		st = r->ends ? read_batch_by_ends(r, &w, &n) : read_batch(r, &w, &n);
#else
		st = read_batch(r, &w, &n);
#endif
		if (st == TL_OK && n)
			st = r->sink->ops->packed_events(r->sink, r->batch.events, n, r->err);
	}
	r->counts.next_uid = w.min_uid;
	return st;
}

/* One link; the end of it, or NULL when it is none. */
static inline const uint8_t *read_link(struct reader *r, const uint8_t *p, uint64_t *last_a, struct tl_link *k)
{
	const uint8_t *start = p;
	uint8_t type = *p++;
	unsigned bad = 0;
	uint64_t v;

	k->type = type & 0x7f;
	k->b = TL_NO_UID;
	if (k->type == 0 || k->type >= TL_LINK_COUNT) {
		damaged(r, start, "damaged event stream: unknown link type %u", k->type);
		return NULL;
	}
	p = tl_get_varint(p, &v, &bad);
	*last_a = k->a = *last_a + tl_unzigzag(v);
	if (type < 0x80) {
		p = tl_get_varint(p, &v, &bad);
		k->b = k->a + tl_unzigzag(v);
	}
	if (p > r->end || bad) {
		cut_record(r, start, "a link");
		return NULL;
	}
	r->n_links++;
	return p;
}

static enum tl_status read_links(struct reader *r, const uint8_t *p)
{
	uint64_t last_a = 0;
	enum tl_status st = TL_OK;

	while (p < r->end && st == TL_OK) {
		struct tl_link k;

		if (!(p = read_link(r, p, &last_a, &k)))
			return TL_ERR_DATA;
		st = r->sink->ops->link(r->sink, &k, r->err);
		if (r->sink->generation != r->generation)
			forget_ids(r);
	}
	return st;
}

static enum tl_status read_many_links(struct reader *r, const uint8_t *p)
{
	struct tl_link *to = r->batch.links;
	uint64_t last_a = 0;
	enum tl_status st = TL_OK;

	while (p < r->end && st == TL_OK) {
		size_t n = 0;

		for (; p < r->end && n < BATCH; n++)
			if (!(p = read_link(r, p, &last_a, &to[n])))
				return TL_ERR_DATA;
		st = r->sink->ops->links(r->sink, to, n, r->err);
	}
	return st;
}

static enum tl_status read_meta(struct reader *r, const uint8_t *p)
{
	uint64_t key_len;
	const char *key;

	p = take(r, p, (uint64_t)(r->end - p), "key length", &key_len);
	if (!p)
		return TL_ERR_DATA;
	if (key_len > (size_t)(r->end - p))
		return damaged(r, p, "damaged event stream: a member's key reaches behind its frame");
	key = (const char *)p;
	p += key_len;
	r->counts.members++;
	return r->sink->ops->meta(r->sink, key, key_len, (const char *)p, (size_t)(r->end - p), r->err);
}

/* ---- end -------------------------------------------------------------------------------- */

static enum tl_status check_count(struct reader *r, const uint8_t *p, const char *what, uint64_t said, uint64_t seen)
{
	if (said == seen)
		return TL_OK;
	return damaged(r, p, "damaged event stream: its end record counts %" PRIu64 " %s, %" PRIu64 " were read",
	               said, what, seen);
}

static enum tl_status check_counts(struct reader *r, const uint8_t *p)
{
	const struct { const char *what; uint64_t n; } last[] = {
		{ "links", r->n_links }, { "strings", r->counts.strings }, { "members", r->counts.members },
	};
	const uint8_t *start = p;
	uint64_t n_kinds, n;
	enum tl_status st = TL_OK;

	p = take(r, p, TL_KIND_COUNT, "kind count", &n_kinds);
	for (uint64_t i = 0; p && i < TL_KIND_COUNT && st == TL_OK; i++) {
		n = 0;
		if (i < n_kinds && !(p = take(r, p, UINT64_MAX, "event count", &n)))
			return TL_ERR_DATA;
		st = check_count(r, start, tl_kind_name((unsigned)i), n, r->counts.events[i]);
	}
	for (size_t i = 0; p && i < 3 && st == TL_OK; i++)
		if ((p = take(r, p, UINT64_MAX, "count", &n)))
			st = check_count(r, start, last[i].what, n, last[i].n);
	if (!p)
		return TL_ERR_DATA;
	if (st == TL_OK && p != r->end)
		return damaged(r, p, "damaged event stream: its end record is too long");
	return st;
}

/* p: the payload; its last four bytes are the checksum. */
static enum tl_status read_end(struct reader *r, const uint8_t *p)
{
	enum tl_status st;
	uint32_t sum;

	if (r->end - p < 4)
		return damaged(r, p, "damaged event stream: its end record has no checksum");
	r->end -= 4;
	r->crc = tl_crc32(r->crc, p - FRAME_HEAD, (size_t)(r->end - p) + FRAME_HEAD);
	sum = load_le32(r->end);
	st = check_counts(r, p);
	if (st != TL_OK)
		return st;
	if (sum != r->crc)
		return damaged(r, r->end, "damaged event stream: checksum %08" PRIx32 ", its end record says %08" PRIx32,
		               r->crc, sum);
	return TL_OK;
}

/* ---- frames ----------------------------------------------------------------------------- */

static enum tl_status truncated(struct reader *r)
{
	return tl_fail_at(r->err, TL_ERR_DATA, (int64_t)(r->src.base + r->src.len),
	                  "the event stream is cut short: it ends without its end record");
}

static enum tl_status read_magic(struct reader *r)
{
	struct source *s = &r->src;
	const uint8_t *p;
	enum tl_status st = tl_source_fill(s, MAGIC_LEN + 4, r->err);
	size_t n = source_avail(s);

	if (st != TL_OK)
		return st;
	p = s->data;
	if (n == 0)
		return tl_fail_at(r->err, TL_ERR_DATA, 0, "empty input, an event stream was expected");
	if (memcmp(p, TL_STREAM_MAGIC, n < MAGIC_LEN ? n : MAGIC_LEN) != 0)
		return tl_fail_at(r->err, TL_ERR_DATA, 0, "not an event stream");
	if (n < MAGIC_LEN + 4)
		return truncated(r);
	if (load_le16(p + 8) != TL_STREAM_MAJOR)
		return tl_fail_at(r->err, TL_ERR_DATA, 8,
		                  "event stream of version %u.%u, this program reads version %d.%d",
		                  load_le16(p + 8), load_le16(p + 10), TL_STREAM_MAJOR, TL_STREAM_MINOR);
	r->crc = tl_crc32(0, p, MAGIC_LEN + 4);
	s->pos = MAGIC_LEN + 4;
	return TL_OK;
}

static enum tl_status skip_payload(struct reader *r, uint32_t len)
{
	struct source *s = &r->src;

	while (len) {
		size_t n;
		enum tl_status st = tl_source_fill(s, 1, r->err);

		if (st != TL_OK)
			return st;
		n = source_avail(s) < len ? source_avail(s) : len;
		if (n == 0)
			return truncated(r);
		r->crc = tl_crc32(r->crc, s->data + s->pos, n);
		s->pos += n;
		len -= (uint32_t)n;
	}
	return TL_OK;
}

static enum tl_status dispatch(struct reader *r, char type, const uint8_t *p)
{
	switch (type) {
	case 'H': return read_header(r, p);
	case 'S': return read_strings(r, p);
	case 'T': return read_tracks(r, p);
	case 'L': return read_layouts(r, p);
	case 'R': return read_reset(r, p);
	case 'M': return read_meta(r, p);
	case 'B': return r->packs ? read_packed_events(r, p) : read_events(r, p);
	case 'K': return r->packs ? read_many_links(r, p) : read_links(r, p);
	default: return read_end(r, p); /* 'E' */
	}
}

static enum tl_status read_payload(struct reader *r, char type, uint32_t len)
{
	struct source *s = &r->src;
	const uint8_t *p;
	enum tl_status st = tl_source_fill(s, FRAME_HEAD + (size_t)len, r->err);

	if (st != TL_OK)
		return st;
	if (source_avail(s) < FRAME_HEAD + (size_t)len)
		return truncated(r);
	p = s->data + s->pos + FRAME_HEAD;
	r->end = p + len;
	if (type != 'E')
		r->crc = tl_crc32(r->crc, p - FRAME_HEAD, FRAME_HEAD + (size_t)len);
	s->pos += FRAME_HEAD + (size_t)len;
	st = dispatch(r, type, p);
	if (st == TL_OK && r->copies && strchr("STLRMB", type))
		st = r->sink->ops->frame(r->sink, p - FRAME_HEAD, FRAME_HEAD + (size_t)len, &r->counts, r->err);
	return st;
}

/* One frame; *type receives its type. */
static enum tl_status read_frame(struct reader *r, char *type)
{
	struct source *s = &r->src;
	const uint8_t *p;
	uint64_t at = source_offset(s);
	uint32_t len;
	enum tl_status st = tl_source_fill(s, FRAME_HEAD, r->err);

	if (st != TL_OK)
		return st;
	if (source_avail(s) < FRAME_HEAD)
		return truncated(r);
	p = s->data + s->pos;
	*type = (char)p[0];
	len = load_le32(p + 4);
	if (*type >= 'a' && *type <= 'z') {
		r->crc = tl_crc32(r->crc, p, FRAME_HEAD);
		s->pos += FRAME_HEAD;
		return skip_payload(r, len);
	}
	if (!*type || !strchr("HSTLRMBKE", *type) || p[1] || p[2] || p[3])
		return tl_fail_at(r->err, TL_ERR_DATA, (int64_t)at, "damaged event stream: unknown frame "
		                  "%02x %02x %02x %02x", p[0], p[1], p[2], p[3]);
	if (len > MAX_FRAME)
		return tl_fail_at(r->err, TL_ERR_DATA, (int64_t)at, "damaged event stream: frame '%c' of %"
		                  PRIu32 " bytes, at most %u is possible", *type, len, MAX_FRAME);
	if (!r->begun && *type != 'H')
		return tl_fail_at(r->err, TL_ERR_DATA, (int64_t)at, "damaged event stream: it does not begin "
		                  "with its header");
	return read_payload(r, *type, len);
}

static enum tl_status read_frames(struct reader *r)
{
	enum tl_status st = read_magic(r);
	char type = 0;

	while (st == TL_OK && type != 'E')
		st = read_frame(r, &type);
	if (st == TL_OK)
		st = tl_source_fill(&r->src, 1, r->err);
	if (st == TL_OK && source_avail(&r->src))
		st = tl_fail_at(r->err, TL_ERR_DATA, (int64_t)source_offset(&r->src),
		                "there is data after the end record of the event stream");
	if (st == TL_OK)
		st = r->sink->ops->end(r->sink, r->err);
	return st;
}

enum tl_status tl_stream_read(struct tl_input *in, const void *got, size_t got_len,
                              struct tl_sink *sink, struct tl_error *err)
{
	struct tl_stream_filter all = { 0 };

	return tl_stream_read_without(in, got, got_len, &all, sink, err);
}

enum tl_status tl_stream_read_without(struct tl_input *in, const void *got, size_t got_len,
                                      struct tl_stream_filter *filter, struct tl_sink *sink, struct tl_error *err)
{
	struct reader *r = tl_calloc(1, sizeof *r);
	enum tl_status st;

	tl_source_init(&r->src, in, got, got_len);
	r->sink = sink;
	r->err = err;
	r->filter = filter;
#ifdef ENDS_HERE
	r->ends = ends_work();
#endif
	filter->n_events = 0;
	TL_GROW(r->string_ids, r->cap_string_ids, 1);
	TL_GROW(r->track_ids, r->cap_track_ids, 1);
	r->string_ids[0] = r->track_ids[0] = 0;
	tl_arena_init(&r->text);
	st = read_frames(r);
	filter->n_events = r->counts.next_uid;
	tl_source_release(&r->src);
	tl_arena_release(&r->text);
	free(r->strings);
	free(r->tracks);
	free(r->layouts);
	free(r->fields);
	free(r->types);
	free(r->string_ids);
	free(r->track_ids);
	free(r);
	return st;
}
