/* scan.c - scanners over JSON text: portable form, AVX2 and AVX-512 forms, and the choice.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "json/scan.h"

#include <string.h>

#include "base/varint.h"

#define ONES 0x0101010101010101u
#define HIGHS 0x8080808080808080u

/* High bit of each byte that is zero; exact for the lowest such byte. */
static inline uint64_t zero_bytes(uint64_t x)
{
	return (x - ONES) & ~x & HIGHS;
}

static const char *portable_string_stop(const char *p)
{
	for (;; p += 8) {
		uint64_t x = tl_load_le64(p);
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

#if defined(__x86_64__) && !defined(TL_PORTABLE)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,popcnt,pclmul")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx2,bmi,popcnt,pclmul")))
/* Made part of a function for one of these, with its masks and comparison. */
#define TEMPLATE static inline __attribute__((always_inline))

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

AVX2 static bool avx2_same(const char *a, const char *b, size_t n)
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

/* What matters of 64 bytes, a bit for each. */
struct marks {
	uint64_t backs, in, opens, closes; /* in: an odd number of quotes up to it */
};

/* A carry-less product with all ones is the running parity. */
AVX2 static inline uint64_t parity(uint64_t x)
{
	return (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(
		_mm_set_epi64x(0, (long long)x), _mm_set1_epi8(-1), 0));
}

AVX2 static inline uint64_t avx2_equal(__m256i a, __m256i b, char c)
{
	__m256i x = _mm256_set1_epi8(c);

	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, x))
		| (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, x)) << 32;
}

AVX2 static inline struct marks avx2_marks(const char *p)
{
	const __m256i bit = _mm256_set1_epi8(0x20), back = _mm256_set1_epi8('\\');
	__m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
	__m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
	__m256i fa = _mm256_or_si256(a, bit), fb = _mm256_or_si256(b, bit);
	__m256i backs = _mm256_or_si256(_mm256_cmpeq_epi8(a, back), _mm256_cmpeq_epi8(b, back));

	return (struct marks){
		(uint64_t)!_mm256_testz_si256(backs, backs), /* that there is one is enough */
		parity(avx2_equal(a, b, '"')), avx2_equal(fa, fb, '{'), avx2_equal(fa, fb, '}'),
	};
}

AVX512 static inline struct marks avx512_marks(const char *p)
{
	__m512i a = _mm512_loadu_si512(p), fa = _mm512_or_si512(a, _mm512_set1_epi8(0x20));

	return (struct marks){
		_mm512_cmpeq_epi8_mask(a, _mm512_set1_epi8('\\')),
		parity(_mm512_cmpeq_epi8_mask(a, _mm512_set1_epi8('"'))),
		_mm512_cmpeq_epi8_mask(fa, _mm512_set1_epi8('{')),
		_mm512_cmpeq_epi8_mask(fa, _mm512_set1_epi8('}')),
	};
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

/* 64 bytes a step: brackets inside strings are masked out, the rest is counted;
 * only a block in which the depth may reach zero is looked at closer. Stops at
 * one with a backslash. (A call in here would cost the registers with constants.) */
TEMPLATE struct at follow_blocks(struct run *r, struct at at, const char *end, struct marks (*marks)(const char *),
                                 bool (*closed)(struct run *, const char *, long, uint64_t, uint64_t))
{
	for (; at.p < end; at.p += 64) {
		struct marks m = marks(at.p);
		uint64_t in = at.inside ^ m.in, opens = m.opens & ~in, closes = m.closes & ~in;

		if (m.backs)
			return at;
		if (at.depth - __builtin_popcountll(closes) <= 0 && closed(r, at.p, at.depth, opens, closes))
			break;
		at.depth += __builtin_popcountll(opens) - __builtin_popcountll(closes);
		at.inside = 0 - (in >> 63);
	}
	at.p = NULL;
	return at;
}

AVX2 static struct at avx2_blocks(struct run *r, struct at at, const char *end)
{
	return follow_blocks(r, at, end, avx2_marks, run_closes);
}

AVX512 static struct at avx512_blocks(struct run *r, struct at at, const char *end)
{
	return follow_blocks(r, at, end, avx512_marks, run_closes);
}

/* A block with a backslash, or more when one stands at its end; on from there. */
AVX2 static struct at odd_blocks(struct run *r, struct at at, const char *end)
{
	struct nest n = { at.depth, at.inside, false };

	do {
		const char *stop = end - at.p < 64 ? end : at.p + 64;

		if (run_bytes(r, &n, at.p, stop))
			return (struct at){ NULL, 0, 0 };
		at.p = stop;
	} while (n.escaped && at.p < end);
	return (struct at){ at.p, n.depth, n.in_string ? ~(uint64_t)0 : 0 };
}

TEMPLATE const char *follow(struct run *r, const char *p, const char *end,
                            struct at (*blocks)(struct run *, struct at, const char *))
{
	struct at at = { p, 0, 0 };

	while (at.p && (at = blocks(r, at, end)).p)
		at = odd_blocks(r, at, end);
	return r->last;
}

static const char *avx2_nested_stop(const char *p, const char *end)
{
	return follow(&(struct run){ .next = NULL }, p, end, avx2_blocks);
}

static const char *avx512_nested_stop(const char *p, const char *end)
{
	return follow(&(struct run){ .next = NULL }, p, end, avx512_blocks);
}

static const char *avx2_nested_run(const char *p, const char *end, const char *next, size_t len, size_t *count)
{
	struct run r = { .next = next, .len = len };

	follow(&r, p, end, avx2_blocks);
	*count = r.count;
	return r.last;
}

static const char *avx512_nested_run(const char *p, const char *end, const char *next, size_t len, size_t *count)
{
	struct run r = { .next = next, .len = len };

	follow(&r, p, end, avx512_blocks);
	*count = r.count;
	return r.last;
}

static const struct tl_json_ops avx2_ops = {
	avx2_string_stop, avx2_blanks, avx2_nested_stop, avx2_nested_run, avx2_same,
};

static const struct tl_json_ops avx512_ops = {
	avx2_string_stop, avx2_blanks, avx512_nested_stop, avx512_nested_run, avx2_same,
};

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
		&& __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("pclmul");
}

static bool has_avx512(void)
{
	return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
}

const struct tl_json_ops *tl_json_ops(void)
{
	return has_avx512() ? &avx512_ops : has_avx2() ? &avx2_ops : &tl_json_portable;
}

const struct tl_json_ops *tl_json_form(int i)
{
	const struct tl_json_ops *all[] = {
		&tl_json_portable, has_avx2() ? &avx2_ops : NULL, has_avx512() ? &avx512_ops : NULL, NULL,
	};

	return all[i];
}
#else
const struct tl_json_ops *tl_json_ops(void)
{
	return &tl_json_portable;
}

const struct tl_json_ops *tl_json_form(int i)
{
	return i ? NULL : &tl_json_portable;
}
#endif
