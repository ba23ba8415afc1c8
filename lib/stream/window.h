/* window.h - a window on an input, for the stream reader and the text reader.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_WINDOW_H
#define TL_WINDOW_H

#include "base/io.h"

struct tl_window {
	struct tl_input *in;
	uint8_t *data;
	size_t cap;
	size_t pos, len; /* data[pos..len) is not consumed yet */
	uint64_t base;   /* offset of data[0] in the input */
	bool eof;
};

/* The window begins with `got`, bytes already taken from `in`. */
void tl_window_init(struct tl_window *, struct tl_input *in, const void *got, size_t got_len);
void tl_window_release(struct tl_window *);

static inline size_t tl_window_avail(const struct tl_window *w)
{
	return w->len - w->pos;
}

static inline uint64_t tl_window_offset(const struct tl_window *w)
{
	return w->base + w->pos;
}

/* Reads until `need` bytes are available or the input ends. Memory grows with what
 * arrives, not with `need`. Pointers into the window are invalid afterwards. */
enum tl_status tl_window_fill(struct tl_window *, size_t need, struct tl_error *err);

#endif
