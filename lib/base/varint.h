/* varint.h - numbers of variable length: seven bits a byte, the lowest first,
 * the eighth set in all but the last; signed ones zigzag. At most TL_VARINT_MAX bytes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_VARINT_H
#define TL_VARINT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TL_VARINT_MAX 10

static inline uint64_t tl_zigzag(uint64_t x)
{
	return (x << 1) ^ (0 - (x >> 63));
}

static inline uint64_t tl_unzigzag(uint64_t u)
{
	return (u >> 1) ^ (0 - (u & 1));
}

static inline uint8_t *tl_put_varint(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

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

/* Varints longer than eight bytes, and broken ones: those set *bad. */
const uint8_t *tl_get_long_varint(const uint8_t *p, uint64_t *v, unsigned *bad);

/* Reads a varint of a length that nobody can guess: no branch depends on it.
 * The ten bytes from p on must be readable whatever they hold. The caller
 * compares the result with the end of its data. */
static inline const uint8_t *tl_get_any_varint(const uint8_t *p, uint64_t *v, unsigned *bad)
{
	uint64_t word = tl_load_le64(p), stop = ~word & 0x8080808080808080u;

	if (__builtin_expect(!stop, 0)) { /* copies: v and bad need no address then */
		uint64_t long_v;
		unsigned long_bad = 0;

		p = tl_get_long_varint(p, &long_v, &long_bad);
		*v = long_v;
		*bad |= long_bad;
		return p;
	}
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

/* The same where short ones are the rule. */
static inline const uint8_t *tl_get_varint(const uint8_t *p, uint64_t *v, unsigned *bad)
{
	if (*p < 0x80) {
		*v = *p;
		return p + 1;
	}
	if (p[1] < 0x80) {
		*v = (p[0] & 0x7fu) | (uint64_t)p[1] << 7;
		return p + 2;
	}
	return tl_get_any_varint(p, v, bad);
}

/* Steps over n varints of the bytes up to end without a look at them: whole
 * words while they hold fewer ends than are left. NULL when fewer than n end
 * there; eight bytes behind `end` must be readable. */
static inline const uint8_t *tl_skip_varints(const uint8_t *p, const uint8_t *end, uint32_t n)
{
	const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;

	while (n && p < end) {
		/* byte i: how many numbers end in bytes 0 to i; the top one has the sum. A
		 * multiplication, since counting bits is a call on most machines */
		uint64_t ends = ((~tl_load_le64(p) & tops) >> 7) * ones;

		if (ends >> 56 < n) {
			n -= (uint32_t)(ends >> 56);
			p += 8;
			continue;
		}
		/* the n-th ends in the first byte that counts n or more: its top bit stays after n is taken off */
		p += (__builtin_ctzll(((ends | tops) - n * ones) & tops) >> 3) + 1;
		n = 0;
	}
	return n || p > end ? NULL : p;
}

#endif
