/* text_writer.c - a sink that writes the text form of a stream, one record a
 * line; the columns are described in tl-stream(5).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>

#include "base/escape.h"
#include "model/wire.h"

#define FLUSH_BYTES 65536
#define KEEP_BYTES (4u << 20) /* a buffer that has grown beyond this is given back */

const char tl_text_types[2][4] = { { 0, 'i', 's', 'j' }, { 0, 'I', 'S', 'J' } };

struct text_writer {
	struct tl_sink sink;
	struct tl_output *out;
	const struct tl_tables *tables;
	struct tl_buf buf;
};

static enum tl_status flush(struct text_writer *w, struct tl_error *err)
{
	enum tl_status st = w->buf.len ? w->out->write(w->out, w->buf.data, w->buf.len, err) : TL_OK;

	if (w->buf.cap > KEEP_BYTES)
		tl_buf_release(&w->buf);
	tl_buf_clear(&w->buf);
	return st;
}

static enum tl_status end_line(struct text_writer *w, struct tl_error *err)
{
	tl_buf_addc(&w->buf, '\n');
	return w->buf.len >= FLUSH_BYTES ? flush(w, err) : TL_OK;
}

/* ---- columns ------------------------------------------------------------------- */

static void add_int(struct tl_buf *b, int64_t x)
{
	tl_buf_reserve(b, 24);
	b->len += tl_format_int(b->data + b->len, x);
}

static void add_uid(struct tl_buf *b, uint64_t x)
{
	if (x <= INT64_MAX)
		add_int(b, (int64_t)x);
	else
		tl_buf_addf(b, "%" PRIu64, x);
}

static void add_string(struct text_writer *w, uint32_t id)
{
	tl_escape(&w->buf, tl_str(&w->tables->strings, id), tl_str_len(&w->tables->strings, id));
}

/* A column: nothing for no string, a mark for the empty one. */
static void add_column(struct text_writer *w, uint32_t id)
{
	if (id && tl_str_len(&w->tables->strings, id) == 0)
		tl_buf_adds(&w->buf, TEXT_EMPTY);
	else
		add_string(w, id);
	tl_buf_addc(&w->buf, '\t');
}

void tl_text_field_name(struct tl_buf *b, const struct tl_tables *t, const struct tl_field *f)
{
	tl_buf_addc(b, '\t');
	tl_escape_key(b, tl_str(&t->strings, f->key), tl_str_len(&t->strings, f->key));
	tl_buf_addc(b, ':');
	tl_buf_addc(b, tl_text_types[f->top][f->type]);
}

static void add_field(struct text_writer *w, const struct tl_field *f, int64_t value)
{
	struct tl_buf *b = &w->buf;

	tl_text_field_name(b, w->tables, f);
	if (f->type != TL_FIELD_INT && !value)
		return;
	tl_buf_addc(b, '=');
	if (f->type == TL_FIELD_INT)
		add_int(b, value);
	else
		add_string(w, (uint32_t)value);
}

/* ---- the sink ------------------------------------------------------------------ */

void tl_text_header(struct tl_buf *b, const struct tl_header *h)
{
	tl_buf_addf(b, "tls\t%d.%d\n", TL_STREAM_MAJOR, TL_STREAM_MINOR);
	tl_header_write(b, h, "header\t", '\t');
}

static enum tl_status begin(struct tl_sink *sink, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct text_writer *w = (struct text_writer *)sink;

	(void)err;
	w->tables = tables;
	tl_text_header(&w->buf, h);
	return TL_OK;
}

static void reset(struct tl_sink *sink)
{
	(void)sink; /* this sink keeps no ids */
}

static enum tl_status meta(struct tl_sink *sink, const char *key, size_t key_len, const char *json,
                           size_t json_len, struct tl_error *err)
{
	struct text_writer *w = (struct text_writer *)sink;

	tl_buf_adds(&w->buf, "meta\t");
	tl_escape(&w->buf, key, key_len);
	tl_buf_addc(&w->buf, '\t');
	tl_escape(&w->buf, json, json_len);
	return end_line(w, err);
}

static enum tl_status event(struct tl_sink *sink, const struct tl_event *ev, struct tl_error *err)
{
	struct text_writer *w = (struct text_writer *)sink;
	const struct tl_layout *l = tl_layout_of(w->tables, ev->layout);
	struct tl_track track = tl_track_of(w->tables, ev->track);
	struct tl_buf *b = &w->buf;
	size_t start = b->len;

	tl_buf_adds(b, "event\t");
	add_uid(b, ev->uid);
	tl_buf_addc(b, '\t');
	tl_buf_adds(b, tl_kind_name(l->kind));
	tl_buf_addc(b, '\t');
	if (l->flags & TL_HAS_TS)
		add_int(b, ev->ts);
	tl_buf_addc(b, '\t');
	if (l->flags & TL_HAS_DUR)
		add_int(b, ev->dur);
	tl_buf_addc(b, '\t');
	add_column(w, track.pid);
	add_column(w, track.tid);
	add_column(w, l->cat);
	tl_escape(b, &l->ph, l->ph ? 1 : 0);
	tl_buf_addc(b, '\t');
	add_column(w, ev->name);
	if (l->flags & TL_INT_TS)
		tl_buf_addc(b, TEXT_INT_TS);
	if (l->flags & TL_INT_DUR)
		tl_buf_addc(b, TEXT_INT_DUR);
	if (l->flags & TL_HAS_ARGS)
		tl_buf_addc(b, TEXT_ARGS);
	if ((ev->name != 0) != ((l->flags & TL_HAS_NAME) != 0))
		tl_buf_addc(b, TEXT_NAME_DIFFERS);
	for (uint32_t i = 0; i < l->n_fields && b->len - start <= TEXT_MAX_LINE; i++)
		add_field(w, &l->fields[i], ev->values[i]);
	if (b->len - start > TEXT_MAX_LINE)
		return tl_fail(err, TL_ERR_DATA, "event %" PRIu64 " makes a line longer than %zu bytes", ev->uid,
		               TEXT_MAX_LINE);
	return end_line(w, err);
}

static enum tl_status link(struct tl_sink *sink, const struct tl_link *k, struct tl_error *err)
{
	struct text_writer *w = (struct text_writer *)sink;

	tl_buf_adds(&w->buf, "link\t");
	tl_buf_adds(&w->buf, tl_link_name(k->type));
	tl_buf_addc(&w->buf, '\t');
	add_uid(&w->buf, k->a);
	tl_buf_addc(&w->buf, '\t');
	if (k->b != TL_NO_UID)
		add_uid(&w->buf, k->b);
	return end_line(w, err);
}

static enum tl_status end(struct tl_sink *sink, struct tl_error *err)
{
	struct text_writer *w = (struct text_writer *)sink;

	tl_buf_adds(&w->buf, "end\n");
	return flush(w, err);
}

struct tl_sink *tl_text_writer_new(struct tl_output *out)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = meta, .event = event, .link = link, .end = end,
	};
	struct text_writer *w = tl_calloc(1, sizeof *w);

	w->sink.ops = &ops;
	w->out = out;
	return &w->sink;
}

void tl_text_writer_free(struct tl_sink *sink)
{
	struct text_writer *w = (struct text_writer *)sink;

	if (!w)
		return;
	tl_buf_release(&w->buf);
	free(w);
}
