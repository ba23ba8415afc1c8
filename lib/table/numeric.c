/* numeric.c - sums, means and deviations in the reference's order of
 * operations, which decides their last digits.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/table.h"

#include <math.h>
#include <stdlib.h>

#define SUM_CHUNK 8192

/* numpy's rule for up to SUM_CHUNK values. */
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
	if (n <= SUM_CHUNK)
		return pairwise_chunk(a, n);
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

double tl_welford_std(const double *a, size_t n)
{
	double mean = 0, squares = 0;
	for (size_t i = 0; i < n; i++) {
		double old = mean;
		mean += (a[i] - old) / (double)(i + 1);
		squares += (a[i] - mean) * (a[i] - old);
	}
	return n < 2 ? NAN : sqrt(squares / (double)(n - 1));
}

static void swap(double *a, double *b)
{
	double x = *a;
	*a = *b;
	*b = x;
}

static void insert_all(double *a, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double x = a[i];
		size_t at = i;
		for (; at && a[at - 1] > x; at--)
			a[at] = a[at - 1];
		a[at] = x;
	}
}

static double middle(double a, double b, double c)
{
	if (a > b)
		swap(&a, &b);
	return c < a ? a : c > b ? b : c;
}

/* Reorders a so that a[k] is what sorting would put there, nothing greater
 * before it and nothing smaller after it. Any NaN must have been left out.
 * Pivots are scattered, so that no plausible order of values is slow. */
static void select_nth(double *a, size_t n, size_t k)
{
	size_t low = 0, high = n - 1;
	uint64_t scatter = n;

	while (low < high) {
		if (high - low < 8) {
			insert_all(a + low, high - low + 1);
			return;
		}
		size_t n_left = high - low + 1;
		scatter = tl_hash_u64(scatter + 1);
		double pivot = a[low + scatter % n_left];
		if (n_left > 40)
			pivot = middle(pivot, a[low + (scatter >> 20) % n_left], a[low + (scatter >> 40) % n_left]);
		size_t i = low, j = high;
		for (;;) {
			while (a[i] < pivot)
				i++;
			while (pivot < a[j])
				j--;
			if (i >= j)
				break;
			swap(&a[i++], &a[j--]);
		}
		/* everything up to j is <= pivot, everything from j + 1 is >= pivot */
		if (i == j && k == i)
			return;
		if (k <= j)
			high = i == j ? j - 1 : j;
		else
			low = j + 1;
	}
}

double tl_median(double *a, size_t n)
{
	if (!n)
		return NAN;
	size_t k = n / 2;
	select_nth(a, n, k);
	if (n % 2)
		return a[k];
	double below = a[0];
	for (size_t i = 1; i < k; i++)
		if (a[i] > below)
			below = a[i];
	return (a[k] + below) / 2;
}

double tl_numpy_round2(double x)
{
	return rint(x * 100) / 100;
}
