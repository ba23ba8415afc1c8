/* heap.c - a heap of huge pages. A page fault costs more than what most of
 * these programs do with the page; the first 16 MB of the heap, more than most
 * of them need, come in 2 MB pieces instead of 4 KB ones.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/program.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define HUGE_PAGE ((uintptr_t)2 << 20)
#define HEAP ((size_t)16 << 20)
/* More than is left at the top of a new heap: it grows by this and HEAP. */
#define FIRST ((size_t)256 << 10)

static bool done;
static void *volatile unused; /* or the compiler would leave the allocation out */

void tl_cli_heap(void)
{
	struct rlimit limit;
	if (done)
		return;
	done = true;
	/* where address space is scarce, none is laid by */
	if ((!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY) ||
	    (!getrlimit(RLIMIT_DATA, &limit) && limit.rlim_cur != RLIM_INFINITY))
		return;
#if defined(M_TOP_PAD) && defined(MADV_HUGEPAGE)
	/* blocks above the threshold would each be mapped by themselves */
	mallopt(M_MMAP_THRESHOLD, (int)(HEAP / 2));
	mallopt(M_TRIM_THRESHOLD, (int)(2 * HEAP));
	mallopt(M_TOP_PAD, (int)HEAP);
	char *p = malloc(FIRST);
	mallopt(M_TOP_PAD, (int)HUGE_PAGE);
	if (!p)
		return; /* whoever needs memory will say so */
	/* behind what has been touched by now, or its huge page would stay in small ones */
	uintptr_t from = ((uintptr_t)p + FIRST + HUGE_PAGE) & ~(HUGE_PAGE - 1);
	uintptr_t to = (uintptr_t)sbrk(0) & ~(HUGE_PAGE - 1);
	size_t below = from - (uintptr_t)p;
	free(p);
	if (from >= to || to - from > 2 * HEAP)
		return; /* another allocator, or another heap than this thinks */
	if (!madvise((void *)from, to - from, MADV_HUGEPAGE)) /* no matter if it is refused */
		unused = malloc(below); /* up to the first huge page; never touched, so it takes no memory */
#endif
}
