/* test_number.c - numbers as text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "tl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(const char *what, bool ok)
{
	printf("%s %s\n", ok ? "ok" : "FAIL", what);
	failures += !ok;
}

static void real(double x, const char *expected)
{
	char text[TL_DOUBLE_TEXT];
	size_t n = tl_format_double(text, x);
	bool ok = n == strlen(expected) && !strcmp(text, expected);
	printf("%s double %s%s%s\n", ok ? "ok" : "FAIL", expected, ok ? "" : ", got ", ok ? "" : text);
	failures += !ok;
}

static void integer(int64_t x, const char *expected)
{
	char text[24];
	size_t n = tl_format_int(text, x);
	check(expected, n == strlen(expected) && !strcmp(text, expected));
}

static bool reads_back(uint64_t bits)
{
	char text[TL_DOUBLE_TEXT];
	double x, y;
	memcpy(&x, &bits, sizeof x);
	if (isnan(x))
		return true;
	size_t n = tl_format_double(text, x);
	y = strtod(text, NULL);
	return n < TL_DOUBLE_TEXT && n == strlen(text) && !memcmp(&x, &y, sizeof x);
}

/* Whether no decimal with one digit less reads back to the same double. */
static bool is_shortest(double x)
{
	char text[TL_DOUBLE_TEXT], shorter[TL_DOUBLE_TEXT];
	int digits = 0;
	if (x == floor(x))
		return true; /* its zeros may be no digits */
	tl_format_double(text, x);
	const char *p = text;

	while (*p == '0' || *p == '.' || *p == '-')
		p++;
	for (; *p && *p != 'e'; p++)
		digits += *p != '.';
	for (p = strpbrk(text, "e") ? strpbrk(text, "e") : text + strlen(text); p > text && p[-1] != '.' && p[-1] == '0'; p--)
		digits--;
	if (digits < 2)
		return true;
	snprintf(shorter, sizeof shorter, "%.*e", digits - 2, x);
	return strtod(shorter, NULL) != x;
}

static uint64_t state = 88172645463325252u;
static uint64_t random_bits(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static void many(void)
{
	bool ok = true, ok_times = true, ok_subnormal = true, ok_powers = true, ok_short = true;
	for (int i = 0; i < 300000; i++) {
		uint64_t bits;
		double time = (double)(random_bits() % 10000000) / 1000, ratio = time / 7;
		ok = ok && reads_back(random_bits());
		ok_subnormal = ok_subnormal && reads_back(random_bits() >> 12 >> (i % 50));
		memcpy(&bits, &time, sizeof bits);
		ok_times = ok_times && reads_back(bits);
		if (i % 8 == 0)
			ok_short = ok_short && is_shortest(time) && is_shortest(ratio);
	}
	for (uint64_t e = 0; e < 2047; e++)
		for (uint64_t d = 0; d < 5; d++)
			ok_powers = ok_powers && reads_back((e << 52) + d - 2);
	check("random doubles read back", ok);
	check("subnormal doubles read back", ok_subnormal);
	check("times with three decimals read back", ok_times);
	check("powers of two and their neighbours read back", ok_powers);
	check("no shorter text reads back", ok_short);
}

int main(void)
{
	real(0.0, "0.0"), real(-0.0, "-0.0"), real(1, "1.0"), real(-1.5, "-1.5"), real(98.718, "98.718");
	real(100, "100.0"), real(0.1, "0.1"), real(0.1 + 0.2, "0.30000000000000004");
	real(1e-4, "0.0001"), real(0.00012, "0.00012"), real(9.9e-5, "9.9e-05"), real(1e-5, "1e-05"), real(1.25e-10, "1.25e-10");
	real(1e15, "1000000000000000.0"), real(1e16, "1e+16"), real(9007199254740992, "9007199254740992.0");
	real(9999999999999998, "9999999999999998.0"), real(1.5e16, "1.5e+16"), real(123456789012345680, "1.2345678901234568e+17");
	real(1e22, "1e+22"), real(1e23, "1e+23"), real(9.5e22, "9.5e+22"), real(1e100, "1e+100"), real(1e-100, "1e-100");
	real(5e-324, "5e-324"), real(2.2250738585072014e-308, "2.2250738585072014e-308");
	real(1.7976931348623157e308, "1.7976931348623157e+308"), real(0x1p-1074 * 3, "1.5e-323");
	real(0x1p-44, "5.684341886080802e-14"), real(0x1p1000, "1.0715086071862673e+301"), real(2e-323, "2e-323");
	real(5.7919921875, "5.7919921875"), real(39860.07421875, "39860.07421875");
	real(NAN, "nan"), real(-NAN, "nan"), real(INFINITY, "inf"), real(-INFINITY, "-inf");
	integer(0, "0"), integer(7, "7"), integer(-10, "-10"), integer(1234567890123, "1234567890123");
	integer(INT64_MAX, "9223372036854775807"), integer(INT64_MIN, "-9223372036854775808");
	many();
	return failures != 0;
}
