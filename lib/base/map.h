/* map.h - a hash table from 64-bit keys to 32-bit values, and lists with an item a key.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MAP_H
#define TL_MAP_H

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* ---- a map --------------------------------------------------------------------- */

/* A key is a number or an id, or two ids side by side; strings.h has a table for
 * longer keys. The value often is an index into an array of what belongs to the
 * keys. Zero bytes are an empty map. */
struct tl_map {
	struct tl_map_slot { uint64_t key; uint32_t value; uint32_t used; } *slots;
	size_t mask, count;
};
/* The key of two ids. Of three: that of the first two's number (tl_map_number) and the third. */
static inline uint64_t tl_key_of_two(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}
/* The key's value; NULL if the map has no such key. */
uint32_t *tl_map_get(const struct tl_map *m, uint64_t key);
/* The key's value, which the caller may change until the next put. A key that was
 * not in the map is added with the value 0. *is_new tells whether it was added;
 * is_new may be NULL. */
uint32_t *tl_map_put(struct tl_map *m, uint64_t key, bool *is_new);
/* Adds a key to a set. False: it was there already. */
bool tl_map_add(struct tl_map *m, uint64_t key);
/* Keys are numbered from 0 in the order of first use. A map that numbers keys holds nothing else. */
uint32_t tl_map_number(struct tl_map *m, uint64_t key, bool *is_new);
void tl_map_release(struct tl_map *m);

/* ---- a list with an item a key ----------------------------------------------------- */

/* The members of a list of items, in the order of their keys' first use. Zero bytes are an empty list.
 *   struct sums TL_KEYED(struct sum);           a named type
 *   struct TL_KEYED(struct sum) by_name;        a member or a variable
 *   bool is_new;
 *   struct sum *s = TL_ITEM(&by_name, event->name, &is_new);
 *   if (is_new)
 *           s->name = event->name; */
#define TL_KEYED(type) { type *items; size_t n, cap; struct tl_map numbers; }
/* The item of a key, until the next new key. A new item is zero bytes; is_new may be NULL. */
#define TL_ITEM(list, key, is_new) \
	(TL_GROW((list)->items, (list)->cap, (list)->n + 1), \
	 &(list)->items[tl_keyed_put(&(list)->numbers, (key), (list)->items, &(list)->n, sizeof *(list)->items, (is_new))])
/* The item of a key, NULL if there is none. */
#define TL_ITEM_FIND(list, key) tl_keyed_find(&(list)->numbers, (key), (list)->items, sizeof *(list)->items)
/* Frees the items, not what they hold. */
#define TL_KEYED_RELEASE(list) (free((list)->items), tl_map_release(&(list)->numbers))

uint32_t tl_keyed_put(struct tl_map *numbers, uint64_t key, void *items, size_t *n, size_t size, bool *is_new);
void *tl_keyed_find(const struct tl_map *numbers, uint64_t key, void *items, size_t size);

/* The two halves of a 128-bit product, combined. */
static inline uint64_t tl_hash_u64(uint64_t x)
{
	__extension__ unsigned __int128 p = (unsigned __int128)(x ^ 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

#endif
