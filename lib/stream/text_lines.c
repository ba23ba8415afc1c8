/* text_lines.c - the lines and columns of the text form of a stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "stream/text_lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/text.h"

void tl_lines_wrong(struct tl_lines *l, const char *at, const char *fmt, ...)
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

int tl_column_quote(const struct tl_column *c)
{
	return c->len > 60 ? 60 : (int)c->len;
}

void tl_lines_wrong_column(struct tl_lines *l, const struct tl_column *c, const char *expected)
{
	tl_lines_wrong(l, c->s, "'%.*s', %s was expected", tl_column_quote(c), c->s, expected);
}

bool tl_column_is(const struct tl_column *c, const char *text)
{
	return tl_text_is(c->s, c->len, text);
}

/* ---- lines ------------------------------------------------------------------------- */

void tl_lines_fill(struct tl_lines *l, size_t need)
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
		tl_lines_fill(l, avail + 1);
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

static void check_bytes(struct tl_lines *l)
{
	for (size_t i = 0; i < l->len; i++) {
		unsigned char c = (unsigned char)l->text[i];
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			tl_lines_wrong(l, l->text + i, "control byte %02x, \\x%02x was expected", c, c);
	}
}

static void split(struct tl_lines *l)
{
	char *end = l->text + l->len;

	l->n_cols = 0;
	for (char *s = l->text, *tab; s; s = tab ? tab + 1 : NULL) {
		tab = memchr(s, '\t', (size_t)(end - s));
		if (l->n_cols == TL_MAX_COLUMNS) {
			tl_lines_wrong(l, s, "more than %d columns", TL_MAX_COLUMNS);
			return;
		}
		l->cols[l->n_cols++] = (struct tl_column){ s, (size_t)((tab ? tab : end) - s) };
	}
}

void tl_lines_read(struct tl_lines *l)
{
	next_line(l);
	if (l->status != TL_OK)
		return;
	check_bytes(l);
	split(l);
}

bool tl_lines_has(struct tl_lines *l, size_t least, size_t most)
{
	if (l->n_cols >= least && l->n_cols <= most)
		return true;
	tl_lines_wrong(l, l->text, "%zu columns in a line '%.*s', %s%zu were expected", l->n_cols,
	               tl_column_quote(&l->cols[0]), l->cols[0].s, least < most ? "at least " : "", least);
	return false;
}

/* ---- columns ------------------------------------------------------------------------ */

uint64_t tl_lines_unsigned(struct tl_lines *l, const struct tl_column *c)
{
	uint64_t n = 0;

	for (size_t i = 0; i < c->len; i++) {
		unsigned digit = (unsigned)(c->s[i] - '0');
		if (digit > 9 || __builtin_mul_overflow(n, (uint64_t)10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)digit, &n)) {
			tl_lines_wrong_column(l, c, "a whole number from 0 to 2^64 - 1");
			return 0;
		}
	}
	if (!c->len)
		tl_lines_wrong_column(l, c, "a whole number");
	return n;
}

int64_t tl_lines_int(struct tl_lines *l, const struct tl_column *c)
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
		tl_lines_wrong_column(l, c, "a whole number of 64 bits");
		return 0;
	}
	return (int64_t)(minus ? 0 - n : n);
}

void tl_lines_unescape(struct tl_lines *l, struct tl_column *c)
{
	size_t at;
	int64_t len = tl_unescape(c->s, c->len, &at);

	if (len < 0)
		tl_lines_wrong(l, c->s + at, "a backslash that begins none of \\t \\n \\r \\\\ \\: \\= \\xHH");
	c->len = len < 0 ? 0 : (size_t)len;
}
