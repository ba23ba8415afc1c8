/* statistics.c - sums, medians and deviations as numpy and pandas compute them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/statistics.h"

#include "base/base.h"
#include "base/merge_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
/* As pandas' var, of the sample; NaN for less than two. */
static double variance(const double *a, size_t n)
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
	return sqrt(variance(a, n));
}

/* Of n values, with n; rounded once, as Python's pstdev. */
static double deviation_of_all(const double *a, size_t n)
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

int64_t tl_median_int(int64_t *a, size_t n, bool between)
{
	if (!n)
		return 0;
	tl_sort_times(a, n);
	int64_t low = a[(n - 1) / 2];
	return between ? low + (int64_t)(((uint64_t)a[n / 2] - (uint64_t)low) / 2) : low;
}

size_t tl_middle_of_others(size_t n, size_t skip, bool upper)
{
	size_t at = upper ? (n - 1) / 2 : (n - 2) / 2;

	return at < skip ? at : at + 1;
}

double tl_numpy_round2(double x)
{
	return rint(x * 100) / 100;
}

/* 0.6745 makes the median deviation that of a normal distribution. */
bool tl_is_outlier(double off, double median, double deviation)
{
	return off > 0.01 * median && 0.6745 * off > 3.5 * deviation;
}

void tl_moments_merge(struct tl_moments *m, const struct tl_moments *of)
{
	double n = m->n + of->n, delta = of->mean - m->mean;

	if (!(of->n > 0))
		return;
	if (m->n <= 0) {
		*m = *of;
		return;
	}
	m->m2 += of->m2 + delta * delta * (m->n * of->n / n);
	m->mean = isfinite(delta) ? m->mean + delta * (of->n / n) : m->mean + of->mean;
	m->sum += of->sum;
	m->n = n;
}

/* ---- counts of numbers by size ---------------------------------------------------------- */

/* Where bin i begins and bin i - 1 ends; the last bin ends at `high` exactly. */
static double edge(double low, double high, int64_t bins, int64_t i)
{
	return i == bins ? high : (double)i * ((high - low) / (double)bins) + low;
}

/* The last bin that begins at or below v. */
static int64_t bin_of(double low, double high, int64_t bins, double v)
{
	int64_t from = 0, past = bins;

	while (past - from > 1) {
		int64_t middle = from + (past - from) / 2;

		if (edge(low, high, bins, middle) <= v)
			from = middle;
		else
			past = middle;
	}
	return from;
}

static void fill_bins(struct tl_table *t, const double *numbers, size_t n, int64_t bins)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		low = numbers[i] < low ? numbers[i] : low;
		high = numbers[i] > high ? numbers[i] : high;
	}
	if (low == high) {
		low -= 0.5;
		high += 0.5;
	}
	for (int64_t i = 0; i < bins; i++) {
		const struct tl_cell c[] = { tl_cell_real(edge(low, high, bins, i)), tl_cell_real(edge(low, high, bins, i + 1)),
			tl_cell_int(0) };

		tl_table_add_row(t, c);
	}
	for (size_t i = 0; i < n; i++) {
		size_t row = (size_t)bin_of(low, high, bins, numbers[i]);

		tl_table_set(t, row, 2, tl_cell_int(tl_table_cell(t, row, 2).i + 1));
	}
}

struct tl_table *tl_histogram(struct tl_strtab *strings, const double *numbers, size_t n, int64_t bins)
{
	static const char *const columns[] = { "bin_start", "bin_end", "count", NULL };
	struct tl_table *t = tl_table_new(strings, 1, columns);

	if (n)
		fill_bins(t, numbers, n, bins);
	return t;
}

/* ---- the numbers of a column in a group of rows, and statistics of them ----------------- */

bool tl_is_statistic(enum tl_column_kind kind)
{
	return kind >= TL_SUM && kind <= TL_MAX;
}

void tl_numbers_release(struct tl_numbers *x)
{
	free(x->values);
	free(x->scratch);
}

void tl_numbers_take(struct tl_numbers *x, const struct tl_table *t, const size_t *rows, size_t n)
{
	double least = INFINITY, greatest = -INFINITY;

	x->n = 0;
	x->sum = 0;
	x->reals = x->times = false;
	x->least = x->greatest = tl_cell_null();
	x->ticks_per_us = t->ticks_per_us;
	TL_GROW(x->values, x->cap, n);
	for (size_t i = 0; i < n; i++) {
		struct tl_cell c = tl_table_cell(t, rows[i], x->column);
		double value = tl_cell_number(c, t->ticks_per_us);
		if (isnan(value))
			continue;
		if (!x->n || value < least) {
			x->least = c;
			least = value;
		}
		if (!x->n || value > greatest) {
			x->greatest = c;
			greatest = value;
		}
		x->values[x->n++] = value;
		x->reals |= c.type == TL_CELL_REAL;
		x->times |= c.type == TL_CELL_TIME;
		x->sum += c.type == TL_CELL_REAL ? 0 : c.i;
	}
}

/* The values, to be reordered. */
static double *scratch_of(struct tl_numbers *x)
{
	TL_GROW(x->scratch, x->cap_scratch, x->n);
	return memcpy(x->scratch, x->values, x->n * sizeof *x->values);
}

/* What a share of the values is below: numpy's percentile. */
static double quantile_of(struct tl_numbers *x, double share)
{
	double *a = scratch_of(x), place = (double)(x->n - 1) * share, above = INFINITY;
	size_t k = (size_t)place;

	select_nth(a, (ptrdiff_t)x->n, (ptrdiff_t)k);
	for (size_t i = k + 1; i < x->n; i++)
		above = a[i] < above ? a[i] : above;
	return k + 1 < x->n ? a[k] + (above - a[k]) * (place - (double)k) : a[k];
}

static struct tl_cell extreme_of(const struct tl_numbers *x, struct tl_cell c)
{
	return x->reals && c.type == TL_CELL_INT ? tl_cell_real((double)c.i) : c;
}

struct tl_cell tl_numbers_statistic(struct tl_numbers *x, const struct tl_column *c)
{
	if (c->kind == TL_SUM) {
		if (x->reals || !x->n)
			return tl_cell_real(tl_kahan_sum(x->values, x->n));
		if (x->sum < INT64_MIN || x->sum > INT64_MAX)
			return tl_cell_real((double)x->sum / (double)(x->times ? x->ticks_per_us : 1));
		return x->times ? tl_cell_time((int64_t)x->sum, false) : tl_cell_int((int64_t)x->sum);
	}
	if (!x->n)
		return !c->zero ? tl_cell_null() : c->kind == TL_MIN || c->kind == TL_MAX ? tl_cell_int(0) : tl_cell_real(0);
	switch (c->kind) {
	case TL_MEAN: return tl_cell_real(tl_kahan_sum(x->values, x->n) / (double)x->n);
	case TL_MEDIAN: return tl_cell_real(tl_median(scratch_of(x), x->n));
	case TL_P25: return tl_cell_real(quantile_of(x, 0.25));
	case TL_P75: return tl_cell_real(quantile_of(x, 0.75));
	case TL_VAR: return tl_cell_real(variance(x->values, x->n));
	case TL_STD_ALL: return tl_cell_real(deviation_of_all(x->values, x->n));
	case TL_MIN: return extreme_of(x, x->least);
	case TL_MAX: return extreme_of(x, x->greatest);
	default: return x->n > 1 ? tl_cell_real(tl_deviation(x->values, x->n)) : c->rounded ? tl_cell_real(0) : tl_cell_null();
	}
}
