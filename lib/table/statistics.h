/* statistics.h - sums, means and deviations in the order of operations of numpy
 * and pandas, which decides their last digits: TraceLens computes with these.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STATISTICS_H
#define TL_STATISTICS_H

#include <stddef.h>

double tl_pairwise_sum(const double *a, size_t n);  /* numpy's sum */
double tl_kahan_sum(const double *a, size_t n);     /* pandas' sum of a group */
double tl_deviation(const double *a, size_t n);     /* pandas' std, ddof 1; NaN for less than two */
double tl_median(double *a, size_t n);              /* reorders a; NaN for none */
double tl_numpy_round2(double x);                   /* rint(x * 100) / 100 */

#endif
