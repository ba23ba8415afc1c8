/* number.c - numbers as text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/number.h"

#include "base/locale.h"
#include "base/text.h"

#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Finds the decimal number with the fewest decimals that reads back as x = m / 2^t;
 * of two such numbers the one nearer to x. The decimal number is digits / 10^decimals,
 * and digits is returned. m is even and below 2^54, so that m / 2 is the significand
 * of x; x is 0 or lies in [1e-4, 1e16).
 *
 * A decimal number reads back as x if it lies no further from x than halfway to the
 * next double: 1 / 2^t above x; 1 / 2^t below x, or half of that if x is a power of
 * two. A number exactly halfway reads back as the double with the even significand.
 * The function multiplies everything by 2^t * 10^decimals, which makes it whole; it
 * stays below 2^124 because 21 decimals always suffice. */
static uint64_t fewest_decimals(uint64_t m, int t, bool power_of_two, int *decimals)
{
	unsigned __int128 unit = (unsigned __int128)1 << t, power = 1; /* power: 10^decimals */
	bool odd = m >> 1 & 1;

	for (*decimals = 0;; ++*decimals, power *= 10) {
		unsigned __int128 x = m * power;
		uint64_t below = (uint64_t)(x >> t); /* the candidates: below and below + 1 */
		unsigned __int128 to_below = x & (unit - 1), to_above = unit - to_below;
		bool below_reads_back = (to_below << power_of_two) + odd <= power;
		bool above_reads_back = to_above + odd <= power;

		if (below_reads_back && above_reads_back) /* ties go to the even one */
			return below + (to_above < to_below || (to_above == to_below && below % 2));
		if (below_reads_back || above_reads_back)
			return below + above_reads_back;
	}
}

/* Writes digits / 10^decimals with a decimal point; returns the length. */
static size_t put_fixed(char *buf, uint64_t digits, int decimals)
{
	char text[TL_DOUBLE_TEXT], *end = text + sizeof text, *s = end;

	if (!decimals) { /* 5 is written as 5.0 */
		digits *= 10;
		decimals = 1;
	}
	for (int i = 0; i <= decimals || digits; i++) {
		if (i == decimals)
			*--s = '.';
		*--s = (char)('0' + digits % 10);
		digits /= 10;
	}
	memcpy(buf, s, (size_t)(end - s));
	return (size_t)(end - s);
}

/* Writes x with so many digits; returns whether the text reads back as x. A power
 * of two is nearer to the double below than to the one above. So the text nearest
 * to x may lie below x and not read back, while the next text above x does. */
static bool try_scientific(char *buf, int digits, double x, bool power_of_two)
{
	snprintf(buf, TL_DOUBLE_TEXT, "%.*e", digits - 1, x);
	if (power_of_two && strtod(buf, NULL) != x) {
		fesetround(FE_UPWARD);
		snprintf(buf, TL_DOUBLE_TEXT, "%.*e", digits - 1, x);
		fesetround(FE_TONEAREST);
	}
	return strtod(buf, NULL) == x;
}

/* Writes any x above 0 with the fewest digits that read back. 17 digits always do,
 * and n + 1 digits do if n digits do: hence the binary search. */
static size_t put_scientific(char *buf, double x, bool power_of_two)
{
	locale_t old = uselocale(tl_c_locale());
	int low = 1, high = 17;

	while (low < high) {
		int digits = (low + high) / 2;

		if (try_scientific(buf, digits, x, power_of_two))
			high = digits;
		else
			low = digits + 1;
	}
	try_scientific(buf, low, x, power_of_two);
	uselocale(old);
	return strlen(buf);
}

size_t tl_format_double(char *buf, double x)
{
	int exponent, decimals;
	double fraction = frexp(fabs(x), &exponent); /* 0.5 <= fraction < 1, or 0 */
	bool power_of_two = fraction == 0.5;
	char *p = buf;

	if (!isnan(x) && signbit(x))
		*p++ = '-';
	x = fabs(x);
	if (isnan(x) || isinf(x)) {
		memcpy(p, isnan(x) ? "nan" : "inf", 3);
		p += 3;
	} else if (x != 0 && (x < 1e-4 || x >= 1e16)) {
		p += put_scientific(p, x, power_of_two);
	} else {
		uint64_t digits = fewest_decimals((uint64_t)ldexp(fraction, 54), 54 - exponent, power_of_two, &decimals);
		p += put_fixed(p, digits, decimals);
	}
	*p = '\0';
	return (size_t)(p - buf);
}

size_t tl_format_int(char *buf, int64_t x)
{
	char text[24], *end = text + sizeof text, *s = end;
	uint64_t rest = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;

	do
		*--s = (char)('0' + rest % 10);
	while (rest /= 10);
	if (x < 0)
		*--s = '-';
	memcpy(buf, s, (size_t)(end - s));
	buf[end - s] = '\0';
	return (size_t)(end - s);
}

/* n / d for numbers of 2^53 and more, which a double may not hold exactly: the
 * quotient of n * 2^64 in integers, rounded once to 53 bits, ties to even. */
static double divide_exactly(int64_t n, int64_t d)
{
	uint64_t magnitude = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	unsigned __int128 wide = (unsigned __int128)magnitude << 64;
	unsigned __int128 q = wide / (uint64_t)d;
	bool rest = wide % (uint64_t)d != 0;
	int bits = q >> 64 ? 128 - __builtin_clzll((uint64_t)(q >> 64))
	                   : 64 - __builtin_clzll((uint64_t)q | 1);
	int drop = bits - 53;
	double result;
	if (drop <= 0) {
		result = (double)(uint64_t)q;
		drop = 0;
	} else {
		unsigned __int128 half = (unsigned __int128)1 << (drop - 1);
		unsigned __int128 low = q & (half * 2 - 1);
		uint64_t m = (uint64_t)(q >> drop);
		if (low > half || (low == half && (rest || (m & 1))))
			m++;
		result = (double)m;
	}
	result = ldexp(result, drop - 64);
	return n < 0 ? -result : result;
}

double tl_divide(int64_t n, int64_t d)
{
	const int64_t exact = (int64_t)1 << 53;

	return n > -exact && n < exact && d < exact ? (double)n / (double)d : divide_exactly(n, d);
}

double tl_parse_double(const char *s, char **end)
{
	locale_t c = tl_c_locale();

	return c ? strtod_l(s, end, c) : strtod(s, end);
}

/* As tl_parse_whole, for a text that begins like a number. */
static bool parse_whole_number(const char *s, size_t len, int64_t *value)
{
	char text[64];

	if (len >= sizeof text)
		return false;
	memcpy(text, s, len);
	text[len] = 0;
	if (strspn(text, "0123456789+-.eE") != len)
		return false;
	if (!strpbrk(text, ".eE") && len <= 18) {
		*value = strtoll(text, NULL, 10);
		return true;
	}
	double x = tl_parse_double(text, NULL);
	if (!(x > -9e15 && x < 9e15) || x != (double)(int64_t)x)
		return false;
	*value = (int64_t)x;
	return true;
}

bool tl_parse_whole(const char *s, size_t len, int64_t *value)
{
	bool yes = tl_text_is(s, len, "true");

	if (yes || tl_text_is(s, len, "false")) {
		*value = yes;
		return true;
	}
	return len && (*s == '-' || tl_is_digit(*s)) && parse_whole_number(s, len, value);
}

int tl_decimals(double x)
{
	return fabs(x) >= 99.95 ? 0 : fabs(x) >= 9.995 ? 1 : 2;
}

double tl_round_hundredths(double x)
{
	if (!(fabs(x) < 0x1p46)) /* doubles here are more than 0.01 apart */
		return x;
	double product = x * 100, n = nearbyint(product), cut_off = fma(x, 100, -product);

	/* no tie if x * 100 only became a half when it was rounded */
	if (product - n == 0.5 && cut_off > 0)
		n++;
	if (product - n == -0.5 && cut_off < 0)
		n--;
	return n / 100;
}

/* ---- the "C" locale --------------------------------------------------------------------- */

static locale_t c_locale;

static void make_c_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t tl_c_locale(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_c_locale);
	return c_locale;
}
