/* ends.h - where the varints of the next 64 bytes end, found all at once: what
 * follows one another need not be decoded one after the other. For processors
 * with AVX2 and BMI2; elsewhere the reader goes from varint to varint.
 * Private to lib/stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ENDS_H
#define TL_ENDS_H

#include <stdbool.h>

#include "base/varint.h"

#define ENDS_BYTES 64

#if defined(__x86_64__) && !defined(TL_PORTABLE)
#define ENDS_HERE 1
#define ENDS_TARGET __attribute__((target("avx2,bmi,bmi2")))
#define ENDS_INLINE static inline ENDS_TARGET __attribute__((always_inline))
#include <immintrin.h>

/* Whether this processor has it, and fast: the first two Zen generations take
 * a cycle or more for every bit. */
static inline bool ends_work(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
	       !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
}

ENDS_INLINE uint64_t ends_of(const uint8_t *p)
{
	const __m256i *v = (const __m256i *)(const void *)p;

	return ~((uint64_t)(unsigned)_mm256_movemask_epi8(_mm256_loadu_si256(v)) |
	         (uint64_t)(unsigned)_mm256_movemask_epi8(_mm256_loadu_si256(v + 1)) << 32);
}

/* The varint at the low end of word, of len bytes, 8 at most. */
ENDS_INLINE uint64_t ends_value(uint64_t word, unsigned len)
{
	return _pext_u64(_bzhi_u64(word, 8 * len), 0x7f7f7f7f7f7f7f7fu);
}
#endif
#endif
