/* escape.c - escapes that keep a text on one line and in one column.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/escape.h"

/* Bytes that get an escape: 1 anywhere, 2 in a key only. */
static const uint8_t special[256] = {
	[0x00] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	[0x10] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	['\\'] = 1, [0x7f] = 1, [':'] = 2, ['='] = 2,
};

static void escape_byte(struct tl_buf *b, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	tl_buf_addc(b, '\\');
	switch (c) {
	case '\t': tl_buf_addc(b, 't'); break;
	case '\n': tl_buf_addc(b, 'n'); break;
	case '\r': tl_buf_addc(b, 'r'); break;
	default:
		if (c >= 0x20 && c != 0x7f) {
			tl_buf_addc(b, (char)c);
			break;
		}
		tl_buf_addc(b, 'x');
		tl_buf_addc(b, hex[c >> 4]);
		tl_buf_addc(b, hex[c & 15]);
	}
}

static void escape(struct tl_buf *b, const char *s, size_t len, uint8_t which)
{
	size_t from = 0;

	for (size_t i = 0; i < len; i++) {
		if (!(special[(unsigned char)s[i]] & which))
			continue;
		tl_buf_add(b, s + from, i - from);
		escape_byte(b, (unsigned char)s[i]);
		from = i + 1;
	}
	tl_buf_add(b, s + from, len - from);
}

void tl_escape(struct tl_buf *b, const char *s, size_t len)
{
	escape(b, s, len, 1);
}

void tl_escape_key(struct tl_buf *b, const char *s, size_t len)
{
	escape(b, s, len, 3);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The byte that the escape at s stands for, -1 if it has no meaning; *used is the
 * length of the escape. */
static int unescape_byte(const char *s, size_t len, size_t *used)
{
	int hi, lo;

	*used = 2;
	if (len < 2)
		return -1;
	switch (s[1]) {
	case 't': return '\t';
	case 'n': return '\n';
	case 'r': return '\r';
	case '\\': case ':': case '=': return s[1];
	case 'x':
		*used = 4;
		if (len < 4)
			return -1;
		hi = hex_digit(s[2]);
		lo = hex_digit(s[3]);
		return hi < 0 || lo < 0 ? -1 : hi << 4 | lo;
	}
	return -1;
}

int64_t tl_unescape(char *s, size_t len, size_t *at)
{
	const char *first = memchr(s, '\\', len);
	size_t from, to, used;

	if (!first)
		return (int64_t)len;
	for (from = to = (size_t)(first - s); from < len; from += used) {
		int c = (unsigned char)s[from];

		used = 1;
		if (c == '\\')
			c = unescape_byte(s + from, len - from, &used);
		if (c < 0) {
			*at = from;
			return -1;
		}
		s[to++] = (char)c;
	}
	return (int64_t)to;
}

void tl_add_shell_word(struct tl_buf *b, const char *s)
{
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./=,:@%+";

	if (*s && strspn(s, safe) == strlen(s)) {
		tl_buf_adds(b, s);
		return;
	}
	tl_buf_addc(b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			tl_buf_adds(b, "'\\''");
		else
			tl_buf_addc(b, *s);
	tl_buf_addc(b, '\'');
}
