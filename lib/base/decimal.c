/* decimal.c - the values of JSON numbers as integers.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/decimal.h"

#include "base/text.h"

bool tl_json_int64(const char *p, const char *end, int64_t *value)
{
	bool negative = *p == '-';
	int64_t x = 0; /* kept negative: that side reaches one further */

	for (p += negative; p < end; p++)
		if (!tl_is_digit(*p) || __builtin_mul_overflow(x, 10, &x) || __builtin_sub_overflow(x, *p - '0', &x))
			return false;
	if (!negative && x == INT64_MIN)
		return false;
	*value = negative ? x : -x;
	return true;
}

/* ---- decimals ------------------------------------------------------------------ */

/* The exponent behind the e, cut off where it cannot matter any more. */
static int64_t exponent(const char *p, const char *end)
{
	bool negative = p < end && *p == '-';
	int64_t x = 0;

	if (p < end && (*p == '-' || *p == '+'))
		p++;
	for (; p < end; p++)
		if (x < INT64_MAX / 100)
			x = x * 10 + (*p - '0');
	return negative ? -x : x;
}

/* Appends a digit. False beyond the largest value. */
static bool add_digit(int64_t *x, int digit)
{
	if (*x > TL_JSON_FIXED_MAX / 10)
		return false;
	*x = *x * 10 + digit;
	return true;
}

bool tl_json_fixed(const char *p, const char *end, int scale, int64_t *value)
{
	bool negative = *p == '-', zero = true, half = false;
	const char *point = NULL, *stop;
	int64_t x = 0, place; /* power of ten of the digit at hand, in the result */

	p += negative;
	for (stop = p; stop < end && (tl_is_digit(*stop) || *stop == '.'); stop++)
		if (*stop == '.')
			point = stop;
	place = (point ? point : stop) - p - 1 + scale;
	if (stop < end && __builtin_add_overflow(place, exponent(stop + 1, end), &place))
		return false;
	for (; p < stop; p++) {
		if (*p == '.')
			continue;
		zero = zero && *p == '0';
		if (place >= 0 && !add_digit(&x, *p - '0'))
			return false;
		if (place == -1)
			half = *p >= '5';
		place--;
	}
	for (; !zero && place >= 0; place--)
		if (!add_digit(&x, 0))
			return false;
	x += half;
	*value = negative ? -x : x;
	return x <= TL_JSON_FIXED_MAX;
}
