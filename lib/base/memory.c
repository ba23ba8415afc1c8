/* memory.c - allocation that never returns NULL, arenas, byte buffers.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/locale.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void abort_on_oom(size_t size)
{
	(void)size;
	abort();
}

static tl_oom_handler *oom_handler = abort_on_oom;

void tl_set_oom_handler(tl_oom_handler *handler)
{
	oom_handler = handler ? handler : abort_on_oom;
}

static _Noreturn void out_of_memory(size_t size)
{
	oom_handler(size);
	abort(); /* a handler that returns breaks its contract */
}

void *tl_alloc(size_t size)
{
	void *p = malloc(size ? size : 1);
	if (!p)
		out_of_memory(size);
	return p;
}

void *tl_calloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);
	if (!p)
		out_of_memory(count * size);
	return p;
}

void *tl_realloc(void *p, size_t size)
{
	void *q = realloc(p, size ? size : 1);
	if (!q)
		out_of_memory(size);
	return q;
}

char *tl_strndup(const char *s, size_t len)
{
	char *p = tl_alloc(len + 1);
	memcpy(p, s, len);
	p[len] = 0;
	return p;
}

void *tl_shared_calloc(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		out_of_memory(size);
	return p;
}

void tl_shared_free(void *p, size_t size)
{
	if (p)
		munmap(p, size);
}

char *tl_strdup(const char *s)
{
	return tl_strndup(s, strlen(s));
}

void *tl_grow(void *p, size_t *cap, size_t need, size_t elem_size)
{
	size_t n = *cap + *cap / 2, bytes;
	if (n < 16)
		n = 16;
	if (n < need)
		n = need;
	if (__builtin_mul_overflow(n, elem_size, &bytes))
		out_of_memory(SIZE_MAX);
	p = tl_realloc(p, bytes);
	*cap = n;
	return p;
}

/* ---- arena ---- */

struct tl_arena_chunk {
	struct tl_arena_chunk *older;
	size_t size; /* usable bytes after this header */
};

#define CHUNK_MIN ((size_t)16 << 10)
#define CHUNK_MAX ((size_t)1 << 20)

/* Allocates a piece in a new chunk. Chunks grow with the arena, so that a small
 * arena takes little memory; a big piece gets a chunk of its own. */
static void *new_chunk(struct tl_arena *a, size_t size)
{
	size_t want = a->total / 2;
	if (want < CHUNK_MIN)
		want = CHUNK_MIN;
	if (want > CHUNK_MAX)
		want = CHUNK_MAX;
	bool whole = size > want / 2;
	if (whole)
		want = size;
	if (want > SIZE_MAX - sizeof(struct tl_arena_chunk))
		out_of_memory(size);
	struct tl_arena_chunk *c = tl_alloc(sizeof *c + want);
	c->size = want;
	a->total += want;
	if (whole && a->chunks) { /* the next pieces still fill the first chunk */
		c->older = a->chunks->older;
		a->chunks->older = c;
		return c + 1;
	}
	c->older = a->chunks;
	a->chunks = c;
	a->next = (char *)(c + 1) + size;
	a->end = (char *)(c + 1) + want;
	return c + 1;
}

void *tl_arena_alloc(struct tl_arena *a, size_t size)
{
	if (size > SIZE_MAX - 64)
		out_of_memory(size);
	size = (size + 7) & ~(size_t)7;
	if (a->next && size <= (size_t)(a->end - a->next)) {
		void *p = a->next;
		a->next += size;
		return p;
	}
	return new_chunk(a, size);
}

char *tl_arena_dup(struct tl_arena *a, const char *s, size_t len)
{
	char *p = tl_arena_alloc(a, len + 1);
	if (len)
		memcpy(p, s, len);
	p[len] = 0;
	return p;
}

void tl_arena_release(struct tl_arena *a)
{
	for (struct tl_arena_chunk *c = a->chunks, *older; c; c = older) {
		older = c->older;
		free(c);
	}
	memset(a, 0, sizeof *a);
}

void tl_arena_clear(struct tl_arena *a)
{
	struct tl_arena_chunk *keep = a->chunks;
	if (!keep)
		return;
	if (keep->size > CHUNK_MAX) { /* one huge piece: too much to keep */
		tl_arena_release(a);
		return;
	}
	for (struct tl_arena_chunk *c = keep->older, *older; c; c = older) {
		older = c->older;
		free(c);
	}
	keep->older = NULL;
	a->total = keep->size;
	a->next = (char *)(keep + 1);
	a->end = a->next + keep->size;
}

/* ---- byte buffer ---- */

void tl_buf_reserve(struct tl_buf *b, size_t extra)
{
	if (extra >= SIZE_MAX - b->len - 1)
		out_of_memory(SIZE_MAX);
	TL_GROW(b->data, b->cap, b->len + extra + 1);
}

void tl_buf_add(struct tl_buf *b, const void *p, size_t len)
{
	if (len >= b->cap - b->len) /* not >: a NUL follows */
		tl_buf_reserve(b, len);
	if (len)
		memcpy(b->data + b->len, p, len);
	b->len += len;
	b->data[b->len] = 0;
}

void tl_buf_adds(struct tl_buf *b, const char *s)
{
	tl_buf_add(b, s, strlen(s));
}

/* No tl_alloc here: a handler that jumps out of it would leave the program in the
 * "C" locale. */
__attribute__((format(printf, 3, 0)))
static int format_in_c(char *text, size_t size, const char *fmt, va_list ap)
{
	locale_t old = uselocale(tl_c_locale());
	int n = vsnprintf(text, size, fmt, ap);

	uselocale(old);
	return n;
}

void tl_buf_addf(struct tl_buf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = format_in_c(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	tl_buf_reserve(b, (size_t)n);
	va_start(ap, fmt);
	format_in_c(b->data + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

void tl_buf_clear(struct tl_buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = 0;
}

void tl_buf_release(struct tl_buf *b)
{
	free(b->data);
	memset(b, 0, sizeof *b);
}

char *tl_arena_keep(struct tl_arena *a, struct tl_buf *b)
{
	char *text = tl_arena_dup(a, tl_buf_text(b), b->len);

	tl_buf_release(b);
	return text;
}

char *tl_strdupf(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = format_in_c(NULL, 0, fmt, ap);
	va_end(ap);
	char *text = tl_calloc((size_t)(n > 0 ? n : 0) + 1, 1);
	va_start(ap, fmt);
	format_in_c(text, (size_t)(n > 0 ? n : 0) + 1, fmt, ap);
	va_end(ap);
	return text;
}

char *tl_join_path(const char *folder, const char *file)
{
	return tl_strdupf("%s%s%s", folder, !*folder || folder[strlen(folder) - 1] == '/' ? "" : "/", file);
}
