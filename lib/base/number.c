/* number.c - numbers as text: shortest round-trip doubles, integers.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/base.h"
#include "base/pow10.h"
#include "base/locale.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRACTION_BITS 52
#define FRACTION_MASK ((UINT64_C(1) << FRACTION_BITS) - 1)

static const char digit_pairs[201] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

/* value = digits * 10^exponent */
struct decimal {
	uint64_t digits;
	int exponent;
};

/* floor(x / 2^n) for negative x too. */
static int floor_shift(int x, int n)
{
	return x >= 0 ? x >> n : -((-x + (1 << n) - 1) >> n);
}

/* floor(log10(2^q)), or of 3/4 * 2^q; exact for |q| < 1500. */
static int floor_log10_pow2(int q, bool three_quarters)
{
	return floor_shift(q * 1262611 - (three_quarters ? 524031 : 0), 22);
}

/* floor(log2(10^e)), exact for |e| < 1200. */
static int floor_log2_pow10(int e)
{
	return floor_shift(e * 1741647, 19);
}

/* floor(g * x / 2^128) with the lowest bit set when anything was cut off, so
 * that later comparisons with exact halves come out right. */
static uint64_t multiply_sticky(uint64_t hi, uint64_t lo, uint64_t x)
{
	unsigned __int128 low = (unsigned __int128)lo * x;
	unsigned __int128 sum = (unsigned __int128)hi * x + (uint64_t)(low >> 64);
	return (uint64_t)(sum >> 64) | ((uint64_t)sum > 1);
}

/* Shortest decimal inside the rounding interval of c * 2^q, the nearest one to
 * it among those (R. Giulietti, "The Schubfach way to render doubles"). All
 * bounds are scaled by 4 * 10^-k, so that interval ends are integers. */
static struct decimal shortest(uint64_t c, int q, bool power_of_two)
{
	int k = floor_log10_pow2(q, power_of_two);
	int h = q + floor_log2_pow10(-k) + 1;
	uint64_t hi = pow10_table[-k - POW10_LOWEST].hi, lo = pow10_table[-k - POW10_LOWEST].lo;
	uint64_t odd = c & 1; /* ties go to even: an odd c excludes its ends */
	uint64_t lower = multiply_sticky(hi, lo, (4 * c - 2 + power_of_two) << h) + odd;
	uint64_t value = multiply_sticky(hi, lo, (4 * c) << h);
	uint64_t upper = multiply_sticky(hi, lo, (4 * c + 2) << h) - odd;
	uint64_t s = value / 4;

	if (s >= 10) {
		uint64_t tens = s / 10;
		bool down_in = lower <= 40 * tens, up_in = 40 * tens + 40 <= upper;
		if (down_in != up_in)
			return (struct decimal){ tens + up_in, k + 1 };
	}
	bool down_in = lower <= 4 * s, up_in = 4 * s + 4 <= upper;
	if (down_in != up_in)
		return (struct decimal){ s + up_in, k };
	uint64_t middle = 4 * s + 2;
	return (struct decimal){ s + (value > middle || (value == middle && (s & 1))), k };
}

static struct decimal to_decimal(uint64_t fraction, int biased)
{
	uint64_t c = biased ? fraction | UINT64_C(1) << FRACTION_BITS : fraction;
	int q = (biased ? biased : 1) - 1023 - FRACTION_BITS;

	if (q <= 0 && q > -53 && (c & ((UINT64_C(1) << -q) - 1)) == 0)
		return (struct decimal){ c >> -q, 0 }; /* an integer below 2^53 */
	return shortest(c, q, fraction == 0 && biased > 1);
}

static void strip_zeros(struct decimal *d)
{
	if (d->digits % 10) /* nearly always */
		return;
	while (d->digits % 100000000 == 0)
		d->digits /= 100000000, d->exponent += 8;
	if (d->digits % 10000 == 0)
		d->digits /= 10000, d->exponent += 4;
	if (d->digits % 100 == 0)
		d->digits /= 100, d->exponent += 2;
	if (d->digits % 10 == 0)
		d->digits /= 10, d->exponent++;
}

/* Writes the digits so that they end before `end`; returns their start. */
static char *digits_before(char *end, uint64_t x)
{
	while (x >= 100000000) { /* eight digits at a time in 32 bits */
		uint32_t low = (uint32_t)(x % 100000000), high = low / 10000;
		x /= 100000000;
		low %= 10000;
		end -= 8;
		memcpy(end + 6, digit_pairs + 2 * (low % 100), 2);
		memcpy(end + 4, digit_pairs + 2 * (low / 100), 2);
		memcpy(end + 2, digit_pairs + 2 * (high % 100), 2);
		memcpy(end, digit_pairs + 2 * (high / 100), 2);
	}
	uint32_t rest = (uint32_t)x;
	for (; rest >= 100; rest /= 100) {
		end -= 2;
		memcpy(end, digit_pairs + 2 * (rest % 100), 2);
	}
	if (rest >= 10) {
		end -= 2;
		memcpy(end, digit_pairs + 2 * rest, 2);
	} else {
		*--end = (char)('0' + rest);
	}
	return end;
}

/* One digit, point, the others, exponent of at least two digits. */
static char *put_scientific(char *p, const char *digits, int n, int exponent)
{
	*p++ = digits[0];
	if (n > 1) {
		*p++ = '.';
		memcpy(p, digits + 1, (size_t)n - 1);
		p += n - 1;
	}
	*p++ = 'e';
	*p++ = exponent < 0 ? '-' : '+';
	unsigned e = (unsigned)(exponent < 0 ? -exponent : exponent);
	if (e >= 100)
		*p++ = (char)('0' + e / 100);
	memcpy(p, digit_pairs + 2 * (e % 100), 2);
	return p + 2;
}

enum { DIGITS = 17, DIGITS_ROOM = 48 }; /* the most there are; where they stand there is more to read */

/* `point`: digits before the decimal point, may be negative or exceed n. What
 * is copied is as long as it can be at most: known lengths need no call. */
static char *put_fixed(char *p, const char *digits, int n, int point)
{
	if (point <= 0) {
		memcpy(p, "0.000", 5);
		p += 2 - point;
		memcpy(p, digits, DIGITS);
		return p + n;
	}
	memcpy(p, digits, DIGITS);
	if (point >= n) {
		memset(p + n, '0', (size_t)(point - n));
		memcpy(p + point, ".0", 2);
		return p + point + 2;
	}
	p[point] = '.';
	memcpy(p + point + 1, digits + point, DIGITS);
	return p + n + 1;
}

size_t tl_format_double(char *buf, double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	uint64_t fraction = bits & FRACTION_MASK;
	int biased = (int)(bits >> FRACTION_BITS & 0x7ff);
	bool negative = bits >> 63;
	char *p = buf;

	if (biased == 0x7ff && fraction)
		return memcpy(buf, "nan", 4), 3;
	if (negative)
		*p++ = '-';
	if (biased == 0x7ff) {
		memcpy(p, "inf", 4);
		return (size_t)(p - buf) + 3;
	}
	if (biased == 0 && fraction == 0) {
		memcpy(p, "0.0", 4);
		return (size_t)(p - buf) + 3;
	}
	struct decimal d = to_decimal(fraction, biased);
	strip_zeros(&d);
	char text[DIGITS_ROOM] = { 0 };
	char *digits = digits_before(text + 20, d.digits);
	int n = (int)(text + 20 - digits);
	int point = n + d.exponent;
	if (point > -4 && point <= 16)
		p = put_fixed(p, digits, n, point);
	else
		p = put_scientific(p, digits, n, point - 1);
	*p = '\0';
	return (size_t)(p - buf);
}

size_t tl_format_double_memo(struct tl_double_memo *memo, char *buf, double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	size_t at = tl_hash_u64(bits) % (sizeof memo->known / sizeof *memo->known);
	if (memo->known[at].bits != bits || !memo->known[at].len) {
		memo->known[at].bits = bits;
		memo->known[at].len = (uint32_t)tl_format_double(memo->known[at].text, x);
	}
	memcpy(buf, memo->known[at].text, TL_DOUBLE_TEXT);
	return memo->known[at].len;
}

size_t tl_format_int(char *buf, int64_t x)
{
	char text[24];
	char *end = text + sizeof text;
	char *start = digits_before(end, x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
	if (x < 0)
		*--start = '-';
	size_t n = (size_t)(end - start);
	memcpy(buf, start, n);
	buf[n] = '\0';
	return n;
}

/* ---- in the "C" locale -------------------------------------------------------- */

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

double tl_parse_double(const char *s, char **end)
{
	locale_t c = tl_c_locale();

	return c ? strtod_l(s, end, c) : strtod(s, end);
}

static double round_by_text(double x)
{
	char text[400]; /* the largest double has 309 digits before the point */
	locale_t old = uselocale(tl_c_locale());

	snprintf(text, sizeof text, "%.2f", x);
	x = strtod(text, NULL);
	uselocale(old);
	return x;
}

double tl_round_hundredths(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	int biased = (int)(bits >> FRACTION_BITS & 0x7ff);
	int q = 1023 + FRACTION_BITS - biased; /* |x| = significand / 2^q, unless subnormal */

	if (q < 8) /* 2^45 and more: the hundredths may not fit into a double */
		return round_by_text(x);
	if (q > 60) /* below 2^60 / 2^61, half a hundredth */
		return bits >> 63 ? -0.0 : 0.0;
	uint64_t c = ((bits & FRACTION_MASK) | UINT64_C(1) << FRACTION_BITS) * 100; /* below 2^60 */
	uint64_t n = c >> q, rest = c & ((UINT64_C(1) << q) - 1), half = UINT64_C(1) << (q - 1);
	n += rest > half || (rest == half && (n & 1));
	return (bits >> 63 ? -1.0 : 1.0) * ((double)n / 100);
}
