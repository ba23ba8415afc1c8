/* text_input.c - a text in memory as an input.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/text_input.h"

#include <string.h>

static int64_t read_text(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	struct tl_text_input *t = (struct tl_text_input *)in;
	size_t n = t->len < cap ? t->len : cap;

	(void)err;
	memcpy(buf, t->s, n);
	t->s += n;
	t->len -= n;
	return (int64_t)n;
}

struct tl_text_input tl_text_input(const char *name, const struct tl_buf *text)
{
	return (struct tl_text_input){ { .name = name, .read = read_text }, tl_buf_text(text), text->len };
}
