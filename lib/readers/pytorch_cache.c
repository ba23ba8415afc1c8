/* pytorch_cache.c - a bounded cache from the raw text of a value to the id of
 * its string, so that escapes and blanks are looked at once per distinct value.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/pytorch.h"

#include <stdlib.h>
#include <string.h>

void tl_rawcache_init(struct cache *c)
{
	c->entries = tl_calloc((size_t)CACHE_SETS * CACHE_WAYS, sizeof *c->entries);
	c->bytes = tl_alloc(CACHE_BYTES + TL_JSON_PAD);
	c->guess = tl_calloc(CACHE_GUESSES, sizeof *c->guess);
	c->context = 0;
	c->used = 0;
}

void tl_rawcache_clear(struct cache *c)
{
	memset(c->entries, 0, (size_t)CACHE_SETS * CACHE_WAYS * sizeof *c->entries);
	c->used = 0;
}

void tl_rawcache_release(struct cache *c)
{
	free(c->entries);
	free(c->bytes);
	free(c->guess);
}

uint64_t tl_rawcache_hash(const char *p, size_t len)
{
	return tl_hash(p, len, 0);
}

const struct cache_entry *tl_rawcache_get(const struct cache *c, const char *p, size_t len, uint64_t hash)
{
	const struct cache_entry *e = &c->entries[(hash >> 32) % CACHE_SETS * CACHE_WAYS];

	for (int i = 0; i < CACHE_WAYS; i++)
		if (e[i].tag == (uint32_t)hash && e[i].len == len && !memcmp(c->bytes + e[i].offset, p, len))
			return &e[i];
	return NULL;
}

const struct cache_entry *tl_rawcache_put(struct cache *c, const char *p, size_t len, uint64_t hash, uint32_t id)
{
	struct cache_entry *e = &c->entries[(hash >> 32) % CACHE_SETS * CACHE_WAYS];

	if (len > CACHE_BYTES / 8)
		return NULL;
	if (c->used + len > CACHE_BYTES)
		tl_rawcache_clear(c);
	memmove(e + 1, e, (CACHE_WAYS - 1) * sizeof *e); /* the oldest goes */
	e[0] = (struct cache_entry){ (uint32_t)hash, (uint32_t)len, (uint32_t)c->used, id };
	memcpy(c->bytes + c->used, p, len);
	c->used += len;
	return e;
}
