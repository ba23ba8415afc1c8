/* cursor.h - reading the text of a table, with messages that say where. Private
 * to lib/perf.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_CURSOR_H
#define TL_PERF_CURSOR_H

#include "base/base.h"

/* A place in a table's text. */
struct tl_cursor {
	const char *file;       /* for messages */
	const char *text;
	size_t len, pos;
	struct tl_error *err;
};
/* TL_ERR_DATA "FILE:LINE:COLUMN: …" for the place at pos. */
enum tl_status tl_cursor_fail(const struct tl_cursor *, size_t pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The byte that many bytes ahead; -1 past the end. */
static inline int tl_cursor_peek(const struct tl_cursor *c, size_t ahead)
{
	return c->pos + ahead < c->len ? (unsigned char)c->text[c->pos + ahead] : -1;
}

void tl_cursor_skip_blanks(struct tl_cursor *);
/* Passes blanks, a backslash with the line end after it, and a comment. */
static inline void tl_cursor_skip(struct tl_cursor *c)
{
	/* mostly there is nothing to skip */
	if (c->pos < c->len && (unsigned char)c->text[c->pos] > '#' && c->text[c->pos] != '\\')
		return;
	tl_cursor_skip_blanks(c);
}

/* Are we at the end of the (logical) line? Skips blanks first. */
bool tl_cursor_at_end(struct tl_cursor *);
bool tl_cursor_take(struct tl_cursor *, char c); /* skips blanks first */
/* An identifier; length 0 when none is there. Skips blanks first. */
size_t tl_cursor_name(struct tl_cursor *, const char **name);
/* End of the logical line at pos, before a comment. */
size_t tl_cursor_line_end(const struct tl_cursor *, size_t pos);
/* End of the expression at pos: before the next ";", the next "name=" at the
 * same level of brackets, or the end of the logical line. */
size_t tl_cursor_piece_end(const struct tl_cursor *, size_t pos, size_t end);

#endif
