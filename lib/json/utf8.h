/* utf8.h - decoding UTF-8 that may be malformed.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_VALUE_UTF8_H
#define TL_VALUE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define TL_UTF8_MALFORMED UINT32_MAX

/* Decodes one code point of s (len > 0); *used becomes the bytes taken. A
 * malformed sequence is taken up to the first byte that cannot belong to it. */
uint32_t tl_utf8_decode(const char *s, size_t len, size_t *used);

#endif
