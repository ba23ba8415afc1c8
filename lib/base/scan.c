/* scan.c - the ends of strings, lists and objects: for SSE2, which every x86-64
 * processor has, and for any other.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/scan.h"

#include <stddef.h>

/* How far brackets and quotes have been followed. */
struct nest {
	unsigned depth;
	bool in_string, escaped;
};

/* Follows the bytes up to `stop`. The end of the value, or NULL if it goes on. */
static const char *nest_bytes(struct nest *n, const char *p, const char *stop)
{
	for (; p < stop; p++) {
		if (n->in_string) {
			if (n->escaped)
				n->escaped = false;
			else if (*p == '\\')
				n->escaped = true;
			else if (*p == '"')
				n->in_string = false;
		} else if (*p == '"') {
			n->in_string = true;
		} else if (*p == '{' || *p == '[') {
			n->depth++;
		} else if ((*p == '}' || *p == ']') && --n->depth == 0) {
			return p + 1;
		}
	}
	return NULL;
}

#if defined(__SSE2__) && !defined(TL_PORTABLE)
#include <emmintrin.h>

const char *tl_json_string_stop(const char *p)
{
	const __m128i quote = _mm_set1_epi8('"'), back = _mm_set1_epi8('\\'), space = _mm_set1_epi8(' ');

	for (;; p += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
		/* the comparison is one of signed bytes: below a blank are control characters and all that is not ASCII */
		__m128i stops = _mm_or_si128(_mm_cmplt_epi8(x, space), _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, back)));
		unsigned mask = (unsigned)_mm_movemask_epi8(stops);

		if (mask)
			return p + __builtin_ctz(mask);
	}
}

/* A bit for each of the 16 bytes that is c. */
static inline unsigned equal(__m128i x, char c)
{
	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8(c)));
}

/* Bit i: whether the bits up to i are odd in number. Of the places of quotes it
 * makes the places inside strings. */
static inline unsigned parity(unsigned bits)
{
	bits ^= bits << 1;
	bits ^= bits << 2;
	bits ^= bits << 4;
	return (bits ^ bits << 8) & 0xffff;
}

/* 16 bytes a step. Those with a backslash are followed byte by byte, and those
 * after a backslash that is their neighbour. */
const char *tl_json_nested_stop(const char *p, unsigned depth, const char *end)
{
	struct nest n = { depth, false, false };

	for (; p < end; p += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i folded = _mm_or_si128(x, _mm_set1_epi8(0x20)); /* [ is { now, and ] is } */
		unsigned quotes = equal(x, '"'), opens = equal(folded, '{'), brackets = opens | equal(folded, '}');
		unsigned inside;

		if (equal(x, '\\') || n.escaped) {
			const char *q = nest_bytes(&n, p, end - p < 16 ? end : p + 16);

			if (q)
				return q;
			continue;
		}
		if (!brackets) {
			n.in_string ^= __builtin_parity(quotes);
			continue;
		}
		inside = parity(quotes) ^ (n.in_string ? 0xffff : 0);
		for (brackets &= ~inside; brackets; brackets &= brackets - 1) {
			unsigned i = (unsigned)__builtin_ctz(brackets);

			if (opens >> i & 1)
				n.depth++;
			else if (--n.depth == 0)
				return p + i + 1;
		}
		n.in_string = inside >> 15;
	}
	return NULL;
}
#else
const char *tl_json_string_stop(const char *p)
{
	while ((signed char)*p >= ' ' && *p != '"' && *p != '\\')
		p++;
	return p;
}

const char *tl_json_nested_stop(const char *p, unsigned depth, const char *end)
{
	return nest_bytes(&(struct nest){ depth, false, false }, p, end);
}
#endif
