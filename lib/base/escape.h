/* escape.h - escapes that keep a text within a column of a line: \t \n \r \\, and
 * \xHH for other control bytes. All else stays as it is, valid UTF-8 or not.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ESCAPE_H
#define TL_ESCAPE_H

#include "base/base.h"

/* Appends s; bytes in `extra` get a backslash, too. */
void tl_escape(struct tl_buf *b, const char *s, size_t len, const char *extra);
/* Takes the escapes out of s in place, \: and \= among them; the new length, or
 * -1 with *at the position of an escape that is none. */
int64_t tl_unescape(char *s, size_t len, size_t *at);

#endif
