/* chrome.c - a sink that writes a trace as Chrome trace JSON.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "writers/chrome.h"

#include "base/number.h"
#include "base/text.h"
#include "base/json_writer.h"

#include <stdlib.h>
#include <string.h>

#define FLUSH_BYTES 65536
#define KEEP_BYTES (4u << 20) /* a buffer that has grown beyond this is given back */
#define MAX_DECIMALS 12

struct chrome {
	struct tl_sink sink;
	struct tl_output *out;
	const struct tl_tables *tables;
	struct tl_buf buf;
	struct tl_buf late;  /* members that came after the first event */
	int64_t ticks_per_us;
	uint64_t n_events;
};

static enum tl_status flush(struct chrome *w, struct tl_error *err)
{
	enum tl_status st = w->buf.len ? w->out->write(w->out, w->buf.data, w->buf.len, err) : TL_OK;

	if (w->buf.cap > KEEP_BYTES)
		tl_buf_release(&w->buf);
	tl_buf_clear(&w->buf);
	return st;
}

/* ---- values -------------------------------------------------------------------- */

static void add_int(struct tl_buf *b, int64_t x)
{
	tl_buf_reserve(b, 24);
	b->len += tl_format_int(b->data + b->len, x);
}

static void add_text(struct chrome *w, uint32_t id)
{
	tl_json_quote(&w->buf, tl_str(&w->tables->strings, id), tl_str_len(&w->tables->strings, id));
}

/* What is JSON already; null for none. */
static void add_json(struct chrome *w, uint32_t id)
{
	if (id)
		tl_buf_add(&w->buf, tl_str(&w->tables->strings, id), tl_str_len(&w->tables->strings, id));
	else
		tl_buf_adds(&w->buf, "null");
}

/* Ticks as microseconds; without a decimal point only if the source wrote a whole number. */
static void add_time(struct chrome *w, int64_t ticks, bool whole)
{
	const uint64_t unit = (uint64_t)w->ticks_per_us;
	uint64_t size = ticks < 0 ? 0 - (uint64_t)ticks : (uint64_t)ticks, rest = size % unit;
	int decimals = 0;

	if (ticks < 0)
		tl_buf_addc(&w->buf, '-');
	tl_buf_addf(&w->buf, "%llu", (unsigned long long)(size / unit));
	if (whole && !rest)
		return;
	tl_buf_addc(&w->buf, '.');
	do {
		unsigned __int128 tenths = (unsigned __int128)rest * 10;
		tl_buf_addc(&w->buf, (char)('0' + (int)(tenths / unit)));
		rest = (uint64_t)(tenths % unit);
	} while (rest && ++decimals < MAX_DECIMALS);
}

/* ---- an event ------------------------------------------------------------------ */

/* Begins a member of an event. The key is a plain word that needs no escapes. */
static void add_key(struct chrome *w, const char *key)
{
	tl_buf_addf(&w->buf, "%s\"%s\":", w->buf.data[w->buf.len - 1] == '{' ? "" : ",", key);
}

static void add_track(struct chrome *w, const char *key, uint32_t json)
{
	if (!json)
		return;
	add_key(w, key);
	add_json(w, json);
}

static void add_fields(struct chrome *w, const struct tl_layout *l, const int64_t *values, bool top)
{
	for (uint32_t i = 0; i < l->n_fields; i++) {
		if (l->fields[i].top != top)
			continue;
		if (w->buf.data[w->buf.len - 1] != '{')
			tl_buf_addc(&w->buf, ',');
		add_text(w, l->fields[i].key);
		tl_buf_addc(&w->buf, ':');
		if (l->fields[i].type == TL_FIELD_INT)
			add_int(&w->buf, values[i]);
		else if (l->fields[i].type == TL_FIELD_STRING && values[i])
			add_text(w, (uint32_t)values[i]);
		else
			add_json(w, (uint32_t)values[i]);
	}
}

static bool has_args(const struct tl_layout *l)
{
	for (uint32_t i = 0; i < l->n_fields; i++)
		if (!l->fields[i].top)
			return true;
	return l->flags & TL_HAS_ARGS;
}

static void add_event(struct chrome *w, const struct tl_event *e, const struct tl_layout *l)
{
	struct tl_track track = tl_track_of(w->tables, e->track);

	tl_buf_addc(&w->buf, '{');
	if (l->ph) {
		add_key(w, "ph");
		tl_json_quote(&w->buf, &l->ph, 1);
	}
	if (l->cat) {
		add_key(w, "cat");
		add_text(w, l->cat);
	}
	if (e->name || l->flags & TL_HAS_NAME) {
		add_key(w, "name");
		add_text(w, e->name);
	}
	add_track(w, "pid", track.pid);
	add_track(w, "tid", track.tid);
	if (l->flags & TL_HAS_TS) {
		add_key(w, "ts");
		add_time(w, e->ts, l->flags & TL_INT_TS);
	}
	if (l->flags & TL_HAS_DUR) {
		add_key(w, "dur");
		add_time(w, e->dur, l->flags & TL_INT_DUR);
	}
	add_fields(w, l, e->values, true);
	if (has_args(l)) {
		add_key(w, "args");
		tl_buf_addc(&w->buf, '{');
		add_fields(w, l, e->values, false);
		tl_buf_addc(&w->buf, '}');
	}
	tl_buf_addc(&w->buf, '}');
}

/* ---- the sink ------------------------------------------------------------------ */

static enum tl_status begin(struct tl_sink *sink, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct chrome *w = (struct chrome *)sink;

	(void)err;
	w->tables = tables;
	w->ticks_per_us = h->ticks_per_us;
	tl_buf_addc(&w->buf, '{');
	return TL_OK;
}

static void reset(struct tl_sink *sink)
{
	(void)sink; /* a writer keeps no ids */
}

static enum tl_status meta(struct tl_sink *sink, const char *key, size_t key_len, const char *json, size_t json_len,
                           struct tl_error *err)
{
	struct chrome *w = (struct chrome *)sink;
	struct tl_buf *b = w->n_events ? &w->late : &w->buf;

	if (key_len == strlen(TL_META_EVENTS) && !memcmp(key, TL_META_EVENTS, key_len))
		return TL_OK; /* the numbers of the events are not written either */
	if (w->ticks_per_us != 1000 && (tl_text_is(key, key_len, TL_META_START) || tl_text_is(key, key_len, TL_META_WINDOW)))
		return TL_OK; /* times in ticks, which who reads the text takes for ns */
	tl_json_quote(b, key, key_len);
	tl_buf_adds(b, ": ");
	tl_buf_add(b, json, json_len);
	tl_buf_adds(b, ",\n");
	return w->buf.len >= FLUSH_BYTES ? flush(w, err) : TL_OK;
}

static enum tl_status event(struct tl_sink *sink, const struct tl_event *e, struct tl_error *err)
{
	struct chrome *w = (struct chrome *)sink;

	tl_buf_adds(&w->buf, w->n_events++ ? ",\n" : "\"traceEvents\": [\n");
	add_event(w, e, tl_layout_of(w->tables, e->layout));
	return w->buf.len >= FLUSH_BYTES ? flush(w, err) : TL_OK;
}

static enum tl_status end(struct tl_sink *sink, struct tl_error *err)
{
	struct chrome *w = (struct chrome *)sink;

	tl_buf_adds(&w->buf, w->n_events ? "\n]" : "\"traceEvents\": []");
	if (w->late.len) {
		tl_buf_adds(&w->buf, ",\n");
		tl_buf_add(&w->buf, w->late.data, w->late.len - 2); /* without the last comma */
	}
	tl_buf_adds(&w->buf, "}\n");
	return flush(w, err);
}

struct tl_sink *tl_chrome_writer_new(struct tl_output *out)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = meta, .event = event, .link = tl_ignore_link, .end = end,
	};
	struct chrome *w = tl_calloc(1, sizeof *w);

	w->sink.ops = &ops;
	w->out = out;
	return &w->sink;
}

void tl_chrome_writer_free(struct tl_sink *sink)
{
	struct chrome *w = (struct chrome *)sink;

	if (!w)
		return;
	tl_buf_release(&w->buf);
	tl_buf_release(&w->late);
	free(w);
}
