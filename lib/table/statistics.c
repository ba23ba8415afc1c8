/* statistics.c - sums, medians and deviations as numpy and pandas compute them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/statistics.h"

#include "base/base.h"

#include <math.h>

#define SUM_CHUNK 8192 /* numpy adds as many at a time */

/* numpy's pairwise summation: halves down to 128 values, these in eight sums. */
static double pairwise_chunk(const double *a, size_t n)
{
	if (n > 128) {
		size_t half = n / 2 - n / 2 % 8;
		return pairwise_chunk(a, half) + pairwise_chunk(a + half, n - half);
	}
	double sum = 0;
	size_t i = 0;
	if (n >= 8) {
		double r[8];
		for (; i < 8; i++)
			r[i] = a[i];
		for (; i + 8 <= n; i += 8)
			for (size_t j = 0; j < 8; j++)
				r[j] += a[i + j];
		sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
	}
	for (; i < n; i++)
		sum += a[i];
	return sum;
}

double tl_pairwise_sum(const double *a, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i += SUM_CHUNK)
		sum += pairwise_chunk(a + i, n - i < SUM_CHUNK ? n - i : SUM_CHUNK);
	return sum;
}

double tl_kahan_sum(const double *a, size_t n)
{
	double sum = 0, lost = 0;
	for (size_t i = 0; i < n; i++) {
		double y = a[i] - lost, t = sum + y;
		lost = (t - sum) - y;
		if (isnan(lost)) /* after an infinity: keep it */
			lost = 0;
		sum = t;
	}
	return sum;
}

/* Welford's algorithm, as in pandas. */
double tl_variance(const double *a, size_t n)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		double away = a[i] - mean;
		mean += away / (double)(i + 1);
		squares += (a[i] - mean) * away;
	}
	return n < 2 ? NAN : squares / (double)(n - 1);
}

double tl_deviation(const double *a, size_t n)
{
	return sqrt(tl_variance(a, n));
}

double tl_deviation_of_all(const double *a, size_t n)
{
	long double mean = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		mean += a[i];
	mean /= (long double)n;
	for (size_t i = 0; i < n; i++)
		squares += (a[i] - mean) * (a[i] - mean);
	return n ? (double)sqrtl(squares / (long double)n) : NAN;
}

/* Hoare's selection: puts in a[k] what sorting would put there, and nothing greater
 * before it. Pivots are taken from scattered places, so that no order of the values
 * is likely to make it slow. No value is NaN. */
static void select_nth(double *a, ptrdiff_t n, ptrdiff_t k)
{
	ptrdiff_t low = 0, high = n - 1;

	while (low < high) {
		double pivot = a[low + (ptrdiff_t)(tl_hash_u64((uint64_t)high) % (uint64_t)(high - low + 1))];
		ptrdiff_t i = low, j = high;
		while (i <= j) {
			while (a[i] < pivot)
				i++;
			while (a[j] > pivot)
				j--;
			if (i > j)
				break;
			double x = a[i];
			a[i++] = a[j];
			a[j--] = x;
		}
		if (k <= j)
			high = j;
		else if (k >= i)
			low = i;
		else
			return;
	}
}

double tl_median(double *a, size_t n)
{
	size_t k = n / 2;

	if (!n)
		return NAN;
	select_nth(a, (ptrdiff_t)n, (ptrdiff_t)k);
	if (n % 2)
		return a[k];
	double below = a[0];
	for (size_t i = 1; i < k; i++)
		below = a[i] > below ? a[i] : below;
	return (a[k] + below) / 2;
}

double tl_numpy_round2(double x)
{
	return rint(x * 100) / 100;
}
