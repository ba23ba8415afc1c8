/* decimal.h - the values of JSON numbers as integers. The numbers have been checked
 * (base/check.h) and are finite.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JSON_DECIMAL_H
#define TL_JSON_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* The value of an integer. False if the number has a fraction or an exponent, or does
 * not fit. */
bool tl_json_int64(const char *p, const char *end, int64_t *value);
/* A number times 10^scale, rounded half away from zero. No digit is lost, since no
 * floating-point number is involved. False beyond +-TL_JSON_FIXED_MAX. */
#define TL_JSON_FIXED_MAX ((int64_t)1 << 62)
bool tl_json_fixed(const char *p, const char *end, int scale, int64_t *value);

/* Reads a number as traces mostly hold it, times `unit`: below 2^63, for units above 1 not
 * negative and below 2^61, so that two of them have a sum; no exponent; decimals for units above
 * 1 only, rounded as above. The text need not be checked before. Returns the position behind it;
 * NULL if it is no such number. */
const char *tl_json_usual_number(const char *p, uint64_t unit, bool *decimals, int64_t *value);

#endif
