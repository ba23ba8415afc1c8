/* cursor.h - a place in the text of a table, and reading from it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_CURSOR_H
#define TL_PERF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct tl_cursor {
	const char *file;       /* the table's name in messages */
	const char *text;
	size_t len, pos;        /* pos is the place; reading ends at len */
	struct tl_error *err;   /* for tl_cursor_fail; may be NULL */
};

/* Fills c->err with "FILE:LINE:COLUMN: …" for the place pos. Returns TL_ERR_DATA. */
enum tl_status tl_cursor_fail(const struct tl_cursor *, size_t pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The byte that is `ahead` bytes after the place; -1 past the end. */
static inline int tl_cursor_peek(const struct tl_cursor *c, size_t ahead)
{
	return c->pos + ahead < c->len ? (unsigned char)c->text[c->pos + ahead] : -1;
}

/* Moves past blanks, a comment, and a backslash together with the line end after it.
 * All functions below begin with this, except tl_cursor_line_end. */
void tl_cursor_skip(struct tl_cursor *);
/* Is this the end of the line? */
bool tl_cursor_at_end(struct tl_cursor *);
/* Moves past the byte ch if it stands here. */
bool tl_cursor_take(struct tl_cursor *, char ch);
/* Moves past a name: letters, digits and "_", of which the first is no digit.
 * Returns its length; 0 when no name stands here, and *name is not set. */
size_t tl_cursor_name(struct tl_cursor *, const char **name);

/* A word of a line: up to a blank, or between double quotes. */
struct tl_word { const char *s; size_t len, pos; };
/* Reads the next word; false at the end of the line. */
bool tl_cursor_word(struct tl_cursor *, struct tl_word *);
/* The same where a word is required: without one, the error says that `what` was expected. */
enum tl_status tl_cursor_need_word(struct tl_cursor *, struct tl_word *, const char *what);
/* An error unless this is the end of the line. */
enum tl_status tl_cursor_need_end(struct tl_cursor *);

/* Returns where the line of the place ends, or its comment begins. A backslash before the
 * line end joins two lines. */
size_t tl_cursor_line_end(const struct tl_cursor *);

#endif
