/* python_text.c - values as Python prints them, integers as Python reads them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/utf8.h"
#include "json/value.h"
#include "json/unprintable.h"

#include <math.h>
#include <string.h>

/* ---- printable or not --------------------------------------------------- */

static bool is_printable(uint32_t c)
{
	size_t a = 0, b = sizeof unprintable / sizeof *unprintable;

	if (c < 0x80)
		return c >= 0x20 && c != 0x7f;
	while (a < b) {
		size_t m = (a + b) / 2;

		if (c > unprintable[m][1])
			a = m + 1;
		else
			b = m;
	}
	return a == sizeof unprintable / sizeof *unprintable || c < unprintable[a][0];
}

/* ---- repr ----------------------------------------------------------------- */

static void add_escaped(struct tl_buf *b, uint32_t c)
{
	switch (c) {
	case '\n': tl_buf_adds(b, "\\n"); return;
	case '\r': tl_buf_adds(b, "\\r"); return;
	case '\t': tl_buf_adds(b, "\\t"); return;
	}
	tl_buf_addf(b, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
}

/* Bytes at s that repr copies as they are. */
static size_t plain_run(const char *s, size_t len, char quote)
{
	size_t n = 0;

	while (n < len && (unsigned char)(s[n] - 0x20) < 0x5f && s[n] != quote && s[n] != '\\')
		n++;
	return n;
}

void tl_repr_text(struct tl_buf *b, const char *s, size_t len)
{
	char quote = len && memchr(s, '\'', len) && !memchr(s, '"', len) ? '"' : '\'';

	tl_buf_addc(b, quote);
	while (len) {
		size_t used = plain_run(s, len, quote);
		if (used) {
			tl_buf_add(b, s, used);
		} else {
			uint32_t c = tl_utf8_decode(s, len, &used);
			if (c == TL_UTF8_MALFORMED)
				tl_buf_adds(b, "\xef\xbf\xbd");
			else if (c == (unsigned char)quote || c == '\\')
				tl_buf_addc(b, '\\'), tl_buf_addc(b, (char)c);
			else if (is_printable(c))
				tl_buf_add(b, s, used);
			else
				add_escaped(b, c);
		}
		s += used;
		len -= used;
	}
	tl_buf_addc(b, quote);
}

static void repr_items(struct tl_buf *b, const struct tl_value *v, bool tuples)
{
	bool tuple = v->type == TL_V_TUPLE || (v->type == TL_V_LIST && tuples);

	tl_buf_addc(b, tuple ? '(' : '[');
	for (uint32_t i = 0; i < v->len; i++) {
		if (i)
			tl_buf_add(b, ", ", 2);
		tl_value_repr(b, &v->items[i], tuples);
	}
	if (tuple && v->len == 1)
		tl_buf_addc(b, ',');
	tl_buf_addc(b, tuple ? ')' : ']');
}

static void repr_dict(struct tl_buf *b, const struct tl_value *v, bool tuples)
{
	tl_buf_addc(b, '{');
	for (uint32_t i = 0; i + 1 < v->len; i += 2) {
		if (i)
			tl_buf_add(b, ", ", 2);
		tl_value_repr(b, &v->items[i], tuples);
		tl_buf_add(b, ": ", 2);
		tl_value_repr(b, &v->items[i + 1], tuples);
	}
	tl_buf_addc(b, '}');
}

void tl_value_repr(struct tl_buf *b, const struct tl_value *v, bool lists_as_tuples)
{
	char text[48];

	switch (v->type) {
	case TL_V_NULL: tl_buf_adds(b, "None"); break;
	case TL_V_BOOL: tl_buf_adds(b, v->b ? "True" : "False"); break;
	case TL_V_INT: tl_buf_add(b, text, tl_format_i128(text, v->i)); break;
	case TL_V_REAL:
		if (v->big)
			tl_buf_adds(b, v->big);
		else
			tl_buf_add(b, text, tl_format_double(text, v->d));
		break;
	case TL_V_TEXT: tl_repr_text(b, v->text, v->len); break;
	case TL_V_LIST:
	case TL_V_TUPLE: repr_items(b, v, lists_as_tuples); break;
	case TL_V_DICT: repr_dict(b, v, lists_as_tuples); break;
	}
}

void tl_value_str(struct tl_buf *b, const struct tl_value *v, bool lists_as_tuples)
{
	if (v->type == TL_V_TEXT)
		tl_buf_add(b, v->text, v->len);
	else
		tl_value_repr(b, v, lists_as_tuples);
}

/* ---- integers --------------------------------------------------------------- */

size_t tl_format_i128(char *buf, __int128 x)
{
	if (x >= INT64_MIN && x <= INT64_MAX)
		return tl_format_int(buf, (int64_t)x);
	char text[48];
	char *end = text + sizeof text, *p = end;
	unsigned __int128 u = x < 0 ? 0 - (unsigned __int128)x : (unsigned __int128)x;
	while (u) {
		*--p = (char)('0' + (int)(u % 10));
		u /= 10;
	}
	if (x < 0)
		*--p = '-';
	size_t n = (size_t)(end - p);
	memcpy(buf, p, n);
	buf[n] = '\0';
	return n;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}

bool tl_parse_pyint(const char *s, size_t len, __int128 *out)
{
	while (len && is_blank(s[0]))
		s++, len--;
	while (len && is_blank(s[len - 1]))
		len--;
	bool negative = len && s[0] == '-';
	if (len && (s[0] == '-' || s[0] == '+'))
		s++, len--;

	__int128 x = 0; /* kept negative: that side reaches one further */
	bool digit_before = false;
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '_' && digit_before && i + 1 < len) {
			digit_before = false;
			continue;
		}
		if (s[i] < '0' || s[i] > '9')
			return false;
		digit_before = true;
		if (__builtin_mul_overflow(x, (__int128)10, &x) ||
		    __builtin_sub_overflow(x, (__int128)(s[i] - '0'), &x))
			return false;
	}
	if (!digit_before || (!negative && __builtin_sub_overflow((__int128)0, x, &x)))
		return false;
	*out = x;
	return true;
}
