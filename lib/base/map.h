/* map.h - a hash table from 64-bit keys to 32-bit values.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MAP_H
#define TL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key is a number or an id, or two ids side by side; strings.h has a table for
 * longer keys. The value often is an index into an array of what belongs to the
 * keys. Zero bytes are an empty map. */
struct tl_map {
	struct tl_map_slot { uint64_t key; uint32_t value; uint32_t used; } *slots;
	size_t mask, count;
};
/* The key's value; NULL if the map has no such key. */
uint32_t *tl_map_get(const struct tl_map *m, uint64_t key);
/* The key's value, which the caller may change until the next put. A key that was
 * not in the map is added with the value 0. *is_new tells whether it was added;
 * is_new may be NULL. */
uint32_t *tl_map_put(struct tl_map *m, uint64_t key, bool *is_new);
void tl_map_release(struct tl_map *m);

/* The two halves of a 128-bit product, combined. */
static inline uint64_t tl_hash_u64(uint64_t x)
{
	__extension__ unsigned __int128 p = (unsigned __int128)(x ^ 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

#endif
