/* merge_sort.h - a stable sort that takes little time for what is nearly sorted.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MERGE_SORT_H
#define TL_MERGE_SORT_H

#include <stddef.h>

/* Sorts n items of `size` bytes; equal ones keep their order. compare is that of
 * qsort_r. Takes memory for as many items again, unless they are sorted already. */
void tl_merge_sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *, void *), void *ctx);

#endif
