/* statistics.h - sums, medians and deviations, computed in the same order of
 * operations as in numpy and pandas, which TraceLens uses: the order decides the
 * last digits.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STATISTICS_H
#define TL_STATISTICS_H

#include <stddef.h>

double tl_pairwise_sum(const double *a, size_t n);  /* as numpy's sum */
double tl_kahan_sum(const double *a, size_t n);     /* as pandas' sum of a group */
double tl_variance(const double *a, size_t n);      /* as pandas' var, of the sample; NaN for less than two */
double tl_deviation(const double *a, size_t n);     /* as pandas' std, of the sample; NaN for less than two */
double tl_deviation_of_all(const double *a, size_t n); /* of n values, with n; rounded once, as Python's pstdev */
double tl_median(double *a, size_t n);              /* reorders a; NaN for none */
double tl_numpy_round2(double x);                   /* to two decimals, as numpy's round */

#endif
