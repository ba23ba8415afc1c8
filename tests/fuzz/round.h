/* round.h - for the fuzz targets of the stream: the round trip that every stream of our
 * writer must survive.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef ROUND_H
#define ROUND_H

#include "fuzz.h"

typedef enum tl_status read_fn(struct tl_input *, const void *, size_t, struct tl_sink *, struct tl_error *);

/* Reads p as stream or text and writes text or stream into *out. */
static bool convert(read_fn *read, const void *p, size_t len, bool to_text, struct tl_buf *out)
{
	struct tl_memory_input in = tl_memory_input("fuzz", p, len);
	struct tl_memory_output mem = tl_memory_output("fuzz");
	struct tl_sink *s = to_text ? tl_text_writer_new(&mem.out) : tl_writer_new(&mem.out, NULL);
	struct tl_error err;
	bool good = read(&in.in, NULL, 0, s, &err) == TL_OK;

	(to_text ? tl_text_writer_free : tl_writer_free)(s);
	*out = mem.text;
	return good;
}

/* What was read becomes a stream, its text, and the same stream again. */
static void round_trip(read_fn *read, const uint8_t *p, size_t len)
{
	struct tl_buf stream, text = { 0 }, back = { 0 };

	if (convert(read, p, len, false, &stream)) {
		if (!convert(tl_stream_read, stream.data, stream.len, true, &text) ||
		    !convert(tl_text_read, text.data, text.len, false, &back) || stream.len != back.len ||
		    memcmp(stream.data, back.data, back.len) != 0)
			abort();
	}
	tl_buf_release(&stream);
	tl_buf_release(&text);
	tl_buf_release(&back);
}

#endif
