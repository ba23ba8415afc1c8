/* print.c - formatted output as libxlsxwriter needs it, only faster.
 *
 * A workbook is some ten thousand calls of fprintf with short formats of %s,
 * %d and %.16G. The functions here stand before the C library's and do those;
 * every other call (other conversions, long texts, rare numbers) goes to
 * vfprintf or vsnprintf. Not a byte of the output differs.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#undef _FORTIFY_SOURCE /* no macros in place of the functions */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 1024

struct text {
	char s[LONGEST];
	size_t len;
};

static bool add(struct text *t, const char *s, size_t len)
{
	if (len > LONGEST - t->len)
		return false;
	memcpy(t->s + t->len, s, len);
	t->len += len;
	return true;
}

/* ---- numbers ---------------------------------------------------------------- */

static const char pairs[] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

/* The digits of x before `end`; returns the first one. */
static char *put_digits(char *end, uint64_t x)
{
	for (; x >= 100; x /= 100)
		memcpy(end -= 2, pairs + x % 100 * 2, 2);
	if (x >= 10)
		return memcpy(end - 2, pairs + x * 2, 2);
	*--end = (char)('0' + x);
	return end;
}

static bool add_int(struct text *t, int x)
{
	char buf[16], *end = buf + sizeof buf;
	char *s = put_digits(end, x < 0 ? -(uint64_t)x : (uint64_t)x);

	if (x < 0)
		*--s = '-';
	return add(t, s, (size_t)(end - s));
}

static const uint64_t pow5[] = {
	UINT64_C(1), UINT64_C(5), UINT64_C(25), UINT64_C(125), UINT64_C(625), UINT64_C(3125), UINT64_C(15625),
	UINT64_C(78125), UINT64_C(390625), UINT64_C(1953125), UINT64_C(9765625), UINT64_C(48828125),
	UINT64_C(244140625), UINT64_C(1220703125), UINT64_C(6103515625), UINT64_C(30517578125),
	UINT64_C(152587890625), UINT64_C(762939453125), UINT64_C(3814697265625), UINT64_C(19073486328125),
	UINT64_C(95367431640625), UINT64_C(476837158203125), UINT64_C(2384185791015625),
	UINT64_C(11920928955078125), UINT64_C(59604644775390625), UINT64_C(298023223876953125),
	UINT64_C(1490116119384765625), UINT64_C(7450580596923828125),
};
#define POWERS (int)(sizeof pow5 / sizeof pow5[0])

/* m * 2^q * 10^k to the nearest integer, ties to even; exact, as the product
 * of 53 and 63 bits fits into 128. The result is less than 2^64. */
static uint64_t scaled(uint64_t m, int q, int k)
{
	unsigned __int128 product = (unsigned __int128)m * pow5[k];
	int shift = -(q + k);

	if (shift <= 0)
		return (uint64_t)(product << -shift);
	if (shift > 120)
		return 0;
	uint64_t n = (uint64_t)(product >> shift);
	unsigned __int128 rest = product - ((unsigned __int128)n << shift), half = (unsigned __int128)1 << (shift - 1);
	return n + (rest > half || (rest == half && (n & 1)));
}

/* The 16 digits of x > 0 and the exponent of the first; false for the numbers
 * (very large or small ones) that the powers of five do not reach. */
static bool to_digits(double x, uint64_t *digits, int *exponent)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	int q = (int)(bits >> 52) - 1075;
	uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
	int e = ((q + 52) * 1262611) >> 22; /* floor(log10(2^(q + 52))): right or one too small */
	if (15 - e >= POWERS || e > 14)
		return false;
	uint64_t n = scaled(m, q, 15 - e);
	if (n >= UINT64_C(10000000000000000)) {
		e++;
		n = scaled(m, q, 15 - e);
	}
	if (n < UINT64_C(1000000000000000) || n >= UINT64_C(10000000000000000))
		return false;
	*digits = n;
	*exponent = e;
	return true;
}

/* As %.16G. */
static bool add_number(struct text *t, double x)
{
	char buf[48], digits[16], *p = buf;
	uint64_t n;
	int e;

	if (x < 0) {
		*p++ = '-';
		x = -x;
	}
	if (x < 1e15 && x == (double)(uint64_t)x && (x > 0 || !signbit(x))) {
		char *s = put_digits(buf + sizeof buf, (uint64_t)x);
		return add(t, buf, (size_t)(p - buf)) && add(t, s, (size_t)(buf + sizeof buf - s));
	}
	if (!(x > 0 && x < 1e15) || !to_digits(x, &n, &e))
		return false;
	put_digits(digits + sizeof digits, n);
	size_t len = sizeof digits, point = 1;
	while (digits[len - 1] == '0')
		len--;
	if (e >= 0) {
		point = (size_t)e + 1;
	} else if (e >= -4) {
		memcpy(p, "0.000", 5);
		p += 1 - e;
		point = 0;
	}
	if (point > len)
		return false; /* rounded to an integer */
	memcpy(p, digits, point);
	p += point;
	if (point && point < len)
		*p++ = '.';
	memcpy(p, digits + point, len - point);
	p += len - point;
	if (e < -4) {
		memcpy(p, "E-", 2);
		p[2] = (char)('0' + -e / 10);
		p[3] = (char)('0' + -e % 10);
		p += 4;
	}
	return add(t, buf, (size_t)(p - buf));
}

/* ---- formats ------------------------------------------------------------------ */

/* The conversion at `format`, which stands behind its '%'; *used becomes its
 * length. False for all that is left to the C library. */
static bool add_conversion(struct text *t, const char *format, va_list *args, size_t *used)
{
	*used = 1;
	if (*format == 's') {
		const char *s = va_arg(*args, const char *);
		return s && add(t, s, strlen(s));
	}
	if (*format == 'd')
		return add_int(t, va_arg(*args, int));
	if (strncmp(format, ".16G", 4))
		return false;
	*used = 4;
	return add_number(t, va_arg(*args, double));
}

static bool print(struct text *t, const char *format, va_list args)
{
	va_list at;
	bool done = true;

	t->len = 0;
	va_copy(at, args);
	while (done && *format) {
		size_t plain = (size_t)(strchrnul(format, '%') - format), used;
		done = add(t, format, plain);
		format += plain;
		if (done && *format) {
			done = add_conversion(t, ++format, &at, &used);
			format += used;
		}
	}
	va_end(at);
	return done;
}

static int to_file(FILE *f, const char *format, va_list args)
{
	struct text t;

	if (!print(&t, format, args))
		return vfprintf(f, format, args);
	return fwrite_unlocked(t.s, 1, t.len, f) == t.len ? (int)t.len : -1;
}

static int to_memory(char *s, size_t size, const char *format, va_list args)
{
	struct text t;

	if (!print(&t, format, args) || t.len >= size)
		return vsnprintf(s, size, format, args);
	memcpy(s, t.s, t.len);
	s[t.len] = '\0';
	return (int)t.len;
}

/* ---- the functions, and what they are called in a library built with
 * _FORTIFY_SOURCE ------------------------------------------------------------ */

int __fprintf_chk(FILE *, int, const char *, ...) __attribute__((format(printf, 3, 4)));
int __snprintf_chk(char *, size_t, int, size_t, const char *, ...) __attribute__((format(printf, 5, 6)));

int fprintf(FILE *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = to_file(f, format, args);
	va_end(args);
	return n;
}

int __fprintf_chk(FILE *f, int flag, const char *format, ...)
{
	va_list args;

	(void)flag;
	va_start(args, format);
	int n = to_file(f, format, args);
	va_end(args);
	return n;
}

int snprintf(char *s, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = to_memory(s, size, format, args);
	va_end(args);
	return n;
}

int __snprintf_chk(char *s, size_t size, int flag, size_t room, const char *format, ...)
{
	va_list args;

	(void)flag;
	va_start(args, format);
	int n = to_memory(s, size < room ? size : room, format, args);
	va_end(args);
	return n;
}
