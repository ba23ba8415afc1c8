/* strings.h - a hash table of byte strings: each distinct one gets a number.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STRINGS_H
#define TL_STRINGS_H

#include "base/memory.h"

#include <stdint.h>

/* Ids count from 1 in the order of first use; 0 stands for "no string". A string
 * may hold NUL bytes; the table adds one behind it that is not counted. Pointers
 * to strings stay valid until tl_strtab_clear or tl_strtab_release.
 *
 * A key of several numbers goes in as a byte string too: the bytes of a struct
 * without padding. Its id then is the index into an array of what belongs to it. */
struct tl_strtab {
	struct tl_arena arena;
	struct tl_strtab_entry { const char *s; uint32_t len; uint32_t hash; } *entries; /* [0] unused */
	uint32_t count; /* the highest id */
	size_t cap;
	uint32_t *slots; /* ids by hash; 0: empty */
	uint32_t slot_mask;
	size_t bytes;    /* sum of the lengths */
};
void tl_strtab_init(struct tl_strtab *t);
/* The id of a string, a new one if the string is new. */
uint32_t tl_intern(struct tl_strtab *t, const char *s, size_t len);
uint32_t tl_intern_str(struct tl_strtab *t, const char *s);
/* The id of a string in the table; 0 if the string is not there. */
uint32_t tl_strtab_find(const struct tl_strtab *t, const char *s, size_t len);
/* Text of an id; "" for 0 and unknown ids. */
const char *tl_str(const struct tl_strtab *t, uint32_t id);
size_t tl_str_len(const struct tl_strtab *t, uint32_t id);
void tl_strtab_clear(struct tl_strtab *t);
void tl_strtab_release(struct tl_strtab *t);

/* 64-bit hash of a byte string. Not cryptographic, not the same on all machines. */
uint64_t tl_hash(const void *p, size_t len, uint64_t seed);

#endif
