/* shift.c - offsets that keep the ids of ranks apart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuse/shift.h"

#include "model/fields.h"

#include <string.h>

static const char *const keys[TL_SHIFTED] = {
	"pid", TL_KEY_FLOW_ID, TL_KEY_CORRELATION, TL_KEY_EXTERNAL_ID, TL_KEY_SEQUENCE,
};

const char *tl_shifted_key(enum tl_shifted f)
{
	return keys[f];
}

enum tl_shifted tl_shifted_by_key(const char *key, size_t len, bool top)
{
	for (unsigned f = TL_SHIFT_ID; f < TL_SHIFTED; f++)
		if (top == (f == TL_SHIFT_ID) && len == strlen(keys[f]) && !memcmp(key, keys[f], len))
			return (enum tl_shifted)f;
	return TL_SHIFTED;
}

void tl_shift_see(struct tl_shift *s, enum tl_shifted f, int64_t id)
{
	if (!tl_is_shiftable(id))
		return;
	s->found[f] = true;
	if (id > s->largest[f])
		s->largest[f] = id;
}

/* Is the largest id of this rank at most the limit? */
static bool fits(int64_t step, int64_t rank, int64_t largest, int64_t limit)
{
	int64_t sum;

	return !__builtin_mul_overflow(step, rank, &sum) && !__builtin_add_overflow(sum, largest, &sum) && sum <= limit;
}

/* The lowest power of ten above the largest id, times ten: people can read rank and id in the sum. */
static int64_t roomy_step(int64_t largest)
{
	int64_t step = 10;

	while (step / 10 <= largest)
		step *= 10;
	return step;
}

/* A roomy step or, if ids would exceed the limit, one without room. */
static int64_t step_within(int64_t largest, int64_t highest_rank, int64_t limit)
{
	int64_t step = roomy_step(largest);

	if (!fits(step, highest_rank, largest, limit))
		step /= 10;
	if (!fits(step, highest_rank, largest, limit))
		step = largest + 1;
	return step;
}

static bool choose(struct tl_shift *s, int64_t highest_rank)
{
	for (unsigned f = 0; f < TL_SHIFTED; f++) {
		if (!fits(s->step[f], highest_rank, TL_SHIFT_LARGEST, INT64_MAX))
			return false;
		if (s->step[f] && !fits(s->step[f], highest_rank, s->largest[f], f == TL_SHIFT_PID ? UINT32_MAX : TL_SHIFT_LARGEST))
			*(f == TL_SHIFT_PID ? &s->wide_pids : &s->wide_ids) = true;
	}
	return true;
}

bool tl_shift_choose(struct tl_shift *s, int64_t highest_rank)
{
	int64_t largest = 0;

	for (unsigned f = TL_SHIFT_ID; f < TL_SHIFTED; f++)
		largest = s->largest[f] > largest ? s->largest[f] : largest;
	int64_t step = step_within(largest, highest_rank, TL_SHIFT_LARGEST);
	for (unsigned f = TL_SHIFT_ID; f < TL_SHIFTED; f++)
		s->step[f] = step;
	s->step[TL_SHIFT_PID] = step_within(s->largest[TL_SHIFT_PID], highest_rank, UINT32_MAX);
	return choose(s, highest_rank);
}

bool tl_shift_choose_reference(struct tl_shift *s, int64_t highest_rank, enum tl_shifted linking)
{
	const enum tl_shifted shifted[] = { TL_SHIFT_PID, TL_SHIFT_ID, linking };

	for (size_t i = 0; i < sizeof shifted / sizeof *shifted; i++)
		if (s->found[shifted[i]])
			s->step[shifted[i]] = roomy_step(s->largest[shifted[i]]);
	return choose(s, highest_rank);
}
