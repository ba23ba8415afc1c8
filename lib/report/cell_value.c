/* cell_value.c - what a field of a sheet becomes in a workbook: a number or text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/cell_value.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

#define MAX_DIGITS 15 /* a double keeps every integer of so many digits */
#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
#define ELLIPSIS "\xe2\x80\xa6"

/* ---- numbers ---------------------------------------------------------------- */

static const char *skip_digits(const char *s)
{
	while (*s >= '0' && *s <= '9')
		s++;
	return s;
}

static bool is_decimal(const char *s)
{
	const char *integer = s + (*s == '-'), *end = skip_digits(integer), *from;

	if (end == integer || (*integer == '0' && end > integer + 1))
		return false;
	if (!*end)
		return end - integer <= MAX_DIGITS;
	if (*end == '.') {
		from = end + 1;
		end = skip_digits(from);
		if (end == from)
			return false;
	}
	if (*end == 'e') {
		from = end + 1 + (end[1] == '-' || end[1] == '+');
		end = skip_digits(from);
		if (end == from)
			return false;
	}
	return !*end;
}

bool tl_xlsx_number(const char *field, size_t len, double *value)
{
	char s[64]; /* no sheet has longer numbers */

	if (len >= sizeof s || memchr(field, '\0', len))
		return false;
	memcpy(s, field, len);
	s[len] = '\0';
	if (!is_decimal(s))
		return false;
	*value = tl_parse_double(s, NULL);
	return isfinite(*value);
}

/* ---- text ------------------------------------------------------------------- */

static bool is_ascii(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!s[i] || (unsigned char)s[i] > 0x7f)
			return false;
	return true;
}

size_t tl_xlsx_text(struct tl_buf *text, const char *field, size_t len, size_t max_units, bool *cut)
{
	size_t units = 0, used = 0, n = 0;
	size_t room = 0; /* length of the longest text that leaves a unit for the ellipsis */

	tl_buf_clear(text);
	*cut = false;
	if (len <= max_units && is_ascii(field, len)) { /* most texts */
		tl_buf_add(text, field, len);
		return len;
	}
	for (size_t i = 0; i < len; i += used, n++) {
		uint32_t c = tl_utf8_decode(field + i, len - i, &used);
		units += tl_utf16_units(c);
		if (units > max_units) {
			text->len = room;
			tl_buf_adds(text, ELLIPSIS);
			*cut = true;
			return n;
		}
		if (c == TL_UTF8_MALFORMED || c == 0 || c == 0xfffe || c == 0xffff)
			tl_buf_adds(text, REPLACEMENT);
		else
			tl_buf_add(text, field + i, used);
		if (units < max_units)
			room = text->len;
	}
	return n;
}

void tl_xlsx_mask(struct tl_buf *text)
{
	for (size_t i = 0; i < text->len; i++)
		if ((unsigned char)text->data[i] < 0x20 || text->data[i] == 0x7f)
			text->data[i] = '?';
}
