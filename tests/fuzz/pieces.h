/* pieces.h - for the fuzz targets of binary traces: a file read as a whole and in pieces.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef PIECES_H
#define PIECES_H

#include "round.h"

struct piecewise { struct mem_in mem; size_t step; };

static int64_t read_piece(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	size_t step = ((struct piecewise *)in)->step;

	return mem_read(in, buf, cap < step ? cap : step, err);
}

static enum tl_status read_in_pieces(const struct tl_buf *file, size_t step, const struct tl_read_options *o, struct tl_buf *stream)
{
	struct piecewise in = { { { .name = "fuzz", .read = read_piece }, (const uint8_t *)file->data, file->len, 0 }, step };
	struct mem_out out = { { "fuzz", mem_write }, { 0 } };
	struct tl_sink *s = tl_writer_new(&out.out, NULL);
	struct tl_read_report report;
	struct tl_error err;
	enum tl_status st = tl_read(&in.mem.in, o, s, &report, &err);

	tl_writer_free(s);
	*stream = out.b;
	return st;
}

/* The first byte of the data chooses the options and how the input arrives; the rest is the file
 * behind a start by which its format is known. Whatever the file is, the reader ends, touches
 * nothing outside its buffers, and what it hands on makes a stream that can be read; a file in
 * pieces gives the same as the whole. */
static int whole_and_pieces(const char *start, size_t start_len, const uint8_t *data, size_t size)
{
	struct tl_read_options o = { 0 };
	struct tl_buf file = { 0 }, whole, pieces;

	if (!size)
		return 0;
	o.lenient = *data & 1;
	tl_buf_add(&file, start, start_len);
	tl_buf_add(&file, data + 1, size - 1);
	enum tl_status st = read_in_pieces(&file, file.len, &o, &whole);
	enum tl_status st2 = read_in_pieces(&file, 1 + (*data >> 1), &o, &pieces);
	if (st != st2 || (!st && (whole.len != pieces.len || memcmp(whole.data, pieces.data, whole.len) != 0)))
		abort();
	if (!st)
		round_trip(tl_stream_read, (const uint8_t *)whole.data, whole.len);
	tl_buf_release(&file);
	tl_buf_release(&whole);
	tl_buf_release(&pieces);
	return 0;
}

#endif
