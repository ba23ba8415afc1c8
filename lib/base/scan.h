/* scan.h - finds where strings, lists and objects end in JSON text in memory.
 *
 * After the text lie TL_JSON_PAD readable bytes, all zero. A zero byte stops every
 * scan, so that a scan need not compare each position with the end of the text. The
 * caller compares the place where the scan stopped.
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
	while ((unsigned char)*p <= ' ' && tl_json_is_blank(*p))
		p++;
	return p;
}

/* The first byte at or after p, inside a string, that is not plain text: a quote,
 * a backslash, a control character (below 0x20) or a byte that is not ASCII. */
const char *tl_json_string_stop(const char *p);

/* The position after the bracket that closes a list or object: with depth 0 the one
 * that starts at p, else the one `depth` levels out from p. Only brackets and strings
 * are looked at; brackets inside strings do not count. NULL if the closing bracket is
 * not before `end`. */
const char *tl_json_nested_stop(const char *p, unsigned depth, const char *end);

#endif
