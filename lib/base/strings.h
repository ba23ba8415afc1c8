/* strings.h - a hash table of byte strings: each distinct one gets a number.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STRINGS_H
#define TL_STRINGS_H

#include "base/memory.h"

#include <stdint.h>

/* Ids count from 1 in the order of first use; 0 stands for "no string". A string
 * may hold NUL bytes; the table adds a NUL behind it, which the length does not
 * count. Pointers to strings stay valid until tl_strtab_clear or tl_strtab_release.
 * Zero bytes are an empty table.
 *
 * The table also serves for keys of several numbers: the bytes of a struct without
 * padding are the string, and the id is an index into an array of what belongs to
 * the keys. */
struct tl_strtab {
	struct tl_arena arena;
	struct tl_strtab_entry { const char *s; uint32_t len; uint32_t hash; } *entries; /* [0] unused */
	uint32_t count; /* the highest id */
	size_t cap;
	uint32_t *slots; /* ids by hash; 0: empty */
	uint32_t slot_mask;
	size_t bytes;    /* sum of the lengths */
};
/* The id of a string; a string that is not in the table is added. */
uint32_t tl_intern(struct tl_strtab *t, const char *s, size_t len);
uint32_t tl_intern_str(struct tl_strtab *t, const char *s);
/* The same, and frees the text: of tl_strdupf. */
uint32_t tl_intern_free(struct tl_strtab *t, char *s);
/* The same of a buffer's text; the buffer is released. */
uint32_t tl_intern_buf(struct tl_strtab *t, struct tl_buf *b);
/* The id of a string; 0 if it is not in the table. */
uint32_t tl_strtab_find(const struct tl_strtab *t, const char *s, size_t len);
/* The id of the text without its digits: of loop_fusion_ for loop_fusion_12. */
uint32_t tl_without_digits(struct tl_strtab *, const char *s, size_t len);
/* The string of an id; "" for 0 and unknown ids. */
static inline const char *tl_str(const struct tl_strtab *t, uint32_t id)
{
	return id && id <= t->count ? t->entries[id].s : "";
}
static inline size_t tl_str_len(const struct tl_strtab *t, uint32_t id)
{
	return id && id <= t->count ? t->entries[id].len : 0;
}
void tl_strtab_clear(struct tl_strtab *t); /* keeps some memory for the next strings */
void tl_strtab_release(struct tl_strtab *t);

/* 64-bit hash of a byte string. It is not cryptographic and differs with the byte
 * order of the machine. */
uint64_t tl_hash(const void *p, size_t len);

#endif
