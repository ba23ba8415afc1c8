/* merge_sort.h - a stable sort, fast for items that are nearly sorted.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MERGE_SORT_H
#define TL_MERGE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts n items of `size` bytes; equal items keep their order. compare is called as
 * by qsort_r. Unless the items are sorted already, memory for n / 2 more is needed. */
void tl_merge_sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *, void *), void *ctx);
/* Sorts n numbers, the lowest first. */
void tl_sort_numbers(uint32_t *numbers, size_t n);

#endif
