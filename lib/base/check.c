/* check.c - the strict checker: strings and whole values, without their blanks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/check.h"

#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "base/scan.h"

/* `what` stays NULL at the end of the text: nothing is wrong but that the text ends. */
static const char *fail(struct tl_json_text *t, const char *at, const char *what)
{
	t->at = at;
	t->what = at >= t->end ? NULL : what;
	return NULL;
}

static inline void put(struct tl_buf *out, const char *p, size_t len)
{
	if (out && len == 1)
		tl_buf_addc(out, *p);
	else if (out && len)
		tl_buf_add(out, p, len);
}

/* ---- strings ------------------------------------------------------------------ */

/* The value of four hex digits at p; -1, with *bad at the first byte that is no digit. */
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

/* \uXXXX at p (the backslash), and the pair's other half where it is one of a pair.
 * With raw the escape is kept as it stands. */
static const char *unicode_escape(struct tl_json_text *t, const char *p, struct tl_buf *out, bool raw)
{
	const char *bad = p, *from = p;
	int32_t c = hex4(p + 2, &bad), d;
	char utf8[4];

	if (c < 0)
		return fail(t, bad, "expected four hex digits after \\u");
	p += 6;
	if (c >= 0xd800 && c <= 0xdbff) {
		if (p >= t->end || (*p == '\\' && p + 1 >= t->end))
			return fail(t, t->end, NULL);
		if (p[0] == '\\' && p[1] == 'u') {
			d = hex4(p + 2, &bad);
			if (d < 0)
				return fail(t, bad, "expected four hex digits after \\u");
			if (d >= 0xdc00 && d <= 0xdfff) {
				c = 0x10000 + ((c - 0xd800) << 10) + (d - 0xdc00);
				p += 6;
			}
		}
	}
	if (c >= 0xd800 && c <= 0xdfff) {
		t->problems |= TL_JSON_SURROGATE;
		put(out, raw ? "\\ufffd" : "\xef\xbf\xbd", raw ? 6 : 3);
	} else if (raw) {
		put(out, from, (size_t)(p - from));
	} else {
		put(out, utf8, tl_utf8_encode(utf8, (uint32_t)c));
	}
	return p;
}

static const char *escape(struct tl_json_text *t, const char *p, struct tl_buf *out, bool raw)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *f;

	if (p[1] == 'u')
		return unicode_escape(t, p, out, raw);
	f = p[1] ? strchr(from, p[1]) : NULL;
	if (!f)
		return fail(t, p + 1, "expected one of \"\\/bfnrtu after a backslash");
	if (raw)
		put(out, p, 2);
	else
		put(out, &to[f - from], 1);
	return p + 2;
}

/* One code point that is not ASCII. */
static const char *code_point(struct tl_json_text *t, const char *p, struct tl_buf *out)
{
	size_t used;

	if (tl_utf8_decode(p, (size_t)(t->end - p), &used) == TL_UTF8_MALFORMED) {
		t->problems |= TL_JSON_UTF8;
		put(out, "\xef\xbf\xbd", 3);
	} else {
		put(out, p, used);
	}
	return p + used;
}

static const char *control_character(struct tl_json_text *t, const char *p, struct tl_buf *out, bool raw)
{
	t->problems |= TL_JSON_CONTROL;
	if (raw && out)
		tl_buf_addf(out, "\\u%04x", (unsigned)(unsigned char)*p);
	else
		put(out, p, 1);
	return p + 1;
}

/* p after the opening quote. raw: the text as JSON without its quotes, faults
 * repaired; else the text itself. */
static const char *string_body(struct tl_json_text *t, const char *p, struct tl_buf *out, bool raw)
{
	while (p) {
		const char *q = tl_json_string_stop(p);

		put(out, p, (size_t)(q - p));
		if (q >= t->end)
			return fail(t, t->end, NULL);
		if (*q == '"')
			return q + 1;
		if (*q == '\\')
			p = escape(t, q, out, raw);
		else if ((unsigned char)*q >= 0x80)
			p = code_point(t, q, out);
		else
			p = control_character(t, q, out, raw);
	}
	return NULL;
}

const char *tl_json_string(struct tl_json_text *t, const char *p, struct tl_buf *out)
{
	return string_body(t, p + 1, out, false);
}

/* ---- words and numbers -------------------------------------------------------------------- */

/* Exactly this word. */
static const char *word(struct tl_json_text *t, const char *p, const char *text)
{
	while (*text && *p == *text)
		p++, text++;
	return *text ? fail(t, p, "expected a value") : p;
}

/* One digit or more. */
static const char *digits(struct tl_json_text *t, const char *p, const char *expected)
{
	if (!tl_is_digit(*p))
		return fail(t, p, expected);
	while (tl_is_digit(*p))
		p++;
	return p;
}

const char *tl_json_number(struct tl_json_text *t, const char *p)
{
	if (*p == 'N')
		return word(t, p, "NaN");
	p += *p == '-';
	if (*p == 'I')
		return word(t, p, "Infinity");
	if (*p == '0' && tl_is_digit(p[1]))
		return fail(t, p + 1, "a number must not start with 0");
	p = digits(t, p, "expected a digit");
	if (p && *p == '.')
		p = digits(t, p + 1, "expected a digit after the decimal point");
	if (p && (*p | 0x20) == 'e')
		p = digits(t, p + 1 + (p[1] == '+' || p[1] == '-'), "expected a digit in the exponent");
	return p && p >= t->end ? fail(t, t->end, NULL) : p;
}

/* ---- values ----------------------------------------------------------------------- */

/* A value that is neither list nor object. */
static const char *scalar(struct tl_json_text *t, const char *p, struct tl_buf *out)
{
	const char *from = p;

	switch (*p) {
	case '"':
		put(out, "\"", 1);
		p = string_body(t, p + 1, out, true);
		if (p)
			put(out, "\"", 1);
		return p;
	case 't': p = word(t, p, "true"); break;
	case 'f': p = word(t, p, "false"); break;
	case 'n': p = word(t, p, "null"); break;
	case '-': case 'N': case 'I':
	case '0': case '1': case '2': case '3': case '4':
	case '5': case '6': case '7': case '8': case '9':
		p = tl_json_number(t, p);
		break;
	default:
		return fail(t, p, "expected a value");
	}
	if (p)
		put(out, from, (size_t)(p - from));
	return p;
}

static const char *value(struct tl_json_text *t, const char *p, struct tl_buf *out, unsigned depth);

/* A member of an object. */
static const char *member(struct tl_json_text *t, const char *p, struct tl_buf *out, unsigned depth)
{
	if (*p != '"')
		return fail(t, p, "expected a member name in quotes");
	p = scalar(t, p, out);
	if (!p)
		return NULL;
	p = tl_json_blanks(p);
	if (*p != ':')
		return fail(t, p, "expected ':'");
	put(out, ":", 1);
	return value(t, tl_json_blanks(p + 1), out, depth);
}

/* A list or an object, whose elements or members `item` takes. */
static const char *nested(struct tl_json_text *t, const char *p, struct tl_buf *out, unsigned depth, char close,
                          const char *(*item)(struct tl_json_text *, const char *, struct tl_buf *, unsigned))
{
	if (depth == TL_JSON_MAX_DEPTH)
		return fail(t, p, "nested deeper than 512 levels");
	put(out, p, 1);
	p = tl_json_blanks(p + 1);
	for (bool more = *p != close; more; ) {
		p = item(t, p, out, depth + 1);
		if (!p)
			return NULL;
		p = tl_json_blanks(p);
		more = *p == ',';
		if (more) {
			put(out, ",", 1);
			p = tl_json_blanks(p + 1);
		}
	}
	if (*p != close)
		return fail(t, p, close == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
	put(out, p, 1);
	return p + 1;
}

static const char *value(struct tl_json_text *t, const char *p, struct tl_buf *out, unsigned depth)
{
	if (*p == '{')
		return nested(t, p, out, depth, '}', member);
	if (*p == '[')
		return nested(t, p, out, depth, ']', value);
	return scalar(t, p, out);
}

const char *tl_json_value(struct tl_json_text *t, const char *p, struct tl_buf *out)
{
	return value(t, tl_json_blanks(p), out, 0);
}
