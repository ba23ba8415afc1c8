/* checks.c - failures that libxlsxwriter passes over end tl-xlsx with a message.
 *
 * These functions stand before the C library's of the same name, for this
 * program and the libraries it loads, and call them. libxlsxwriter does not
 * check every allocation, nor whether its temporary files could be written:
 * with a full disk it would make a damaged workbook and call that success.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#undef _FORTIFY_SOURCE /* no macros in place of the functions */
#include "cli/cli.h"
#include "instead.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The function of this name in the libraries; kept in *real. */
static void look_up(void *real, const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	memcpy(real, &f, sizeof f);
}

/* NULL before main, when nothing is checked, and once a failure is being told. */
static void (*clean_up)(void);
static pthread_t teller; /* who tells it; set before `ending` */
static bool ending;

/* Is a failure of this thread to be told? One is enough: another thread that
 * has one too waits for the end. */
static bool watched(void)
{
	if (!__atomic_load_n(&ending, __ATOMIC_ACQUIRE))
		return __atomic_load_n(&clean_up, __ATOMIC_ACQUIRE) != NULL;
	while (!pthread_equal(teller, pthread_self()))
		pause();
	return false;
}

void tl_xlsx_start_checks(void (*before_end)(void))
{
	clean_up = before_end;
}

static void __attribute__((noreturn)) end(const char *what, const char *why)
{
	void (*f)(void) = __atomic_exchange_n(&clean_up, NULL, __ATOMIC_ACQ_REL);

	while (!f) /* another thread was first */
		pause();
	teller = pthread_self();
	__atomic_store_n(&ending, true, __ATOMIC_RELEASE);
	f();
	tl_die("%s%s", what, why);
}

int fflush(FILE *f)
{
	static int (*real)(FILE *);

	if (!real)
		look_up(&real, "fflush");
	bool failed = f && ferror(f); /* earlier, in a call nobody looked at */
	int r = real(f);
	int e = errno;
	if ((r || failed) && f && f != stdout && f != stderr && watched())
		end("cannot write a temporary file: ", strerror(r ? e : EIO));
	return r;
}

#ifdef __SANITIZE_ADDRESS__ /* it has an allocator of its own */
#define KEEP_ALLOCATOR 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEEP_ALLOCATOR 1
#endif
#endif
#ifndef KEEP_ALLOCATOR

static void *checked(void *p, size_t size)
{
	if (!p && size && watched())
		end("out of memory", "");
	return p;
}

void *malloc(size_t size)
{
	static void *(*real)(size_t);

	if (!real)
		look_up(&real, "malloc");
	return checked(real(size), size);
}

void *calloc(size_t n, size_t size)
{
	static void *(*real)(size_t, size_t);

	if (!real)
		look_up(&real, "calloc");
	return checked(real(n, size), size ? n : 0);
}

void *realloc(void *p, size_t size)
{
	static void *(*real)(void *, size_t);

	if (!real)
		look_up(&real, "realloc");
	return checked(real(p, size), size);
}

#endif
