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

static const char *portable_nested_run(const char *p, const char *end, const char *next, size_t len, size_t *count)
{
	struct nest n = { 0, false, false };
	const char *last = NULL;

	for (*count = 0; (p = nest_bytes(&n, p, end)); ) {
		last = p;
		++*count;
		if (memcmp(p, next, len))
			break;
	}
	return last;
}

static bool portable_same(const char *a, const char *b, size_t n)
{
	return !memcmp(a, b, n);
}

const struct tl_json_ops tl_json_portable = {
	portable_string_stop, portable_blanks, portable_nested_stop, portable_nested_run, portable_same,
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

AVX2 static inline bool avx2_same(const char *a, const char *b, size_t n)
{
	for (;; a += 32, b += 32, n -= 32) {
		__m256i x = _mm256_loadu_si256((const __m256i *)(const void *)a);
		__m256i y = _mm256_loadu_si256((const __m256i *)(const void *)b);
		uint32_t differ = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, y));

		if (n <= 32)
			return !(differ << (32 - n));
		if (differ)
			return false;
	}
}

/* A run of nested values as far as it was followed. */
struct run {
	const char *next; /* NULL: one value is all */
	size_t len, count;
	const char *last;
};

/* A value of the run ends at p. True if the run ends there too. */
AVX2 static inline bool value_ends(struct run *r, const char *p)
{
	r->last = p;
	r->count++;
	return !r->next || !avx2_same(p, r->next, r->len);
}

/* A block that needs a look at each byte. */
AVX2 static bool run_bytes(struct run *r, struct nest *n, const char *p, const char *stop)
{
	while ((p = nest_bytes(n, p, stop)))
		if (value_ends(r, p))
			return true;
	return false;
}

/* A block at p in which the depth may reach zero, from what it is before it. */
AVX2 static inline bool run_closes(struct run *r, const char *p, long depth, uint64_t opens, uint64_t closes)
{
	for (uint64_t c = closes; c; c &= c - 1) {
		uint64_t below = (c & -c) - 1;

		if (depth + __builtin_popcountll(opens & below) - __builtin_popcountll(closes & below) == 1
		    && value_ends(r, p + __builtin_ctzll(c) + 1))
			return true;
	}
	return false;
}

/* How far a run was followed. */
struct at {
	const char *p;   /* NULL: to its end */
	long depth;
	uint64_t inside; /* all ones: a string is open */
};

/* 64 bytes a step: brackets inside strings are masked out (a carry-less product
 * with all ones is the running parity of the quotes), the rest is counted; only
 * a block in which the depth may reach zero is looked at closer. Stops at one
 * with a backslash. (A call in here would cost the registers with constants.) */
AVX2 static inline struct at follow_blocks(struct run *r, struct at at, const char *end)
{
	const __m256i quote = _mm256_set1_epi8('"'), back = _mm256_set1_epi8('\\');
	const __m256i open = _mm256_set1_epi8('{'), close = _mm256_set1_epi8('}');
	const __m256i bit = _mm256_set1_epi8(0x20);

	for (; at.p < end; at.p += 64) {
		__m256i a = _mm256_loadu_si256((const __m256i *)(const void *)at.p);
		__m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(at.p + 32));
		__m256i fa = _mm256_or_si256(a, bit), fb = _mm256_or_si256(b, bit);
		__m256i backs = _mm256_or_si256(_mm256_cmpeq_epi8(a, back), _mm256_cmpeq_epi8(b, back));
		uint64_t quotes = mask64(_mm256_cmpeq_epi8(a, quote), _mm256_cmpeq_epi8(b, quote));
		uint64_t in = at.inside ^ (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(
			_mm_set_epi64x(0, (long long)quotes), _mm_set1_epi8(-1), 0));
		uint64_t opens = mask64(_mm256_cmpeq_epi8(fa, open), _mm256_cmpeq_epi8(fb, open)) & ~in;
		uint64_t closes = mask64(_mm256_cmpeq_epi8(fa, close), _mm256_cmpeq_epi8(fb, close)) & ~in;

		if (!_mm256_testz_si256(backs, backs))
			return at;
		if (at.depth - __builtin_popcountll(closes) <= 0 && run_closes(r, at.p, at.depth, opens, closes))
			break;
		at.depth += __builtin_popcountll(opens) - __builtin_popcountll(closes);
		at.inside = 0 - (in >> 63);
	}
	at.p = NULL;
	return at;
}

AVX2 static inline __attribute__((always_inline)) void follow_run(struct run *r, const char *p, const char *end)
{
	struct at at = follow_blocks(r, (struct at){ p, 0, 0 }, end);

	while (at.p) {
		struct nest n = { at.depth, at.inside, false };

		do { /* a block at a time, and on into the next if it ends with a backslash */
			const char *stop = end - at.p < 64 ? end : at.p + 64;

			if (run_bytes(r, &n, at.p, stop))
				return;
			at.p = stop;
		} while (n.escaped && at.p < end);
		at = follow_blocks(r, (struct at){ at.p, n.depth, n.in_string ? ~(uint64_t)0 : 0 }, end);
	}
}

AVX2 static const char *avx2_nested_stop(const char *p, const char *end)
{
	struct run r = { .next = NULL };

	follow_run(&r, p, end);
	return r.last;
}

AVX2 static const char *avx2_nested_run(const char *p, const char *end, const char *next, size_t len, size_t *count)
{
	struct run r = { .next = next, .len = len };

	follow_run(&r, p, end);
	*count = r.count;
	return r.last;
}

static const struct tl_json_ops avx2_ops = {
	avx2_string_stop, avx2_blanks, avx2_nested_stop, avx2_nested_run, avx2_same,
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
