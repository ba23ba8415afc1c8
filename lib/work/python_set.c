/* python_set.c - integer sets in CPython's order of iteration.
 *
 * As in CPython, an integer is its own hash; a search looks at a slot and its
 * RUN neighbours (at the slot alone near the table's end), then jumps to a
 * perturbed place; a table doubles or quadruples when three fifths are filled.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/python_set.h"

#include <stdlib.h>

enum { RUN = 9, START = 8 };

static uint32_t *new_slots(uint32_t n)
{
	uint32_t *slots = tl_alloc(n * sizeof *slots);

	for (uint32_t i = 0; i < n; i++)
		slots[i] = TL_PYSET_EMPTY;
	return slots;
}

/* The slot that holds the key, else the empty slot that ends the search for it.
 * *deleted becomes the last deleted slot on the way, if any. */
static uint32_t *find_slot(const struct tl_pyset *s, uint32_t key, uint32_t **deleted)
{
	uint32_t perturb = key, i = key & s->mask;

	for (;;) {
		uint32_t n = (uint64_t)i + RUN <= s->mask ? RUN : 0;
		for (uint32_t *slot = s->slots + i, *last = slot + n; slot <= last; slot++) {
			if (*slot == key || *slot == TL_PYSET_EMPTY)
				return slot;
			if (*slot == TL_PYSET_DELETED)
				*deleted = slot;
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
	*s = (struct tl_pyset){ .slots = new_slots((uint32_t)n), .mask = (uint32_t)(n - 1) };
	for (uint32_t i = 0; i <= old_mask; i++)
		if (old[i] < TL_PYSET_DELETED)
			tl_pyset_add(s, old[i]);
	free(old);
}

void tl_pyset_add(struct tl_pyset *s, uint32_t key)
{
	uint32_t *deleted = NULL;

	if (!s->slots)
		*s = (struct tl_pyset){ .slots = new_slots(START), .mask = START - 1 };
	uint32_t *slot = find_slot(s, key, &deleted);
	if (*slot == key)
		return;
	s->used++;
	if (deleted) {
		*deleted = key;
		return;
	}
	*slot = key;
	if ((uint64_t)++s->fill * 5 >= (uint64_t)s->mask * 3)
		resize(s);
}

void tl_pyset_remove(struct tl_pyset *s, uint32_t key)
{
	uint32_t *deleted, *slot = s->slots ? find_slot(s, key, &deleted) : NULL;

	if (slot && *slot == key) {
		*slot = TL_PYSET_DELETED;
		s->used--;
	}
}

uint32_t tl_pyset_slot(const struct tl_pyset *s, uint32_t key)
{
	uint32_t *deleted;

	return (uint32_t)(find_slot(s, key, &deleted) - s->slots);
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
