/* writer.c - a sink that writes the binary event stream, tl-stream(5).
 *
 * The bytes depend on the sequence of meta, event and link calls and on
 * nothing else: a string, track or layout gets its number in the stream when
 * an event first uses it, in a fixed order, not when the source hands it over.
 * So a source may define what it never uses, in any order, and a stream that
 * went through its text form comes back the same. The frames of another stream
 * are written as they stand: then all of this is as its writer had it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/layouts.h"
#include "stream/stream.h"
#include "stream/text_escape.h"
#include "stream/wire.h"

struct track {
	uint32_t pid, tid; /* the sink's string ids */
	uint32_t out;      /* number in the stream, 0 = not used yet */
};

struct writer {
	struct tl_sink sink;
	struct tl_output *out;
	char *tool_line;
	uint32_t crc;

	/* The sink's ids. */
	struct tl_strtab strings;
	uint32_t *string_out; /* [string id]: number in the stream, 0 = not used yet */
	size_t n_string_out, cap_string_out;
	struct track *tracks; /* [track id - 1] */
	uint32_t n_tracks;
	size_t cap_tracks;
	struct tl_map track_ids;
	struct tl_layouts layouts;

	/* What the stream's tables hold since the last reset. */
	uint32_t out_strings, out_tracks, out_layouts;
	size_t out_bytes, out_fields;

	/* Frames being filled; each starts with room for the frame's head. */
	struct tl_buf new_strings, new_tracks, new_layouts, block;
	char block_type; /* 'B', 'K', or 0: block is empty */
	uint64_t next_uid; /* within the block */
	int64_t last_ts;
	uint64_t last_a;

	struct tl_counts counts;
	uint64_t n_links;

	enum tl_status status; /* of writes inside functions that return ids */
	struct tl_error *err;
};

/* ---- frames ---------------------------------------------------------------- */

static enum tl_status put(struct writer *w, const void *p, size_t len, struct tl_error *err)
{
	w->crc = tl_crc32(w->crc, p, len);
	return w->out->write(w->out, p, len, err);
}

static void frame_head(uint8_t *p, char type, size_t len)
{
	memset(p, 0, FRAME_HEAD);
	p[0] = (uint8_t)type;
	store_le32(p + 4, (uint32_t)len);
}

/* Room for n more bytes of payload; where they go. */
static uint8_t *frame_room(struct tl_buf *b, size_t n)
{
	if (b->len == 0) {
		tl_buf_reserve(b, FRAME_HEAD + n);
		b->len = FRAME_HEAD;
	} else if (b->cap - b->len <= n) {
		tl_buf_reserve(b, n);
	}
	return (uint8_t *)b->data + b->len;
}

static void frame_fill(struct tl_buf *b, const uint8_t *end)
{
	b->len = (size_t)(end - (const uint8_t *)b->data);
}

static void frame_varint(struct tl_buf *b, uint64_t v)
{
	frame_fill(b, tl_put_varint(frame_room(b, TL_VARINT_MAX), v));
}

static enum tl_status frame_send(struct writer *w, struct tl_buf *b, char type, struct tl_error *err)
{
	enum tl_status st;

	if (b->len == 0)
		return TL_OK;
	frame_head((uint8_t *)b->data, type, b->len - FRAME_HEAD);
	st = put(w, b->data, b->len, err);
	b->len = 0;
	return st;
}

/* Sends what is pending; definitions go before the block that uses them. */
static enum tl_status flush(struct writer *w, struct tl_error *err)
{
	enum tl_status st = frame_send(w, &w->new_strings, 'S', err);

	if (st == TL_OK)
		st = frame_send(w, &w->new_tracks, 'T', err);
	if (st == TL_OK)
		st = frame_send(w, &w->new_layouts, 'L', err);
	if (st == TL_OK)
		st = frame_send(w, &w->block, w->block_type, err);
	w->block_type = 0;
	return st;
}

/* Makes the open block one of this type. */
static enum tl_status open_block(struct writer *w, char type, struct tl_error *err)
{
	enum tl_status st;

	if (w->block_type == type)
		return TL_OK;
	st = flush(w, err);
	w->block_type = type;
	w->next_uid = 0;
	w->last_ts = 0;
	w->last_a = 0;
	return st;
}

static void too_long(struct writer *w, size_t len)
{
	w->status = tl_fail(w->err, TL_ERR_DATA, "a string of %zu bytes, an event stream holds at most %u",
	                    len, TL_STREAM_MAX_STRING);
}

/* ---- numbers in the stream --------------------------------------------------- */

/* A long string goes out at once, from where it is, so that it is never in
 * memory twice. */
static void send_long_string(struct writer *w, const char *s, size_t len)
{
	uint8_t head[FRAME_HEAD + TL_VARINT_MAX];
	uint8_t *end = tl_put_varint(head + FRAME_HEAD, len);

	if (len > TL_STREAM_MAX_STRING) {
		too_long(w, len);
		return;
	}
	if (w->status == TL_OK)
		w->status = frame_send(w, &w->new_strings, 'S', w->err);
	frame_head(head, 'S', (size_t)(end - head) - FRAME_HEAD + len);
	if (w->status == TL_OK)
		w->status = put(w, head, (size_t)(end - head), w->err);
	if (w->status == TL_OK)
		w->status = put(w, s, len, w->err);
}

static uint32_t new_string(struct writer *w, uint32_t id)
{
	const char *s = tl_str(&w->strings, id);
	size_t len = tl_str_len(&w->strings, id);

	if (id > w->strings.count) {
		w->status = tl_fail(w->err, TL_ERR_USAGE, "event stream writer: no string %" PRIu32, id);
		return 0;
	}
	if (len >= LONG_STRING) {
		send_long_string(w, s, len);
	} else {
		uint8_t *p = tl_put_varint(frame_room(&w->new_strings, TL_VARINT_MAX + len), len);
		memcpy(p, s, len);
		frame_fill(&w->new_strings, p + len);
		if (w->new_strings.len >= BLOCK_BYTES && w->status == TL_OK)
			w->status = frame_send(w, &w->new_strings, 'S', w->err);
	}
	w->counts.strings++;
	w->out_bytes += len;
	return w->string_out[id] = ++w->out_strings;
}

static inline uint32_t use_string(struct writer *w, uint64_t id)
{
	if (id == 0)
		return 0;
	if (id < w->n_string_out && w->string_out[id])
		return w->string_out[id];
	return new_string(w, id > UINT32_MAX ? UINT32_MAX : (uint32_t)id);
}

static uint32_t use_track(struct writer *w, uint32_t id)
{
	struct track *t;
	uint32_t pid, tid;

	if (id == 0)
		return 0;
	if (id > w->n_tracks) {
		w->status = tl_fail(w->err, TL_ERR_USAGE, "event stream writer: no track %" PRIu32, id);
		return 0;
	}
	t = &w->tracks[id - 1];
	if (t->out)
		return t->out;
	pid = use_string(w, t->pid);
	tid = use_string(w, t->tid);
	frame_varint(&w->new_tracks, pid);
	frame_varint(&w->new_tracks, tid);
	return t->out = ++w->out_tracks;
}

static void use_layout(struct writer *w, struct tl_layout_entry *e)
{
	const struct tl_layout *l = &e->l;
	uint32_t cat = use_string(w, l->cat);
	uint8_t *p;

	frame_varint(&w->new_layouts, cat);
	p = frame_room(&w->new_layouts, 3);
	*p++ = l->kind;
	*p++ = (uint8_t)l->ph;
	*p++ = l->flags;
	frame_fill(&w->new_layouts, p);
	frame_varint(&w->new_layouts, l->n_fields);
	for (uint32_t i = 0; i < l->n_fields; i++) {
		frame_varint(&w->new_layouts, use_string(w, l->fields[i].key));
		p = frame_room(&w->new_layouts, 1);
		*p++ = (uint8_t)(l->fields[i].type | (l->fields[i].top ? 0x80 : 0));
		frame_fill(&w->new_layouts, p);
	}
	w->out_fields += l->n_fields;
	e->out = ++w->out_layouts;
}

/* ---- tables ------------------------------------------------------------------ */

static void clear_tables(struct writer *w)
{
	tl_strtab_release(&w->strings);
	tl_strtab_init(&w->strings);
	w->n_string_out = 0;
	w->n_tracks = 0;
	tl_map_release(&w->track_ids);
	w->track_ids = (struct tl_map){ 0 };
	tl_layouts_clear(&w->layouts);
}

/* Starts the stream's tables anew. */
static enum tl_status reset(struct writer *w, struct tl_error *err)
{
	uint8_t head[FRAME_HEAD];
	enum tl_status st = flush(w, err);

	if (st != TL_OK)
		return st;
	frame_head(head, 'R', 0);
	clear_tables(w);
	w->out_strings = w->out_tracks = w->out_layouts = 0;
	w->out_bytes = w->out_fields = 0;
	w->sink.generation++;
	return put(w, head, sizeof head, err);
}

static uint32_t add_string(struct writer *w, const char *s, size_t len)
{
	uint32_t id = tl_intern(&w->strings, s, len);

	if (id >= w->n_string_out) {
		size_t n = w->n_string_out;
		TL_GROW(w->string_out, w->cap_string_out, (size_t)id + 1);
		memset(w->string_out + n, 0, (id + 1 - n) * sizeof *w->string_out);
		w->n_string_out = (size_t)id + 1;
	}
	return id;
}

static uint32_t add_track(struct writer *w, uint32_t pid, uint32_t tid)
{
	uint32_t *id;
	bool is_new;

	if (!pid && !tid)
		return 0;
	id = tl_map_put(&w->track_ids, (uint64_t)pid << 32 | tid, &is_new);
	if (is_new) {
		TL_GROW(w->tracks, w->cap_tracks, w->n_tracks + (size_t)1);
		w->tracks[w->n_tracks] = (struct track){ pid, tid, 0 };
		*id = ++w->n_tracks;
	}
	return *id;
}

static void keep_used_layouts(struct writer *w, const struct tl_layouts *old, const uint32_t *map)
{
	for (uint32_t i = 0; i < old->n; i++) {
		struct tl_layout l = old->items[i].l;
		struct tl_field *fields;
		uint32_t id;

		if (!old->items[i].out)
			continue;
		fields = tl_alloc((l.n_fields + (size_t)1) * sizeof *fields);
		for (uint32_t k = 0; k < l.n_fields; k++) {
			fields[k] = l.fields[k];
			fields[k].key = map[fields[k].key];
		}
		l.cat = map[l.cat];
		l.fields = fields;
		id = tl_layouts_add(&w->layouts, &l);
		w->layouts.items[id - 1].out = old->items[i].out;
		free(fields);
	}
}

/* Forgets what the source defined and no event used, and keeps the rest with
 * its numbers in the stream: a source may define without end, and the stream
 * must not show it. */
static void compact(struct writer *w)
{
	struct tl_strtab strings = w->strings;
	struct tl_layouts layouts = w->layouts;
	struct track *tracks = w->tracks;
	uint32_t *string_out = w->string_out, n_tracks = w->n_tracks;
	uint32_t *map = tl_calloc((size_t)strings.count + 1, sizeof *map);

	tl_strtab_init(&w->strings);
	w->layouts = (struct tl_layouts){ 0 };
	w->tracks = NULL;
	w->string_out = NULL;
	w->cap_tracks = w->cap_string_out = 0;
	clear_tables(w);
	for (uint32_t i = 1; i <= strings.count; i++) {
		if (!string_out[i])
			continue;
		map[i] = add_string(w, tl_str(&strings, i), tl_str_len(&strings, i));
		w->string_out[map[i]] = string_out[i];
	}
	for (uint32_t i = 0; i < n_tracks; i++) {
		uint32_t id;

		if (!tracks[i].out)
			continue;
		id = add_track(w, map[tracks[i].pid], map[tracks[i].tid]);
		w->tracks[id - 1].out = tracks[i].out;
	}
	keep_used_layouts(w, &layouts, map);
	w->sink.generation++;
	free(map);
	free(string_out);
	free(tracks);
	tl_strtab_release(&strings);
	tl_layouts_clear(&layouts);
}

static enum tl_status bound_tables(struct writer *w, struct tl_error *err)
{
	if (w->out_strings > TABLE_STRINGS || w->out_bytes > TABLE_BYTES || w->out_tracks > TABLE_TRACKS ||
	    w->out_layouts > TABLE_LAYOUTS || w->out_fields > TABLE_FIELDS)
		return reset(w, err);
	if (w->strings.count - w->out_strings > TABLE_STRINGS || w->strings.bytes - w->out_bytes > TABLE_BYTES ||
	    w->n_tracks - w->out_tracks > TABLE_TRACKS || w->layouts.n - w->out_layouts > TABLE_LAYOUTS ||
	    w->layouts.n_fields - w->out_fields > TABLE_FIELDS)
		compact(w);
	return TL_OK;
}

/* ---- the sink ------------------------------------------------------------------ */

static void add_header_line(struct tl_buf *b, const char *key, const char *value)
{
	tl_buf_adds(b, key);
	tl_buf_addc(b, '=');
	tl_text_escape(b, value, strlen(value), "");
	tl_buf_addc(b, '\n');
}

static void header_payload(struct tl_buf *b, const struct tl_header *h, const char *tool_line)
{
	char number[24];

	tl_format_int(number, h->ticks_per_us);
	add_header_line(b, "source", h->source ? h->source : "");
	add_header_line(b, "ticks_per_us", number);
	add_header_line(b, "linked", h->linked ? "1" : "0");
	add_header_line(b, "python", h->python ? "1" : "0");
	for (size_t i = 0; i < h->n_provenance; i++)
		add_header_line(b, "provenance", h->provenance[i]);
	if (tool_line) {
		struct tl_buf line = { 0 };
		tl_buf_addf(&line, "id=%zu prev=%zu %s", h->n_provenance + 1, h->n_provenance, tool_line);
		add_header_line(b, "provenance", line.data);
		tl_buf_release(&line);
	}
}

static enum tl_status writer_begin(struct tl_sink *sink, const struct tl_header *h, struct tl_error *err)
{
	struct writer *w = (struct writer *)sink;
	uint8_t magic[MAGIC_LEN + 4] = TL_STREAM_MAGIC;
	struct tl_buf b = { 0 };
	enum tl_status st;

	if (h->ticks_per_us < 1)
		return tl_fail(err, TL_ERR_DATA, "ticks_per_us is %" PRId64 ", must be at least 1",
		               h->ticks_per_us);
	magic[8] = TL_STREAM_MAJOR & 255;
	magic[9] = TL_STREAM_MAJOR >> 8;
	magic[10] = TL_STREAM_MINOR & 255;
	magic[11] = TL_STREAM_MINOR >> 8;
	frame_room(&b, 0);
	header_payload(&b, h, w->tool_line);
	if (b.len > MAX_FRAME)
		st = tl_fail(err, TL_ERR_DATA, "the header of the event stream is too large");
	else
		st = put(w, magic, sizeof magic, err);
	if (st == TL_OK)
		st = frame_send(w, &b, 'H', err);
	tl_buf_release(&b);
	return st;
}

static uint32_t writer_string(struct tl_sink *sink, const char *s, size_t len)
{
	return add_string((struct writer *)sink, s, len);
}

static uint32_t writer_track(struct tl_sink *sink, uint32_t pid, uint32_t tid)
{
	return add_track((struct writer *)sink, pid, tid);
}

static uint32_t writer_layout(struct tl_sink *sink, const struct tl_layout *l)
{
	return tl_layouts_add(&((struct writer *)sink)->layouts, l);
}

static enum tl_status writer_meta(struct tl_sink *sink, const char *key, size_t key_len, const char *json,
                                  size_t json_len, struct tl_error *err)
{
	struct writer *w = (struct writer *)sink;
	uint8_t head[FRAME_HEAD + TL_VARINT_MAX];
	uint8_t *end = tl_put_varint(head + FRAME_HEAD, key_len);
	enum tl_status st;

	if (key_len > TL_STREAM_MAX_STRING || json_len > TL_STREAM_MAX_STRING - key_len)
		return tl_fail(err, TL_ERR_DATA, "a member of %zu bytes, an event stream holds at most %u",
		               json_len, TL_STREAM_MAX_STRING);
	st = flush(w, err);
	frame_head(head, 'M', (size_t)(end - head) - FRAME_HEAD + key_len + json_len);
	if (st == TL_OK)
		st = put(w, head, (size_t)(end - head), err);
	if (st == TL_OK)
		st = put(w, key, key_len, err);
	if (st == TL_OK)
		st = put(w, json, json_len, err);
	w->counts.members++;
	return st;
}

static enum tl_status check_layout(const struct tl_layout *l, struct tl_error *err)
{
	if (l->kind >= TL_KIND_COUNT || l->flags >= 64 || l->n_fields > TL_MAX_FIELDS)
		return tl_fail(err, TL_ERR_DATA, "event with kind %u, flags %u and %" PRIu32
		               " fields, at most %u, 63 and %u fit an event stream",
		               l->kind, l->flags, l->n_fields, TL_KIND_COUNT - 1, TL_MAX_FIELDS);
	for (uint32_t i = 0; i < l->n_fields; i++) {
		const struct tl_field *f = &l->fields[i];
		if (f->key == 0 || f->type < TL_FIELD_INT || f->type > TL_FIELD_JSON)
			return tl_fail(err, TL_ERR_USAGE, "event stream writer: field %" PRIu32
			               " has key %" PRIu32 " and type %u", i, f->key, f->type);
	}
	return TL_OK;
}

static enum tl_status check_event(struct writer *w, const struct tl_event *ev, struct tl_error *err)
{
	if (ev->layout == 0 || ev->layout > w->layouts.n)
		return tl_fail(err, TL_ERR_USAGE, "event stream writer: no layout %" PRIu32, ev->layout);
	if (ev->uid < w->counts.next_uid || ev->uid == TL_NO_UID)
		return tl_fail(err, TL_ERR_DATA, "event %" PRIu64 " after event %" PRIu64
		               ": numbers must increase", ev->uid, w->counts.next_uid - 1);
	if (!w->layouts.items[ev->layout - 1].out)
		return check_layout(&w->layouts.items[ev->layout - 1].l, err);
	return TL_OK;
}

static void put_event(struct writer *w, const struct tl_layout_entry *e, const struct tl_event *ev)
{
	const struct tl_layout *l = &e->l;
	uint32_t name = use_string(w, ev->name);
	uint32_t track = use_track(w, ev->track);
	uint8_t *p = frame_room(&w->block, (6 + (size_t)l->n_fields) * TL_VARINT_MAX);

	p = tl_put_varint(p, e->out);
	p = tl_put_varint(p, name);
	p = tl_put_varint(p, track);
	p = tl_put_varint(p, ev->uid - w->next_uid);
	w->next_uid = ev->uid + 1;
	if (l->flags & TL_HAS_TS) {
		p = tl_put_varint(p, tl_zigzag((uint64_t)ev->ts - (uint64_t)w->last_ts));
		w->last_ts = ev->ts;
	}
	if (l->flags & TL_HAS_DUR)
		p = tl_put_varint(p, tl_zigzag((uint64_t)ev->dur));
	for (uint32_t i = 0; i < l->n_fields; i++)
		p = tl_put_varint(p, l->fields[i].type == TL_FIELD_INT ? tl_zigzag((uint64_t)ev->values[i]) :
		                                                      use_string(w, (uint64_t)ev->values[i]));
	frame_fill(&w->block, p);
}

static enum tl_status writer_event(struct tl_sink *sink, const struct tl_event *ev, struct tl_error *err)
{
	struct writer *w = (struct writer *)sink;
	enum tl_status st = check_event(w, ev, err);
	struct tl_layout_entry *e;

	if (st == TL_OK && w->block_type != 'B')
		st = open_block(w, 'B', err);
	if (st != TL_OK)
		return st;
	e = &w->layouts.items[ev->layout - 1];
	w->err = err;
	if (!e->out)
		use_layout(w, e);
	put_event(w, e, ev);
	if (w->status != TL_OK)
		return w->status;
	w->counts.next_uid = ev->uid + 1;
	w->counts.events[e->l.kind]++;
	if (w->block.len >= BLOCK_BYTES)
		st = flush(w, err);
	if (st == TL_OK)
		st = bound_tables(w, err);
	return st;
}

static enum tl_status writer_link(struct tl_sink *sink, const struct tl_link *k, struct tl_error *err)
{
	struct writer *w = (struct writer *)sink;
	enum tl_status st = open_block(w, 'K', err);
	uint8_t *p;

	if (st != TL_OK)
		return st;
	if (k->type == 0 || k->type >= TL_LINK_COUNT)
		return tl_fail(err, TL_ERR_USAGE, "event stream writer: no link type %u", k->type);
	p = frame_room(&w->block, 1 + 2 * TL_VARINT_MAX);
	*p++ = (uint8_t)(k->type | (k->b == TL_NO_UID ? 0x80 : 0));
	p = tl_put_varint(p, tl_zigzag(k->a - w->last_a));
	if (k->b != TL_NO_UID)
		p = tl_put_varint(p, tl_zigzag(k->b - k->a));
	frame_fill(&w->block, p);
	w->last_a = k->a;
	w->n_links++;
	return w->block.len >= BLOCK_BYTES ? flush(w, err) : TL_OK;
}

/* Only definitions of the source's own can come before events of its own: a
 * stream that is passed on is passed on whole. */
static enum tl_status writer_frame(struct tl_sink *sink, const uint8_t *frame, size_t len, const struct tl_counts *counts,
                                   struct tl_error *err)
{
	struct writer *w = (struct writer *)sink;

	if (w->out_strings || w->out_layouts || w->block_type)
		return tl_fail(err, TL_ERR_USAGE, "event stream writer: a frame after an event or link");
	w->counts = *counts;
	return put(w, frame, len, err);
}

static enum tl_status writer_end(struct tl_sink *sink, struct tl_error *err)
{
	struct writer *w = (struct writer *)sink;
	struct tl_buf b = { 0 };
	enum tl_status st = flush(w, err);
	uint8_t crc[4];

	frame_varint(&b, TL_KIND_COUNT);
	for (int i = 0; i < TL_KIND_COUNT; i++)
		frame_varint(&b, w->counts.events[i]);
	frame_varint(&b, w->n_links);
	frame_varint(&b, w->counts.strings);
	frame_varint(&b, w->counts.members);
	frame_head((uint8_t *)b.data, 'E', b.len - FRAME_HEAD + sizeof crc);
	if (st == TL_OK)
		st = put(w, b.data, b.len, err);
	store_le32(crc, w->crc);
	if (st == TL_OK)
		st = put(w, crc, sizeof crc, err);
	tl_buf_release(&b);
	return st;
}

struct tl_sink *tl_writer_new(struct tl_output *out, const char *tool_line)
{
	static const struct tl_sink_ops ops = {
		.begin = writer_begin, .string = writer_string, .track = writer_track, .layout = writer_layout,
		.meta = writer_meta, .event = writer_event, .link = writer_link, .end = writer_end,
		.frame = writer_frame,
	};
	struct writer *w = tl_calloc(1, sizeof *w);

	w->sink.ops = &ops;
	w->out = out;
	w->tool_line = tool_line ? tl_strdup(tool_line) : NULL;
	tl_strtab_init(&w->strings);
	tl_layouts_clear(&w->layouts);
	return &w->sink;
}

void tl_writer_free(struct tl_sink *sink)
{
	struct writer *w = (struct writer *)sink;

	if (!w)
		return;
	clear_tables(w);
	tl_strtab_release(&w->strings);
	free(w->string_out);
	free(w->tracks);
	free(w->tool_line);
	tl_buf_release(&w->new_strings);
	tl_buf_release(&w->new_tracks);
	tl_buf_release(&w->new_layouts);
	tl_buf_release(&w->block);
	free(w);
}
