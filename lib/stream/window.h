/* window.h - a window on an input, for the stream reader and the text reader.
 * Private to lib/stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SOURCE_H
#define TL_SOURCE_H

#include "stream/stream.h"

/* Readable bytes behind the window's end, whatever they hold: decoders may
 * look at a few bytes too many and notice afterwards. */
#define SOURCE_SLACK 128 /* at least TL_PACKED_SLACK */

struct source {
	struct tl_input *in;
	uint8_t *data;
	size_t cap;      /* without the slack */
	size_t pos, len; /* data[pos..len) is not consumed yet */
	uint64_t base;   /* offset of data[0] in the input */
	bool eof;
};

/* The window begins with `got`, bytes already taken from `in`. */
void tl_source_init(struct source *s, struct tl_input *in, const void *got, size_t got_len);
void tl_source_release(struct source *s);

static inline size_t source_avail(const struct source *s)
{
	return s->len - s->pos;
}

static inline uint64_t source_offset(const struct source *s)
{
	return s->base + s->pos;
}

/* Reads until `need` bytes are there or the input ends. Memory grows with
 * what arrives, not with `need`. Moves the window: pointers into it end. */
enum tl_status tl_source_fill(struct source *s, size_t need, struct tl_error *err);

#endif
