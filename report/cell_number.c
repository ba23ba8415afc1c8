/* cell_number.c - the value of a decimal number in a sheet.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/book.h"

#include <math.h>
#include <string.h>

/* What a text says: digits * 10^exponent. */
struct decimal {
	uint64_t digits;
	size_t n_digits; /* without zeros in front */
	int64_t exponent;
	bool negative;
};

static size_t read_digits(struct decimal *d, const char *s, size_t len, size_t i)
{
	for (; i < len && (unsigned char)(s[i] - '0') < 10; i++) {
		d->digits = d->digits * 10 + (uint64_t)(s[i] - '0'); /* past 19 digits it is not used */
		d->n_digits += d->n_digits || s[i] != '0';
	}
	return i;
}

/* The exponent in s from i to its end; false if there is none. */
static bool read_exponent(struct decimal *d, const char *s, size_t len, size_t i)
{
	bool negative = i < len && s[i] == '-';
	int64_t e = 0;

	i += i < len && (s[i] == '+' || s[i] == '-');
	size_t from = i;
	for (; i < len && (unsigned char)(s[i] - '0') < 10; i++)
		if (e < 100000)
			e = e * 10 + (s[i] - '0');
	d->exponent += negative ? -e : e;
	return i == len && i > from;
}

/* Whether the text is a decimal number as sheets write them. Integers of more
 * than 15 digits are not taken: a workbook would lose their last ones. */
static bool read_decimal(struct decimal *d, const char *s, size_t len)
{
	size_t first = s[0] == '-' ? 1 : 0;

	*d = (struct decimal){ .negative = first };
	size_t i = read_digits(d, s, len, first);
	if (i == first || (s[first] == '0' && i > first + 1))
		return false;
	if (i == len)
		return i - first <= 15;
	if (s[i] == '.') {
		size_t from = i + 1;
		i = read_digits(d, s, len, from);
		if (i == from)
			return false;
		d->exponent = (int64_t)from - (int64_t)i;
	}
	return i == len || (s[i] == 'e' && read_exponent(d, s, len, i + 1));
}

static const uint64_t pow10[] = {
	UINT64_C(1), UINT64_C(10), UINT64_C(100), UINT64_C(1000), UINT64_C(10000), UINT64_C(100000),
	UINT64_C(1000000), UINT64_C(10000000), UINT64_C(100000000), UINT64_C(1000000000), UINT64_C(10000000000),
	UINT64_C(100000000000), UINT64_C(1000000000000), UINT64_C(10000000000000), UINT64_C(100000000000000),
	UINT64_C(1000000000000000), UINT64_C(10000000000000000), UINT64_C(100000000000000000),
	UINT64_C(1000000000000000000), UINT64_C(10000000000000000000),
};
#define POWERS (int)(sizeof pow10 / sizeof pow10[0])

/* n / 10^k to the nearest double. Both are moved to the left end of 64 bits,
 * so that the quotient has at least 62 bits, more than the 53 of a double and
 * the one behind them; the last bit stands for the rest. */
static double divided(uint64_t n, int k)
{
	int left = __builtin_clzll(n), right = __builtin_clzll(pow10[k]);
	uint64_t divisor = pow10[k] << right;
	unsigned __int128 dividend = (unsigned __int128)(n << left) << 62;
	uint64_t quotient = (uint64_t)(dividend / divisor);
	bool rest = dividend - (unsigned __int128)quotient * divisor != 0;

	return ldexp((double)(quotient | rest), right - left - 62);
}

/* The same for any number of digits, slower. */
static double by_parsing(const char *s, size_t len)
{
	char copy[64];

	if (len >= sizeof copy)
		return INFINITY;
	memcpy(copy, s, len);
	copy[len] = '\0';
	return tl_parse_double(copy, NULL);
}

bool tl_book_number(const char *s, size_t len, double *x)
{
	struct decimal d;

	if (!read_decimal(&d, s, len))
		return false;
	if (d.n_digits > 19 || d.exponent > 0 || -d.exponent >= POWERS)
		*x = by_parsing(s, len);
	else if (!d.digits)
		*x = d.negative ? -0.0 : 0.0;
	else
		*x = (d.negative ? -1 : 1) * (d.exponent ? divided(d.digits, (int)-d.exponent) : (double)d.digits);
	return true;
}
