/* varint.h - numbers of variable length: seven bits a byte, the lowest first,
 * the eighth bit set in all bytes but the last. Signed numbers are zigzag: 0, -1,
 * 1, -2 are 0, 1, 2, 3.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_VARINT_H
#define TL_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TL_VARINT_MAX 10 /* bytes of the longest */

static inline uint64_t tl_zigzag(uint64_t x)
{
	return (x << 1) ^ (0 - (x >> 63));
}

static inline uint64_t tl_unzigzag(uint64_t u)
{
	return (u >> 1) ^ (0 - (u & 1));
}

/* Writes v to p, where there is room for TL_VARINT_MAX bytes; returns its end. */
static inline uint8_t *tl_put_varint(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* Bytes that are read one number after the other. Once a number is cut off by
 * the end or is longer than 64 bits, bad is set and every further one is 0. */
struct tl_bytes {
	const uint8_t *p, *end;
	bool bad;
};

static inline uint64_t tl_take_varint(struct tl_bytes *b)
{
	uint64_t v = 0;
	for (int shift = 0; shift < 64 && b->p < b->end; shift += 7) {
		uint8_t byte = *b->p++;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80 && !(shift == 63 && byte > 1))
			return v;
	}
	b->bad = true;
	b->p = b->end;
	return 0;
}

static inline int64_t tl_take_signed(struct tl_bytes *b)
{
	return (int64_t)tl_unzigzag(tl_take_varint(b));
}

/* Eight bytes, the lowest first. */
static inline uint64_t tl_load_le64(const void *p)
{
	/* one load; compilers do not see through a loop over the bytes */
	uint64_t v;
	memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

#endif
