/* text_reader.c - reads the text form of a stream, tl-stream(5), into a sink.
 *
 * Every line stands for itself, so a script may add, drop and change lines as it
 * likes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "stream/header.h"
#include "stream/text_form.h"
#include "stream/window.h"

#define MAX_COLUMNS (COL_FIXED + TL_MAX_FIELDS)

struct column { char *s; size_t len; };

struct text_reader {
	struct tl_window window;
	struct tl_tables tables;
	struct tl_sink *sink;
	struct tl_error *err;
	uint64_t line_number;
	char *line;
	size_t line_len;
	struct column cols[MAX_COLUMNS];
	size_t n_cols;
	uint64_t min_uid;
	struct tl_header_parts header;
	unsigned minor;
	bool begun;
	struct tl_field fields[TL_MAX_FIELDS];
	int64_t values[TL_MAX_FIELDS];
};

static enum tl_status wrong(struct text_reader *r, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static enum tl_status wrong(struct text_reader *r, const char *at, const char *fmt, ...)
{
	char what[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	return tl_fail(r->err, TL_ERR_DATA, "line %" PRIu64 ", column %zu: %s", r->line_number,
	               (size_t)(at - r->line) + 1, what);
}

/* How much of a column to quote. */
static int quote(const struct column *c)
{
	return c->len > 60 ? 60 : (int)c->len;
}

static enum tl_status wrong_column(struct text_reader *r, const struct column *c, const char *expected)
{
	return wrong(r, c->s, "'%.*s', %s was expected", quote(c), c->s, expected);
}

static bool is(const struct column *c, const char *text)
{
	return c->len == strlen(text) && memcmp(c->s, text, c->len) == 0;
}

/* ---- lines ------------------------------------------------------------------------- */

static enum tl_status cut_short(struct text_reader *r, const char *where)
{
	return tl_fail(r->err, TL_ERR_DATA, "the text ends %s line %" PRIu64 ", before a line 'end'", where,
	               r->line_number);
}

/* The next line without its newline into r->line. */
static enum tl_status next_line(struct text_reader *r)
{
	struct tl_window *w = &r->window;
	size_t scanned = 0;

	for (;;) {
		size_t avail = tl_window_avail(w);
		const uint8_t *nl = memchr(w->data + w->pos + scanned, '\n', avail - scanned);
		enum tl_status st;

		if (nl) {
			r->line = (char *)w->data + w->pos;
			r->line_len = (size_t)((const char *)nl - r->line);
			w->pos += r->line_len + 1;
			r->line_number++;
			return TL_OK;
		}
		if (w->eof && avail == 0)
			return cut_short(r, "after");
		if (avail > TEXT_MAX_LINE || w->eof) {
			r->line_number++;
			return w->eof ? cut_short(r, "within") :
			                tl_fail(r->err, TL_ERR_DATA, "line %" PRIu64 " is longer than %zu bytes",
			                        r->line_number, TEXT_MAX_LINE);
		}
		scanned = avail;
		st = tl_window_fill(w, avail + 1, r->err);
		if (st != TL_OK)
			return st;
	}
}

static enum tl_status check_bytes(struct text_reader *r)
{
	for (size_t i = 0; i < r->line_len; i++) {
		unsigned char c = (unsigned char)r->line[i];
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return wrong(r, r->line + i, "control byte %02x, \\x%02x was expected", c, c);
	}
	return TL_OK;
}

static enum tl_status split(struct text_reader *r)
{
	char *s = r->line, *end = r->line + r->line_len;

	r->n_cols = 0;
	for (;;) {
		char *tab = memchr(s, '\t', (size_t)(end - s));

		if (r->n_cols == MAX_COLUMNS)
			return wrong(r, s, "more than %d columns", MAX_COLUMNS);
		r->cols[r->n_cols++] = (struct column){ s, (size_t)((tab ? tab : end) - s) };
		if (!tab)
			return TL_OK;
		s = tab + 1;
	}
}

static enum tl_status read_line(struct text_reader *r)
{
	enum tl_status st = next_line(r);

	if (st == TL_OK)
		st = check_bytes(r);
	if (st == TL_OK)
		st = split(r);
	return st;
}

static enum tl_status need_columns(struct text_reader *r, size_t least, size_t most)
{
	if (r->n_cols >= least && r->n_cols <= most)
		return TL_OK;
	return wrong(r, r->line, "%zu columns in a line '%.*s', %s%zu were expected", r->n_cols,
	             quote(&r->cols[0]), r->cols[0].s, least < most ? "at least " : "", least);
}

/* ---- columns ------------------------------------------------------------------------ */

static enum tl_status get_unsigned(struct text_reader *r, const struct column *c, uint64_t *v)
{
	uint64_t n = 0;

	if (c->len == 0)
		return wrong_column(r, c, "a whole number");
	for (size_t i = 0; i < c->len; i++) {
		unsigned digit = (unsigned)(c->s[i] - '0');
		if (digit > 9 || __builtin_mul_overflow(n, (uint64_t)10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)digit, &n))
			return wrong_column(r, c, "a whole number from 0 to 2^64 - 1");
	}
	*v = n;
	return TL_OK;
}

static enum tl_status get_int(struct text_reader *r, const struct column *c, int64_t *v)
{
	bool minus = c->len && c->s[0] == '-';
	int64_t n = 0;

	if (c->len == minus)
		return wrong_column(r, c, "a whole number");
	for (size_t i = minus; i < c->len; i++) {
		int digit = c->s[i] - '0';
		if (digit < 0 || digit > 9 || __builtin_mul_overflow(n, (int64_t)10, &n) ||
		    __builtin_sub_overflow(n, (int64_t)digit, &n))
			return wrong_column(r, c, "a whole number of 64 bits");
	}
	if (!minus && n == INT64_MIN)
		return wrong_column(r, c, "a whole number of 64 bits");
	*v = minus ? n : -n;
	return TL_OK;
}

static enum tl_status unescape(struct text_reader *r, struct column *c)
{
	size_t at;
	int64_t len = tl_unescape(c->s, c->len, &at);

	if (len < 0)
		return wrong(r, c->s + at, "a backslash that begins none of \\t \\n \\r \\\\ \\: \\= \\xHH");
	c->len = (size_t)len;
	return TL_OK;
}

static enum tl_status get_string(struct text_reader *r, struct column *c, uint32_t *id)
{
	enum tl_status st = unescape(r, c);

	if (st == TL_OK && c->len > TL_STREAM_MAX_STRING)
		st = wrong(r, c->s, "a string of %zu bytes, at most %u fit an event stream", c->len,
		           TL_STREAM_MAX_STRING);
	if (st == TL_OK)
		*id = tl_add_string(&r->tables, c->s, c->len);
	return st;
}

/* A column where empty means none. */
static enum tl_status get_optional(struct text_reader *r, struct column *c, uint32_t *id)
{
	*id = 0;
	if (c->len == 0)
		return TL_OK;
	if (is(c, TEXT_EMPTY))
		c->len = 0;
	return get_string(r, c, id);
}

/* ---- header --------------------------------------------------------------------------- */

/* "1.0" */
static bool parse_version(const struct column *c, unsigned *major, unsigned *minor)
{
	char text[16];
	int used = 0;

	if (c->len >= sizeof text || c->len == 0 || c->s[0] < '0' || c->s[0] > '9')
		return false;
	memcpy(text, c->s, c->len);
	text[c->len] = 0;
	return sscanf(text, "%5u.%5u%n", major, minor, &used) == 2 && text[used] == 0;
}

static enum tl_status first_line(struct text_reader *r)
{
	enum tl_status st;
	unsigned major;

	st = tl_window_fill(&r->window, 4, r->err);
	if (st != TL_OK)
		return st;
	if (tl_window_avail(&r->window) == 0)
		return tl_fail_at(r->err, TL_ERR_DATA, 0, "empty input, the text of an event stream was expected");
	if (tl_window_avail(&r->window) < 4 || memcmp(r->window.data, "tls\t", 4) != 0)
		return tl_fail_at(r->err, TL_ERR_DATA, 0, "not the text of an event stream");
	st = read_line(r);
	if (st != TL_OK)
		return st;
	if (r->n_cols != 2 || !parse_version(&r->cols[1], &major, &r->minor))
		return wrong_column(r, &r->cols[1], "a version");
	if (major != TL_STREAM_MAJOR)
		return wrong(r, r->cols[1].s, "text of an event stream of version %u.%u, this program reads "
		             "version %d.%d", major, r->minor, TL_STREAM_MAJOR, TL_STREAM_MINOR);
	return TL_OK;
}

static enum tl_status header_record(struct text_reader *r)
{
	struct column *key = &r->cols[1], *value = &r->cols[2];
	enum tl_status st = need_columns(r, 3, 3);

	if (st != TL_OK)
		return st;
	if (r->begun)
		return wrong(r, r->line, "a header line after the first record");
	switch (tl_header_add(&r->header, key->s, key->len, value->s, value->len)) {
	case TL_HEADER_BAD_VALUE:
		return wrong(r, value->s, "'%.*s' is no value for header %.*s", quote(value), value->s,
		             quote(key), key->s);
	case TL_HEADER_UNKNOWN_KEY:
		if (r->minor <= TL_STREAM_MINOR)
			return wrong_column(r, key, "source, ticks_per_us, linked, python or provenance");
		break;
	case TL_HEADER_OK:
		break;
	}
	return TL_OK;
}

/* The header is whole when the first other line is there. */
static enum tl_status begin(struct text_reader *r)
{
	if (r->begun)
		return TL_OK;
	r->begun = true;
	if (!tl_header_finish(&r->header))
		return wrong(r, r->line, "there was no line 'header' with ticks_per_us");
	return r->sink->ops->begin(r->sink, &r->header.h, &r->tables, r->err);
}

/* ---- records ---------------------------------------------------------------------------- */

static enum tl_status meta_record(struct text_reader *r)
{
	struct column *key = &r->cols[1], *json = &r->cols[2];
	enum tl_status st = need_columns(r, 3, 3);

	if (st == TL_OK)
		st = unescape(r, key);
	if (st == TL_OK)
		st = unescape(r, json);
	if (st == TL_OK)
		st = r->sink->ops->meta(r->sink, key->s, key->len, json->s, json->len, r->err);
	return st;
}

static enum tl_status link_record(struct text_reader *r)
{
	struct tl_link k = { .b = TL_NO_UID };
	enum tl_status st = need_columns(r, 4, 4);
	int type;

	if (st != TL_OK)
		return st;
	type = tl_link_by_name(r->cols[1].s, r->cols[1].len);
	if (type < 0)
		return wrong_column(r, &r->cols[1], "a link type");
	k.type = (uint8_t)type;
	st = get_unsigned(r, &r->cols[2], &k.a);
	if (st == TL_OK && r->cols[3].len)
		st = get_unsigned(r, &r->cols[3], &k.b);
	return st == TL_OK ? r->sink->ops->link(r->sink, &k, r->err) : st;
}

static enum tl_status get_flags(struct text_reader *r, const struct column *c, uint8_t *flags, bool *name_differs)
{
	for (size_t i = 0; i < c->len; i++) {
		switch (c->s[i]) {
		case TEXT_INT_TS: *flags |= TL_INT_TS; break;
		case TEXT_INT_DUR: *flags |= TL_INT_DUR; break;
		case TEXT_ARGS: *flags |= TL_HAS_ARGS; break;
		case TEXT_NAME_DIFFERS: *name_differs = true; break;
		default: return wrong_column(r, c, "any of the letters t, d, a, n");
		}
	}
	return TL_OK;
}

/* "key:t=value" or "key:t" */
static enum tl_status get_field(struct text_reader *r, struct column *c, struct tl_field *f, int64_t *value)
{
	struct column key = { c->s, 0 }, text;
	char *end = c->s + c->len, *p = c->s;
	enum tl_status st;
	uint32_t id = 0;

	while (p < end && *p != ':')
		p += *p == '\\' ? 2 : 1;
	if (p + 1 >= end)
		return wrong_column(r, c, "key:type=value");
	key.len = (size_t)(p - c->s);
	f->type = 0;
	for (int i = 0; i < 2; i++)
		for (int k = TL_FIELD_INT; k <= TL_FIELD_JSON; k++)
			if (p[1] == tl_text_types[i][k]) {
				f->type = (uint8_t)k;
				f->top = (uint8_t)i;
			}
	if (!f->type || (p + 2 < end && p[2] != '='))
		return wrong(r, p + 1, "one of the types i, s, j, I, S, J and '=' were expected after the key");
	text = (struct column){ p + 3, p + 2 < end ? (size_t)(end - p - 3) : 0 };
	st = get_string(r, &key, &f->key);
	if (st != TL_OK)
		return st;
	if (f->type == TL_FIELD_INT)
		return p + 2 < end ? get_int(r, &text, value) : wrong_column(r, c, "key:i=number");
	if (p + 2 < end)
		st = get_string(r, &text, &id);
	*value = id;
	return st;
}

static enum tl_status get_fields(struct text_reader *r, struct tl_layout *l)
{
	enum tl_status st = TL_OK;

	l->n_fields = (uint32_t)(r->n_cols - COL_FIXED);
	l->fields = r->fields;
	for (uint32_t i = 0; i < l->n_fields && st == TL_OK; i++)
		st = get_field(r, &r->cols[COL_FIXED + i], &r->fields[i], &r->values[i]);
	return st;
}

static enum tl_status get_phase(struct text_reader *r, struct column *c, char *ph)
{
	enum tl_status st = unescape(r, c);

	if (st == TL_OK && c->len > 1)
		st = wrong_column(r, c, "one letter or nothing");
	*ph = c->len ? c->s[0] : 0;
	return st;
}

static enum tl_status get_times(struct text_reader *r, struct tl_layout *l, struct tl_event *ev)
{
	const struct column *ts = &r->cols[COL_TS], *dur = &r->cols[COL_DUR];
	enum tl_status st = TL_OK;

	if (ts->len) {
		l->flags |= TL_HAS_TS;
		st = get_int(r, ts, &ev->ts);
	}
	if (dur->len && st == TL_OK) {
		l->flags |= TL_HAS_DUR;
		st = get_int(r, dur, &ev->dur);
	}
	return st;
}

static enum tl_status get_identity(struct text_reader *r, struct tl_layout *l, struct tl_event *ev)
{
	const struct column *kind = &r->cols[COL_KIND];
	enum tl_status st = get_unsigned(r, &r->cols[COL_UID], &ev->uid);
	int k = tl_kind_by_name(kind->s, kind->len);

	if (st != TL_OK)
		return st;
	if (ev->uid < r->min_uid || ev->uid == TL_NO_UID)
		return wrong(r, r->cols[COL_UID].s, "event %" PRIu64 " after event %" PRIu64
		             ": numbers must increase", ev->uid, r->min_uid - 1);
	r->min_uid = ev->uid + 1;
	if (k < 0)
		return wrong_column(r, kind, "a kind of event");
	l->kind = (uint8_t)k;
	return TL_OK;
}

static enum tl_status event_record(struct text_reader *r)
{
	struct tl_layout l = { 0 };
	struct tl_event ev = { .values = r->values };
	uint32_t pid = 0, tid = 0;
	bool name_differs = false;
	enum tl_status st = need_columns(r, COL_FIXED, MAX_COLUMNS);

	if (st == TL_OK)
		st = get_identity(r, &l, &ev);
	if (st == TL_OK)
		st = get_times(r, &l, &ev);
	if (st == TL_OK)
		st = get_optional(r, &r->cols[COL_PID], &pid);
	if (st == TL_OK)
		st = get_optional(r, &r->cols[COL_TID], &tid);
	if (st == TL_OK)
		st = get_optional(r, &r->cols[COL_CAT], &l.cat);
	if (st == TL_OK)
		st = get_phase(r, &r->cols[COL_PH], &l.ph);
	if (st == TL_OK)
		st = get_optional(r, &r->cols[COL_NAME], &ev.name);
	if (st == TL_OK)
		st = get_flags(r, &r->cols[COL_FLAGS], &l.flags, &name_differs);
	if (st == TL_OK)
		st = get_fields(r, &l);
	if (st != TL_OK)
		return st;
	if ((ev.name != 0) != name_differs)
		l.flags |= TL_HAS_NAME;
	ev.track = tl_add_track(&r->tables, pid, tid);
	ev.layout = tl_add_layout(&r->tables, &l);
	st = r->sink->ops->event(r->sink, &ev, r->err);
	if (st == TL_OK)
		tl_source_reset(&r->tables, r->sink);
	return st;
}

static enum tl_status end_record(struct text_reader *r)
{
	enum tl_status st = need_columns(r, 1, 1);

	if (st == TL_OK)
		st = tl_window_fill(&r->window, 1, r->err);
	if (st == TL_OK && tl_window_avail(&r->window))
		st = tl_fail(r->err, TL_ERR_DATA, "there is text after line %" PRIu64 ", which says 'end'",
		             r->line_number);
	return st == TL_OK ? r->sink->ops->end(r->sink, r->err) : st;
}

static enum tl_status record(struct text_reader *r, bool *done)
{
	const struct column *type = &r->cols[0];
	enum tl_status st;

	if (is(type, "header"))
		return header_record(r);
	st = begin(r);
	if (st != TL_OK)
		return st;
	if (is(type, "event"))
		return event_record(r);
	if (is(type, "link"))
		return link_record(r);
	if (is(type, "meta"))
		return meta_record(r);
	*done = is(type, "end");
	return *done ? end_record(r) : wrong_column(r, type, "header, meta, event, link or end");
}

enum tl_status tl_text_read(struct tl_input *in, const void *got, size_t got_len,
                            struct tl_sink *sink, struct tl_error *err)
{
	struct text_reader *r = tl_calloc(1, sizeof *r);
	bool done = false;
	enum tl_status st;

	tl_window_init(&r->window, in, got, got_len);
	r->sink = sink;
	r->err = err;
	st = first_line(r);
	while (st == TL_OK && !done) {
		st = read_line(r);
		if (st == TL_OK)
			st = record(r, &done);
	}
	tl_header_release(&r->header);
	tl_tables_release(&r->tables);
	tl_window_release(&r->window);
	free(r);
	return st;
}
