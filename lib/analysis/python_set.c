/* python_set.c - integer sets in CPython's order of iteration.
 *
 * An integer hashes to itself. Slots are probed in runs of ten neighbours
 * (where the table has that many after the first), then at a perturbed place.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/python_set.h"

#include <stdlib.h>

enum { RUN = 9, START = 8 };

static uint32_t *new_slots(uint32_t n)
{
	uint32_t *slots = tl_alloc(n * sizeof *slots);

	for (uint32_t i = 0; i < n; i++)
		slots[i] = TL_PYSET_EMPTY;
	return slots;
}

/* Number of neighbours after slot i that belong to its run. */
static uint32_t run_length(const struct tl_pyset *s, uint32_t i)
{
	return (uint64_t)i + RUN <= s->mask ? RUN : 0;
}

static void put_clean(struct tl_pyset *s, uint32_t key)
{
	uint32_t perturb = key, i = key & s->mask;

	for (;;) {
		for (uint32_t j = 0, n = run_length(s, i); j <= n; j++)
			if (s->slots[i + j] == TL_PYSET_EMPTY) {
				s->slots[i + j] = key;
				return;
			}
		perturb >>= 5;
		i = (i * 5 + 1 + perturb) & s->mask;
	}
}

static void resize(struct tl_pyset *s)
{
	uint64_t want = (uint64_t)s->used * (s->used > 50000 ? 2 : 4), n = START;
	uint32_t *old = s->slots, old_mask = s->mask;

	while (n <= want)
		n <<= 1;
	s->slots = new_slots((uint32_t)n);
	s->mask = (uint32_t)(n - 1);
	for (uint32_t i = 0; i <= old_mask; i++)
		if (old[i] < TL_PYSET_DELETED)
			put_clean(s, old[i]);
	s->fill = s->used;
	free(old);
}

void tl_pyset_add(struct tl_pyset *s, uint32_t key)
{
	uint32_t perturb = key, i, *free_slot = NULL;

	if (!s->slots) {
		s->slots = new_slots(START);
		s->mask = START - 1;
	}
	for (i = key & s->mask;;) {
		for (uint32_t j = 0, n = run_length(s, i); j <= n; j++) {
			uint32_t *slot = &s->slots[i + j];

			if (*slot == key)
				return;
			if (*slot == TL_PYSET_DELETED)
				free_slot = slot;
			if (*slot != TL_PYSET_EMPTY)
				continue;
			s->used++;
			if (free_slot) {
				*free_slot = key;
				return;
			}
			*slot = key;
			if ((uint64_t)++s->fill * 5 >= (uint64_t)s->mask * 3)
				resize(s);
			return;
		}
		perturb >>= 5;
		i = (i * 5 + 1 + perturb) & s->mask;
	}
}

void tl_pyset_remove(struct tl_pyset *s, uint32_t key)
{
	uint32_t perturb = key, i;

	if (!s->slots)
		return;
	for (i = key & s->mask;;) {
		for (uint32_t j = 0, n = run_length(s, i); j <= n; j++) {
			if (s->slots[i + j] == TL_PYSET_EMPTY)
				return;
			if (s->slots[i + j] == key) {
				s->slots[i + j] = TL_PYSET_DELETED;
				s->used--;
				return;
			}
		}
		perturb >>= 5;
		i = (i * 5 + 1 + perturb) & s->mask;
	}
}

bool tl_pyset_next(const struct tl_pyset *s, size_t *at, uint32_t *key)
{
	if (!s->slots)
		return false;
	for (; *at <= s->mask; ++*at)
		if (s->slots[*at] < TL_PYSET_DELETED) {
			*key = s->slots[(*at)++];
			return true;
		}
	return false;
}

void tl_pyset_release(struct tl_pyset *s)
{
	free(s->slots);
	*s = (struct tl_pyset){ 0 };
}
