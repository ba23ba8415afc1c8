/* utf8.h - code points to UTF-8 and back; input may be malformed.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_UTF8_H
#define TL_UTF8_H

#include <stdint.h>

#include "base/memory.h"

#define TL_UTF8_MALFORMED UINT32_MAX

/* Decodes the first code point of s (len > 0); *used becomes its number of bytes. A
 * malformed sequence gives TL_UTF8_MALFORMED, and *used counts its bytes before the
 * first one that cannot belong to it, at least 1. */
uint32_t tl_utf8_decode(const char *s, size_t len, size_t *used);

/* The number of code points in s; a malformed sequence counts as one. */
size_t tl_utf8_count(const char *s, size_t len);

/* How many columns of a terminal s takes: none for a mark upon a letter, two for a wide letter of East Asia or an emoji. */
size_t tl_utf8_width(const char *s, size_t len);
/* The bytes of the longest start of s, of whole letters, that takes at most `width` columns. */
size_t tl_utf8_fit(const char *s, size_t len, size_t width);

/* Adds a text as valid UTF-8: each malformed sequence becomes U+FFFD. */
void tl_buf_add_utf8(struct tl_buf *, const char *s, size_t len);

/* The same of a text that is safe in a terminal: control characters become '?'. Returns how many characters were added. */
size_t tl_buf_add_shown(struct tl_buf *, const char *s, size_t len);
/* Makes each control character of ASCII a '?', in place, where no memory may be asked for. */
void tl_mask_controls(char *text);

/* Writes a code point (at most U+10FFFF) to p; returns its number of bytes, 1 to 4. */
size_t tl_utf8_encode(char *p, uint32_t c);

#endif
