/* welch.h - is the difference of two means more than noise?
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_WELCH_H
#define TL_WELCH_H

#include <stdbool.h>

/* What is known of a set of values; NaN: unknown. std is that of a sample (n - 1). */
struct tl_spread { double n, mean, std, min, max; };

/* The probability of a difference as great as that of the means if the values of both sides
 * came from one distribution, and the limits of the 95 % confidence interval of the second mean
 * less the first. NaN: unknown. */
struct tl_noise { double p, low, high; };

/* Welch's t-test (B. L. Welch, Biometrika 34, 1947), with the degrees of freedom of
 * Satterthwaite. Needs two values on each side, and their deviations. */
struct tl_noise tl_welch(const struct tl_spread *a, const struct tl_spread *b);
/* The Mann-Whitney test where only least and greatest values are known: if all values of one side
 * are below all of the other, p is exactly 2 / C(n + m, n). *overlap: they are not, and p is NaN. */
struct tl_noise tl_apart(const struct tl_spread *a, const struct tl_spread *b, bool *overlap);

/* The probability that Student's t with so many degrees of freedom is farther from 0 than t. */
double tl_student_two_sided(double t, double degrees);

#endif
