/* utf8.c - code points to UTF-8 and back; input may be malformed.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/utf8.h"

uint32_t tl_utf8_decode(const char *text, size_t len, size_t *used)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned char c = s[0];
	unsigned char low = 0x80, high = 0xbf; /* range of the second byte */
	unsigned more;

	*used = 1;
	if (c < 0x80)
		return c;
	if (c >= 0xc2 && c <= 0xdf)
		more = 1;
	else if (c >= 0xe0 && c <= 0xef)
		more = 2;
	else if (c >= 0xf0 && c <= 0xf4)
		more = 3;
	else
		return TL_UTF8_MALFORMED;
	if (c == 0xe0) low = 0xa0;
	if (c == 0xed) high = 0x9f; /* no surrogates */
	if (c == 0xf0) low = 0x90;
	if (c == 0xf4) high = 0x8f;
	uint32_t point = c & (0x3fu >> more);
	for (; more; more--, low = 0x80, high = 0xbf) {
		if (*used >= len || s[*used] < low || s[*used] > high)
			return TL_UTF8_MALFORMED;
		point = point << 6 | (s[(*used)++] & 0x3fu);
	}
	return point;
}

size_t tl_utf8_count(const char *s, size_t len)
{
	size_t n = 0, used;

	for (size_t i = 0; i < len; i += used, n++)
		tl_utf8_decode(s + i, len - i, &used);
	return n;
}

/* How many columns letters take that do not take one. */
static const struct { uint32_t first, last; uint8_t width; } widths[] = {
	{ 0x300, 0x36f, 0 }, { 0x1100, 0x115f, 2 }, { 0x200b, 0x200f, 0 }, { 0x20d0, 0x20ff, 0 }, { 0x2e80, 0xa4cf, 2 }, { 0xac00, 0xd7a3, 2 },
	{ 0xf900, 0xfaff, 2 }, { 0xfe00, 0xfe0f, 0 }, { 0xfe30, 0xfe6f, 2 }, { 0xff00, 0xff60, 2 }, { 0xffe0, 0xffe6, 2 },
	{ 0x1f300, 0x1f64f, 2 }, { 0x1f680, 0x1f6ff, 2 }, { 0x1f900, 0x1faff, 2 }, { 0x20000, 0x3fffd, 2 },
};

static size_t width_of(uint32_t c)
{
	for (size_t i = 0; c >= widths[0].first && i < sizeof widths / sizeof *widths; i++)
		if (c >= widths[i].first && c <= widths[i].last)
			return widths[i].width;
	return 1;
}

size_t tl_utf8_width(const char *s, size_t len)
{
	size_t n = 0, used;

	for (size_t i = 0; i < len; i += used)
		n += width_of(tl_utf8_decode(s + i, len - i, &used));
	return n;
}

size_t tl_utf8_fit(const char *s, size_t len, size_t width)
{
	size_t i = 0, used;

	for (size_t n = 0; i < len; i += used) {
		n += width_of(tl_utf8_decode(s + i, len - i, &used));
		if (n > width)
			break;
	}
	return i;
}

void tl_buf_add_utf8(struct tl_buf *out, const char *s, size_t len)
{
	size_t used, from = 0, i = 0;

	for (; i < len; i += used) {
		used = 1;
		if ((unsigned char)s[i] >= 0x80 && tl_utf8_decode(s + i, len - i, &used) == TL_UTF8_MALFORMED) {
			tl_buf_add(out, s + from, i - from);
			tl_buf_adds(out, "\xef\xbf\xbd");
			from = i + used;
		}
	}
	tl_buf_add(out, s + from, len - from);
}

size_t tl_utf8_encode(char *p, uint32_t c)
{
	if (c < 0x80) {
		p[0] = (char)c;
		return 1;
	}
	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		p[i] = (char)(0x80 | (c & 0x3f));
	p[0] = (char)(0xf00 >> n | c); /* n ones, a zero, what is left of the code point */
	return n;
}

void tl_mask_controls(char *text)
{
	for (unsigned char *p = (unsigned char *)text; *p; p++)
		if (*p < 0x20 || *p == 0x7f)
			*p = '?';
}

size_t tl_buf_add_shown(struct tl_buf *b, const char *s, size_t len)
{
	size_t n = 0, used;

	for (size_t i = 0; i < len; i += used, n++) {
		uint32_t ch = tl_utf8_decode(s + i, len - i, &used);
		char utf8[4];
		if (ch < 0x20 || (ch >= 0x7f && ch < 0xa0))
			ch = '?';
		tl_buf_add(b, utf8, tl_utf8_encode(utf8, ch == TL_UTF8_MALFORMED ? 0xfffd : ch));
	}
	return n;
}
