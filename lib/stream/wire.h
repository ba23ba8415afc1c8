/* wire.h - the encodings of tl-stream(5) that writer and reader share.
 * Private to lib/stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_WIRE_H
#define TL_WIRE_H

#include <stdint.h>
#include <string.h>

#include "stream/sink.h"

#define MAGIC_LEN 8
#define FRAME_HEAD 8
#define VARINT_MAX 10

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

static inline uint64_t zigzag(uint64_t x)
{
	return (x << 1) ^ (0 - (x >> 63));
}

static inline uint64_t unzigzag(uint64_t u)
{
	return (u >> 1) ^ (0 - (u & 1));
}

static inline uint8_t *put_varint(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

static inline uint64_t load_le64(const uint8_t *p)
{
	/* one load; compilers do not see through a loop over the bytes */
	uint64_t v;
	memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

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

/* Varints longer than eight bytes, and broken ones: those set *bad. */
const uint8_t *get_long_varint(const uint8_t *p, uint64_t *v, unsigned *bad);

/* Reads a varint; the ten bytes from p on must be readable whatever they
 * hold. The caller compares the result with the end of its data. */
static inline const uint8_t *get_varint(const uint8_t *p, uint64_t *v, unsigned *bad)
{
	uint64_t word, stop;

	if (*p < 0x80) {
		*v = *p;
		return p + 1;
	}
	if (p[1] < 0x80) {
		*v = (p[0] & 0x7fu) | (uint64_t)p[1] << 7;
		return p + 2;
	}
	word = load_le64(p);
	stop = ~word & 0x8080808080808080u;
	if (!stop)
		return get_long_varint(p, v, bad);
	/* Keep the bytes up to the first without a continuation bit, then
	 * close the one-bit gaps: pairs, fours, eight. */
	word &= stop ^ (stop - 1);
	word &= 0x7f7f7f7f7f7f7f7fu;
	word = (word & 0x007f007f007f007fu) | (word & 0x7f007f007f007f00u) >> 1;
	word = (word & 0x00003fff00003fffu) | (word & 0x3fff00003fff0000u) >> 2;
	word = (word & 0x000000000fffffffu) | (word & 0x0fffffff00000000u) >> 4;
	*v = word;
	return p + (__builtin_ctzll(stop) >> 3) + 1;
}

/* CRC-32 as in gzip; start with 0. */
uint32_t tl_crc32(uint32_t crc, const void *p, size_t len);

#endif
