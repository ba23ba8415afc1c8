/* reader.c - reads the binary event stream, tl-stream(5), into a sink.
 *
 * Ids of the stream are translated to ids of the sink: when it is defined for a
 * sink that takes values as they stand, else when an event first uses it, and
 * then the text of the tables is kept, so that a sink that starts its own tables
 * anew gets what it needs again.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "stream/reader.h"

#include <inttypes.h>
#include <stdlib.h>

#include "stream/ends.h"
#include "stream/header.h"

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

/* ---- members ---------------------------------------------------------------------------- */

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
	case 'B': return tl_read_events(r, p);
	case 'K': return tl_read_links(r, p);
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
