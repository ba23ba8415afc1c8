/* decimal.h - the values of JSON numbers as integers. The numbers have been checked
 * (base/check.h) and are finite.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JSON_DECIMAL_H
#define TL_JSON_DECIMAL_H

#include "base/text.h"

#include <stdint.h>

/* The value of an integer. False if the number has a fraction or an exponent, or does
 * not fit. */
bool tl_json_int64(const char *p, const char *end, int64_t *value);
/* A number times 10^scale, rounded half away from zero. No digit is lost, since no
 * floating-point number is involved. False beyond +-TL_JSON_FIXED_MAX. */
#define TL_JSON_FIXED_MAX ((int64_t)1 << 62)
bool tl_json_fixed(const char *p, const char *end, int scale, int64_t *value);

/* Reads a number as traces mostly hold it, times `unit`: below 2^63, for units above 1 not
 * negative and below 2^61, so that two of them have a sum; no exponent; decimals for unit 1000
 * only, rounded as above. The text need not be checked before. Returns the position behind it;
 * NULL if it is no such number. */
static inline const char *tl_json_usual_number(const char *p, uint64_t unit, bool *decimals, int64_t *value)
{
	bool negative = unit == 1 && *p == '-';
	const char *first = p + negative, *most = first + 19;
	uint64_t x = 0;

	for (p = first; p < most && tl_is_digit(*p); p++)
		x = x * 10 + (uint64_t)(*p - '0');
	if (p == first || (*first == '0' && p - first > 1) || x > (unit > 1 ? (((uint64_t)1 << 61) - unit) / unit : INT64_MAX) || tl_is_digit(*p))
		return NULL;
	*decimals = *p == '.';
	if (!*decimals) {
		x *= unit;
	} else {
		if (unit == 1 || !tl_is_digit(*++p))
			return NULL;
		for (int place = 0; place < 3; place++)
			x = x * 10 + (tl_is_digit(*p) ? (uint64_t)(*p++ - '0') : 0);
		x += tl_is_digit(*p) && *p >= '5';
		while (tl_is_digit(*p))
			p++;
	}
	*value = negative ? -(int64_t)x : (int64_t)x;
	return *p == 'e' || *p == 'E' ? NULL : p;
}

#endif
