/* failmalloc.c - LD_PRELOAD: the FAIL_MALLOC-th allocation from the start, and
 * every one after it, fails. Counts only those the program and its libraries
 * make after main has been reached, so that the loader is spared.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static long left = -1;

__attribute__((constructor)) static void start(void)
{
	const char *s = getenv("FAIL_MALLOC");

	left = s ? atol(s) : -1;
	unsetenv("FAIL_MALLOC"); /* programs that this one runs are spared */
}

/* 1 when this allocation must fail. Threads may race for the count; it does
 * not matter which of them meets the failure. */
static int fails(void)
{
	if (left < 0)
		return 0;
	if (left > 0 && __atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED) > 0)
		return 0;
	left = 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, size);
}

int posix_memalign(void **p, size_t align, size_t size)
{
	if (fails())
		return ENOMEM;
	*p = __libc_memalign(align, size);
	return *p ? 0 : ENOMEM;
}

void *aligned_alloc(size_t align, size_t size)
{
	return fails() ? NULL : __libc_memalign(align, size);
}
