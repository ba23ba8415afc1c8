/* header.h - a stream's header put together from its lines, binary or text.
 * Private to lib/stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_HEADER_H
#define TL_HEADER_H

#include "base/base.h"
#include "model/sink.h"

struct header_lines {
	struct tl_header h; /* whole after tl_header_finish */
	struct tl_arena arena;
	const char **lines;
	size_t n, cap;
	bool has_ticks;
};

enum header_result { HEADER_OK, HEADER_UNKNOWN_KEY, HEADER_BAD_VALUE };

void tl_header_init(struct header_lines *l);
/* Takes one line; the value is escaped and is copied. */
enum header_result tl_header_add(struct header_lines *l, const char *key, size_t key_len,
                                 const char *value, size_t value_len);
/* False when a line that must be there is not. */
bool tl_header_finish(struct header_lines *l);
void tl_header_release(struct header_lines *l);

#endif
