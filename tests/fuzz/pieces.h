/* pieces.h - for the fuzz targets of binary traces: a file read as a whole and in pieces.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef PIECES_H
#define PIECES_H

#include "round.h"

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
	enum tl_status st = fuzz_stream(file.data, file.len, file.len, &o, &whole);
	enum tl_status st2 = fuzz_stream(file.data, file.len, 1 + (*data >> 1), &o, &pieces);
	if (fuzz_differ(st, &whole, st2, &pieces))
		abort();
	if (!st)
		round_trip(tl_stream_read, (const uint8_t *)whole.data, whole.len);
	tl_buf_release(&file);
	tl_buf_release(&whole);
	tl_buf_release(&pieces);
	return 0;
}

#endif
