/* wire.h - the encodings of tl-stream(5) that writer and reader share.
 * Private to lib/stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_WIRE_H
#define TL_WIRE_H

#include <stdint.h>
#include <string.h>

#include "base/varint.h"
#include "model/sink.h"

#define MAGIC_LEN 8
#define FRAME_HEAD 8

/* A writer ends a block that has grown to this size. */
#define BLOCK_BYTES 65536
/* Longer strings get a definition frame of their own. */
#define LONG_STRING 32768
#define MAX_FRAME (TL_STREAM_MAX_STRING + 65536)

/* A writer starts its tables anew when one of these is passed. */
#define TABLE_STRINGS 65536
#define TABLE_BYTES (4u << 20)
#define TABLE_TRACKS 65536
#define TABLE_LAYOUTS 4096
#define TABLE_FIELDS 65536

/* A reader refuses more than this between two resets. Far above what a writer
 * can reach; it bounds what a hostile stream can make a reader keep. */
#define READER_ENTRIES (1u << 20)

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
