/* number.h - numbers as text, in any locale of the program.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_NUMBER_H
#define TL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes x as Python's repr does: the shortest text that reads back as the same
 * double, with a decimal point for 1e-4 <= |x| < 1e16, else in scientific form
 * with an exponent of at least two digits; or nan, inf, -inf. buf has room for
 * TL_DOUBLE_TEXT bytes; a NUL is added. Returns the length without it. */
#define TL_DOUBLE_TEXT 40
size_t tl_format_double(char *buf, double x);
/* Writes x in decimal digits, and a NUL: at most 21 bytes with it. Returns the length
 * without it. */
size_t tl_format_int(char *buf, int64_t x);

/* As strtod in the "C" locale: the decimal point is a point. end may be NULL. */
double tl_parse_double(const char *s, char **end);
/* Is the JSON value of this text equal to a whole number, as Python compares? 1, 1.0, 1e0 and
 * true all are 1. False for what is no such value, and for numbers of 9e15 and more that have
 * a fraction, an exponent or more than 18 characters. */
bool tl_parse_whole(const char *s, size_t len, int64_t *value);

/* n / d as the nearest double, even where n or d has more than 53 bits; d is positive. */
double tl_divide(int64_t n, int64_t d);
/* How many decimals of x people read: so many that it has three digits, 2 at most. */
int tl_decimals(double x);
/* x rounded to two decimals, ties to even, as Python's round(x, 2) does. */
double tl_round_hundredths(double x);

#endif
