/* map.c - a hash table from 64-bit keys to 32-bit values, and lists with an item a key.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

static size_t map_slot(const struct tl_map *m, uint64_t key)
{
	size_t i = tl_hash_u64(key) & m->mask;
	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	return i;
}

uint32_t *tl_map_get(const struct tl_map *m, uint64_t key)
{
	if (!m->slots)
		return NULL;
	size_t i = map_slot(m, key);
	return m->slots[i].used ? &m->slots[i].value : NULL;
}

static void map_grow(struct tl_map *m)
{
	struct tl_map old = *m;
	size_t size = old.slots ? (old.mask + 1) * 2 : 64;
	m->slots = tl_calloc(size, sizeof *m->slots);
	m->mask = size - 1;
	for (size_t i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i].used)
			m->slots[map_slot(m, old.slots[i].key)] = old.slots[i];
	free(old.slots);
}

uint32_t *tl_map_put(struct tl_map *m, uint64_t key, bool *is_new)
{
	if (!m->slots || m->count >= m->mask / 4 * 3)
		map_grow(m);
	struct tl_map_slot *s = &m->slots[map_slot(m, key)];
	if (is_new)
		*is_new = !s->used;
	if (!s->used) {
		*s = (struct tl_map_slot){ .key = key, .used = 1 };
		m->count++;
	}
	return &s->value;
}

bool tl_map_add(struct tl_map *m, uint64_t key)
{
	bool is_new;

	tl_map_put(m, key, &is_new);
	return is_new;
}

uint32_t tl_map_number(struct tl_map *m, uint64_t key, bool *is_new)
{
	size_t before = m->count;
	uint32_t *number = tl_map_put(m, key, is_new);

	if (m->count > before)
		*number = (uint32_t)before;
	return *number;
}

uint32_t tl_keyed_put(struct tl_map *numbers, uint64_t key, void *items, size_t *n, size_t size, bool *is_new)
{
	uint32_t number = tl_map_number(numbers, key, is_new);

	if (number == *n)
		memset((char *)items + size * (*n)++, 0, size);
	return number;
}

void *tl_keyed_find(const struct tl_map *numbers, uint64_t key, void *items, size_t size)
{
	const uint32_t *number = tl_map_get(numbers, key);

	return number ? (char *)items + size * *number : NULL;
}

void tl_map_release(struct tl_map *m)
{
	free(m->slots);
	memset(m, 0, sizeof *m);
}
