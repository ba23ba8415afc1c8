/* text.h - what a byte of a text is. Private to lib/perf.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_TEXT_H
#define TL_PERF_TEXT_H

#include <stdbool.h>

/* Of a char, or of an int that is -1 past the end. */
static inline bool tl_is_digit(int ch)
{
	return ch >= '0' && ch <= '9';
}

static inline bool tl_is_letter(int ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
}

#endif
