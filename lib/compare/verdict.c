/* verdict.c - do the times of two reports differ by more than chance?
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/verdict.h"
#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* ---- Student's t ------------------------------------------------------------------------- */

/* The continued fraction of the incomplete beta function (NIST Digital Library of Mathematical
 * Functions, 8.17.22), by the method of Lentz. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300, enough = 1e-15;
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < tiny ? tiny : d);
	double f = d;

	for (int i = 1; i <= 10000; i++) {
		double m = i, step = 1;
		double factors[2] = {
			m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
			-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
		};
		for (int k = 0; k < 2; k++) {
			d = 1 + factors[k] * d;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = 1 + factors[k] / c;
			c = fabs(c) < tiny ? tiny : c;
			step = c * d;
			f *= step;
		}
		if (fabs(step - 1) < enough)
			break;
	}
	return f;
}

/* The regularised incomplete beta function. */
static double beta(double a, double b, double x)
{
	if (x <= 0 || x >= 1)
		return x >= 1;
	double front = exp(a * log(x) + b * log1p(-x) - lgamma(a) - lgamma(b) + lgamma(a + b));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double tl_student_two_sided(double t, double degrees)
{
	return beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

/* By halving. */
double tl_student_limit(double p, double degrees)
{
	double low = 0, high = 1;

	while (tl_student_two_sided(high, degrees) > p && high < 1e9)
		high *= 2;
	for (int i = 0; i < 80; i++) {
		double middle = (low + high) / 2;
		*(tl_student_two_sided(middle, degrees) > p ? &low : &high) = middle;
	}
	return high;
}

/* ---- one row --------------------------------------------------------------------------- */

#define SURE 0.05

static double bigger(double x, double y)
{
	return x > y ? x : y;
}

/* Of a sample; NaN: unknown. (max - mean) * (mean - min) bounds the variance of any values within min and max
 * (R. Bhatia and C. Davis, Amer. Math. Monthly 107, 2000). */
static double variance(const struct tl_spread *s, double tick)
{
	double v = s->std >= 0 ? s->std * s->std : (s->max - s->mean) * (s->mean - s->min) * s->n / (s->n - 1);

	if (isnan(v) || s->min > s->max)
		return NAN;
	return bigger(v, tick * tick / 12);
}

static bool is_constant(const struct tl_spread *s)
{
	return s->std >= 0 ? s->std == 0 : s->min == s->max;
}

/* How rarely all of n values lie below all of n others, or above. */
static double rarest(double n)
{
	return 2 * exp(2 * lgamma(n + 1) - lgamma(2 * n + 1));
}

/* The verdict, but for SLOWER, FASTER and SAME, which depend on other rows. */
static void judge_row(struct tl_judged *out, const struct tl_spread *a, const struct tl_spread *b, double tick_a, double tick_b)
{
	double least = fmin(a->n, b->n), d = b->mean - a->mean, va = variance(a, tick_a), vb = variance(b, tick_b);

	*out = (struct tl_judged){ TL_VERDICT_NONE, d, NAN, NAN, NAN, NAN };
	if (least == 0)
		return;
	out->verdict = least < TL_VERDICT_CALLS ? TL_VERDICT_FEW : TL_VERDICT_NO_SPREAD;
	if (!(least >= TL_VERDICT_CALLS && va > 0 && vb > 0 && isfinite(d + a->n + b->n)))
		return;
	double common = ((a->n - 1) * va + (b->n - 1) * vb) / (a->n + b->n - 2);
	double error = sqrt(bigger(va / a->n + vb / b->n, common / a->n + common / b->n));
	double half = tl_student_limit(SURE, least - 1) * error, tick = bigger(tick_a, tick_b);
	double step = tick * (1 / a->n + 1 / b->n); /* between differences of means of as many ticks in all */
	out->p = bigger(tl_student_two_sided(bigger(fabs(d) - step / 2, 0) / error, least - 1), rarest(least));
	if (is_constant(a) && is_constant(b) && fabs(d) <= tick)
		out->p = 1;
	out->low = 100 * (d - half) / a->mean;
	out->high = 100 * (d + half) / a->mean;
	if (!isfinite(out->low) || !isfinite(out->high))
		out->low = out->high = NAN;
}

/* ---- all rows ------------------------------------------------------------------------------ */

#define NS 1000 /* in a µs */

/* The greatest common divisor of x ns and a time in µs; 1 if that is not of whole ns. */
static uint64_t common_divisor(uint64_t x, double us)
{
	double ns = fabs(us) * NS;

	if (!isfinite(ns))
		return x;
	if (ns >= 1e15 || fabs(ns - round(ns)) > 1e-12 * ns)
		return 1;
	for (uint64_t y = (uint64_t)round(ns); y;) {
		uint64_t rest = x % y;
		x = y;
		y = rest;
	}
	return x;
}

double tl_tick_of(const struct tl_spread *s, size_t n)
{
	uint64_t tick = 0;

	for (size_t i = 0; i < n && tick != 1; i++)
		tick = common_divisor(common_divisor(tick, s[i].min), s[i].max);
	return tick > NS ? 1 : bigger((double)tick, 1) / NS;
}

static int by_probability(const void *a, const void *b)
{
	double x = (*(struct tl_judged *const *)a)->p, y = (*(struct tl_judged *const *)b)->p;

	return (x > y) - (x < y);
}

/* Benjamini and Hochberg: the i-th smallest of n probabilities times n / i, and no more than that
 * of a greater one. */
void tl_judged_adjust(struct tl_judged *rows, size_t n_rows)
{
	struct tl_judged **tested = tl_alloc((n_rows + 1) * sizeof *tested);
	double least = 1;
	size_t n = 0;

	for (size_t i = 0; i < n_rows; i++)
		if (!isnan(rows[i].p))
			tested[n++] = &rows[i];
	qsort(tested, n, sizeof *tested, by_probability);
	for (size_t i = n; i-- > 0;) {
		least = fmin(least, tested[i]->p * (double)n / (double)(i + 1));
		tested[i]->adjusted = least;
	}
	free(tested);
	for (size_t i = 0; i < n_rows; i++)
		if (!isnan(rows[i].p))
			rows[i].verdict = rows[i].adjusted >= SURE ? TL_VERDICT_SAME : rows[i].more > 0 ? TL_VERDICT_SLOWER : TL_VERDICT_FASTER;
}

void tl_judge(struct tl_judged *out, const struct tl_spread *a, const struct tl_spread *b, size_t n)
{
	double tick_a = tl_tick_of(a, n), tick_b = tl_tick_of(b, n);

	for (size_t i = 0; i < n; i++)
		judge_row(&out[i], &a[i], &b[i], tick_a, tick_b);
	tl_judged_adjust(out, n);
}

const char *tl_verdict_text(enum tl_verdict v)
{
	static const char *const texts[] = {
		[TL_VERDICT_NONE] = NULL,
		[TL_VERDICT_SLOWER] = "slower",
		[TL_VERDICT_FASTER] = "faster",
		[TL_VERDICT_SAME] = "no difference shown",
		[TL_VERDICT_ONE_RUN] = "not judged: one run each",
		[TL_VERDICT_FEW_RUNS] = "not judged: under 4 runs in all",
		[TL_VERDICT_FEW] = "not judged: under 4 calls",
		[TL_VERDICT_NO_SPREAD] = "not judged: spread unknown",
	};
	return texts[v];
}
