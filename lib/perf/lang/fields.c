/* fields.c - the fields of a table's lines.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/models/table_lines.h"
#include "json/utf8.h"

static bool ends_field(char ch)
{
	return ch == ' ' || ch == '\t' || ch == '\r' || ch == '\n' || !ch;
}

bool tl_field_next(struct tl_cursor *c, struct tl_field *f)
{
	if (tl_cursor_at_end(c))
		return false;
	f->pos = c->pos;
	if (c->text[c->pos] == '"') {
		size_t from = ++c->pos;
		while (c->pos < c->len && c->text[c->pos] != '"' && c->text[c->pos] != '\n')
			c->pos++;
		f->s = c->text + from;
		f->len = c->pos - from;
		c->pos += c->pos < c->len && c->text[c->pos] == '"';
		return true;
	}
	size_t end = c->pos;
	while (end < c->len && ((unsigned char)c->text[end] > ' ' || !ends_field(c->text[end])))
		end++;
	if (end < c->len && c->text[end] == '\n' && end > c->pos && c->text[end - 1] == '\\')
		end--; /* the line goes on; this is no part of it */
	f->s = c->text + c->pos;
	f->len = end - c->pos;
	c->pos = end;
	return true;
}

enum tl_status tl_field_need(struct tl_cursor *c, struct tl_field *f, const char *what)
{
	if (!tl_field_next(c, f))
		return tl_cursor_fail(c, c->pos, "expected %s", what);
	bool quoted = f->pos < c->pos && c->text[f->pos] == '"';
	if (quoted && (c->pos < f->pos + 2 || c->text[c->pos - 1] != '"'))
		return tl_cursor_fail(c, f->pos, "%s without its closing quote", what);
	return f->len ? TL_OK : tl_cursor_fail(c, f->pos, "expected %s", what);
}

enum tl_status tl_field_category(const struct tl_registry *r, struct tl_cursor *c, struct tl_field *f)
{
	enum tl_status s = tl_field_need(c, f, "a category");
	size_t used;

	for (size_t i = 0; !s && r->n_sources > TL_BUILT_IN && i < f->len; i += used) {
		uint32_t ch = tl_utf8_decode(f->s + i, f->len - i, &used);
		if (ch == TL_UTF8_MALFORMED || ch < 0x20 || ch == 0x7f)
			s = tl_cursor_fail(c, f->pos, "expected a category of characters that can be printed");
	}
	return s;
}

enum tl_status tl_line_done(struct tl_cursor *c)
{
	if (tl_cursor_at_end(c))
		return TL_OK;
	return tl_cursor_fail(c, c->pos, "expected the end of the line");
}
