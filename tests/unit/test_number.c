/* test_number.c - numbers as text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "check.h"
#include "base/value.h"
#include "tl.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- text to number ---- */

static bool parses_as_c(const char *s)
{
	char *end, *expected_end;
	double x = tl_parse_double(s, &end), expected = strtod(s, &expected_end), alone = tl_parse_double(s, NULL);

	return end == expected_end && !memcmp(&x, &expected, sizeof x) && !memcmp(&x, &alone, sizeof x);
}

/* In the C locale: what strtod gives, to the bit and to the byte. */
static void parsing(void)
{
	static const char *const texts[] = {
		"", " ", "x", ".", "-", "+", "e5", "-.", "0", "-0", "+0", "-0.0", "00012", "1.", ".5", "-.5", "+1.5", "  1.5", "\t\n1.5 ",
		"1.5x", "1,5", "1.5.5", "1e", "1e+", "1e-", "1.5e", "1e5", "1E5", "1e+05", "1e-5", "1e5.5", "1_000", "1 000", "1'000",
		"0x10", "0x1.8p3", "0x", "0x.8", "inf", "-inf", "Infinity", "infinit", "nan", "-nan", "NaN(12)", "nan(",
		"1e308", "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "-1e309", "1e99999999999999999999",
		"5e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "1e-400", "-1e-400", "0e99999999999999999999",
		"2.2250738585072011e-308", "2.2250738585072012e-308", "2.2250738585072014e-308", "9007199254740993", "9007199254740992.999",
		"9007199254740993.0000000000000000000000000000000000000001", "0.1", "0.3", "1e22", "1e23", "8.5e22", "123456789012345678901234567890",
		"179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880",
		"0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
	};
	bool ok = true, ok_short = true;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!parses_as_c(texts[i]))
			printf("FAIL '%s' is not read as strtod does\n", texts[i]), failures++;
	for (int i = 0; i < 100000; i++) {
		char text[64];
		double x;
		uint64_t bits = random_bits();
		memcpy(&x, &bits, sizeof x);
		snprintf(text, sizeof text, "%.*e", (int)(random_bits() % 25), x);
		ok = ok && parses_as_c(text);
		snprintf(text, sizeof text, "%u.%03u", (unsigned)(random_bits() % 100000000), (unsigned)(random_bits() % 1000));
		ok_short = ok_short && parses_as_c(text);
	}
	check("random texts are read as strtod does", ok);
	check("times are read as strtod does", ok_short);
}

static bool rounds_as_c(double x)
{
	char text[400];
	double rounded = tl_round_hundredths(x), expected;

	snprintf(text, sizeof text, "%.2f", x);
	expected = strtod(text, NULL);
	return !memcmp(&rounded, &expected, sizeof expected);
}

static void rounding(void)
{
	static const double some[] = { 0.0, 0.005, 0.004999999999999999, 0.01, 0.015, 0.025, 0.125, 0.375, 1.005, 2.675, 0.001, 1e15 + 0.125,
		1e22, 0x1p45 + 0.125, 0x1p45 - 0.0078125, 0x1p46 + 0.0625, 90071992547409.925, 0x1p52 + 0.5, 0x1p53, DBL_MAX, DBL_MIN, 5e-324, INFINITY };
	bool ok = true, ok_random = true, ok_ties = true, ok_powers = true;

	for (size_t i = 0; i < sizeof some / sizeof *some; i++)
		ok = ok && rounds_as_c(some[i]) && rounds_as_c(-some[i]);
	for (int e = -1074; e < 1024; e++) {
		double x = ldexp(1, e);
		ok_powers = ok_powers && rounds_as_c(x) && rounds_as_c(nextafter(x, 0)) && rounds_as_c(-nextafter(x, INFINITY)) && rounds_as_c(1.28 * x);
	}
	for (int i = 0; i < 100000; i++) {
		double share = (double)(random_bits() % 1000000000) / 1000 / (double)(1 + random_bits() % 1000);
		double tie = (double)(random_bits() >> (16 + i % 48)) / 8;
		ok_random = ok_random && rounds_as_c(share) && rounds_as_c(ldexp(share, i % 64 - 32));
		ok_ties = ok_ties && rounds_as_c(tie) && rounds_as_c(nextafter(tie, 0)) && rounds_as_c(-nextafter(tie, INFINITY));
	}
	check("hundredths are those of printf", ok);
	check("hundredths of powers of two and their neighbours are those of printf", ok_powers);
	check("hundredths of random numbers are those of printf", ok_random);
	check("hundredths of halves and their neighbours are those of printf", ok_ties);
}

/* The same results where numbers are written with a comma. */
static void other_locale(void)
{
	static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "it_IT.UTF-8", "nl_NL.UTF-8", "pt_BR.UTF-8",
		"ru_RU.UTF-8", "pl_PL.UTF-8", "sv_SE.UTF-8", "de_DE", "fr_FR", "de_AT.UTF-8", "de_CH.UTF-8", "da_DK.UTF-8" };
	const char *name = NULL;
	char *end;

	for (size_t i = 0; !name && i < sizeof names / sizeof *names; i++)
		if (setlocale(LC_ALL, names[i]) && !strcmp(localeconv()->decimal_point, ","))
			name = names[i];
	if (!name) {
		setlocale(LC_ALL, "C");
		printf("ok numbers in a locale with a decimal comma # skip there is none here\n");
		return;
	}
	const char *text = "1.5,5";
	check("a point is the decimal point in any locale", tl_parse_double(text, &end) == 1.5 && end == text + 3);
	check("a comma is none", tl_parse_double("1,5", &end) == 1 && *end == ',');
	check("rounding is the same in any locale", tl_round_hundredths(2.675) == 2.67 && tl_round_hundredths(0x1p45 + 0.125) == 0x1p45 + 0.12);
	struct tl_buf b = { 0 };
	tl_buf_addf(&b, "%.2f %g", 1.25, 0.5);
	check("printing is the same in any locale", !strcmp(b.data, "1.25 0.5"));
	tl_buf_release(&b);
	struct tl_arena arena = { 0 };
	struct tl_value v;
	check("a value is the same in any locale", tl_value_parse(&arena, "1.5", 3, &v, NULL) == TL_OK && v.type == TL_V_REAL && v.d == 1.5);
	tl_arena_release(&arena);
	check("the program's locale stays", !strcmp(setlocale(LC_ALL, NULL), name) && strtod("1,5", NULL) == 1.5);
	setlocale(LC_ALL, "C");
}

/* ---- whole numbers ---- */

static void wholes(void)
{
	static const struct { const char *text; bool whole; int64_t value; } cases[] = {
		{ "1", true, 1 }, { "1.0", true, 1 }, { "10e-1", true, 1 }, { "true", true, 1 }, { "false", true, 0 }, { "-0.0", true, 0 },
		{ "-7", true, -7 }, { "2E3", true, 2000 }, { "999999999999999999", true, 999999999999999999 }, { "4e15", true, 4000000000000000 },
		{ "", false, 0 }, { "1.5", false, 0 }, { "null", false, 0 }, { "\"1\"", false, 0 }, { "x1", false, 0 }, { "[1]", false, 0 },
		{ "1e16", false, 0 }, { "1234567890123456789", false, 0 }, { "1e999", false, 0 }, { "0x10", false, 0 },
	};
	bool ok = true;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t value = 0;
		bool whole = tl_parse_whole(cases[i].text, strlen(cases[i].text), &value);
		if (whole != cases[i].whole || (whole && value != cases[i].value)) {
			printf("FAIL %s is read as %s %lld\n", cases[i].text, whole ? "whole" : "not whole", (long long)value);
			failures++;
		}
		ok = ok && whole == cases[i].whole;
	}
	check("whole numbers, however they are written", ok);
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
	parsing();
	wholes();
	rounding();
	other_locale();
	return failures != 0;
}
