/* test_xlsx.c - numbers in workbooks: read from a sheet, printed for
 * libxlsxwriter. Linked with cmd/tl-xlsx/print.c, whose snprintf and fprintf
 * stand before the C library's; vsnprintf is that of the C library.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "tl.h"
#include "report/book.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(const char *what, bool ok)
{
	printf("%s %s\n", ok ? "ok" : "FAIL", what);
	failures += !ok;
}

static uint64_t state = 88172645463325252u;
static uint64_t random_bits(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static double from_bits(uint64_t bits)
{
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

/* ---- printing --------------------------------------------------------------- */

static int library(char *s, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int library(char *s, size_t size, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(s, size, format, args);
	va_end(args);
	return n;
}

static bool prints(double x)
{
	char ours[64], theirs[64];
	int n = snprintf(ours, sizeof ours, "<v>%.16G</v>", x);
	if (n == library(theirs, sizeof theirs, "<v>%.16G</v>", x) && !strcmp(ours, theirs))
		return true;
	printf("# %a: %s, not %s\n", x, ours, theirs);
	return false;
}

static void print_numbers(void)
{
	static const double some[] = { 0, -0.0, 1, -1, 0.5, 1e15, 1e16, 999999999999999, 9999999999999998, 0.1, 9.95, 1e-4, 1e-5,
	                               -1.5e-5, 9.999999999999999e-5, 99999.99999999999, 123456789012300.02, 1e22, 1e300, 5e-324,
	                               NAN, INFINITY, -INFINITY, 0x1p-37, 0x1p-40, 0x1.fffffffffffffp-37 };
	bool ok = true;
	for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
		ok &= prints(some[i]);
	check("numbers at the edges are printed as by the C library", ok);
	for (int e = -30; e < 30; e++)
		for (int n = -3; n < 4; n++) {
			double x = pow(10, e);
			uint64_t bits;
			memcpy(&bits, &x, sizeof bits);
			ok &= prints(from_bits(bits + (uint64_t)n));
		}
	check("powers of ten and their neighbours are", ok);
	for (int i = 0; i < 300000; i++) {
		uint64_t r = random_bits();
		ok &= prints(from_bits(r));
		ok &= prints(from_bits((r & ~(UINT64_C(0x7ff) << 52)) | (UINT64_C(980) + r % 100) << 52));
		ok &= prints((double)(r >> 20) / (double)(1 << (r & 15)));
		ok &= prints((double)(int64_t)(r % 2000000) / 1000);
	}
	check("random numbers are", ok);
}

static void print_texts(void)
{
	char ours[64], theirs[64], *written = NULL, longer[3000];
	size_t len;
	volatile size_t small = 6; /* unseen by the compiler's warnings */
	bool ok = snprintf(ours, small, "%s%d", "abc", 1234) == library(theirs, small, "%s%d", "abc", 1234) && !strcmp(ours, theirs);
	ok &= snprintf(ours, 8, "%s%d", "abc", 1234) == 7 && !strcmp(ours, "abc1234");
	ok &= snprintf(NULL, 0, "%s%d", "abc", 1234) == 7;
	check("a text without room is cut as by the C library", ok);
	ok = snprintf(ours, sizeof ours, "%d %d %d", 0, -2147483647 - 1, 2147483647) == 24 && !strcmp(ours, "0 -2147483648 2147483647");
	check("integers", ok);
	snprintf(ours, sizeof ours, "%5d|%-4s|%x|%%|%.3f|%zu", 42, "ab", 255u, 1.5, (size_t)7);
	check("other conversions are left to the C library", !strcmp(ours, "   42|ab  |ff|%|1.500|7"));
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	FILE *f = open_memstream(&written, &len);
	ok = f && fprintf(f, "<%s %d>", longer, 5) == (int)sizeof longer + 3 && fprintf(f, "<v>%.16G</v>", 0.25) == 11 && !fclose(f);
	ok = ok && len == sizeof longer + 14 && !memcmp(written + 1, longer, sizeof longer - 1) &&
	     !strcmp(written + sizeof longer, " 5><v>0.25</v>");
	check("texts of any length go into a file", ok);
	free(written);
}

/* ---- reading ------------------------------------------------------------------ */

static bool reads(const char *text)
{
	double x, y = strtod(text, NULL);
	return tl_book_number(text, strlen(text), &x) && !memcmp(&x, &y, sizeof x);
}

static bool is_text(const char *s)
{
	double x;
	return !tl_book_number(s, strlen(s), &x);
}

static void read_numbers(void)
{
	char text[64];
	bool ok = reads("0") && reads("-0.0") && reads("-0") && reads("0.000") && reads("1e5") && reads("1.5e-05") && reads("-1.25e+300") &&
	          reads("0.30000000000000004") && reads("9007199254740993.0") && reads("9007199254740992.9") && reads("5e-324") && reads("2e-324") &&
	          reads("0.0000000000000000001") && reads("18446744073709551615.5") && reads("1844674407370955161.5") &&
	          reads("99999999999999999999999.5") && reads("0.000000000000000000000012345678901234567890") && reads("1e999") &&
	          reads("1e99999999999999999999") && reads("1e-99999999999999999999") && reads("999999999999999");
	check("numbers at the edges have the C library's value", ok);
	ok = is_text("1000000000000000") && is_text("-") && is_text("01") && is_text("1.") && is_text(".5") && is_text("1e") &&
	     is_text("1e+") && is_text("+1") && is_text("1 ") && is_text("0x1") && is_text("nan") && is_text("1e5.0") && is_text("1,5");
	check("what is no number", ok);
	ok = true;
	for (int i = 0; i < 300000; i++) {
		uint64_t r = random_bits();
		text[tl_format_double(text, from_bits((r & ~(UINT64_C(0x7ff) << 52)) | (UINT64_C(950) + r % 150) << 52))] = '\0';
		ok &= reads(text);
		library(text, sizeof text, "%.*f", (int)(r % 17) + 1, (double)(r >> 30) / 3e6);
		ok &= reads(text);
		library(text, sizeof text, "%llu.%llu", (unsigned long long)(r % 10000), (unsigned long long)(random_bits() >> (r & 31)));
		ok &= reads(text);
		library(text, sizeof text, "%llue%d", (unsigned long long)(r >> (r & 63)), -(int)(r >> 59));
		ok &= reads(text);
	}
	check("random numbers have the C library's value", ok);
}

int main(void)
{
	print_numbers();
	print_texts();
	read_numbers();
	return failures != 0;
}
