/* text_lines.h - the lines and columns of the text form of a stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TEXT_LINES_H
#define TL_TEXT_LINES_H

#include "stream/text_form.h"
#include "stream/window.h"

enum { TL_MAX_COLUMNS = COL_FIXED + TL_MAX_FIELDS };

struct tl_column { char *s; size_t len; };

struct tl_lines {
	struct tl_window window;
	struct tl_error *err;
	enum tl_status status; /* of the first failure */
	uint64_t number;       /* of the line at hand, from 1 */
	char *text;            /* the line without its newline, until the next is read */
	size_t len;
	struct tl_column cols[TL_MAX_COLUMNS];
	size_t n_cols;
};

/* Reads the next line and splits it at tabs. That the text ends is a failure: the
 * caller stops at the line 'end'. */
void tl_lines_read(struct tl_lines *);
/* Reads until `need` bytes are in the window, or the text ends. */
void tl_lines_fill(struct tl_lines *, size_t need);

/* Fails at a place in the line, or at a column; a line that has failed keeps its
 * first error. */
void tl_lines_wrong(struct tl_lines *, const char *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void tl_lines_wrong_column(struct tl_lines *, const struct tl_column *, const char *expected);
/* Fails and returns false if the line has fewer or more columns. */
bool tl_lines_has(struct tl_lines *, size_t least, size_t most);

bool tl_column_is(const struct tl_column *, const char *text);
/* How many of its bytes an error quotes, for printf. */
int tl_column_quote(const struct tl_column *);

/* The number in a column; fails and returns 0 if the column holds none. */
uint64_t tl_lines_unsigned(struct tl_lines *, const struct tl_column *);
int64_t tl_lines_int(struct tl_lines *, const struct tl_column *);
/* Replaces the escapes in a column in place. */
void tl_lines_unescape(struct tl_lines *, struct tl_column *);

#endif
