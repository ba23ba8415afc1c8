/* check.c - the strict checker: strings, numbers, whole values, minified.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "json/scan.h"

#include <string.h>

/* The text ran out if the failure is at its end. */
static const char *fail(struct tl_json_scan *s, const char *at, const char *what)
{
	s->at = at;
	s->what = at >= s->end ? NULL : what;
	return NULL;
}

static inline void put(struct tl_buf *out, const char *p, size_t len)
{
	if (out && len)
		tl_buf_add(out, p, len);
}

/* ---- UTF-8 ------------------------------------------------------------------ */

/* Length of the well-formed sequence at p (within n bytes); or, negated, the
 * length of the longest start of one, at least 1. */
static int utf8_sequence(const unsigned char *p, size_t n)
{
	unsigned char lo = 0x80, hi = 0xbf;
	int need, i;

	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		need = 2;
	else if ((p[0] & 0xf0) == 0xe0)
		need = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		need = 4;
	else
		return -1;
	if (p[0] == 0xe0)
		lo = 0xa0;
	else if (p[0] == 0xed)
		hi = 0x9f;
	else if (p[0] == 0xf0)
		lo = 0x90;
	else if (p[0] == 0xf4)
		hi = 0x8f;
	for (i = 1; i < need; i++, lo = 0x80, hi = 0xbf)
		if ((size_t)i >= n || p[i] < lo || p[i] > hi)
			return -i;
	return need;
}

static bool is_ascii(const char *p, size_t len)
{
	uint64_t x, all = 0;
	size_t i;

	for (i = 0; i + 8 <= len; i += 8) {
		memcpy(&x, p + i, 8);
		all |= x;
	}
	for (; i < len; i++)
		all |= (uint64_t)(unsigned char)p[i];
	return !(all & 0x8080808080808080u);
}

/* Adds text, malformed sequences replaced by U+FFFD. */
static void put_text(struct tl_json_scan *s, const char *p, size_t len, struct tl_buf *out)
{
	size_t from = 0, i = 0;

	if (is_ascii(p, len)) {
		put(out, p, len);
		return;
	}
	while (i < len) {
		int n = utf8_sequence((const unsigned char *)p + i, len - i);

		if (n > 0) {
			i += (size_t)n;
			continue;
		}
		s->problems |= TL_JSON_UTF8;
		put(out, p + from, i - from);
		put(out, "\xef\xbf\xbd", 3);
		i += (size_t)-n;
		from = i;
	}
	put(out, p + from, len - from);
}

static void put_code_point(struct tl_buf *out, uint32_t c)
{
	char b[4];

	if (c < 0x80) {
		b[0] = (char)c;
		put(out, b, 1);
	} else if (c < 0x800) {
		b[0] = (char)(0xc0 | c >> 6);
		b[1] = (char)(0x80 | (c & 0x3f));
		put(out, b, 2);
	} else if (c < 0x10000) {
		b[0] = (char)(0xe0 | c >> 12);
		b[1] = (char)(0x80 | (c >> 6 & 0x3f));
		b[2] = (char)(0x80 | (c & 0x3f));
		put(out, b, 3);
	} else {
		b[0] = (char)(0xf0 | c >> 18);
		b[1] = (char)(0x80 | (c >> 12 & 0x3f));
		b[2] = (char)(0x80 | (c >> 6 & 0x3f));
		b[3] = (char)(0x80 | (c & 0x3f));
		put(out, b, 4);
	}
}

/* ---- strings ------------------------------------------------------------------ */

/* Four hex digits at p, or -1 with *bad at the first that is none. */
static int32_t hex4(const char *p, const char **bad)
{
	int32_t x = 0;

	for (int i = 0; i < 4; i++) {
		char c = p[i];

		if (c >= '0' && c <= '9')
			x = x << 4 | (c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			x = x << 4 | ((c | 0x20) - 'a' + 10);
		else {
			*bad = p + i;
			return -1;
		}
	}
	return x;
}

/* \uXXXX at p (the backslash), with its pair where it is one. With raw the
 * escape is kept as it stands. */
static const char *unicode_escape(struct tl_json_scan *s, const char *p, struct tl_buf *out, bool raw)
{
	const char *bad = p, *from = p;
	int32_t c = hex4(p + 2, &bad), d;

	if (c < 0)
		return fail(s, bad, "expected four hex digits after \\u");
	p += 6;
	if (c >= 0xd800 && c <= 0xdbff) {
		if (p >= s->end || (*p == '\\' && p + 1 >= s->end))
			return fail(s, s->end, NULL);
		if (p[0] == '\\' && p[1] == 'u') {
			d = hex4(p + 2, &bad);
			if (d < 0)
				return fail(s, bad, "expected four hex digits after \\u");
			if (d >= 0xdc00 && d <= 0xdfff) {
				c = 0x10000 + ((c - 0xd800) << 10) + (d - 0xdc00);
				p += 6;
			}
		}
	}
	if (c >= 0xd800 && c <= 0xdfff) {
		s->problems |= TL_JSON_SURROGATE;
		put(out, raw ? "\\ufffd" : "\xef\xbf\xbd", raw ? 6 : 3);
	} else if (raw) {
		put(out, from, (size_t)(p - from));
	} else if (out) {
		put_code_point(out, (uint32_t)c);
	}
	return p;
}

static const char *escape(struct tl_json_scan *s, const char *p, struct tl_buf *out, bool raw)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *f;

	if (p[1] == 'u')
		return unicode_escape(s, p, out, raw);
	f = p[1] ? strchr(from, p[1]) : NULL;
	if (!f)
		return fail(s, p + 1, "expected one of \"\\/bfnrtu after a backslash");
	if (raw)
		put(out, p, 2);
	else
		put(out, &to[f - from], 1);
	return p + 2;
}

/* p after the opening quote. raw: the text as JSON without its quotes, faults
 * repaired; else the text itself. */
static const char *string_body(struct tl_json_scan *s, const char *p, struct tl_buf *out, bool raw)
{
	const struct tl_json_ops *ops = tl_json_ops();

	for (;;) {
		const char *q = ops->string_stop(p);

		if (q >= s->end)
			return fail(s, s->end, NULL);
		put_text(s, p, (size_t)(q - p), out);
		if (*q == '"')
			return q + 1;
		if (*q == '\\') {
			p = escape(s, q, out, raw);
			if (!p)
				return NULL;
			continue;
		}
		s->problems |= TL_JSON_CONTROL;
		if (raw && out)
			tl_buf_addf(out, "\\u%04x", (unsigned)(unsigned char)*q);
		else
			put(out, q, 1);
		p = q + 1;
	}
}

const char *tl_json_string(struct tl_json_scan *s, const char *p, struct tl_buf *out)
{
	return string_body(s, p + 1, out, false);
}

/* ---- numbers and words ---------------------------------------------------------- */

static const char *word(struct tl_json_scan *s, const char *p, const char *text)
{
	size_t i = 0;

	while (text[i] && p[i] == text[i])
		i++;
	if (text[i])
		return fail(s, p + i, "expected a value");
	return p + i;
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

const char *tl_json_number(struct tl_json_scan *s, const char *p, bool *integer)
{
	*integer = false;
	if (*p == 'N')
		return word(s, p, "NaN");
	if (*p == '-')
		p++;
	if (*p == 'I')
		return word(s, p, "Infinity");
	if (!is_digit(*p))
		return fail(s, p, "expected a digit");
	*integer = true;
	if (*p == '0' && is_digit(p[1]))
		return fail(s, p + 1, "a number must not start with 0");
	while (is_digit(*p))
		p++;
	if (*p == '.') {
		*integer = false;
		if (!is_digit(*++p))
			return fail(s, p, "expected a digit after the decimal point");
		while (is_digit(*p))
			p++;
	}
	if ((*p | 0x20) == 'e') {
		*integer = false;
		p++;
		if (*p == '+' || *p == '-')
			p++;
		if (!is_digit(*p))
			return fail(s, p, "expected a digit in the exponent");
		while (is_digit(*p))
			p++;
	}
	return p < s->end ? p : fail(s, s->end, NULL); /* it may go on */
}

/* ---- values ----------------------------------------------------------------------- */

static const char *scalar(struct tl_json_scan *s, const char *p, struct tl_buf *out)
{
	const char *from = p;
	bool integer;

	switch (*p) {
	case '"':
		put(out, "\"", 1);
		p = string_body(s, p + 1, out, true);
		if (p)
			put(out, "\"", 1);
		return p;
	case 't': p = word(s, p, "true"); break;
	case 'f': p = word(s, p, "false"); break;
	case 'n': p = word(s, p, "null"); break;
	case '-': case 'N': case 'I':
	case '0': case '1': case '2': case '3': case '4':
	case '5': case '6': case '7': case '8': case '9':
		p = tl_json_number(s, p, &integer);
		break;
	default:
		return fail(s, p, "expected a value");
	}
	if (p)
		put(out, from, (size_t)(p - from));
	return p;
}

/* A member's name and its colon, p at the first byte that is no blank. */
static const char *member_name(struct tl_json_scan *s, const char *p, struct tl_buf *out)
{
	if (*p != '"')
		return fail(s, p, "expected a member name in quotes");
	p = scalar(s, p, out);
	if (!p)
		return NULL;
	p = tl_json_ops()->blanks(p);
	if (*p != ':')
		return fail(s, p, "expected ':'");
	put(out, ":", 1);
	return p + 1;
}

/* After a value in a list or object: its ends, then the next value's start. */
static const char *after_value(struct tl_json_scan *s, const char *p, struct tl_buf *out,
                               const uint64_t *objects, unsigned *depth)
{
	while (*depth) {
		bool object = objects[(*depth - 1) / 64] >> (*depth - 1) % 64 & 1;

		p = tl_json_ops()->blanks(p);
		if (*p == ',') {
			put(out, ",", 1);
			p = tl_json_ops()->blanks(p + 1);
			return object ? member_name(s, p, out) : p;
		}
		if (*p != (object ? '}' : ']'))
			return fail(s, p, object ? "expected ',' or '}'" : "expected ',' or ']'");
		put(out, p, 1);
		p++;
		--*depth;
	}
	return p;
}

const char *tl_json_value(struct tl_json_scan *s, const char *p, struct tl_buf *out)
{
	const struct tl_json_ops *ops = tl_json_ops();
	uint64_t objects[TL_JSON_MAX_DEPTH / 64] = { 0 };
	unsigned depth = 0;

	do {
		p = ops->blanks(p);
		if (*p == '[' || *p == '{') {
			bool object = *p == '{';

			if (depth == TL_JSON_MAX_DEPTH)
				return fail(s, p, "nested deeper than 512 levels");
			if (object)
				objects[depth / 64] |= (uint64_t)1 << depth % 64;
			else
				objects[depth / 64] &= ~((uint64_t)1 << depth % 64);
			put(out, p, 1);
			depth++;
			p = ops->blanks(p + 1);
			if (*p != (object ? '}' : ']')) {
				if (object && !(p = member_name(s, p, out)))
					return NULL;
				continue;
			}
			put(out, p, 1);
			p++;
			depth--;
		} else if (!(p = scalar(s, p, out))) {
			return NULL;
		}
		p = after_value(s, p, out, objects, &depth);
		if (!p)
			return NULL;
	} while (depth);
	return p;
}
