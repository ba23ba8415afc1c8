/* histogram.h - counts of numbers by size, as numpy makes them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_HISTOGRAM_H
#define TL_HISTOGRAM_H

#include "table/table.h"

/* A table with the columns bin_start, bin_end and count, and a row for each of `bins` bins of
 * equal width from the least to the greatest of n numbers; no row without numbers. Only the
 * last bin has its end. If all numbers are equal, the bins reach from 0.5 below to 0.5 above. */
struct tl_table *tl_histogram(struct tl_strtab *, const double *numbers, size_t n, int64_t bins);

#endif
