/* text_writer.c - a sink that writes the text form of a stream, one record a
 * line; the columns are described in tl-stream(5).
 *
 * Strings are kept escaped, and layouts as the pieces of text they put into a
 * line, so that an event costs little more than copying.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/layouts.h"
#include "stream/stream.h"
#include "stream/text_escape.h"
#include "stream/text_form.h"
#include "stream/wire.h"

struct piece { const char *s; size_t len; };
struct layout_text {
	struct piece cat_ph; /* "cat<TAB>ph" */
	char flags[2][8];    /* [1]: name and TL_HAS_NAME disagree */
	struct piece *keys;  /* "<TAB>key:t" per field */
};

struct text_writer {
	struct tl_sink sink;
	struct tl_output *out;
	struct tl_buf buf;
	struct tl_strtab strings; /* escaped */
	struct tl_buf scratch;
	struct { uint32_t pid, tid; } *tracks;
	uint32_t n_tracks;
	size_t cap_tracks;
	struct tl_layouts layouts;
	struct layout_text *texts; /* [layout id - 1] */
	size_t cap_texts;
	struct tl_arena arena;
	uint64_t min_uid;
};

static enum tl_status flush(struct text_writer *w, struct tl_error *err)
{
	enum tl_status st = w->buf.len ? w->out->write(w->out, w->buf.data, w->buf.len, err) : TL_OK;

	if (w->buf.cap > TABLE_BYTES) /* a huge record has gone by */
		tl_buf_release(&w->buf);
	tl_buf_clear(&w->buf);
	return st;
}

static enum tl_status flush_if_full(struct text_writer *w, struct tl_error *err)
{
	return w->buf.len >= BLOCK_BYTES ? flush(w, err) : TL_OK;
}

/* ---- pieces of a line ----------------------------------------------------------- */

/* Room for the whole line is made before; add_* only copies. */
static inline void add(struct text_writer *w, const char *s, size_t len)
{
	memcpy(w->buf.data + w->buf.len, s, len);
	w->buf.len += len;
}

static inline void add_tab(struct text_writer *w)
{
	w->buf.data[w->buf.len++] = '\t';
}

static inline void add_int(struct text_writer *w, int64_t x)
{
	w->buf.len += tl_format_int(w->buf.data + w->buf.len, x);
}

static inline void add_unsigned(struct text_writer *w, uint64_t x)
{
	char digits[20];
	int n = 0;

	do
		digits[n++] = (char)('0' + x % 10);
	while (x /= 10);
	while (n)
		w->buf.data[w->buf.len++] = digits[--n];
}

/* A column: nothing for no string, a mark for the empty one. */
static inline void add_column(struct text_writer *w, uint32_t id)
{
	size_t len = tl_str_len(&w->strings, id);

	if (len)
		add(w, tl_str(&w->strings, id), len);
	else if (id)
		add(w, TEXT_EMPTY, strlen(TEXT_EMPTY));
}

/* ---- header ------------------------------------------------------------------------ */

static void header_line(struct tl_buf *b, const char *key, const char *value)
{
	tl_buf_addf(b, "header\t%s\t", key);
	tl_text_escape(b, value, strlen(value), "");
	tl_buf_addc(b, '\n');
}

void tl_text_header(struct tl_buf *b, const struct tl_header *h)
{
	char number[24];

	tl_format_int(number, h->ticks_per_us);
	tl_buf_addf(b, "tls\t%d.%d\n", TL_STREAM_MAJOR, TL_STREAM_MINOR);
	header_line(b, "source", h->source ? h->source : "");
	header_line(b, "ticks_per_us", number);
	header_line(b, "linked", h->linked ? "1" : "0");
	header_line(b, "python", h->python ? "1" : "0");
	for (size_t i = 0; i < h->n_provenance; i++)
		header_line(b, "provenance", h->provenance[i]);
}

static enum tl_status text_begin(struct tl_sink *sink, const struct tl_header *h, struct tl_error *err)
{
	struct text_writer *w = (struct text_writer *)sink;

	tl_text_header(&w->buf, h);
	return flush_if_full(w, err);
}

/* ---- definitions --------------------------------------------------------------------- */

static uint32_t text_string(struct tl_sink *sink, const char *s, size_t len)
{
	struct text_writer *w = (struct text_writer *)sink;

	tl_buf_clear(&w->scratch);
	tl_text_escape(&w->scratch, s, len, "");
	return tl_intern(&w->strings, w->scratch.data ? w->scratch.data : "", w->scratch.len);
}

static uint32_t text_track(struct tl_sink *sink, uint32_t pid, uint32_t tid)
{
	struct text_writer *w = (struct text_writer *)sink;

	TL_GROW(w->tracks, w->cap_tracks, w->n_tracks + (size_t)1);
	w->tracks[w->n_tracks].pid = pid;
	w->tracks[w->n_tracks].tid = tid;
	return ++w->n_tracks;
}

static struct piece keep(struct text_writer *w)
{
	struct piece p = { tl_arena_dup(&w->arena, w->scratch.data, w->scratch.len), w->scratch.len };
	return p;
}

/* A key is escaped like any string, and its ':' and '=' on top of that. */
static struct piece key_text(struct text_writer *w, const struct tl_field *f)
{
	const char *s = tl_str(&w->strings, f->key);
	size_t len = tl_str_len(&w->strings, f->key);

	tl_buf_clear(&w->scratch);
	tl_buf_addc(&w->scratch, '\t');
	for (size_t i = 0; i < len; i++) {
		if (s[i] == ':' || s[i] == '=')
			tl_buf_addc(&w->scratch, '\\');
		tl_buf_addc(&w->scratch, s[i]);
	}
	tl_buf_addc(&w->scratch, ':');
	tl_buf_addc(&w->scratch, f->type > TL_FIELD_JSON ? '?' : text_types[f->top ? 1 : 0][f->type]);
	return keep(w);
}

static void flags_text(char *out, unsigned flags, bool name_differs)
{
	if (flags & TL_INT_TS)
		*out++ = TEXT_INT_TS;
	if (flags & TL_INT_DUR)
		*out++ = TEXT_INT_DUR;
	if (flags & TL_HAS_ARGS)
		*out++ = TEXT_ARGS;
	if (name_differs)
		*out++ = TEXT_NAME_DIFFERS;
	*out = 0;
}

static void layout_text(struct text_writer *w, const struct tl_layout *l, struct layout_text *t)
{
	size_t cat_len = tl_str_len(&w->strings, l->cat);

	tl_buf_clear(&w->scratch);
	tl_buf_add(&w->scratch, tl_str(&w->strings, l->cat), cat_len);
	if (l->cat && cat_len == 0)
		tl_buf_adds(&w->scratch, TEXT_EMPTY);
	tl_buf_addc(&w->scratch, '\t');
	if (l->ph)
		tl_text_escape(&w->scratch, &l->ph, 1, "");
	t->cat_ph = keep(w);
	flags_text(t->flags[0], l->flags, false);
	flags_text(t->flags[1], l->flags, true);
	t->keys = tl_arena_alloc(&w->arena, l->n_fields * sizeof *t->keys);
	for (uint32_t i = 0; i < l->n_fields; i++)
		t->keys[i] = key_text(w, &l->fields[i]);
}

static uint32_t text_layout(struct tl_sink *sink, const struct tl_layout *l)
{
	struct text_writer *w = (struct text_writer *)sink;
	uint32_t known = w->layouts.n, id = tl_layouts_add(&w->layouts, l);

	if (id > known) {
		TL_GROW(w->texts, w->cap_texts, id);
		layout_text(w, l, &w->texts[id - 1]);
	}
	return id;
}

static void clear_tables(struct text_writer *w)
{
	tl_strtab_clear(&w->strings);
	w->n_tracks = 0;
	tl_layouts_clear(&w->layouts);
	tl_arena_clear(&w->arena);
}

static void bound_tables(struct text_writer *w)
{
	if (w->strings.count <= TABLE_STRINGS && w->strings.bytes <= TABLE_BYTES &&
	    w->n_tracks <= TABLE_TRACKS && w->layouts.n <= TABLE_LAYOUTS &&
	    w->layouts.n_fields <= TABLE_FIELDS && w->arena.total <= TABLE_BYTES)
		return;
	clear_tables(w);
	w->sink.generation++;
	if (w->scratch.cap > TABLE_BYTES)
		tl_buf_release(&w->scratch);
}

/* ---- records ---------------------------------------------------------------------------- */

static enum tl_status text_meta(struct tl_sink *sink, const char *key, size_t key_len, const char *json,
                                size_t json_len, struct tl_error *err)
{
	struct text_writer *w = (struct text_writer *)sink;

	tl_buf_adds(&w->buf, "meta\t");
	tl_text_escape(&w->buf, key, key_len, "");
	tl_buf_addc(&w->buf, '\t');
	tl_text_escape(&w->buf, json, json_len, "");
	tl_buf_addc(&w->buf, '\n');
	return flush_if_full(w, err);
}

static size_t line_room(const struct text_writer *w, const struct tl_event *ev, const struct tl_layout *l,
                        const struct layout_text *t)
{
	size_t n = 160 + t->cat_ph.len + tl_str_len(&w->strings, ev->name);

	if (ev->track && ev->track <= w->n_tracks)
		n += tl_str_len(&w->strings, w->tracks[ev->track - 1].pid) +
		     tl_str_len(&w->strings, w->tracks[ev->track - 1].tid);
	for (uint32_t i = 0; i < l->n_fields; i++) {
		n += t->keys[i].len + 24;
		if (l->fields[i].type != TL_FIELD_INT)
			n += tl_str_len(&w->strings, (uint32_t)ev->values[i]);
	}
	return n;
}

static void add_times(struct text_writer *w, const struct tl_event *ev, const struct tl_layout *l)
{
	if (l->flags & TL_HAS_TS)
		add_int(w, ev->ts);
	add_tab(w);
	if (l->flags & TL_HAS_DUR)
		add_int(w, ev->dur);
	add_tab(w);
}

static void add_track(struct text_writer *w, uint32_t track)
{
	bool none = track == 0 || track > w->n_tracks;

	add_column(w, none ? 0 : w->tracks[track - 1].pid);
	add_tab(w);
	add_column(w, none ? 0 : w->tracks[track - 1].tid);
	add_tab(w);
}

static void add_fields(struct text_writer *w, const struct tl_event *ev, const struct tl_layout *l,
                       const struct layout_text *t)
{
	for (uint32_t i = 0; i < l->n_fields; i++) {
		uint32_t id = (uint32_t)ev->values[i];

		add(w, t->keys[i].s, t->keys[i].len);
		if (l->fields[i].type == TL_FIELD_INT) {
			w->buf.data[w->buf.len++] = '=';
			add_int(w, ev->values[i]);
		} else if (id) {
			w->buf.data[w->buf.len++] = '=';
			add(w, tl_str(&w->strings, id), tl_str_len(&w->strings, id));
		}
	}
}

static enum tl_status text_event(struct tl_sink *sink, const struct tl_event *ev, struct tl_error *err)
{
	struct text_writer *w = (struct text_writer *)sink;
	const struct tl_layout *l;
	const struct layout_text *t;
	const char *kind, *flags;
	size_t room;

	if (ev->layout == 0 || ev->layout > w->layouts.n)
		return tl_fail(err, TL_ERR_USAGE, "text writer: no layout %" PRIu32, ev->layout);
	l = &w->layouts.items[ev->layout - 1].l;
	t = &w->texts[ev->layout - 1];
	kind = tl_kind_name(l->kind);
	if (!kind)
		return tl_fail(err, TL_ERR_USAGE, "text writer: no event kind %u", l->kind);
	if (ev->uid < w->min_uid || ev->uid == TL_NO_UID)
		return tl_fail(err, TL_ERR_DATA, "event %" PRIu64 " after event %" PRIu64
		               ": numbers must increase", ev->uid, w->min_uid - 1);
	w->min_uid = ev->uid + 1;
	room = line_room(w, ev, l, t);
	if (room > TEXT_MAX_LINE)
		return tl_fail(err, TL_ERR_DATA, "event %" PRIu64 " makes a line longer than %zu bytes",
		               ev->uid, TEXT_MAX_LINE);
	tl_buf_reserve(&w->buf, room);
	add(w, "event\t", 6);
	add_unsigned(w, ev->uid);
	add_tab(w);
	add(w, kind, strlen(kind));
	add_tab(w);
	add_times(w, ev, l);
	add_track(w, ev->track);
	add(w, t->cat_ph.s, t->cat_ph.len);
	add_tab(w);
	add_column(w, ev->name);
	add_tab(w);
	flags = t->flags[(ev->name != 0) != ((l->flags & TL_HAS_NAME) != 0)];
	add(w, flags, strlen(flags));
	add_fields(w, ev, l, t);
	w->buf.data[w->buf.len++] = '\n';
	bound_tables(w);
	return flush_if_full(w, err);
}

static enum tl_status text_link(struct tl_sink *sink, const struct tl_link *k, struct tl_error *err)
{
	struct text_writer *w = (struct text_writer *)sink;
	const char *name = tl_link_name(k->type);

	if (!name)
		return tl_fail(err, TL_ERR_USAGE, "text writer: no link type %u", k->type);
	tl_buf_reserve(&w->buf, 80);
	add(w, "link\t", 5);
	add(w, name, strlen(name));
	add_tab(w);
	add_unsigned(w, k->a);
	add_tab(w);
	if (k->b != TL_NO_UID)
		add_unsigned(w, k->b);
	w->buf.data[w->buf.len++] = '\n';
	return flush_if_full(w, err);
}

static enum tl_status text_end(struct tl_sink *sink, struct tl_error *err)
{
	struct text_writer *w = (struct text_writer *)sink;

	tl_buf_adds(&w->buf, "end\n");
	return flush(w, err);
}

struct tl_sink *tl_text_writer_new(struct tl_output *out)
{
	static const struct tl_sink_ops ops = {
		.begin = text_begin, .string = text_string, .track = text_track, .layout = text_layout,
		.meta = text_meta, .event = text_event, .link = text_link, .end = text_end,
	};
	struct text_writer *w = tl_calloc(1, sizeof *w);

	w->sink.ops = &ops;
	w->out = out;
	tl_strtab_init(&w->strings);
	tl_arena_init(&w->arena);
	tl_layouts_clear(&w->layouts);
	return &w->sink;
}

void tl_text_writer_free(struct tl_sink *sink)
{
	struct text_writer *w = (struct text_writer *)sink;

	if (!w)
		return;
	tl_strtab_release(&w->strings);
	tl_layouts_clear(&w->layouts);
	tl_arena_release(&w->arena);
	tl_buf_release(&w->buf);
	tl_buf_release(&w->scratch);
	free(w->tracks);
	free(w->texts);
	free(w);
}
