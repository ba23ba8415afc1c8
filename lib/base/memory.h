/* memory.h - allocation that never returns NULL, arenas, growing buffers.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MEMORY_H
#define TL_MEMORY_H

#include <stddef.h>

/* ---- allocation ------------------------------------------------------------ */

/* Called when memory runs out, with the size that was asked for. A handler must not
 * return. The default one aborts; a program's prints a message and exits. */
typedef void tl_oom_handler(size_t size);
void tl_set_oom_handler(tl_oom_handler *handler);

/* As malloc, calloc and so on, but when memory runs out they call the handler and
 * do not return. Callers limit sizes that come from the input. */
void *tl_alloc(size_t size);
void *tl_calloc(size_t count, size_t size);
void *tl_realloc(void *p, size_t size);
/* Zero bytes, which processes that are made by fork after this write in common. */
void *tl_shared_calloc(size_t size);
void tl_shared_free(void *p, size_t size);
char *tl_strdup(const char *s);
char *tl_strndup(const char *s, size_t len); /* copies len bytes and adds a NUL */

/* Returns the malloc'ed array p of *cap elements with room for `need` elements at
 * least; *cap becomes the new number. The array grows by half at least.
 *   TL_GROW(v->items, v->cap, v->n + 1); */
void *tl_grow(void *p, size_t *cap, size_t need, size_t elem_size);
#define TL_GROW(ptr, cap, need) \
	((need) > (cap) ? (void)((ptr) = tl_grow((ptr), &(cap), (need), sizeof *(ptr))) : (void)0)
/* for (type *x: each of n items, or each item of a list): there may be none, and then no memory. */
#define TL_EACH_OF(type, x, items, n) \
	for (type *x = (items), *x##_end = (n) ? (items) + (n) : x; x < x##_end; x++)
#define TL_EACH(type, x, list) TL_EACH_OF(type, x, (list).items, (list).n)
/* Puts a value behind the n elements of such an array.
 *   TL_PUSH(s->spans, s->n, s->cap, (struct tl_span){ start, end }); */
#define TL_PUSH(ptr, n, cap, ...) \
	(TL_GROW((ptr), (cap), (size_t)(n) + 1), (void)((ptr)[n] = __VA_ARGS__), (void)(n)++)

/* ---- arena: many small pieces that are freed together ----------------------- */

/* Zero bytes are an empty arena. */
struct tl_arena {
	struct tl_arena_chunk *chunks;
	char *next, *end; /* the free part of the first chunk */
	size_t total;     /* bytes held */
};
void *tl_arena_alloc(struct tl_arena *a, size_t size); /* aligned to 8 bytes */
char *tl_arena_dup(struct tl_arena *a, const char *s, size_t len); /* adds a NUL */
void tl_arena_clear(struct tl_arena *a); /* frees all pieces; keeps some memory for the next ones */
void tl_arena_release(struct tl_arena *a);

/* ---- byte buffer ------------------------------------------------------------- */

/* Zero bytes are an empty buffer: data is NULL. After the first addition a NUL
 * follows the len bytes of data. */
struct tl_buf {
	char *data;
	size_t len, cap;
};
/* The data; "" before the first addition. */
static inline const char *tl_buf_text(const struct tl_buf *b)
{
	return b->data ? b->data : "";
}
void tl_buf_reserve(struct tl_buf *b, size_t extra); /* room for extra bytes and a NUL */
void tl_buf_add(struct tl_buf *b, const void *p, size_t len);
static inline void tl_buf_addc(struct tl_buf *b, char c)
{
	if (b->cap - b->len < 2)
		tl_buf_reserve(b, 1);
	b->data[b->len++] = c;
	b->data[b->len] = 0;
}
void tl_buf_adds(struct tl_buf *b, const char *s);
/* As printf in the "C" locale, whatever the program's own is. */
void tl_buf_addf(struct tl_buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void tl_buf_clear(struct tl_buf *b); /* len becomes 0; the memory stays */
void tl_buf_release(struct tl_buf *b);
/* The text of a buffer in an arena; the buffer is released. */
char *tl_arena_keep(struct tl_arena *a, struct tl_buf *b);
/* A text as of tl_buf_addf in memory of its own, which the caller frees. */
char *tl_strdupf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* FOLDER/FILE, of an empty folder FILE, in a buffer of its own, which the caller frees. */
char *tl_join_path(const char *folder, const char *file);

#endif
