/* lookup.h - the maps of tables: a value for a key.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_LOOKUP_H
#define TL_PERF_LOOKUP_H

#include "base/map.h"
#include "base/strings.h"
#include "json/value.h"

/* All maps, each known by its name. Begins as zero bytes with strings set. */
struct tl_lookup {
	struct tl_strtab *strings;      /* of names and keys */
	struct tl_map index;            /* name id << 32 | key id -> index + 1 */
	struct tl_value *values; size_t n, cap;
};
/* Sets the value of a key, by the ids of the names. The bytes of a text are not copied. */
void tl_lookup_set(struct tl_lookup *, uint32_t map, uint32_t key, struct tl_value);
/* The value of a key, or NULL. */
const struct tl_value *tl_lookup_get(const struct tl_lookup *, const char *map, size_t map_len, const char *key,
                                     size_t key_len);
void tl_lookup_release(struct tl_lookup *);

#endif
