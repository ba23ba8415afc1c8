/* cut_text.h - texts that are too long for their place.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CUT_TEXT_H
#define TL_CUT_TEXT_H

#include "base/memory.h"

/* Adds a text of `chars` characters (well-formed UTF-8) in at most `width` of them. It is cut in
 * the middle, with an ellipsis: names differ at both ends. */
void tl_add_cut(struct tl_buf *, const char *s, size_t len, size_t chars, size_t width);

#endif
