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

struct running { double sum, lost, mean, squares, min, max; };

/* What makes these sums slow is that each step waits for the one before:
 * several of them go side by side. */
void tl_moments(const double *const a[TL_MOMENT_LANES], size_t n, struct tl_moments out[TL_MOMENT_LANES])
{
	struct running run[TL_MOMENT_LANES];

	for (size_t l = 0; l < TL_MOMENT_LANES; l++)
		run[l] = (struct running){ .min = a[l][0], .max = a[l][0] };
	for (size_t i = 0; i < n; i++) {
		double count = (double)(int64_t)(i + 1);
		for (size_t l = 0; l < TL_MOMENT_LANES; l++) {
			double x = a[l][i], y = x - run[l].lost, t = run[l].sum + y, away = x - run[l].mean;
			run[l].lost = (t - run[l].sum) - y;
			run[l].sum = t;
			run[l].mean += away / count;
			run[l].squares += (x - run[l].mean) * away;
			run[l].min = x < run[l].min ? x : run[l].min;
			run[l].max = x > run[l].max ? x : run[l].max;
		}
	}
	for (size_t l = 0; l < TL_MOMENT_LANES; l++) {
		bool plain = isfinite(run[l].sum) && isfinite(run[l].lost); /* else there was an infinity */
		out[l] = (struct tl_moments){ plain ? run[l].sum : tl_kahan_sum(a[l], n),
			n < 2 ? NAN : sqrt(run[l].squares / (double)(n - 1)), run[l].min, run[l].max };
	}
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
	double low = a < b ? a : b, high = a < b ? b : a;
	return c < low ? low : c > high ? high : c;
}

/* Puts what is less than the pivot first, or what is not greater; returns how
 * many they are. Without branches: which way one goes nothing foretells. */
static size_t put_first(double *a, size_t n, double pivot, bool or_equal)
{
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		double x = a[i];
		a[i] = a[m];
		a[m] = x;
		m += or_equal ? x <= pivot : x < pivot;
	}
	return m;
}

/* Reorders a so that a[k] is what sorting would put there, nothing greater
 * before it and nothing smaller after it. Any NaN must have been left out.
 * Pivots are scattered, so that no plausible order of values is slow. */
static void select_nth(double *a, size_t n, size_t k)
{
	uint64_t scatter = n;

	while (n > 8) {
		scatter = tl_hash_u64(scatter + 1);
		double pivot = a[scatter % n];
		if (n > 40)
			pivot = middle(pivot, a[(scatter >> 20) % n], a[(scatter >> 40) % n]);
		size_t less = put_first(a, n, pivot, false);
		if (k < less) {
			n = less;
			continue;
		}
		less += put_first(a + less, n - less, pivot, true);
		if (k < less)
			return;
		a += less;
		n -= less;
		k -= less;
	}
	insert_all(a, n);
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
		below = a[i] > below ? a[i] : below;
	return (a[k] + below) / 2;
}

double tl_numpy_round2(double x)
{
	return rint(x * 100) / 100;
}
