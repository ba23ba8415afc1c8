/* cursor.c - a place in the text of a table, and reading from it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "lang/cursor.h"
#include "base/text.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum tl_status tl_cursor_fail(const struct tl_cursor *c, size_t pos, const char *fmt, ...)
{
	size_t line = 1, start = 0;
	char what[500];
	va_list ap;

	for (size_t i = 0; i < pos && i < c->len; i++)
		if (c->text[i] == '\n')
			line++, start = i + 1;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	for (size_t i = 0, left = strlen(what), used; left; i += used, left -= used)
		if (tl_utf8_decode(what + i, left, &used) == TL_UTF8_MALFORMED)
			memset(what + i, '?', used); /* the table is no UTF-8 here, or the message was cut within a character */
	return tl_fail(c->err, TL_ERR_DATA, "%s:%zu:%zu: %s", c->file, line, pos - start + 1, what);
}

void tl_cursor_skip(struct tl_cursor *c)
{
	for (;;) {
		int ch = tl_cursor_peek(c, 0);
		if (ch == ' ' || ch == '\t' || ch == '\r') {
			c->pos++;
		} else if (ch == '\\' && tl_cursor_peek(c, 1) == '\n') {
			c->pos += 2;
		} else if (ch == '#') {
			while (tl_cursor_peek(c, 0) != -1 && tl_cursor_peek(c, 0) != '\n')
				c->pos++;
		} else {
			return;
		}
	}
}

bool tl_cursor_at_end(struct tl_cursor *c)
{
	tl_cursor_skip(c);
	return tl_cursor_peek(c, 0) == -1 || tl_cursor_peek(c, 0) == '\n';
}

bool tl_cursor_take(struct tl_cursor *c, char ch)
{
	tl_cursor_skip(c);
	if (tl_cursor_peek(c, 0) != ch)
		return false;
	c->pos++;
	return true;
}

size_t tl_cursor_name(struct tl_cursor *c, const char **name)
{
	size_t from;

	tl_cursor_skip(c);
	from = c->pos;
	if (!tl_is_letter(tl_cursor_peek(c, 0)))
		return 0;
	while (tl_in_name(tl_cursor_peek(c, 0)))
		c->pos++;
	*name = c->text + from;
	return c->pos - from;
}

/* ---- words --------------------------------------------------------------------- */

bool tl_cursor_word(struct tl_cursor *c, struct tl_word *f)
{
	bool quoted;
	int ch;

	if (tl_cursor_at_end(c))
		return false;
	f->pos = c->pos;
	quoted = c->text[c->pos] == '"';
	c->pos += quoted;
	f->s = c->text + c->pos;
	while ((ch = tl_cursor_peek(c, 0)) != -1 && ch != '\n' &&
	       (quoted ? ch != '"' : ch && !strchr(" \t\r", ch) && (ch != '\\' || tl_cursor_peek(c, 1) != '\n')))
		c->pos++;
	f->len = (size_t)(c->text + c->pos - f->s);
	c->pos += quoted && ch == '"';
	return true;
}

enum tl_status tl_cursor_need_word(struct tl_cursor *c, struct tl_word *f, const char *what)
{
	if (!tl_cursor_word(c, f))
		return tl_cursor_fail(c, c->pos, "expected %s", what);
	if (c->text[f->pos] == '"' && f->s + f->len == c->text + c->pos)
		return tl_cursor_fail(c, f->pos, "%s without its closing quote", what);
	return f->len ? TL_OK : tl_cursor_fail(c, f->pos, "expected %s", what);
}

enum tl_status tl_cursor_need_end(struct tl_cursor *c)
{
	return tl_cursor_at_end(c) ? TL_OK : tl_cursor_fail(c, c->pos, "expected the end of the line");
}

size_t tl_cursor_line_end(const struct tl_cursor *c)
{
	bool quoted = false;
	size_t i = c->pos;

	for (; i < c->len; i++) {
		if (c->text[i] == '"')
			quoted = !quoted;
		else if (c->text[i] == '\n' && (i == c->pos || c->text[i - 1] != '\\'))
			break;
		else if (c->text[i] == '#' && !quoted)
			break;
	}
	return i;
}
