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
#include "base/rows.h"
#include "base/text.h"
#include "model/wire.h"

/* ---- the lines and columns of the text form of a stream --------------------------------- */

enum { TL_MAX_COLUMNS = COL_FIXED + TL_MAX_FIELDS };

struct tl_lines {
	struct tl_window window;
	struct tl_error *err;
	enum tl_status status; /* of the first failure */
	uint64_t number;       /* of the line at hand, from 1 */
	char *text;            /* the line without its newline, until the next is read */
	size_t len;
	struct tl_field_text *cols; size_t n_cols, cap_cols;
};

/* Fails at a place in the line, or at a column; a line that has failed keeps its
 * first error. */
__attribute__((format(printf, 3, 4)))
static void lines_wrong(struct tl_lines *l, const char *at, const char *fmt, ...)
{
	char what[400];
	va_list ap;

	if (l->status != TL_OK)
		return;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	l->status = tl_fail(l->err, TL_ERR_DATA, "line %" PRIu64 ", column %zu: %s", l->number,
	                    (size_t)(at - l->text) + 1, what);
}

/* How many of its bytes an error quotes, for printf. */
static int column_quote(const struct tl_field_text *c)
{
	return c->len > 60 ? 60 : (int)c->len;
}

static void lines_wrong_column(struct tl_lines *l, const struct tl_field_text *c, const char *expected)
{
	lines_wrong(l, c->s, "'%.*s', %s was expected", column_quote(c), c->s, expected);
}

static bool column_is(const struct tl_field_text *c, const char *text)
{
	return tl_text_is(c->s, c->len, text);
}

/* ---- lines ------------------------------------------------------------------------- */

/* Reads until `need` bytes are in the window, or the text ends. */
static void lines_fill(struct tl_lines *l, size_t need)
{
	l->status = tl_window_fill(&l->window, need, l->err);
}

/* The newline that ends the line at the window's position, NULL if the text ends or
 * the line is too long. */
static const uint8_t *find_newline(struct tl_lines *l)
{
	struct tl_window *w = &l->window;

	for (size_t scanned = 0;;) {
		size_t avail = tl_window_avail(w);
		const uint8_t *newline = memchr(w->data + w->pos + scanned, '\n', avail - scanned);

		if (newline || w->eof || avail > TEXT_MAX_LINE || l->status != TL_OK)
			return newline;
		scanned = avail;
		lines_fill(l, avail + 1);
	}
}

/* The next line, without its newline, into l->text. */
static void next_line(struct tl_lines *l)
{
	struct tl_window *w = &l->window;
	const uint8_t *newline = find_newline(l);
	size_t avail = tl_window_avail(w);

	if (l->status != TL_OK)
		return;
	if (newline) {
		l->text = (char *)w->data + w->pos;
		l->len = (size_t)((const char *)newline - l->text);
		w->pos += l->len + 1;
		l->number++;
	} else if (!w->eof) {
		l->status = tl_fail(l->err, TL_ERR_DATA, "line %" PRIu64 " is longer than %zu bytes", l->number + 1,
		                    TEXT_MAX_LINE);
	} else {
		l->status = tl_fail(l->err, TL_ERR_DATA, "the text ends %s line %" PRIu64 ", before a line 'end'",
		                    avail ? "within" : "after", l->number + (avail > 0));
	}
}

/* Reads the next line and splits it at tabs. That the text ends is a failure: the
 * caller stops at the line 'end'. */
static void lines_read(struct tl_lines *l)
{
	next_line(l);
	if (l->status != TL_OK)
		return;
	for (size_t i = 0; i < l->len; i++) {
		unsigned char c = (unsigned char)l->text[i];
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			lines_wrong(l, l->text + i, "control byte %02x, \\x%02x was expected", c, c);
	}
	l->n_cols = tl_cut_fields(l->text, l->len, '\t', TL_MAX_COLUMNS, &l->cols, &l->cap_cols);
	if (l->n_cols > TL_MAX_COLUMNS)
		lines_wrong(l, l->cols[TL_MAX_COLUMNS].s, "more than %d columns", TL_MAX_COLUMNS);
}

/* Fails and returns false if the line has fewer or more columns. */
static bool lines_has(struct tl_lines *l, size_t least, size_t most)
{
	if (l->n_cols >= least && l->n_cols <= most)
		return true;
	lines_wrong(l, l->text, "%zu columns in a line '%.*s', %s%zu were expected", l->n_cols,
	               column_quote(&l->cols[0]), l->cols[0].s, least < most ? "at least " : "", least);
	return false;
}

/* ---- columns ------------------------------------------------------------------------ */

/* The number in a column; fails and returns 0 if the column holds none. */
static uint64_t lines_unsigned(struct tl_lines *l, const struct tl_field_text *c)
{
	uint64_t n = 0;

	for (size_t i = 0; i < c->len; i++) {
		unsigned digit = (unsigned)(c->s[i] - '0');
		if (digit > 9 || __builtin_mul_overflow(n, (uint64_t)10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)digit, &n)) {
			lines_wrong_column(l, c, "a whole number from 0 to 2^64 - 1");
			return 0;
		}
	}
	if (!c->len)
		lines_wrong_column(l, c, "a whole number");
	return n;
}

static int64_t lines_int(struct tl_lines *l, const struct tl_field_text *c)
{
	bool minus = c->len && c->s[0] == '-';
	uint64_t n = 0, most = (uint64_t)INT64_MAX + minus;
	size_t i = minus;

	for (; i < c->len && tl_is_digit(c->s[i]); i++) {
		unsigned digit = (unsigned)(c->s[i] - '0');
		if (n > (most - digit) / 10)
			break;
		n = n * 10 + digit;
	}
	if (i < c->len || i == minus) {
		lines_wrong_column(l, c, "a whole number of 64 bits");
		return 0;
	}
	return (int64_t)(minus ? 0 - n : n);
}

/* Replaces the escapes in a column in place. */
static void lines_unescape(struct tl_lines *l, struct tl_field_text *c)
{
	size_t at;
	int64_t len = tl_unescape((char *)(uintptr_t)c->s, c->len, &at);

	if (len < 0)
		lines_wrong(l, c->s + at, "a backslash that begins none of \\t \\n \\r \\\\ \\: \\= \\xHH");
	c->len = len < 0 ? 0 : (size_t)len;
}

struct text_reader {
	struct tl_lines in;
	struct tl_tables tables;
	struct tl_sink *sink;
	uint64_t min_uid; /* of the next event */
	struct tl_header_parts header;
	unsigned minor;   /* version of the text */
	bool begun, done; /* the header is whole; the line 'end' was there */
	struct tl_field fields[TL_MAX_FIELDS];
	int64_t values[TL_MAX_FIELDS];
};

/* ---- columns: 0 when one is wrong ---------------------------------------------------- */

static uint32_t get_string(struct text_reader *r, struct tl_field_text *c)
{
	lines_unescape(&r->in, c);
	if (c->len > TL_STREAM_MAX_STRING)
		lines_wrong(&r->in, c->s, "a string of %zu bytes, at most %u fit an event stream", c->len, TL_STREAM_MAX_STRING);
	return r->in.status == TL_OK ? tl_add_string(&r->tables, c->s, c->len) : 0;
}

/* A column where empty means none. */
static uint32_t get_optional(struct text_reader *r, struct tl_field_text *c)
{
	if (c->len == 0)
		return 0;
	if (column_is(c, TEXT_EMPTY))
		c->len = 0;
	return get_string(r, c);
}

/* ---- header --------------------------------------------------------------------------- */

/* "1.0" */
static bool parse_version(const struct tl_field_text *c, unsigned *major, unsigned *minor)
{
	char text[16];
	int used = 0;

	if (c->len >= sizeof text || c->len == 0 || !tl_is_digit(c->s[0]))
		return false;
	memcpy(text, c->s, c->len);
	text[c->len] = 0;
	return sscanf(text, "%5u.%5u%n", major, minor, &used) == 2 && text[used] == 0;
}

static void first_line(struct text_reader *r)
{
	unsigned major;

	lines_fill(&r->in, 4);
	if (r->in.status != TL_OK)
		return;
	if (tl_window_avail(&r->in.window) < 4 || memcmp(r->in.window.data, "tls\t", 4) != 0) {
		const char *what = tl_window_avail(&r->in.window) ? "not the text of an event stream"
		                                                  : "empty input, the text of an event stream was expected";
		r->in.status = tl_fail_at(r->in.err, TL_ERR_DATA, 0, "%s", what);
		return;
	}
	lines_read(&r->in);
	if (r->in.status != TL_OK)
		return;
	const struct tl_field_text *version = &r->in.cols[1];
	if (r->in.n_cols != 2 || !parse_version(version, &major, &r->minor))
		lines_wrong_column(&r->in, version, "a version");
	else if (major != TL_STREAM_MAJOR)
		lines_wrong(&r->in, version->s, "text of an event stream of version %u.%u, this program reads version %d.%d",
		               major, r->minor, TL_STREAM_MAJOR, TL_STREAM_MINOR);
}

static void header_record(struct text_reader *r)
{
	struct tl_field_text *key = &r->in.cols[1], *value = &r->in.cols[2];

	if (!lines_has(&r->in, 3, 3))
		return;
	if (r->begun) {
		lines_wrong(&r->in, r->in.text, "a header line after the first record");
		return;
	}
	switch (tl_header_add(&r->header, key->s, key->len, value->s, value->len)) {
	case TL_HEADER_BAD_VALUE:
		lines_wrong(&r->in, value->s, "'%.*s' is no value for header %.*s", column_quote(value), value->s,
		               column_quote(key), key->s);
		break;
	case TL_HEADER_UNKNOWN_KEY:
		if (r->minor <= TL_STREAM_MINOR)
			lines_wrong_column(&r->in, key, "source, ticks_per_us, linked, python or provenance");
		break;
	case TL_HEADER_OK:
		break;
	}
}

/* The first line that is no header line ends the header. */
static void begin(struct text_reader *r)
{
	if (r->begun)
		return;
	r->begun = true;
	if (tl_header_finish(&r->header))
		r->in.status = r->sink->ops->begin(r->sink, &r->header.h, &r->tables, r->in.err);
	else
		lines_wrong(&r->in, r->in.text, "there was no line 'header' with ticks_per_us");
}

/* ---- records ---------------------------------------------------------------------------- */

static void meta_record(struct text_reader *r)
{
	struct tl_field_text *key = &r->in.cols[1], *json = &r->in.cols[2];

	if (!lines_has(&r->in, 3, 3))
		return;
	lines_unescape(&r->in, key);
	lines_unescape(&r->in, json);
	if (r->in.status == TL_OK)
		r->in.status = r->sink->ops->meta(r->sink, key->s, key->len, json->s, json->len, r->in.err);
}

static void link_record(struct text_reader *r)
{
	struct tl_field_text *c = r->in.cols;

	if (!lines_has(&r->in, 4, 4))
		return;
	int type = tl_link_by_name(c[1].s, c[1].len);
	if (type < 0)
		lines_wrong_column(&r->in, &c[1], "a link type");
	uint64_t a = lines_unsigned(&r->in, &c[2]), b = c[3].len ? lines_unsigned(&r->in, &c[3]) : TL_NO_UID;
	if (r->in.status == TL_OK)
		r->in.status = tl_push_link(r->sink, (uint8_t)type, a, b, r->in.err);
}

/* Letters of the flags column. */
static uint8_t get_flags(struct text_reader *r, const struct tl_field_text *c, bool *name_differs)
{
	uint8_t flags = 0;

	for (size_t i = 0; i < c->len; i++) {
		switch (c->s[i]) {
		case TEXT_INT_TS: flags |= TL_INT_TS; break;
		case TEXT_INT_DUR: flags |= TL_INT_DUR; break;
		case TEXT_ARGS: flags |= TL_HAS_ARGS; break;
		case TEXT_NAME_DIFFERS: *name_differs = true; break;
		default: lines_wrong_column(&r->in, c, "any of the letters t, d, a, n");
		}
	}
	return flags;
}

/* Sets type and top by the letter; false if no type has it. */
static bool type_by_letter(char letter, struct tl_field *f)
{
	for (uint8_t top = 0; top < 2; top++)
		for (uint8_t type = TL_FIELD_INT; type <= TL_FIELD_JSON; type++)
			if (letter == tl_text_types[top][type]) {
				f->type = type;
				f->top = top;
				return true;
			}
	return false;
}

/* A field, "key:t=value" or "key:t"; returns its value. */
static int64_t get_field(struct text_reader *r, struct tl_field_text *c, struct tl_field *f)
{
	const char *end = c->s + c->len, *colon = c->s;

	while (colon < end && *colon != ':')
		colon += *colon == '\\' ? 2 : 1;
	if (colon + 1 >= end) {
		lines_wrong_column(&r->in, c, "key:type=value");
		return 0;
	}
	bool has_value = colon + 2 < end;
	struct tl_field_text key = { c->s, (size_t)(colon - c->s) };
	struct tl_field_text value = { colon + 3, has_value ? (size_t)(end - colon - 3) : 0 };
	if (!type_by_letter(colon[1], f) || (has_value && colon[2] != '=')) {
		lines_wrong(&r->in, colon + 1, "one of the types i, s, j, I, S, J and '=' were expected after the key");
		return 0;
	}
	f->key = get_string(r, &key);
	if (f->type != TL_FIELD_INT)
		return has_value ? get_string(r, &value) : 0;
	if (has_value)
		return lines_int(&r->in, &value);
	lines_wrong_column(&r->in, c, "key:i=number");
	return 0;
}

/* A time, which sets the flag that there is one; empty means none. */
static int64_t get_time(struct text_reader *r, const struct tl_field_text *c, uint8_t flag, uint8_t *flags)
{
	if (!c->len)
		return 0;
	*flags |= flag;
	return lines_int(&r->in, c);
}

static void event_record(struct text_reader *r)
{
	struct tl_field_text *c = r->in.cols;
	struct tl_layout l = { .fields = r->fields };
	struct tl_event ev = { .values = r->values };
	bool name_differs = false;

	if (!lines_has(&r->in, COL_FIXED, TL_MAX_COLUMNS))
		return;
	/* The number of an event, which must be higher than that of the event before. */
	ev.uid = lines_unsigned(&r->in, &c[COL_UID]);
	int kind = tl_kind_by_name(c[COL_KIND].s, c[COL_KIND].len);
	bool same = kind == TL_KIND_COUNTER && ev.uid + 1 == r->min_uid; /* counters of one record */
	if ((ev.uid < r->min_uid && !same) || ev.uid == TL_NO_UID)
		lines_wrong(&r->in, c[COL_UID].s, "event %" PRIu64 " after event %" PRIu64 ": numbers must increase", ev.uid,
		               r->min_uid - 1);
	r->min_uid = ev.uid + 1;
	if (kind < 0)
		lines_wrong_column(&r->in, &c[COL_KIND], "a kind of event");
	l.kind = (uint8_t)kind;
	l.flags = get_flags(r, &c[COL_FLAGS], &name_differs);
	ev.ts = get_time(r, &c[COL_TS], TL_HAS_TS, &l.flags);
	ev.dur = get_time(r, &c[COL_DUR], TL_HAS_DUR, &l.flags);
	uint32_t pid = get_optional(r, &c[COL_PID]), tid = get_optional(r, &c[COL_TID]);
	l.cat = get_optional(r, &c[COL_CAT]);
	lines_unescape(&r->in, &c[COL_PH]);
	if (c[COL_PH].len > 1)
		lines_wrong_column(&r->in, &c[COL_PH], "one letter or nothing");
	l.ph = c[COL_PH].len ? c[COL_PH].s[0] : 0;
	ev.name = get_optional(r, &c[COL_NAME]);
	if ((ev.name != 0) != name_differs)
		l.flags |= TL_HAS_NAME;
	l.n_fields = (uint32_t)(r->in.n_cols - COL_FIXED);
	for (uint32_t i = 0; i < l.n_fields && r->in.status == TL_OK; i++)
		r->values[i] = get_field(r, &c[COL_FIXED + i], &r->fields[i]);
	if (r->in.status != TL_OK)
		return;
	ev.track = tl_add_track(&r->tables, pid, tid);
	ev.layout = tl_add_layout(&r->tables, &l);
	r->in.status = r->sink->ops->event(r->sink, &ev, r->in.err);
	if (r->in.status == TL_OK)
		tl_source_reset(&r->tables, r->sink);
}

static void end_record(struct text_reader *r)
{
	if (!lines_has(&r->in, 1, 1))
		return;
	lines_fill(&r->in, 1);
	if (r->in.status != TL_OK)
		return;
	r->done = true;
	if (tl_window_avail(&r->in.window))
		r->in.status = tl_fail(r->in.err, TL_ERR_DATA, "there is text after line %" PRIu64 ", which says 'end'",
		                    r->in.number);
	else
		r->in.status = r->sink->ops->end(r->sink, r->in.err);
}

static void read_record(struct text_reader *r)
{
	const struct tl_field_text *type = &r->in.cols[0];

	if (column_is(type, "header")) {
		header_record(r);
		return;
	}
	begin(r);
	if (r->in.status != TL_OK)
		return;
	if (column_is(type, "event"))
		event_record(r);
	else if (column_is(type, "link"))
		link_record(r);
	else if (column_is(type, "meta"))
		meta_record(r);
	else if (column_is(type, "end"))
		end_record(r);
	else
		lines_wrong_column(&r->in, type, "header, meta, event, link or end");
}

enum tl_status tl_text_read(struct tl_input *in, const void *got, size_t got_len,
                            struct tl_sink *sink, struct tl_error *err)
{
	struct text_reader *r = tl_calloc(1, sizeof *r);

	tl_window_init(&r->in.window, in, got, got_len);
	r->sink = sink;
	r->in.err = err;
	first_line(r);
	while (r->in.status == TL_OK && !r->done) {
		lines_read(&r->in);
		if (r->in.status == TL_OK)
			read_record(r);
	}
	enum tl_status status = r->in.status;
	tl_header_release(&r->header);
	tl_tables_release(&r->tables);
	free(r->in.cols);
	tl_window_release(&r->in.window);
	free(r);
	return status;
}
