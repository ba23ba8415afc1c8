/* text_input.h - a text in memory as an input.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TEXT_INPUT_H
#define TL_TEXT_INPUT_H

#include "base/io.h"
#include "base/memory.h"

struct tl_text_input { struct tl_input in; const char *s; size_t len; };
/* Reads the text from its start; the buffer must stay as long as the input. */
struct tl_text_input tl_text_input(const char *name, const struct tl_buf *);

#endif
