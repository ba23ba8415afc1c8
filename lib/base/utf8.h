/* utf8.h - code points as UTF-8 and back, whether the bytes are well formed or not.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_UTF8_H
#define TL_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define TL_UTF8_MALFORMED UINT32_MAX

/* Decodes one code point of s (len > 0); *used becomes the number of bytes taken.
 * A malformed sequence is taken up to the first byte that cannot belong to it. */
uint32_t tl_utf8_decode(const char *s, size_t len, size_t *used);

/* Writes a code point (at most U+10FFFF) to p; returns its number of bytes, 1 to 4. */
size_t tl_utf8_encode(char *p, uint32_t c);

#endif
