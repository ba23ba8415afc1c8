/* statistics.h - sums, medians and deviations, computed in the same order of
 * operations as in numpy and pandas, which TraceLens uses: the order decides the
 * last digits.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STATISTICS_H
#define TL_STATISTICS_H

#include "table/sheet.h"

double tl_pairwise_sum(const double *a, size_t n);  /* as numpy's sum */
double tl_kahan_sum(const double *a, size_t n);     /* as pandas' sum of a group */
double tl_deviation(const double *a, size_t n);     /* as pandas' std, of the sample; NaN for less than two */
double tl_median(double *a, size_t n);              /* reorders a; NaN for none */
/* Of integers: of an even number the lower one in the middle or, if it is to be between, the one halfway to the other. Reorders
 * a; 0 for none. */
int64_t tl_median_int(int64_t *a, size_t n, bool between);
/* Of n sorted numbers but the one at `skip`, the place of the one in the middle: of an even number the lower or the upper one. n: two or more. */
size_t tl_middle_of_others(size_t n, size_t skip, bool upper);
double tl_numpy_round2(double x);                   /* to two decimals, as numpy's round */
/* Is a number so far off the median of several an outlier, by the median of such distances? Its modified z-score is above 3.5
 * (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993), and it is off by more than a hundredth of the median, however
 * alike the others are. */
bool tl_is_outlier(double off, double median, double deviation);

/* Some values: see enum tl_merged_cell. */
struct tl_moments { double n, sum, mean, m2; };
/* Adds the values of another one; n <= 0 or NaN: it has none. */
void tl_moments_merge(struct tl_moments *, const struct tl_moments *);

/* ---- counts of numbers by size ---------------------------------------------------------- */

/* A table with the columns bin_start, bin_end and count, and a row for each of `bins` bins of
 * equal width from the least to the greatest of n numbers; no row without numbers. Only the
 * last bin has its end. If all numbers are equal, the bins reach from 0.5 below to 0.5 above. */
struct tl_table *tl_histogram(struct tl_strtab *, const double *numbers, size_t n, int64_t bins);

/* ---- the numbers of a column in a group of rows, and statistics of them ----------------- */

struct tl_numbers {
	size_t column;             /* of the table */
	double *values, *scratch; size_t n, cap, cap_scratch; /* nulls are left out */
	struct tl_cell least, greatest;
	__int128 sum;              /* of integers, or of ticks */
	bool reals, times;         /* are there any? */
	int64_t ticks_per_us;
};
/* Is it a statistic of numbers: TL_SUM and so on? */
bool tl_is_statistic(enum tl_column_kind);
/* Takes those of the column in n rows, given by their numbers. */
void tl_numbers_take(struct tl_numbers *, const struct tl_table *, const size_t *rows, size_t n);
/* What a column of the kind TL_SUM and so on says of them. */
struct tl_cell tl_numbers_statistic(struct tl_numbers *, const struct tl_column *);
void tl_numbers_release(struct tl_numbers *);

#endif
