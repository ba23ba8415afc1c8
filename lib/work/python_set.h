/* python_set.h - a set of integers, walked in the order in which CPython walks a
 * set of the same history. TraceLens lists overlapping kernels in that order, so
 * the overlap sheets must, too.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PYTHON_SET_H
#define TL_PYTHON_SET_H

#include "base/base.h"

/* Keys are below TL_PYSET_DELETED. Zero bytes are an empty set. */
#define TL_PYSET_EMPTY UINT32_MAX
#define TL_PYSET_DELETED (UINT32_MAX - 1)
struct tl_pyset {
	uint32_t *slots;
	uint32_t mask;       /* number of slots - 1 */
	uint32_t fill, used; /* slots that are not empty; slots that hold a key */
};

void tl_pyset_add(struct tl_pyset *s, uint32_t key);
void tl_pyset_remove(struct tl_pyset *s, uint32_t key); /* a key that is absent stays so */
/* The place of a key that the set holds, in the order of the walk. */
uint32_t tl_pyset_slot(const struct tl_pyset *s, uint32_t key);
void tl_pyset_release(struct tl_pyset *s);

/* Walks the set: for (size_t i = 0; tl_pyset_next(s, &i, &key); ) … */
bool tl_pyset_next(const struct tl_pyset *s, size_t *at, uint32_t *key);

#endif
