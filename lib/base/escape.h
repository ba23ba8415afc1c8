/* escape.h - escapes that keep a text on one line and in one column: \t \n \r \\,
 * and \xHH for other control bytes. All other bytes stay, valid UTF-8 or not.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ESCAPE_H
#define TL_ESCAPE_H

#include "base/base.h"

/* Appends s with escapes; in a key, ':' and '=' get a backslash too. */
void tl_escape(struct tl_buf *b, const char *s, size_t len);
void tl_escape_key(struct tl_buf *b, const char *s, size_t len);
/* Replaces the escapes in s in place, \: and \= among them. Returns the new length;
 * -1 for an escape that has no meaning, and *at is its index. */
int64_t tl_unescape(char *s, size_t len, size_t *at);

/* Adds a text so that a shell reads it as one word: in quotes, unless it has only characters that mean nothing to a shell. */
void tl_add_shell_word(struct tl_buf *, const char *);

#endif
