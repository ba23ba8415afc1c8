/* python_literal.h - lists as Python writes them, read back.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PYTHON_LITERAL_H
#define TL_PYTHON_LITERAL_H

#include "json/value.h"

/* Parses lists, tuples, numbers, texts, None, True and False, as sheets have them in their cells; a tuple
 * becomes a list. The items are in the arena. TL_ERR_DATA: the text is something else. */
enum tl_status tl_python_parse(struct tl_arena *, const char *text, size_t len, struct tl_value *out, struct tl_error *);

#endif
