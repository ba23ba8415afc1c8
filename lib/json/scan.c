/* scan.c - scanners over JSON text: portable form, AVX2 form, and the choice.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "json/scan.h"

#include <string.h>

#define ONES 0x0101010101010101u
#define HIGHS 0x8080808080808080u

static inline uint64_t load64(const char *p)
{
	uint64_t x;

	memcpy(&x, p, 8);
	return x;
}

/* High bit of each byte that is zero; exact for the lowest such byte. */
static inline uint64_t zero_bytes(uint64_t x)
{
	return (x - ONES) & ~x & HIGHS;
}

static const char *portable_string_stop(const char *p)
{
	for (;; p += 8) {
		uint64_t x = load64(p);
		uint64_t hit = zero_bytes(x ^ (ONES * '"')) | zero_bytes(x ^ (ONES * '\\'))
			| ((x - ONES * 0x20) & ~x & HIGHS);

		if (hit)
			break;
	}
	/* the word holds a stop; find it bytewise, whatever the byte order */
	while (*p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
		p++;
	return p;
}

static const char *portable_blanks(const char *p)
{
	while (tl_json_is_blank(*p))
		p++;
	return p;
}

/* State of a bracket count, for the blocks that need a look at each byte. */
struct nest {
	long depth;
	bool in_string, escaped;
};

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
		} else if ((*p | 0x20) == '{') {
			n->depth++;
		} else if ((*p | 0x20) == '}' && --n->depth <= 0) {
			return p + 1;
		}
	}
	return NULL;
}

static const char *portable_nested_stop(const char *p, const char *end)
{
	struct nest n = { 0, false, false };

	return nest_bytes(&n, p, end);
}

const struct tl_json_ops tl_json_portable = {
	portable_string_stop, portable_blanks, portable_nested_stop,
};

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,popcnt,pclmul")))

AVX2 static const char *avx2_string_stop(const char *p)
{
	const __m256i quote = _mm256_set1_epi8('"'), back = _mm256_set1_epi8('\\');
	const __m256i low = _mm256_set1_epi8(0x1f);

	for (;; p += 32) {
		__m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p);
		__m256i hit = _mm256_or_si256(
			_mm256_or_si256(_mm256_cmpeq_epi8(x, quote), _mm256_cmpeq_epi8(x, back)),
			_mm256_cmpeq_epi8(_mm256_min_epu8(x, low), x));
		uint32_t mask = (uint32_t)_mm256_movemask_epi8(hit);

		if (mask)
			return p + __builtin_ctz(mask);
	}
}

AVX2 static const char *avx2_blanks(const char *p)
{
	const __m256i space = _mm256_set1_epi8(' '), lf = _mm256_set1_epi8('\n');
	const __m256i cr = _mm256_set1_epi8('\r'), tab = _mm256_set1_epi8('\t');

	if (!tl_json_is_blank(*p))
		return p;
	for (;; p += 32) {
		__m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p);
		__m256i hit = _mm256_or_si256(
			_mm256_or_si256(_mm256_cmpeq_epi8(x, space), _mm256_cmpeq_epi8(x, lf)),
			_mm256_or_si256(_mm256_cmpeq_epi8(x, cr), _mm256_cmpeq_epi8(x, tab)));
		uint32_t mask = ~(uint32_t)_mm256_movemask_epi8(hit);

		if (mask)
			return p + __builtin_ctz(mask);
	}
}

AVX2 static inline uint64_t mask64(__m256i lo, __m256i hi)
{
	return (uint32_t)_mm256_movemask_epi8(lo)
		| (uint64_t)(uint32_t)_mm256_movemask_epi8(hi) << 32;
}

/* 64 bytes a step: brackets inside strings are masked out (a carry-less product
 * with all ones is the running parity of the quotes), the rest is counted; only
 * a block in which the depth may reach zero, or which holds a backslash, is
 * looked at closer. */
AVX2 static const char *avx2_nested_stop(const char *p, const char *end)
{
	const __m256i quote = _mm256_set1_epi8('"'), back = _mm256_set1_epi8('\\');
	const __m256i open = _mm256_set1_epi8('{'), close = _mm256_set1_epi8('}');
	const __m256i bit = _mm256_set1_epi8(0x20);
	struct nest n = { 0, false, false };

	for (; p < end; p += 64) {
		__m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
		__m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
		__m256i fa = _mm256_or_si256(a, bit), fb = _mm256_or_si256(b, bit);
		uint64_t quotes = mask64(_mm256_cmpeq_epi8(a, quote), _mm256_cmpeq_epi8(b, quote));
		uint64_t in, opens, closes;

		if (n.escaped || mask64(_mm256_cmpeq_epi8(a, back), _mm256_cmpeq_epi8(b, back))) {
			const char *q = nest_bytes(&n, p, end - p < 64 ? end : p + 64);

			if (q)
				return q;
			continue;
		}
		in = (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(
			_mm_set_epi64x(0, (long long)quotes), _mm_set1_epi8(-1), 0));
		in ^= n.in_string ? ~(uint64_t)0 : 0;
		opens = mask64(_mm256_cmpeq_epi8(fa, open), _mm256_cmpeq_epi8(fb, open)) & ~in;
		closes = mask64(_mm256_cmpeq_epi8(fa, close), _mm256_cmpeq_epi8(fb, close)) & ~in;
		if (n.depth - __builtin_popcountll(closes) <= 0) {
			for (uint64_t c = closes; c; c &= c - 1) {
				uint64_t below = (c & -c) - 1;

				if (n.depth + __builtin_popcountll(opens & below)
				    - __builtin_popcountll(closes & below) == 1)
					return p + __builtin_ctzll(c) + 1;
			}
		}
		n.depth += __builtin_popcountll(opens) - __builtin_popcountll(closes);
		n.in_string = in >> 63;
	}
	return NULL;
}

static const struct tl_json_ops avx2_ops = {
	avx2_string_stop, avx2_blanks, avx2_nested_stop,
};

const struct tl_json_ops *tl_json_ops(void)
{
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
	    && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("pclmul"))
		return &avx2_ops;
	return &tl_json_portable;
}
#else
const struct tl_json_ops *tl_json_ops(void)
{
	return &tl_json_portable;
}
#endif
