/* lookup.c - the maps of tables: a value for a key.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/lookup.h"

#include <stdlib.h>

static uint64_t place(uint32_t map, uint32_t key)
{
	return (uint64_t)map << 32 | key;
}

void tl_lookup_set(struct tl_lookup *l, uint32_t map, uint32_t key, struct tl_value v)
{
	uint32_t *at = tl_map_put(&l->index, place(map, key), NULL);

	if (!*at) {
		TL_GROW(l->values, l->cap, l->n + 1);
		*at = (uint32_t)++l->n;
	}
	l->values[*at - 1] = v;
}

const struct tl_value *tl_lookup_get(const struct tl_lookup *l, const char *map, size_t map_len, const char *key,
                                     size_t key_len)
{
	uint32_t m = tl_strtab_find(l->strings, map, map_len), k = tl_strtab_find(l->strings, key, key_len);
	uint32_t *at = m && k ? tl_map_get(&l->index, place(m, k)) : NULL;

	return at ? &l->values[*at - 1] : NULL;
}

void tl_lookup_release(struct tl_lookup *l)
{
	tl_map_release(&l->index);
	free(l->values);
}
