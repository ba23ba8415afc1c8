/* document.c - reads a JSON document of any length from an input, in one pass.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/document.h"

#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/scan.h"

#define WINDOW_SIZE ((size_t)512 * 1024)

/* ---- failures --------------------------------------------------------------- */

static const char *shown(unsigned char c, char buf[10])
{
	static const char digit[] = "0123456789abcdef";

	if (c >= 0x20 && c < 0x7f) {
		buf[0] = buf[2] = '\'';
		buf[1] = (char)c;
		buf[3] = 0;
	} else {
		memcpy(buf, "byte 0x", 7);
		buf[7] = digit[c >> 4];
		buf[8] = digit[c & 15];
		buf[9] = 0;
	}
	return buf;
}

/* Malformed at p, or cut short there. `expected` is NULL or begins with "expected ". */
static bool fail_at(struct tl_json_doc *d, const char *p, const char *expected)
{
	int64_t offset = d->base + (p - d->buf);
	char buf[10];

	if (d->status)
		return false;
	d->cut_short = p >= d->text.end;
	d->bad = d->cut_short ? NULL : p;
	if (d->bad)
		d->status = tl_fail_at(&d->error, TL_ERR_DATA, offset, "%s, found %s", expected, shown((unsigned char)*p, buf));
	else
		d->status = tl_fail_at(&d->error, TL_ERR_DATA, offset, "the trace is cut short%s%s", expected ? ": " : "", expected ? expected : "");
	return false;
}

bool tl_json_doc_expected(struct tl_json_doc *d, const char *expected)
{
	char text[100] = "expected ";

	strncat(text, expected, sizeof text - 10);
	return fail_at(d, d->p, text);
}

bool tl_json_doc_fail(struct tl_json_doc *d, int64_t offset, const char *what)
{
	if (d->status)
		return false;
	d->status = tl_fail_at(&d->error, TL_ERR_DATA, offset, "%s", what);
	d->bad = d->p;
	return false;
}

/* ---- the window ----------------------------------------------------------------- */

/* One read into the window. */
static bool read_some(struct tl_json_doc *d)
{
	char *end = d->buf + (d->text.end - d->buf);
	struct tl_error err = { 0 };
	int64_t n;

	if (end == d->buf + d->cap) {
		if (d->cap >= TL_JSON_DOC_MAX) {
			d->status = tl_fail_at(&d->error, TL_ERR_DATA, d->base, "a value of more than %zu MB", TL_JSON_DOC_MAX >> 20);
			return false;
		}
		size_t len = (size_t)(d->text.end - d->buf);
		char *buf = tl_alloc(2 * d->cap + TL_JSON_PAD);
		memcpy(buf, d->buf, len);
		free(d->buf);
		d->p = d->buf = buf; /* more() has moved what is kept to the start */
		d->text.end = buf + len;
		d->cap *= 2;
		end = d->buf + (d->text.end - d->buf);
	}
	n = d->in->read(d->in, end, (size_t)(d->buf + d->cap - end), &err);
	d->bad_input = n < 0 && err.status == TL_ERR_DATA;
	if (n < 0 && !(d->lenient && d->bad_input)) {
		d->status = err.status;
		d->error = err;
		return false;
	}
	d->eof = n <= 0;
	d->text.end += n > 0 ? n : 0;
	memset(d->buf + (d->text.end - d->buf), 0, TL_JSON_PAD);
	return true;
}

/* Gets more text and drops what is before d->p. The text from d->p on at least doubles,
 * so that a long value is not scanned again for each piece of input. */
static bool more(struct tl_json_doc *d)
{
	size_t keep = (size_t)(d->text.end - d->p), want = keep ? 2 * keep : 1;

	d->base += d->p - d->buf;
	memmove(d->buf, d->p, keep);
	d->p = d->buf;
	d->text.end = d->buf + keep;
	while (!d->eof && (size_t)(d->text.end - d->buf) < want)
		if (!read_some(d))
			return false;
	return true;
}

void tl_json_doc_init(struct tl_json_doc *d, struct tl_input *in)
{
	memset(d, 0, sizeof *d);
	d->in = in;
	d->cap = WINDOW_SIZE;
	d->buf = tl_calloc(1, d->cap + TL_JSON_PAD);
	d->p = d->text.end = d->buf;
}

void tl_json_doc_release(struct tl_json_doc *d)
{
	tl_buf_release(&d->room);
	free(d->buf);
}

/* ---- walking ----------------------------------------------------------------------- */

/* A byte order mark may stand at the very start. */
static void pass_mark(struct tl_json_doc *d)
{
	while (!d->eof && (d->p == d->text.end || (*d->p == '\xef' && d->text.end - d->p < 3)))
		if (!more(d))
			return;
	if (!memcmp(d->p, "\xef\xbb\xbf", 3))
		d->p += 3;
}

int tl_json_doc_look(struct tl_json_doc *d)
{
	if (d->p == d->buf && d->base == 0)
		pass_mark(d);
	while (!d->status) {
		d->p = tl_json_blanks(d->p);
		if (d->p < d->text.end)
			return (unsigned char)*d->p;
		if (d->eof || !more(d))
			break;
	}
	return -1;
}

bool tl_json_doc_enter(struct tl_json_doc *d, char bracket)
{
	if (tl_json_doc_peek(d) != bracket)
		return tl_json_doc_expected(d, bracket == '{' ? "an object" : "a list");
	d->p++;
	d->first = true;
	return true;
}

/* Goes to the next member or element. */
static bool next(struct tl_json_doc *d, char close, const char *expected)
{
	int c = tl_json_doc_peek(d);
	bool first = d->first;

	d->first = false;
	if (c == close) {
		d->p++;
		return false;
	}
	if (c < 0 || (!first && c != ','))
		return tl_json_doc_expected(d, expected);
	d->p += !first;
	return first || tl_json_doc_peek(d) >= 0 || tl_json_doc_expected(d, "a value");
}

/* Moves the text to the buffer if it is not there. */
static void copy_piece(struct tl_json_piece *text, struct tl_buf *to)
{
	if (text->s != to->data) {
		tl_buf_clear(to);
		tl_buf_add(to, text->s, text->len);
	}
	*text = (struct tl_json_piece){ to->data, to->len };
}

bool tl_json_doc_member(struct tl_json_doc *d)
{
	if (!next(d, '}', "',' or '}'"))
		return false;
	if (*d->p != '"')
		return tl_json_doc_expected(d, "a member name in quotes");
	if (!tl_json_doc_text(d, false, &d->room, &d->name))
		return false;
	const char *colon = tl_json_blanks(d->p), *value = tl_json_blanks(colon + (*colon == ':'));
	if (*colon == ':' && value < d->text.end) {
		d->p = value;
		return true;
	}
	copy_piece(&d->name, &d->room); /* the window may move */
	if (tl_json_doc_peek(d) != ':')
		return tl_json_doc_expected(d, "':'");
	d->p++;
	return tl_json_doc_peek(d) >= 0 || tl_json_doc_expected(d, "a value");
}

bool tl_json_doc_element(struct tl_json_doc *d)
{
	const char *value = !d->status && !d->first && *d->p == ',' ? tl_json_blanks(d->p + 1) : NULL;

	if (value && value < d->text.end) { /* as mostly */
		d->p = value;
		return true;
	}
	return next(d, ']', "',' or ']'");
}

/* ---- values -------------------------------------------------------------------------- */

typedef const char *value_fn(struct tl_json_text *, const char *p, struct tl_buf *out);

static bool take(struct tl_json_doc *d, value_fn *value, struct tl_buf *out)
{
	while (tl_json_doc_peek(d) >= 0) {
		const char *q;

		if (out)
			tl_buf_clear(out);
		d->text.problems = 0;
		q = value(&d->text, d->p, out);
		if (q) {
			d->p = q;
			return true;
		}
		if (d->text.what || d->eof)
			return fail_at(d, d->text.at, d->text.what);
		more(d);
	}
	return tl_json_doc_expected(d, "a value");
}

bool tl_json_doc_text(struct tl_json_doc *d, bool as_json, struct tl_buf *room, struct tl_json_piece *out)
{
	int c = tl_json_doc_peek(d), bare = c == '"' && !as_json;
	const char *p = d->p, *q = NULL;

	if (c == '"' && *(q = tl_json_string_stop(p + 1)) == '"')
		q++;
	else
		q = tl_is_digit(c) ? tl_json_number(&d->text, p) : NULL;
	if (q) {
		d->text.problems = 0;
		d->p = q;
		*out = (struct tl_json_piece){ p + bare, (size_t)(q - p) - 2 * (size_t)bare };
		return true;
	}
	if (!take(d, bare ? tl_json_string : tl_json_value, room))
		return false;
	*out = (struct tl_json_piece){ tl_buf_text(room), room->len };
	return true;
}

bool tl_json_doc_string(struct tl_json_doc *d, struct tl_buf *out)
{
	struct tl_json_piece text;

	if (tl_json_doc_peek(d) != '"')
		return tl_json_doc_expected(d, "a string");
	if (!tl_json_doc_text(d, false, out, &text))
		return false;
	copy_piece(&text, out);
	return true;
}

bool tl_json_doc_value(struct tl_json_doc *d, struct tl_buf *out)
{
	return take(d, tl_json_value, out);
}

static const char *number(struct tl_json_text *t, const char *p, struct tl_buf *out)
{
	const char *q = tl_json_number(t, p);

	if (q)
		tl_buf_add(out, p, (size_t)(q - p));
	return q;
}

bool tl_json_doc_usual_number(struct tl_json_doc *d, uint64_t unit, bool *decimals, int64_t *value)
{
	const char *q = d->status ? NULL : tl_json_usual_number(d->p, unit, decimals, value);

	if (!q || q >= d->text.end)
		return false;
	d->p = q;
	return true;
}

bool tl_json_doc_int(struct tl_json_doc *d, int64_t *out)
{
	bool decimals;

	tl_json_doc_peek(d);
	if (tl_json_doc_usual_number(d, 1, &decimals, out))
		return true;
	int64_t at = tl_json_doc_offset(d);
	return take(d, number, &d->room) && (tl_json_int64(d->room.data, d->room.data + d->room.len, out) ||
	       tl_json_doc_fail(d, at, "expected an integer of 64 bits"));
}

bool tl_json_doc_skip_rest(struct tl_json_doc *d)
{
	while (!d->status) {
		const char *q = tl_json_nested_stop(d->p, 1, d->text.end);

		if (q) {
			d->p = q;
			d->first = false;
			return true;
		}
		if (d->eof || !more(d))
			break;
	}
	return false;
}

/* ---- the end --------------------------------------------------------------------------- */

bool tl_json_doc_end(struct tl_json_doc *d)
{
	if (tl_json_doc_peek(d) >= 0)
		return tl_json_doc_expected(d, "nothing after the end of the trace");
	return !d->status;
}

bool tl_json_doc_drain(struct tl_json_doc *d)
{
	while (!d->status && !d->eof) {
		d->p = d->text.end;
		more(d);
	}
	d->p = d->text.end;
	return !d->status;
}

/* ---- damage ------------------------------------------------------------------------------ */

/* An object that looks right, behind "}" and ",". */
static const char *find_object(const struct tl_json_doc *d, const char *p, bool (*looks_right)(const char *))
{
	for (; p < d->text.end && (p = memchr(p, '}', (size_t)(d->text.end - p))); p++) {
		const char *q = tl_json_blanks(p + 1);

		if (*q != ',')
			continue;
		q = tl_json_blanks(q + 1);
		if (*q == '{' && looks_right(q))
			return q;
	}
	return NULL;
}

bool tl_json_doc_resync(struct tl_json_doc *d, bool (*looks_right)(const char *object))
{
	const ptrdiff_t overlap = 256; /* "}" and what follows may be split */
	struct tl_error error = d->error;
	const char *from = d->bad, *found;

	d->status = TL_OK;
	d->bad = NULL;
	while (!(found = find_object(d, from, looks_right)) && !d->eof) {
		d->p = d->text.end - from > overlap ? d->text.end - overlap : from;
		if (!more(d))
			return false;
		from = d->p;
	}
	d->p = found ? found : d->text.end;
	d->first = true; /* no comma is wanted before what was found */
	if (!found) {
		d->status = TL_ERR_DATA;
		d->error = error;
		d->cut_short = true;
	}
	return found != NULL;
}
