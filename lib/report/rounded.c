/* rounded.c - numbers and texts as people read them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/bare_name.h"
#include "base/text.h"
#include "base/utf8.h"
#include "report/rounded.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct step { double size; const char *suffix; };
static const struct step times[] = { { 1e9, " s" }, { 1e6, " ms" }, { 1e3, " µs" }, { 1, " ns" } };
static const struct step amounts[] = { { 1e12, " TB" }, { 1e9, " GB" }, { 1e6, " MB" }, { 1e3, " kB" }, { 1, " B" } };

void tl_number_range_add(struct tl_number_range *r, double x)
{
	r->largest = fmax(r->largest, fabs(x));
	r->fractions |= x != floor(x);
}

/* Decimals with which the largest number has about four digits. */
static int decimals_for(double largest)
{
	return largest < 10 ? 3 : largest < 100 ? 2 : 1;
}

/* unit: what 1 in the sheet is, in the size of the last step. The largest number becomes 2 at
 * least: 1,078.3 ms leave more of small ones than 1.078 s. */
static struct tl_rounding in_steps(const struct step *steps, size_t n, double unit, const struct tl_number_range *r)
{
	size_t i = 0;

	while (i + 1 < n && r->largest * unit < 2 * steps[i].size)
		i++;
	struct tl_rounding to = { .scale = unit / steps[i].size, .suffix = steps[i].suffix, .thousands = true };
	if (r->fractions || to.scale != 1)
		to.decimals = decimals_for(r->largest * to.scale);
	return to;
}

#define IN_STEPS(steps, unit, r) in_steps(steps, sizeof steps / sizeof *steps, unit, r)

struct tl_rounding tl_rounding_for(enum tl_unit unit, const struct tl_number_range *r)
{
	switch (unit) {
	case TL_UNIT_NS: return IN_STEPS(times, 1, r);
	case TL_UNIT_US: return IN_STEPS(times, 1e3, r);
	case TL_UNIT_MS: return IN_STEPS(times, 1e6, r);
	case TL_UNIT_BYTES: return IN_STEPS(amounts, 1, r);
	case TL_UNIT_PERCENT: return (struct tl_rounding){ .scale = 1, .suffix = " %", .decimals = 2 };
	case TL_UNIT_COUNT: return (struct tl_rounding){ .scale = 1, .suffix = "", .decimals = r->fractions, .thousands = true };
	default: break;
	}
	return (struct tl_rounding){ .scale = 1, .suffix = "", .decimals = -1, .as_written = !r->fractions };
}

/* Adds digits with a comma before each group of three that has digits before it. */
static void add_thousands(struct tl_buf *b, const char *number)
{
	size_t whole = strspn(number, "-0123456789"), digits = whole - (*number == '-');

	for (size_t i = 0; number[i]; i++) {
		size_t left = whole - i;
		if (i < whole && left % 3 == 0 && left < digits)
			tl_buf_addc(b, ',');
		tl_buf_addc(b, number[i]);
	}
}

static void add_significant(struct tl_buf *b, double x)
{
	double size = fabs(x);
	int decimals = x == 0 ? 0 : 3 - (int)floor(log10(size));

	if (x != 0 && (size < 1e-3 || size >= 1e15))
		tl_buf_addf(b, "%.3e", x);
	else
		tl_buf_addf(b, "%.*f", decimals < 0 ? 0 : decimals, x);
}

static void add_decimals(struct tl_buf *b, const struct tl_rounding *r, double x)
{
	double least = pow(10, -r->decimals);
	struct tl_buf digits = { 0 };

	if (x != 0 && fabs(x) < least / 2) {
		tl_buf_addf(b, x > 0 ? "<%.*f" : ">-%.*f", r->decimals, least);
		return;
	}
	tl_buf_addf(&digits, "%.*f", r->decimals, x);
	if (r->thousands)
		add_thousands(b, digits.data);
	else
		tl_buf_add(b, digits.data, digits.len);
	tl_buf_release(&digits);
}

void tl_add_rounded(struct tl_buf *b, const struct tl_rounding *r, double x, const char *text, size_t len)
{
	if (r->as_written)
		tl_buf_add(b, text, len);
	else if (r->decimals < 0)
		add_significant(b, x * r->scale);
	else
		add_decimals(b, r, x * r->scale);
	tl_buf_adds(b, r->suffix);
}

/* Adds a text (well-formed UTF-8) that takes `chars` columns of a terminal in at most `width` of them. It is cut in the middle, with
 * an ellipsis: names differ at both ends. */
static void add_cut(struct tl_buf *b, const char *s, size_t len, size_t chars, size_t width)
{
	if (chars <= width) {
		tl_buf_add(b, s, len);
		return;
	}
	size_t tail = (width - 1) / 3, head = width - 1 - tail, skip = tl_utf8_fit(s, len, chars - tail);

	skip += tl_utf8_width(s + skip, len - skip) > tail ? tl_utf8_fit(s + skip, len - skip, 2) : 0; /* half a wide letter */
	tl_buf_add(b, s, tl_utf8_fit(s, len, head));
	tl_buf_adds(b, "…");
	tl_buf_add(b, s + skip, len - skip);
}

/* ---- long names in little room: what says least of a name goes first ----------------------- */

#define BEFORE 4 /* letters in front of what differs */

void tl_add_short_name(struct tl_buf *to, const char *s, size_t len, size_t width)
{
	struct tl_buf bare = { 0 };
	size_t used = tl_utf8_width(s, len), inside = 0;

	if (used > width) {
		tl_add_bare_name(&bare, s, len);
		s = tl_buf_text(&bare);
		len = bare.len;
		used = tl_utf8_width(s, len);
	}
	const char *open = memchr(s, '<', len), *close = open ? memrchr(s, '>', len) : NULL;
	if (close > open)
		inside = tl_utf8_width(open + 1, (size_t)(close - open) - 1);
	if (inside && used - inside < width) {
		tl_buf_add(to, s, (size_t)(open - s) + 1);
		add_cut(to, open + 1, (size_t)(close - open) - 1, inside, inside + width - used);
		tl_buf_add(to, close, (size_t)(s + len - close));
	} else {
		add_cut(to, s, len, used, width);
	}
	tl_buf_release(&bare);
}

void tl_add_difference(struct tl_buf *to, const char *s, size_t len, size_t prefix, size_t width)
{
	size_t head = width / 3, room = width - head - 2, from = prefix;
	struct tl_buf name = { 0 };

	while (from && ((s[from] & 0xc0) == 0x80 || from + BEFORE > prefix || tl_utf8_width(s + from, len - from) < room))
		from--;
	size_t n = tl_utf8_fit(s + from, len - from, from ? room : width - 1);
	tl_add_short_name(&name, s, len, width);
	tl_buf_add(to, name.data, from ? tl_utf8_fit(name.data, name.len, head) : 0);
	tl_buf_adds(to, from ? "…" : "");
	tl_buf_add(to, s + from, n);
	tl_buf_adds(to, from + n < len ? "…" : "");
	tl_buf_release(&name);
}
