/* reader.c - reads the binary event stream, tl-stream(5), into a sink. The ids
 * of the stream are the ids of this source.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/varint.h"
#include "model/wire.h"

/* ---- the frames of a stream, read one after the other ----------------------------------- */

struct tl_frames {
	struct tl_window window;
	struct tl_error *err;
	uint32_t crc;
	char type;            /* of the frame at hand */
	struct tl_bytes body; /* its payload; of 'E' without the checksum */
};

/* Fails with "damaged event stream: …" and the offset of p in the input. */
__attribute__((format(printf, 3, 4)))
static enum tl_status frames_damaged(struct tl_frames *f, const uint8_t *p, const char *fmt, ...)
{
	char what[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	return tl_fail_at(f->err, TL_ERR_DATA, (int64_t)(f->window.base + (uint64_t)(p - f->window.data)),
	                  "damaged event stream: %s", what);
}

static enum tl_status cut_short(struct tl_frames *f)
{
	return tl_fail_at(f->err, TL_ERR_DATA, (int64_t)(f->window.base + f->window.len),
	                  "the event stream is cut short: it ends without its end record");
}

/* Begins to read, and checks magic and version. Call frames_close even after an error. */
static enum tl_status frames_open(struct tl_frames *f, struct tl_input *in, const void *got, size_t got_len,
                              struct tl_error *err)
{
	struct tl_window *w = &f->window;

	*f = (struct tl_frames){ .err = err };
	tl_window_init(w, in, got, got_len);
	enum tl_status st = tl_window_fill(w, MAGIC_LEN + VERSION_LEN, err);
	size_t n = tl_window_avail(w);
	const uint8_t *p = w->data;

	if (st != TL_OK)
		return st;
	if (n == 0)
		return tl_fail_at(err, TL_ERR_DATA, 0, "empty input, an event stream was expected");
	if (memcmp(p, TL_STREAM_MAGIC, n < MAGIC_LEN ? n : MAGIC_LEN) != 0)
		return tl_fail_at(err, TL_ERR_DATA, 0, "not an event stream");
	if (n < MAGIC_LEN + VERSION_LEN)
		return cut_short(f);
	if (load_le16(p + MAGIC_LEN) != TL_STREAM_MAJOR)
		return tl_fail_at(err, TL_ERR_DATA, MAGIC_LEN,
		                  "event stream of version %u.%u, this program reads version %d.%d",
		                  load_le16(p + MAGIC_LEN), load_le16(p + MAGIC_LEN + 2), TL_STREAM_MAJOR, TL_STREAM_MINOR);
	f->crc = tl_crc32(0, p, MAGIC_LEN + VERSION_LEN);
	w->pos = MAGIC_LEN + VERSION_LEN;
	return TL_OK;
}

static enum tl_status check_head(struct tl_frames *f, const uint8_t *p)
{
	bool letter = (p[0] >= 'a' && p[0] <= 'z') || (p[0] && strchr("HSTLRMBKE", p[0]));

	if (!letter || p[1] || p[2] || p[3])
		return frames_damaged(f, p, "unknown frame %02x %02x %02x %02x", p[0], p[1], p[2], p[3]);
	if (load_le32(p + 4) > MAX_FRAME)
		return frames_damaged(f, p, "frame '%c' of %lu bytes, at most %lu is possible", p[0],
		                         (unsigned long)load_le32(p + 4), (unsigned long)MAX_FRAME);
	return TL_OK;
}

/* Reads the next frame; its payload stays until the next call. An input that ends
 * before a frame 'E' is an error, and so is a wrong checksum in that frame. */
static enum tl_status frames_next(struct tl_frames *f)
{
	struct tl_window *w = &f->window;
	enum tl_status st = tl_window_fill(w, FRAME_HEAD, f->err);

	if (st != TL_OK)
		return st;
	if (tl_window_avail(w) < FRAME_HEAD)
		return cut_short(f);
	st = check_head(f, w->data + w->pos);
	if (st != TL_OK)
		return st;
	size_t len = FRAME_HEAD + (size_t)load_le32(w->data + w->pos + 4);
	st = tl_window_fill(w, len, f->err);
	if (st != TL_OK)
		return st;
	if (tl_window_avail(w) < len)
		return cut_short(f);
	const uint8_t *p = w->data + w->pos;
	w->pos += len;
	f->type = (char)p[0];
	f->body = (struct tl_bytes){ p + FRAME_HEAD, p + len, false };
	if (f->type == 'E') {
		/* the checksum covers all bytes before it */
		const uint8_t *end = f->body.end - CHECKSUM_LEN;
		if (f->body.end - f->body.p < CHECKSUM_LEN)
			return frames_damaged(f, f->body.p, "its end record has no checksum");
		f->crc = tl_crc32(f->crc, f->body.p - FRAME_HEAD, len - CHECKSUM_LEN);
		f->body.end = end;
		if (load_le32(end) != f->crc)
			return frames_damaged(f, end, "checksum %08lx, its end record says %08lx",
			                         (unsigned long)f->crc, (unsigned long)load_le32(end));
		return TL_OK;
	}
	f->crc = tl_crc32(f->crc, p, len);
	return TL_OK;
}

/* After 'E': fails if anything follows. */
static enum tl_status frames_end(struct tl_frames *f)
{
	enum tl_status st = tl_window_fill(&f->window, 1, f->err);

	if (st == TL_OK && tl_window_avail(&f->window))
		st = tl_fail_at(f->err, TL_ERR_DATA, (int64_t)tl_window_offset(&f->window),
		                "there is data after the end record of the event stream");
	return st;
}

struct reader {
	struct tl_frames frames;
	struct tl_tables tables;
	struct tl_sink *sink;
	struct tl_error *err;
	bool begun;
	uint64_t next_uid; /* the lowest that the next event may have */
	uint64_t n_events, n_links, n_members;
	struct tl_field fields[TL_MAX_FIELDS];
	int64_t values[TL_MAX_FIELDS];
};

#define damaged(r, ...) frames_damaged(&(r)->frames, (r)->frames.body.p, __VA_ARGS__)

/* ---- header ------------------------------------------------------------------- */

/* Keys that are not known come from a later minor version. */
static enum tl_status read_header_lines(struct reader *r, struct tl_bytes *b, struct tl_header_parts *l)
{
	while (b->p < b->end) {
		const char *p = (const char *)b->p;
		const char *nl = memchr(p, '\n', (size_t)(b->end - b->p));
		const char *eq = nl ? memchr(p, '=', (size_t)(nl - p)) : NULL;

		if (!eq)
			return damaged(r, "header line without '=' or newline");
		if (tl_header_add(l, p, (size_t)(eq - p), eq + 1, (size_t)(nl - eq - 1)) == TL_HEADER_BAD_VALUE)
			return damaged(r, "bad header line '%.*s'", nl - p > 200 ? 200 : (int)(nl - p), p);
		b->p = (const uint8_t *)nl + 1;
	}
	return tl_header_finish(l) ? TL_OK : damaged(r, "header without ticks_per_us");
}

static enum tl_status read_header(struct reader *r, struct tl_bytes *b)
{
	struct tl_header_parts l = { 0 };

	if (r->begun)
		return damaged(r, "a second header");
	r->begun = true;
	enum tl_status st = read_header_lines(r, b, &l);
	if (st == TL_OK)
		st = r->sink->ops->begin(r->sink, &l.h, &r->tables, r->err);
	tl_header_release(&l);
	return st;
}

/* ---- definitions ---------------------------------------------------------------- */

/* A number that may be at most max; 0 and bad when it is greater. */
static uint64_t take(struct tl_bytes *b, uint64_t max)
{
	uint64_t v = tl_take_varint(b);

	if (v > max)
		b->bad = true;
	return b->bad ? 0 : v;
}

/* Checks a definition that got `id` when n of its sort were defined. */
static enum tl_status defined(struct reader *r, const char *what, uint32_t id, uint32_t n, uint32_t most)
{
	if (id != n + 1)
		return damaged(r, "a %s that is empty or was defined before", what);
	if (id > most)
		return damaged(r, "more than %" PRIu32 " %ss without a reset", most, what);
	return TL_OK;
}

static enum tl_status read_string(struct reader *r, struct tl_bytes *b)
{
	uint32_t n = r->tables.strings.count;
	uint64_t len = take(b, TL_STREAM_MAX_STRING);

	if (b->bad || len > (size_t)(b->end - b->p))
		return damaged(r, "a string reaches behind its frame");
	uint32_t id = tl_add_string(&r->tables, (const char *)b->p, len);
	b->p += len;
	return defined(r, "string", id, n, READER_ENTRIES);
}

static enum tl_status read_track(struct reader *r, struct tl_bytes *b)
{
	uint32_t n = r->tables.tracks.count;
	uint32_t pid = (uint32_t)take(b, r->tables.strings.count), tid = (uint32_t)take(b, r->tables.strings.count);

	if (b->bad)
		return damaged(r, "a track is cut off or names no string");
	return defined(r, "track", tl_add_track(&r->tables, pid, tid), n, READER_ENTRIES);
}

static enum tl_status read_layout(struct reader *r, struct tl_bytes *b)
{
	uint32_t n = r->tables.layout_keys.count, n_strings = r->tables.strings.count;
	struct tl_layout l = { .cat = (uint32_t)take(b, n_strings), .fields = r->fields };

	l.kind = (uint8_t)take(b, TL_KIND_COUNT - 1);
	l.ph = (char)take(b, UINT8_MAX);
	l.flags = (uint8_t)take(b, TL_LAYOUT_FLAGS);
	l.n_fields = (uint32_t)take(b, TL_MAX_FIELDS);
	for (uint32_t i = 0; i < l.n_fields; i++) {
		uint32_t key = (uint32_t)take(b, n_strings), type = (uint32_t)take(b, 2 * TL_FIELD_JSON + 1);

		r->fields[i] = (struct tl_field){ key, (uint8_t)(type >> 1), type & 1 };
		b->bad |= !key || !(type >> 1);
	}
	if (b->bad)
		return damaged(r, "a layout is cut off or has a part that is out of range");
	if (r->tables.n_fields > READER_ENTRIES)
		return damaged(r, "more than %u fields without a reset", READER_ENTRIES);
	return defined(r, "layout", tl_add_layout(&r->tables, &l), n, READER_LAYOUTS);
}

static enum tl_status read_all(struct reader *r, struct tl_bytes *b,
                               enum tl_status (*read)(struct reader *, struct tl_bytes *))
{
	enum tl_status st = TL_OK;

	while (b->p < b->end && st == TL_OK)
		st = read(r, b);
	return st;
}

static enum tl_status read_reset(struct reader *r, const struct tl_bytes *b)
{
	if (b->p < b->end)
		return damaged(r, "a reset frame with a payload");
	r->sink->ops->reset(r->sink);
	tl_tables_clear(&r->tables);
	return TL_OK;
}

/* ---- members, events, links ------------------------------------------------------ */

static enum tl_status read_member(struct reader *r, struct tl_bytes *b)
{
	uint64_t key_len = tl_take_varint(b);
	const char *key = (const char *)b->p;

	if (b->bad || key_len > (size_t)(b->end - b->p))
		return damaged(r, "a member's key reaches behind its frame");
	r->n_members++;
	return r->sink->ops->meta(r->sink, key, key_len, key + key_len, (size_t)(b->end - b->p) - key_len, r->err);
}

static enum tl_status bad_event(struct reader *r, const uint8_t *p)
{
	return frames_damaged(&r->frames, p, "an event names no layout, string or track, or reaches behind its block");
}

/* Reads the values of an event's fields; false if a string id is unknown or the block ends. */
static inline bool read_values(struct reader *r, struct tl_bytes *b, const struct tl_layout *l)
{
	uint32_t n_strings = r->tables.strings.count;

	for (uint32_t i = 0; i < l->n_fields; i++) {
		uint64_t v = tl_take_varint(b);

		if (l->fields[i].type == TL_FIELD_INT)
			v = tl_unzigzag(v);
		else if (v > n_strings)
			return false;
		r->values[i] = (int64_t)v;
	}
	return !b->bad;
}

static enum tl_status read_events(struct reader *r, struct tl_bytes b)
{
	const struct tl_tables *t = &r->tables;
	uint64_t next_uid = 0, last_ts = 0;
	enum tl_status st = TL_OK;

	while (b.p < b.end && st == TL_OK) {
		const uint8_t *start = b.p;
		uint64_t layout = tl_take_varint(&b), name = tl_take_varint(&b), track = tl_take_varint(&b);
		struct tl_event e = { .uid = next_uid + tl_take_varint(&b), .values = r->values };

		if (layout - 1 >= t->layout_keys.count || name > t->strings.count || track > t->tracks.count)
			return bad_event(r, start);
		const struct tl_layout *l = tl_layout_of(t, (uint32_t)layout);
		e.layout = (uint32_t)layout;
		e.name = (uint32_t)name;
		e.track = (uint32_t)track;
		if (l->flags & TL_HAS_TS)
			e.ts = (int64_t)(last_ts += (uint64_t)tl_take_signed(&b));
		if (l->flags & TL_HAS_DUR)
			e.dur = tl_take_signed(&b);
		if (!read_values(r, &b, l))
			return bad_event(r, start);
		bool same = l->kind == TL_KIND_COUNTER && e.uid + 1 == r->next_uid; /* counters of one record */
		if ((e.uid < r->next_uid && !same) || e.uid < next_uid || e.uid == TL_NO_UID)
			return frames_damaged(&r->frames, start, "event %" PRIu64 " after event %" PRIu64, e.uid,
			                         r->next_uid - 1);
		r->next_uid = next_uid = e.uid + 1;
		r->n_events++;
		st = r->sink->ops->event(r->sink, &e, r->err);
	}
	return st;
}

static enum tl_status read_links(struct reader *r, struct tl_bytes b)
{
	uint64_t last_a = 0;
	enum tl_status st = TL_OK;

	while (b.p < b.end && st == TL_OK) {
		const uint8_t *start = b.p;
		uint8_t type = *b.p++;
		struct tl_link k = { .type = type & 0x7f, .b = TL_NO_UID };

		last_a = k.a = last_a + (uint64_t)tl_take_signed(&b);
		if (type < 0x80)
			k.b = k.a + (uint64_t)tl_take_signed(&b);
		if (b.bad || k.type == 0 || k.type >= TL_LINK_COUNT)
			return frames_damaged(&r->frames, start,
			                         "a link of an unknown type, or one that reaches behind its block");
		r->n_links++;
		st = r->sink->ops->link(r->sink, &k, r->err);
	}
	return st;
}

/* ---- frames ---------------------------------------------------------------------- */

static enum tl_status read_end(struct reader *r, struct tl_bytes *b)
{
	const struct { const char *what; uint64_t n; } counts[] = {
		{ "events", r->n_events }, { "links", r->n_links }, { "members", r->n_members },
	};

	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		uint64_t n = tl_take_varint(b);
		if (n != counts[i].n || b->bad)
			return damaged(r, "its end record counts %" PRIu64 " %s, %" PRIu64 " were read", n, counts[i].what,
			               counts[i].n);
	}
	return b->p == b->end ? TL_OK : damaged(r, "its end record is too long");
}

static enum tl_status read_frame(struct reader *r)
{
	struct tl_bytes *b = &r->frames.body;
	char type = r->frames.type;

	if (type >= 'a')
		return TL_OK; /* of a later minor version */
	if (!r->begun && type != 'H')
		return damaged(r, "it does not begin with its header");
	switch (type) {
	case 'H': return read_header(r, b);
	case 'S': return read_all(r, b, read_string);
	case 'T': return read_all(r, b, read_track);
	case 'L': return read_all(r, b, read_layout);
	case 'R': return read_reset(r, b);
	case 'M': return read_member(r, b);
	case 'B': return read_events(r, *b);
	case 'K': return read_links(r, *b);
	default: return read_end(r, b); /* 'E' */
	}
}

static enum tl_status read_frames(struct reader *r)
{
	enum tl_status st;

	do {
		st = frames_next(&r->frames);
		if (st == TL_OK)
			st = read_frame(r);
	} while (st == TL_OK && r->frames.type != 'E');
	if (st == TL_OK)
		st = frames_end(&r->frames);
	return st == TL_OK ? r->sink->ops->end(r->sink, r->err) : st;
}

enum tl_status tl_stream_read(struct tl_input *in, const void *got, size_t got_len,
                              struct tl_sink *sink, struct tl_error *err)
{
	struct reader *r = tl_calloc(1, sizeof *r);

	r->sink = sink;
	r->err = err;
	enum tl_status st = frames_open(&r->frames, in, got, got_len, err);
	if (st == TL_OK)
		st = read_frames(r);
	tl_window_release(&r->frames.window);
	tl_tables_release(&r->tables);
	free(r);
	return st;
}
