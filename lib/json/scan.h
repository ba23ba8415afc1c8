/* scan.h - finds where strings, lists and objects end in JSON text in memory.
 *
 * After the text lie TL_JSON_PAD readable bytes, all zero. A zero byte stops every
 * scan, so none of them looks for the end of the text on its way; the caller
 * compares the place of the stop with that end.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JSON_SCAN_H
#define TL_JSON_SCAN_H

#include <stdbool.h>

#define TL_JSON_PAD 64

static inline bool tl_json_is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* The first byte at or after p that is no blank. */
static inline const char *tl_json_blanks(const char *p)
{
	while (tl_json_is_blank(*p))
		p++;
	return p;
}

/* The first byte at or after p, inside a string, that is not plain text: a quote,
 * a backslash, a control character (below 0x20) or a byte that is not ASCII. */
const char *tl_json_string_stop(const char *p);

/* Where the list or object ends that is open `depth` levels above p, or that starts
 * at p if depth is 0: after the bracket that closes it. Brackets inside strings do
 * not count, and nothing but brackets and strings is looked at. NULL if that
 * bracket is not there before `end`. */
const char *tl_json_nested_stop(const char *p, unsigned depth, const char *end);

#endif
