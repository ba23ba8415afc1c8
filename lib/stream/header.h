/* header.h - a trace's header as lines of key and value, which the binary stream
 * and its text form write in their own ways.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_HEADER_H
#define TL_HEADER_H

#include "model/event.h"

/* Appends a line: `before`, key, `between`, escaped value, newline. The second one
 * appends all lines of a header. */
void tl_header_write_line(struct tl_buf *, const char *before, const char *key, char between, const char *value);
void tl_header_write(struct tl_buf *, const struct tl_header *, const char *before, char between);

/* A header being read. Zero bytes are a valid start. */
struct tl_header_parts {
	struct tl_header h; /* whole after tl_header_finish */
	struct tl_arena arena;
	const char **provenance;
	size_t n, cap;
	bool has_ticks;
};
enum tl_header_result { TL_HEADER_OK, TL_HEADER_UNKNOWN_KEY, TL_HEADER_BAD_VALUE };

/* Takes one line; the value has escapes, and is copied. */
enum tl_header_result tl_header_add(struct tl_header_parts *, const char *key, size_t key_len,
                                    const char *value, size_t value_len);
/* Makes `h` whole; false if the line ticks_per_us is missing. */
bool tl_header_finish(struct tl_header_parts *);
void tl_header_release(struct tl_header_parts *);

#endif
