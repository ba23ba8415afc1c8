/* window.c - a window on an input, for the stream reader and the text reader.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "stream/window.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW ((size_t)256 << 10)

static void set_cap(struct tl_window *w, size_t cap)
{
	w->data = tl_realloc(w->data, cap);
	w->cap = cap;
}

void tl_window_init(struct tl_window *w, struct tl_input *in, const void *got, size_t got_len)
{
	*w = (struct tl_window){ .in = in };
	set_cap(w, got_len > WINDOW ? got_len : WINDOW);
	if (got_len)
		memcpy(w->data, got, got_len);
	w->len = got_len;
}

void tl_window_release(struct tl_window *w)
{
	free(w->data);
	w->data = NULL;
}

static void make_room(struct tl_window *w)
{
	size_t left = tl_window_avail(w);

	if (w->pos) {
		memmove(w->data, w->data + w->pos, left);
		w->base += w->pos;
		w->pos = 0;
		w->len = left;
	}
	if (w->len == w->cap)
		set_cap(w, w->cap * 2);
	else if (w->cap > 16 * WINDOW && w->len < WINDOW)
		set_cap(w, WINDOW); /* a huge record has gone by */
}

enum tl_status tl_window_fill(struct tl_window *w, size_t need, struct tl_error *err)
{
	if (tl_window_avail(w) >= need || w->eof)
		return TL_OK;
	make_room(w);
	while (w->len < need && !w->eof) {
		if (w->len == w->cap)
			set_cap(w, w->cap * 2);
		int64_t n = w->in->read(w->in, w->data + w->len, w->cap - w->len, err);
		if (n < 0)
			return err && err->status != TL_OK ? err->status : TL_ERR_IO;
		if (n == 0)
			w->eof = true;
		w->len += (size_t)n;
	}
	return TL_OK;
}
