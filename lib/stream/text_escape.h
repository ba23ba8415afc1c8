/* text_escape.h - the escapes that the text form and the header share.
 * Private to lib/stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STREAM_TEXT_H
#define TL_STREAM_TEXT_H

#include "base/base.h"
#include "stream/stream.h" /* tl_text_escape */

/* Takes the escapes out of s in place; the new length, or -1 with *at the
 * position of an escape that is none. */
int64_t tl_text_unescape(char *s, size_t len, size_t *at);

#endif
