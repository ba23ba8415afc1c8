/* strings.c - interned strings, hashing, the 64 -> 32 bit map.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/base.h"
#include "base/varint.h"

#include <stdlib.h>
#include <string.h>

/* ---- hash: multiply-and-fold of 16 bytes at a time ---- */

static uint64_t load32(const unsigned char *p)
{
	uint32_t x;
	memcpy(&x, p, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap32(x);
#endif
	return x;
}

static inline uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 p = (unsigned __int128)a * b;
	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

#define K0 0x9e3779b97f4a7c15u
#define K1 0xbf58476d1ce4e5b9u
#define K2 0x94d049bb133111ebu

uint64_t tl_hash(const void *data, size_t len, uint64_t seed)
{
	const unsigned char *p = data;
	uint64_t h = seed ^ K0, h2 = seed ^ K1;
	size_t n = len;
	for (; n > 32; p += 32, n -= 32) { /* two lanes hide the multiply's latency */
		h = fold(tl_load_le64(p) ^ K1, tl_load_le64(p + 8) ^ h);
		h2 = fold(tl_load_le64(p + 16) ^ K2, tl_load_le64(p + 24) ^ h2);
	}
	h ^= h2;
	for (; n > 16; p += 16, n -= 16)
		h = fold(tl_load_le64(p) ^ K1, tl_load_le64(p + 8) ^ h);
	uint64_t a = 0, b = 0;
	if (n >= 8) {
		a = tl_load_le64(p);
		b = tl_load_le64(p + n - 8);
	} else if (n >= 4) {
		a = load32(p);
		b = load32(p + n - 4);
	} else if (n) {
		a = (uint64_t)p[0] << 16 | (uint64_t)p[n >> 1] << 8 | p[n - 1];
	}
	return fold(a ^ K2 ^ len, fold(b ^ K1, h ^ K0));
}

/* ---- string table ---- */

void tl_strtab_init(struct tl_strtab *t)
{
	memset(t, 0, sizeof *t);
}

static uint32_t *find_slot(const struct tl_strtab *t, const char *s, size_t len, uint32_t hash)
{
	for (uint32_t i = hash & t->slot_mask;; i = (i + 1) & t->slot_mask) {
		uint32_t id = t->slots[i];
		if (!id)
			return &t->slots[i];
		const struct tl_strtab_entry *e = &t->entries[id];
		if (e->hash == hash && e->len == len && !memcmp(e->s, s, len))
			return &t->slots[i];
	}
}

static void rehash(struct tl_strtab *t)
{
	uint32_t size = t->slots ? (t->slot_mask + 1) * 2 : 256;
	free(t->slots);
	t->slots = tl_calloc(size, sizeof *t->slots);
	t->slot_mask = size - 1;
	for (uint32_t id = 1; id <= t->count; id++) {
		uint32_t i = t->entries[id].hash & t->slot_mask;
		while (t->slots[i])
			i = (i + 1) & t->slot_mask;
		t->slots[i] = id;
	}
}

uint32_t tl_intern(struct tl_strtab *t, const char *s, size_t len)
{
	if (!t->slots || t->count >= t->slot_mask / 2)
		rehash(t);
	uint32_t hash = (uint32_t)tl_hash(s, len, 0);
	uint32_t *slot = find_slot(t, s, len, hash);
	if (*slot)
		return *slot;
	TL_GROW(t->entries, t->cap, (size_t)t->count + 2);
	uint32_t id = ++t->count;
	t->entries[id] = (struct tl_strtab_entry){ tl_arena_dup(&t->arena, s, len), (uint32_t)len, hash };
	t->bytes += len;
	*slot = id;
	return id;
}

uint32_t tl_intern_str(struct tl_strtab *t, const char *s)
{
	return tl_intern(t, s, strlen(s));
}

uint32_t tl_strtab_find(const struct tl_strtab *t, const char *s, size_t len)
{
	return t->slots ? *find_slot(t, s, len, (uint32_t)tl_hash(s, len, 0)) : 0;
}

const char *tl_str(const struct tl_strtab *t, uint32_t id)
{
	return id && id <= t->count ? t->entries[id].s : "";
}

size_t tl_str_len(const struct tl_strtab *t, uint32_t id)
{
	return id && id <= t->count ? t->entries[id].len : 0;
}

void tl_strtab_clear(struct tl_strtab *t)
{
	tl_arena_clear(&t->arena);
	t->count = 0;
	t->bytes = 0;
	if (t->slots)
		memset(t->slots, 0, ((size_t)t->slot_mask + 1) * sizeof *t->slots);
}

void tl_strtab_release(struct tl_strtab *t)
{
	tl_arena_release(&t->arena);
	free(t->entries);
	free(t->slots);
	tl_strtab_init(t);
}

/* ---- map ---- */

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

void tl_map_release(struct tl_map *m)
{
	free(m->slots);
	memset(m, 0, sizeof *m);
}
