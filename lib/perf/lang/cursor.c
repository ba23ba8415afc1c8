/* cursor.c - reading the text of a table, with messages that say where.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/cursor.h"
#include "base/text.h"
#include "json/utf8.h"

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
			memset(what + i, '?', used); /* what was not UTF-8, or was cut */
	return tl_fail(c->err, TL_ERR_DATA, "%s:%zu:%zu: %s", c->file, line, pos - start + 1, what);
}

/* Blanks, and what is as good as one. */
void tl_cursor_skip_blanks(struct tl_cursor *c)
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
	size_t end = from + 1;
	while (end < c->len && tl_in_name(c->text[end]))
		end++;
	c->pos = end;
	*name = c->text + from;
	return end - from;
}

size_t tl_cursor_line_end(const struct tl_cursor *c, size_t pos)
{
	bool quoted = false;

	while (pos < c->len) {
		const char *s = c->text + pos, *nl = memchr(s, '\n', c->len - pos);
		size_t n = nl ? (size_t)(nl - s) : c->len - pos;
		bool goes_on = nl && n && s[n - 1] == '\\';
		/* quotes only count for comments, here or further on */
		bool look = goes_on || memchr(s, '#', n);
		for (size_t i = 0; look && i < n; i++) {
			if (s[i] == '#' && !quoted)
				return pos + i;
			quoted ^= s[i] == '"';
		}
		if (!goes_on)
			return pos + n;
		pos += n + 1;
	}
	return pos;
}

size_t tl_cursor_piece_end(const struct tl_cursor *c, size_t pos, size_t end)
{
	int depth = 0;
	bool quoted = false;

	for (size_t i = pos; i < end; i++) {
		char ch = c->text[i];
		if (ch == '"')
			quoted = !quoted;
		if (quoted)
			continue;
		if (ch == '(' || ch == '[')
			depth++;
		else if (ch == ')' || ch == ']')
			depth--;
		else if (depth <= 0 && ch == ';')
			return i;
		else if (depth <= 0 && (ch == ' ' || ch == '\t') && i + 1 < end) {
			size_t j = i + 1;
			while (j < end && tl_in_name(c->text[j]))
				j++;
			if (j > i + 1 && j < end && c->text[j] == '=' && (j + 1 == end || c->text[j + 1] != '='))
				return i;
		}
	}
	return end;
}
