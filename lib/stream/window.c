/* window.c - a window on an input, for the stream reader and the text reader.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "stream/window.h"

#define WINDOW ((size_t)256 << 10)

static void set_cap(struct source *s, size_t cap)
{
	s->data = tl_realloc(s->data, cap + SOURCE_SLACK);
	s->cap = cap;
	memset(s->data + s->len, 0, SOURCE_SLACK);
}

void tl_source_init(struct source *s, struct tl_input *in, const void *got, size_t got_len)
{
	*s = (struct source){ .in = in };
	set_cap(s, got_len > WINDOW ? got_len : WINDOW);
	if (got_len)
		memcpy(s->data, got, got_len);
	s->len = got_len;
}

void tl_source_release(struct source *s)
{
	free(s->data);
	s->data = NULL;
}

static void make_room(struct source *s)
{
	size_t left = source_avail(s);

	if (s->pos) {
		memmove(s->data, s->data + s->pos, left);
		s->base += s->pos;
		s->pos = 0;
		s->len = left;
	}
	if (s->len == s->cap)
		set_cap(s, s->cap * 2);
	else if (s->cap > 16 * WINDOW && s->len < WINDOW)
		set_cap(s, WINDOW); /* a huge record has gone by */
}

enum tl_status tl_source_fill(struct source *s, size_t need, struct tl_error *err)
{
	if (source_avail(s) >= need || s->eof)
		return TL_OK;
	make_room(s);
	while (s->len < need && !s->eof) {
		int64_t n;

		if (s->len == s->cap)
			set_cap(s, s->cap * 2);
		n = s->in->read(s->in, s->data + s->len, s->cap - s->len, err);
		if (n < 0)
			return err && err->status != TL_OK ? err->status : TL_ERR_IO;
		if (n == 0)
			s->eof = true;
		s->len += (size_t)n;
	}
	memset(s->data + s->len, 0, SOURCE_SLACK);
	return TL_OK;
}
