/* pytorch_time.c - decimal microseconds to nanoseconds, digit by digit.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/pytorch.h"

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The exponent, cut off where it cannot matter any more. */
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

bool tl_time_parse(const char *p, const char *end, int64_t *ns)
{
	bool negative = *p == '-', seen = false, half = false;
	const char *point = NULL, *q, *stop;
	int64_t shift, x = 0, place;

	if (negative)
		p++;
	for (stop = p; stop < end && (is_digit(*stop) || *stop == '.'); stop++)
		if (*stop == '.')
			point = stop;
	shift = stop < end ? exponent(stop + 1, end) : 0;
	/* place: power of ten, in nanoseconds, of the digit at hand */
	place = (point ? point : stop) - p - 1 + 3;
	if (__builtin_add_overflow(place, shift, &place))
		return false;
	for (q = p; q < stop; q++) {
		if (*q == '.')
			continue;
		if (place >= 0) {
			if (x > TIME_MAX / 10)
				return false;
			x = x * 10 + (*q - '0');
		} else if (place == -1) {
			half = *q >= '5';
		}
		seen = seen || *q != '0';
		place--;
	}
	if (!seen)
		x = 0;
	else
		for (; place >= 0; place--) {
			if (x > TIME_MAX / 10)
				return false;
			x *= 10;
		}
	x += half;
	*ns = negative ? -x : x;
	return x <= TIME_MAX;
}
