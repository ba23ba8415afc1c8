/* writer.c - a sink that writes the binary event stream, tl-stream(5).
 *
 * A string, track or layout gets its number in the stream when an event first
 * uses it, in a fixed order, whatever its id is in the source. So the bytes
 * depend on nothing but members, events and links, and a stream that went
 * through its text form comes back the same.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/wire.h"

struct writer {
	struct tl_sink sink;
	struct tl_output *out;
	char *tool_line;
	uint32_t crc;

	struct tl_tables tables;            /* of the stream, since its last reset */
	struct tl_translation ids;          /* from the source's to those */
	struct { uint32_t strings, tracks, layouts; } written; /* of the tables */

	struct tl_buf defs, block;          /* payloads of frames being filled */
	char block_type;                    /* 'B', 'K', or 0: block is empty */
	uint64_t next_uid;                  /* of the block, as are the next two */
	uint64_t last_ts, last_a;

	uint64_t n_events, n_links, n_members;
};

/* ---- frames ---------------------------------------------------------------- */

static enum tl_status put(struct writer *w, const void *p, size_t len, struct tl_error *err)
{
	w->crc = tl_crc32(w->crc, p, len);
	return w->out->write(w->out, p, len, err);
}

/* A frame whose payload is a, then b. */
static enum tl_status put_frame(struct writer *w, char type, const void *a, size_t a_len, const void *b, size_t b_len,
                                struct tl_error *err)
{
	uint8_t head[FRAME_HEAD] = { (uint8_t)type };
	enum tl_status st;

	if (a_len > MAX_FRAME || b_len > MAX_FRAME - a_len)
		return tl_fail(err, TL_ERR_DATA, "%zu bytes are too many for a frame of an event stream", a_len + b_len);
	store_le32(head + 4, (uint32_t)(a_len + b_len));
	st = put(w, head, sizeof head, err);
	if (st == TL_OK && a_len)
		st = put(w, a, a_len, err);
	return st == TL_OK && b_len ? put(w, b, b_len, err) : st;
}

/* Sends what has been gathered in a buffer, if anything. */
static enum tl_status send(struct writer *w, char type, struct tl_buf *b, struct tl_error *err)
{
	enum tl_status st = b->len ? put_frame(w, type, b->data, b->len, NULL, 0, err) : TL_OK;

	b->len = 0;
	return st;
}

static uint8_t *room(struct tl_buf *b, size_t n)
{
	tl_buf_reserve(b, n);
	return (uint8_t *)b->data + b->len;
}

static void filled(struct tl_buf *b, const uint8_t *end)
{
	b->len = (size_t)(end - (const uint8_t *)b->data);
}

static void add_varint(struct tl_buf *b, uint64_t v)
{
	filled(b, tl_put_varint(room(b, TL_VARINT_MAX), v));
}

/* ---- definitions ------------------------------------------------------------- */

/* A long string is written from where it is, without a copy in memory. */
static enum tl_status put_string(struct writer *w, const char *s, size_t len, struct tl_error *err)
{
	enum tl_status st = TL_OK;

	if (len > TL_STREAM_MAX_STRING)
		return tl_fail(err, TL_ERR_DATA, "a string of %zu bytes, an event stream holds at most %u", len,
		               TL_STREAM_MAX_STRING);
	if (w->defs.len && w->defs.len + len > BLOCK_BYTES)
		st = send(w, 'S', &w->defs, err);
	add_varint(&w->defs, len);
	if (len > BLOCK_BYTES && st == TL_OK) {
		st = put_frame(w, 'S', w->defs.data, w->defs.len, s, len, err);
		w->defs.len = 0;
		return st;
	}
	tl_buf_add(&w->defs, s, len);
	return st;
}

static enum tl_status send_definitions(struct writer *w, struct tl_error *err)
{
	const struct tl_tables *t = &w->tables;
	enum tl_status st = TL_OK;

	while (w->written.strings < t->strings.count && st == TL_OK) {
		uint32_t id = ++w->written.strings;
		st = put_string(w, tl_str(&t->strings, id), tl_str_len(&t->strings, id), err);
	}
	if (st == TL_OK)
		st = send(w, 'S', &w->defs, err);
	while (w->written.tracks < t->tracks.count) {
		struct tl_track k = tl_track_of(t, ++w->written.tracks);
		add_varint(&w->defs, k.pid);
		add_varint(&w->defs, k.tid);
	}
	if (st == TL_OK)
		st = send(w, 'T', &w->defs, err);
	while (w->written.layouts < t->layout_keys.count) {
		const struct tl_layout *l = tl_layout_of(t, ++w->written.layouts);
		add_varint(&w->defs, l->cat);
		add_varint(&w->defs, l->kind);
		add_varint(&w->defs, (uint8_t)l->ph);
		add_varint(&w->defs, l->flags);
		add_varint(&w->defs, l->n_fields);
		for (uint32_t i = 0; i < l->n_fields; i++) {
			add_varint(&w->defs, l->fields[i].key);
			add_varint(&w->defs, (uint64_t)l->fields[i].type << 1 | l->fields[i].top);
		}
	}
	return st == TL_OK ? send(w, 'L', &w->defs, err) : st;
}

/* Sends what is pending; definitions go before the block that uses them. */
static enum tl_status flush(struct writer *w, struct tl_error *err)
{
	enum tl_status st = send_definitions(w, err);

	if (st == TL_OK)
		st = send(w, w->block_type, &w->block, err);
	w->block_type = 0;
	return st;
}

/* Starts the tables of the stream anew when they are full. */
static enum tl_status bound_tables(struct writer *w, struct tl_error *err)
{
	if (!tl_tables_full(&w->tables))
		return TL_OK;
	enum tl_status st = flush(w, err);
	if (st == TL_OK)
		st = put_frame(w, 'R', NULL, 0, NULL, 0, err);
	tl_tables_clear(&w->tables);
	tl_translation_forget(&w->ids);
	memset(&w->written, 0, sizeof w->written);
	return st;
}

/* Makes the open block one of this type. */
static enum tl_status open_block(struct writer *w, char type, struct tl_error *err)
{
	enum tl_status st = TL_OK;

	if (w->block_type == type)
		return TL_OK;
	st = flush(w, err);
	w->block_type = type;
	w->next_uid = w->last_ts = w->last_a = 0;
	return st;
}

/* ---- the sink ------------------------------------------------------------------ */

static enum tl_status put_header(struct writer *w, const struct tl_header *h, struct tl_error *err)
{
	struct tl_buf b = { 0 };

	tl_header_write(&b, h, "", '=');
	if (w->tool_line) {
		struct tl_buf line = { 0 };
		tl_buf_addf(&line, "id=%zu prev=%zu %s", h->n_provenance + 1, h->n_provenance, w->tool_line);
		tl_header_write_line(&b, "", "provenance", '=', line.data);
		tl_buf_release(&line);
	}
	enum tl_status st = send(w, 'H', &b, err);
	tl_buf_release(&b);
	return st;
}

static enum tl_status begin(struct tl_sink *sink, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct writer *w = (struct writer *)sink;
	uint8_t magic[MAGIC_LEN + VERSION_LEN] = TL_STREAM_MAGIC;

	w->ids.from = tables;
	magic[MAGIC_LEN] = TL_STREAM_MAJOR;
	magic[MAGIC_LEN + 2] = TL_STREAM_MINOR;
	enum tl_status st = put(w, magic, sizeof magic, err);
	return st == TL_OK ? put_header(w, h, err) : st;
}

static void reset(struct tl_sink *sink)
{
	tl_translation_forget(&((struct writer *)sink)->ids);
}

static enum tl_status meta(struct tl_sink *sink, const char *key, size_t key_len, const char *json,
                           size_t json_len, struct tl_error *err)
{
	struct writer *w = (struct writer *)sink;
	struct tl_buf b = { 0 };
	enum tl_status st = flush(w, err);

	add_varint(&b, key_len);
	tl_buf_add(&b, key, key_len);
	if (st == TL_OK)
		st = put_frame(w, 'M', b.data, b.len, json, json_len, err);
	tl_buf_release(&b);
	w->n_members++;
	return st;
}

static enum tl_status event(struct tl_sink *sink, const struct tl_event *ev, struct tl_error *err)
{
	struct writer *w = (struct writer *)sink;
	enum tl_status st = TL_OK;

	if (ev->uid < w->next_uid && w->block_type == 'B') /* of one record (event.h): a block begins anew with any number */
		st = flush(w, err);
	if (st == TL_OK)
		st = open_block(w, 'B', err);
	if (st != TL_OK)
		return st;
	const struct tl_layout *l = tl_layout_of(w->ids.from, ev->layout);
	uint8_t *p = room(&w->block, (6 + (size_t)l->n_fields) * TL_VARINT_MAX);
	p = tl_put_varint(p, tl_translate_layout(&w->ids, ev->layout));
	p = tl_put_varint(p, tl_translate_string(&w->ids, ev->name));
	p = tl_put_varint(p, tl_translate_track(&w->ids, ev->track));
	p = tl_put_varint(p, ev->uid - w->next_uid);
	w->next_uid = ev->uid + 1;
	if (l->flags & TL_HAS_TS) {
		p = tl_put_varint(p, tl_zigzag((uint64_t)ev->ts - w->last_ts));
		w->last_ts = (uint64_t)ev->ts;
	}
	if (l->flags & TL_HAS_DUR)
		p = tl_put_varint(p, tl_zigzag((uint64_t)ev->dur));
	for (uint32_t i = 0; i < l->n_fields; i++)
		p = tl_put_varint(p, l->fields[i].type == TL_FIELD_INT ? tl_zigzag((uint64_t)ev->values[i]) :
		                     tl_translate_string(&w->ids, (uint32_t)ev->values[i]));
	filled(&w->block, p);
	w->n_events++;
	if (w->block.len >= BLOCK_BYTES)
		st = flush(w, err);
	return st == TL_OK ? bound_tables(w, err) : st;
}

static enum tl_status link(struct tl_sink *sink, const struct tl_link *k, struct tl_error *err)
{
	struct writer *w = (struct writer *)sink;
	bool alone = k->b == TL_NO_UID;
	enum tl_status st = open_block(w, 'K', err);

	if (st != TL_OK)
		return st;
	uint8_t *p = room(&w->block, 1 + 2 * TL_VARINT_MAX);
	*p++ = (uint8_t)(k->type | (alone ? 0x80 : 0));
	p = tl_put_varint(p, tl_zigzag(k->a - w->last_a));
	if (!alone)
		p = tl_put_varint(p, tl_zigzag(k->b - k->a));
	filled(&w->block, p);
	w->last_a = k->a;
	w->n_links++;
	return w->block.len >= BLOCK_BYTES ? flush(w, err) : TL_OK;
}

/* The checksum comes last and covers all bytes before it. */
static enum tl_status end(struct tl_sink *sink, struct tl_error *err)
{
	struct writer *w = (struct writer *)sink;
	uint8_t frame[FRAME_HEAD + 3 * TL_VARINT_MAX] = "E", crc[CHECKSUM_LEN];
	uint8_t *p = frame + FRAME_HEAD;
	enum tl_status st = flush(w, err);

	p = tl_put_varint(p, w->n_events);
	p = tl_put_varint(p, w->n_links);
	p = tl_put_varint(p, w->n_members);
	store_le32(frame + 4, (uint32_t)(p - frame) - FRAME_HEAD + CHECKSUM_LEN);
	if (st == TL_OK)
		st = put(w, frame, (size_t)(p - frame), err);
	store_le32(crc, w->crc);
	return st == TL_OK ? put(w, crc, sizeof crc, err) : st;
}

struct tl_sink *tl_writer_new(struct tl_output *out, const char *tool_line)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = meta, .event = event, .link = link, .end = end,
	};
	struct writer *w = tl_calloc(1, sizeof *w);

	w->sink.ops = &ops;
	w->out = out;
	w->ids.to = &w->tables;
	w->tool_line = tool_line ? tl_strdup(tool_line) : NULL;
	return &w->sink;
}

void tl_writer_free(struct tl_sink *sink)
{
	struct writer *w = (struct writer *)sink;

	if (!w)
		return;
	tl_translation_release(&w->ids);
	tl_tables_release(&w->tables);
	tl_buf_release(&w->defs);
	tl_buf_release(&w->block);
	free(w->tool_line);
	free(w);
}
