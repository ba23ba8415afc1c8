/* quote.h - texts and numbers of a program as JSON.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_QUOTE_H
#define TL_QUOTE_H

#include "base/base.h"

/* Adds a text with its quotes; malformed UTF-8 becomes U+FFFD. */
void tl_json_quote(struct tl_buf *, const char *s, size_t len);
/* Adds a number; what is no number is NaN, Infinity or -Infinity, as Python writes it. */
void tl_json_double(struct tl_buf *, double);

#endif
