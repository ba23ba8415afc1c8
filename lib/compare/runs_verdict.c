/* runs_verdict.c - do the times of a few runs differ from those of a few others by more than chance?
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/runs.h"
#include "base/memory.h"
#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>

/* ---- the spread of all rows ------------------------------------------------------------------- */

/* The first and second derivative of the logarithm of the gamma function (NIST Digital Library of Mathematical Functions,
 * 5.11.2 and 5.5.2). */
static double digamma(double x)
{
	double sum = 0, y;

	for (; x < 10; x++)
		sum -= 1 / x;
	y = 1 / (x * x);
	return sum + log(x) - 0.5 / x - y * (1. / 12 - y * (1. / 120 - y / 252));
}

static double trigamma(double x)
{
	double sum = 0, y;

	for (; x < 10; x++)
		sum += 1 / (x * x);
	y = 1 / (x * x);
	return sum + 1 / x + y / 2 + y / x * (1. / 6 - y * (1. / 30 - y / 42));
}

/* x with this trigamma, by halving. */
static double trigamma_at(double wanted)
{
	double low = 1e-3, high = 1e6;

	for (int i = 0; i < 100; i++) {
		double middle = sqrt(low * high);
		*(trigamma(middle) > wanted ? &low : &high) = middle;
	}
	return low;
}

/* What is known of a row. */
struct sample { double mean_a, more, variance, welch; /* variance: relative to the mean; welch: what the error's square is to be raised by */ };
struct pool { double degrees, variance; };

/* How many rows that do not move together tell as much as these n. products: of the residuals of two runs, by their deviation,
 * over all rows. Residuals that have nothing to do with each other lie in any direction of so many `degrees`. */
static double rows_apart(const double *products, size_t runs, double degrees, double n)
{
	double trace = 0, squares = 0;

	for (size_t i = 0; i < runs; i++)
		trace += products[i * runs + i];
	for (size_t i = 0; i < runs * runs; i++)
		squares += products[i] * products[i];
	double excess = squares / (trace * trace) * degrees - 1;
	double apart = excess > 0 ? (degrees - 1) / excess : n;
	return trace > 0 && degrees > 1 ? fmax(1, fmin(n, apart)) : 1;
}

/* Smyth's prior: the variances of rows are scattered around one, more than samples of this size are. */
static struct pool pool_of(const struct sample *s, size_t n_rows, double degrees, const double *products, size_t runs)
{
	double sum = 0, squares = 0, n = 0, bias = digamma(degrees / 2) - log(degrees / 2);

	for (size_t i = 0; i < n_rows; i++)
		if (s[i].variance > 0) {
			n++;
			sum += log(s[i].variance) - bias;
		}
	if (n < TL_RUNS_POOL)
		return (struct pool){ 0, 0 };
	double mean = sum / n, apart = rows_apart(products, runs, degrees, n);
	for (size_t i = 0; i < n_rows; i++)
		if (s[i].variance > 0)
			squares += pow(log(s[i].variance) - bias - mean, 2);
	double scatter = squares / (n - 1) * (1 + sqrt(2 / apart)) - trigamma(degrees / 2); /* at most about so much */
	double most = degrees * (apart - 1), prior = scatter > 1e-6 ? fmin(most, 2 * trigamma_at(scatter)) : most;
	if (prior < 1e-6)
		return (struct pool){ 0, 0 };
	return (struct pool){ prior / 2, exp(mean + digamma(prior / 2) - log(prior / 2)) };
}

/* ---- rows --------------------------------------------------------------------------------------- */

/* Fills residuals by run, relative to the row's mean. */
static struct sample sample_of(const double *a, size_t n_a, const double *b, size_t n_b, double *residuals)
{
	double na = (double)n_a, nb = (double)n_b, ma = tl_pairwise_sum(a, n_a) / na, mb = tl_pairwise_sum(b, n_b) / nb;
	double scale = (ma + mb) / 2, qa = 0, qb = 0;

	for (size_t i = 0; i < n_a + n_b; i++) {
		double x = residuals[i] = ((i < n_a ? a[i] - ma : b[i - n_a] - mb)) / scale;
		*(i < n_a ? &qa : &qb) += x * x;
	}
	struct sample s = { ma, mb - ma, (qa + qb) / (na + nb - 2), 1 };
	double own = (n_a > 1 && n_b > 1) ? qa / (na - 1) / na + qb / (nb - 1) / nb : 0;
	if (s.variance > 0)
		s.welch = fmax(1, own / (s.variance * (1 / na + 1 / nb)));
	return s;
}

/* What is the same for all rows. */
struct test { struct pool pool; double degrees, limit, runs; };

static void judge_row(struct tl_judged *j, const struct sample *s, const struct test *t)
{
	double df = t->pool.degrees + t->degrees, variance = (t->pool.degrees * t->pool.variance + t->degrees * s->variance) / df;
	double error = sqrt(variance * t->runs * s->welch) * (s->mean_a + s->more / 2);

	j->verdict = TL_VERDICT_NO_SPREAD;
	if (!(error > 0 && isfinite(error)))
		return;
	double half = t->limit * error;
	j->more = s->more;
	j->p = tl_student_two_sided(fabs(s->more) / error, df);
	j->low = 100 * (s->more - half) / s->mean_a;
	j->high = 100 * (s->more + half) / s->mean_a;
}

void tl_judge_runs(struct tl_judged *out, const double *a, size_t n_a, const double *b, size_t n_b, size_t n)
{
	size_t runs = n_a + n_b;
	double degrees = (double)runs - 2, *residuals = tl_alloc(runs * sizeof *residuals), *products = tl_calloc(runs * runs, sizeof *products);
	struct sample *s = tl_calloc(n + 1, sizeof *s);

	for (size_t i = 0; i < n; i++) {
		out[i] = (struct tl_judged){ .verdict = TL_VERDICT_NONE, .p = NAN, .adjusted = NAN, .low = NAN, .high = NAN };
		if (!(tl_pairwise_sum(a + i * n_a, n_a) > 0 && tl_pairwise_sum(b + i * n_b, n_b) > 0))
			continue; /* a side has no such time */
		out[i].verdict = runs == 2 ? TL_VERDICT_ONE_RUN : TL_VERDICT_FEW_RUNS;
		s[i] = sample_of(a + i * n_a, n_a, b + i * n_b, n_b, residuals);
		for (size_t k = 0; k < runs * runs && s[i].variance > 0; k++)
			products[k] += residuals[k / runs] * residuals[k % runs] / s[i].variance;
	}
	struct test t = { .degrees = degrees, .runs = 1 / (double)n_a + 1 / (double)n_b };
	if (runs >= 4) {
		t.pool = pool_of(s, n, degrees, products, runs);
		t.limit = tl_student_limit(0.05, degrees + t.pool.degrees);
	}
	for (size_t i = 0; i < n && runs >= 4; i++)
		if (out[i].verdict != TL_VERDICT_NONE)
			judge_row(&out[i], &s[i], &t);
	tl_judged_adjust(out, n);
	free(residuals);
	free(products);
	free(s);
}
