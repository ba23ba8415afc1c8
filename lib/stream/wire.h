/* wire.h - what the stream's writer and its reader share of tl-stream(5).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_WIRE_H
#define TL_WIRE_H

#include <stdint.h>

#include "base/varint.h"
#include "stream/stream.h"

#define MAGIC_LEN 8
#define VERSION_LEN 4 /* major and minor, two bytes each */
#define FRAME_HEAD 8  /* type, three zero bytes, length of the payload */
#define CHECKSUM_LEN 4

/* A writer ends a frame that has grown to this size. */
#define BLOCK_BYTES 65536
#define MAX_FRAME (TL_STREAM_MAX_STRING + 65536)

/* A reader refuses more than this between two resets. Far above what a writer
 * can reach; it bounds what a hostile stream can make a reader keep. */
#define READER_ENTRIES (1u << 20)
#define READER_LAYOUTS (1u << 16)

static inline uint32_t load_le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void store_le32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static inline unsigned load_le16(const uint8_t *p)
{
	return p[0] | (unsigned)p[1] << 8;
}

/* CRC-32 as in gzip; start with 0. */
uint32_t tl_crc32(uint32_t crc, const void *p, size_t len);

#endif
