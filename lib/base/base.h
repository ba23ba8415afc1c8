/* base.h - what every module rests on: status and errors, memory, arenas,
 * interned strings, hashing, growing buffers.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_BASE_H
#define TL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- status and errors ------------------------------------------------ */

enum tl_status {
	TL_OK = 0,
	TL_ERR_IO = -1,    /* read, write, open failed */
	TL_ERR_DATA = -2,  /* malformed, truncated or inconsistent input */
	TL_ERR_USAGE = -3, /* the caller asked for something that cannot be */
};

/* Why a call failed. Filled by the callee when it returns other than TL_OK;
 * `text` is one line without a full stop or the program's name. `offset` is a
 * byte offset into the (decompressed) input and `record` an event or row
 * number; either is -1 when it does not apply. */
struct tl_error {
	enum tl_status status;
	int64_t offset;
	int64_t record;
	char text[600];
};

/* Sets *err (which may be NULL) and returns status, so that a caller writes
 * `return tl_fail(err, TL_ERR_DATA, "…", …)`. Control characters in the result
 * are masked with '?'. offset and record become -1. */
enum tl_status tl_fail(struct tl_error *err, enum tl_status status,
                       const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with the byte offset at which the input is wrong. */
enum tl_status tl_fail_at(struct tl_error *err, enum tl_status status,
                          int64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* ---- memory ----------------------------------------------------------- */

/* Called when memory runs out, with the size asked for; must not return. The
 * default aborts. A program installs one that prints and exits. */
typedef void tl_oom_handler(size_t size);
void tl_set_oom_handler(tl_oom_handler *handler);

/* These never return NULL: on failure the handler above ends the program.
 * Sizes that come from input must be bounded by the caller first. */
void *tl_alloc(size_t size);
void *tl_calloc(size_t count, size_t size);
void *tl_realloc(void *p, size_t size);
char *tl_strdup(const char *s);
char *tl_strndup(const char *s, size_t len); /* copies len bytes, adds NUL */

/* Makes room for at least `need` elements in a malloc'ed array, growing by
 * half; overflow counts as out of memory.
 *   TL_GROW(v->items, v->cap, v->n + 1); */
void *tl_grow(void *p, size_t *cap, size_t need, size_t elem_size);
#define TL_GROW(ptr, cap, need) \
	((need) > (cap) ? (void)((ptr) = tl_grow((ptr), &(cap), (need), sizeof *(ptr))) : (void)0)

/* ---- arena: many small pieces, freed together -------------------------- */

struct tl_arena {
	struct tl_arena_chunk *chunks;
	char *next, *end;
	size_t total; /* bytes held */
};
void tl_arena_init(struct tl_arena *a); /* zero bytes are a valid arena too */
void *tl_arena_alloc(struct tl_arena *a, size_t size); /* 8-aligned */
char *tl_arena_dup(struct tl_arena *a, const char *s, size_t len); /* + NUL */
void tl_arena_clear(struct tl_arena *a); /* keeps one chunk for reuse */
void tl_arena_release(struct tl_arena *a);

/* ---- byte buffer ------------------------------------------------------- */

struct tl_buf {
	char *data; /* NUL-terminated after tl_buf_* calls unless empty and NULL */
	size_t len, cap;
};
void tl_buf_reserve(struct tl_buf *b, size_t extra); /* room for extra + NUL */
void tl_buf_add(struct tl_buf *b, const void *p, size_t len);
void tl_buf_grow_addc(struct tl_buf *b, char c);
static inline void tl_buf_addc(struct tl_buf *b, char c)
{
	if (b->cap - b->len < 2) {
		tl_buf_grow_addc(b, c);
		return;
	}
	b->data[b->len++] = c;
	b->data[b->len] = 0;
}
void tl_buf_adds(struct tl_buf *b, const char *s);
/* As printf in the "C" locale, whatever the program's own is. */
void tl_buf_addf(struct tl_buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void tl_buf_clear(struct tl_buf *b); /* len = 0, memory kept */
void tl_buf_release(struct tl_buf *b);

/* ---- interned strings --------------------------------------------------- */

/* A table of distinct byte strings. Ids are dense, from 1 in order of first
 * use; 0 stands for "no string" everywhere. Strings may hold NUL bytes; each
 * is followed by a NUL that is not counted. Pointers stay valid until
 * tl_strtab_clear or _release. */
struct tl_strtab {
	struct tl_arena arena;
	struct tl_strtab_entry { const char *s; uint32_t len; uint32_t hash; } *entries; /* [0] unused */
	uint32_t count; /* highest id */
	size_t cap;
	uint32_t *slots;
	uint32_t slot_mask;
	size_t bytes; /* sum of the lengths */
};
void tl_strtab_init(struct tl_strtab *t);
uint32_t tl_intern(struct tl_strtab *t, const char *s, size_t len);
uint32_t tl_intern_str(struct tl_strtab *t, const char *s);
/* The id of a string that is there already, else 0. */
uint32_t tl_strtab_find(const struct tl_strtab *t, const char *s, size_t len);
/* Text of an id; id 0 and unknown ids give "". */
const char *tl_str(const struct tl_strtab *t, uint32_t id);
size_t tl_str_len(const struct tl_strtab *t, uint32_t id);
void tl_strtab_clear(struct tl_strtab *t);
void tl_strtab_release(struct tl_strtab *t);

/* 64-bit hash of a byte string (not cryptographic; the same on every machine). */
uint64_t tl_hash(const void *p, size_t len, uint64_t seed);
static inline uint64_t tl_hash_u64(uint64_t x)
{
	x ^= x >> 32; x *= 0xd6e8feb86659fd93u; x ^= x >> 32; x *= 0xd6e8feb86659fd93u;
	return x ^ (x >> 32);
}

/* ---- map from 64-bit key to 32-bit value --------------------------------- */

struct tl_map {
	struct tl_map_slot { uint64_t key; uint32_t value; uint32_t used; } *slots;
	size_t mask, count;
};
/* Value of key, or NULL. */
uint32_t *tl_map_get(const struct tl_map *m, uint64_t key);
/* Value slot of key, made (0) when new; *is_new tells (may be NULL). Valid
 * until the next put. */
uint32_t *tl_map_put(struct tl_map *m, uint64_t key, bool *is_new);
void tl_map_release(struct tl_map *m);

/* ---- numbers as text ------------------------------------------------------ */

/* Shortest decimal that reads back to the same double, in Python's repr form:
 * fixed with a decimal point for 1e-4 <= |x| < 1e16, else scientific with at
 * least two exponent digits; nan, inf, -inf. Returns the length; buf must hold
 * TL_DOUBLE_TEXT bytes. Locale independent. */
#define TL_DOUBLE_TEXT 40
size_t tl_format_double(char *buf, double x);
/* As strtod in the "C" locale, whatever the program's own is: the decimal point
 * is always a point. *end, unless end is NULL, is the first byte not read. */
double tl_parse_double(const char *s, char **end);
/* Correctly rounded to two decimals, ties to even, as Python's round does. */
double tl_round_hundredths(double x);
/* Decimal text of an integer; buf must hold 24 bytes. Returns the length. */
size_t tl_format_int(char *buf, int64_t x);

/* ---- regular expressions of users ----------------------------------------------- */

/* What an extended regular expression has that could take any time or memory:
 * "a back-reference", say, and where it stands; NULL if it has nothing such. */
const char *tl_regex_refused(const char *regex, const char **where);

#endif
