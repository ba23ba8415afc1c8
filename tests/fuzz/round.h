/* round.h - for the fuzz targets of the stream: memory as input and output,
 * and the round trip that every stream of our writer must survive.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef ROUND_H
#define ROUND_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tl.h"

struct mem_out { struct tl_output out; struct tl_buf b; };
struct mem_in { struct tl_input in; const uint8_t *p; size_t len, pos; };
typedef enum tl_status read_fn(struct tl_input *, const void *, size_t, struct tl_sink *, struct tl_error *);

static enum tl_status mem_write(struct tl_output *o, const void *p, size_t n, struct tl_error *err)
{
	(void)err;
	tl_buf_add(&((struct mem_out *)o)->b, p, n);
	return TL_OK;
}

static int64_t mem_read(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	struct mem_in *m = (struct mem_in *)in;
	size_t n = m->len - m->pos;

	(void)err;
	n = n < cap ? n : cap;
	if (n)
		memcpy(buf, m->p + m->pos, n);
	m->pos += n;
	return (int64_t)n;
}

/* Reads p as stream or text and writes text or stream into *out. */
static bool convert(read_fn *read, const void *p, size_t len, bool to_text, struct tl_buf *out)
{
	struct mem_in in = { { .name = "fuzz", .read = mem_read }, p, len, 0 };
	struct mem_out mem = { { "fuzz", mem_write }, { 0 } };
	struct tl_sink *s = to_text ? tl_text_writer_new(&mem.out) : tl_writer_new(&mem.out, NULL);
	struct tl_error err;
	bool good = read(&in.in, NULL, 0, s, &err) == TL_OK;

	(to_text ? tl_text_writer_free : tl_writer_free)(s);
	*out = mem.b;
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
