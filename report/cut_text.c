/* cut_text.c - texts that are too long for their place.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/cut_text.h"

/* Bytes of the first n characters. */
static size_t bytes_of(const char *s, size_t n)
{
	const char *p = s;

	while (n-- > 0)
		do
			p++;
		while (((unsigned char)*p & 0xc0) == 0x80);
	return (size_t)(p - s);
}

void tl_add_cut(struct tl_buf *b, const char *s, size_t len, size_t chars, size_t width)
{
	if (chars <= width) {
		tl_buf_add(b, s, len);
		return;
	}
	size_t tail = (width - 1) / 3, head = width - 1 - tail, skip = bytes_of(s, chars - tail);

	tl_buf_add(b, s, bytes_of(s, head));
	tl_buf_adds(b, "…");
	tl_buf_add(b, s + skip, len - skip);
}
