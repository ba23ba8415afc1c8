/* welch.c - is the difference of two means more than noise?
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/welch.h"

#include <math.h>

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

/* The t that is exceeded on both sides with probability p, by halving. */
static double student_limit(double p, double degrees)
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

static const struct tl_noise unknown = { NAN, NAN, NAN };

struct tl_noise tl_welch(const struct tl_spread *a, const struct tl_spread *b)
{
	if (!(a->n >= 2 && b->n >= 2 && a->std >= 0 && b->std >= 0 && isfinite(a->mean) && isfinite(b->mean)))
		return unknown;
	double va = a->std * a->std / a->n, vb = b->std * b->std / b->n, v = va + vb, d = b->mean - a->mean;
	if (v == 0) /* all values of a side are the same */
		return (struct tl_noise){ d == 0, d, d };
	double degrees = v * v / (va * va / (a->n - 1) + vb * vb / (b->n - 1));
	double half = student_limit(0.05, degrees) * sqrt(v);
	return (struct tl_noise){ tl_student_two_sided(d / sqrt(v), degrees), d - half, d + half };
}

struct tl_noise tl_apart(const struct tl_spread *a, const struct tl_spread *b, bool *overlap)
{
	struct tl_noise noise = unknown;

	*overlap = false;
	if (!(a->n >= 1 && b->n >= 1 && a->min <= a->max && b->min <= b->max))
		return noise;
	*overlap = a->min <= b->max && b->min <= a->max;
	if (!*overlap)
		noise.p = fmin(1, 2 * exp(lgamma(a->n + 1) + lgamma(b->n + 1) - lgamma(a->n + b->n + 1)));
	return noise;
}
