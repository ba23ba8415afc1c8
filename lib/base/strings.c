/* strings.c - a hash table of byte strings.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/strings.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* The two halves of the 128-bit product, combined. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 p = (unsigned __int128)a * b;
	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

static inline uint64_t word_at(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
	return word;
}

/* Of the last 16 bytes two words, which may overlap. */
uint64_t tl_hash(const void *data, size_t len)
{
	const char *p = data;
	uint64_t h = 0x9e3779b97f4a7c15u ^ len, a = 0, b = 0;

	for (; len > 16; p += 16, len -= 16)
		h = fold(h ^ word_at(p), 0xbf58476d1ce4e5b9u ^ word_at(p + 8));
	if (len >= 8) {
		a = word_at(p);
		b = word_at(p + len - 8);
	} else if (len >= 4) {
		memcpy(&a, p, 4);
		memcpy(&b, p + len - 4, 4);
	} else if (len) {
		a = (uint64_t)(unsigned char)p[0] << 16 | (uint64_t)(unsigned char)p[len / 2] << 8 | (unsigned char)p[len - 1];
	}
	return fold(h ^ a, 0x94d049bb133111ebu ^ b);
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
	uint32_t hash = (uint32_t)tl_hash(s, len);
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

uint32_t tl_intern_free(struct tl_strtab *t, char *s)
{
	uint32_t id = tl_intern_str(t, s);

	free(s);
	return id;
}

uint32_t tl_intern_buf(struct tl_strtab *t, struct tl_buf *b)
{
	uint32_t id = tl_intern(t, tl_buf_text(b), b->len);

	tl_buf_release(b);
	return id;
}

uint32_t tl_strtab_find(const struct tl_strtab *t, const char *s, size_t len)
{
	return t->slots ? *find_slot(t, s, len, (uint32_t)tl_hash(s, len)) : 0;
}

uint32_t tl_without_digits(struct tl_strtab *t, const char *s, size_t len)
{
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < len; i++)
		if (!tl_is_digit(s[i]))
			tl_buf_addc(&b, s[i]);
	uint32_t id = tl_intern(t, tl_buf_text(&b), b.len);
	tl_buf_release(&b);
	return id;
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
	memset(t, 0, sizeof *t);
}
