/* frames.h - the frames of a stream, read one after the other.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FRAMES_H
#define TL_FRAMES_H

#include "base/varint.h"
#include "stream/window.h"

struct tl_frames {
	struct tl_window window;
	struct tl_error *err;
	uint32_t crc;
	char type;            /* of the frame at hand */
	struct tl_bytes body; /* its payload; of 'E' without the checksum */
};

/* Begins to read, and checks magic and version. Call tl_frames_close even after an error. */
enum tl_status tl_frames_open(struct tl_frames *, struct tl_input *in, const void *got, size_t got_len,
                              struct tl_error *err);
/* Reads the next frame; its payload stays until the next call. An input that ends
 * before a frame 'E' is an error, and so is a wrong checksum in that frame. */
enum tl_status tl_frames_next(struct tl_frames *);
/* After 'E': fails if anything follows. */
enum tl_status tl_frames_end(struct tl_frames *);
void tl_frames_close(struct tl_frames *);

/* Fails with "damaged event stream: …" and the offset of p in the input. */
enum tl_status tl_frames_damaged(struct tl_frames *, const uint8_t *p, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
