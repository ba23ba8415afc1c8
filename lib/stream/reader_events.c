/* reader_events.c - the events and links of a stream: from bytes to calls of the sink.
 *
 * A sink that takes values as they stand gets many events or links at a time.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "stream/reader.h"

#include <inttypes.h>

#include "stream/ends.h"

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

enum tl_status tl_read_events(struct reader *r, const uint8_t *p)
{
	return r->packs ? read_packed_events(r, p) : read_events(r, p);
}

enum tl_status tl_read_links(struct reader *r, const uint8_t *p)
{
	return r->packs ? read_many_links(r, p) : read_links(r, p);
}
