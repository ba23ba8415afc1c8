/* json_writer.c - writes JSON.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/json_writer.h"

#include "base/number.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

/* How many bytes of s stand for themselves. */
static size_t plain(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\')
		n++;
	return n;
}

void tl_json_quote(struct tl_buf *b, const char *s, size_t len)
{
	tl_buf_addc(b, '"');
	for (size_t used; len; s += used, len -= used) {
		used = plain(s, len);
		if (used) {
			tl_buf_add(b, s, used);
			continue;
		}
		uint32_t c = tl_utf8_decode(s, len, &used);
		if (c == TL_UTF8_MALFORMED)
			tl_buf_adds(b, "\\ufffd");
		else if (c == '"' || c == '\\')
			tl_buf_addf(b, "\\%c", (char)c);
		else if (c < 0x20)
			tl_buf_addf(b, "\\u%04x", (unsigned)c);
		else
			tl_buf_add(b, s, used);
	}
	tl_buf_addc(b, '"');
}

void tl_json_double(struct tl_buf *b, double d)
{
	char digits[TL_DOUBLE_TEXT];

	tl_format_double(digits, d);
	tl_buf_adds(b, isnan(d) ? "NaN" : isfinite(d) ? digits : d > 0 ? "Infinity" : "-Infinity");
}

static void add_line(struct tl_json *w)
{
	if (!w->in_line)
		tl_buf_addf(w->to, "\n%*s", 2 * w->depth, "");
}

/* Has the object or list that is open no value yet? */
static bool is_empty(const struct tl_json *w)
{
	return strchr("{[", w->to->data[w->to->len - 1]);
}

static void add_separator(struct tl_json *w)
{
	if (!w->depth)
		return;
	if (!is_empty(w))
		tl_buf_adds(w->to, w->in_line ? ", " : ",");
	add_line(w);
}

void tl_json_key(struct tl_json *w, const char *key, size_t len)
{
	add_separator(w);
	tl_json_quote(w->to, key, len);
	tl_buf_adds(w->to, ": ");
	w->has_key = true;
}

void tl_json_put(struct tl_json *w, const char *key, const char *json)
{
	if (key)
		tl_json_key(w, key, strlen(key));
	else if (!w->has_key)
		add_separator(w);
	w->has_key = false;
	tl_buf_adds(w->to, json);
}

void tl_json_open(struct tl_json *w, const char *key, char bracket)
{
	tl_json_put(w, key, "");
	tl_buf_addc(w->to, bracket);
	w->depth++;
}

void tl_json_close(struct tl_json *w, char bracket)
{
	w->depth--;
	if (!is_empty(w))
		add_line(w);
	tl_buf_addc(w->to, bracket);
}

void tl_json_put_int(struct tl_json *w, const char *key, int64_t value)
{
	char digits[24];

	tl_json_put(w, key, "");
	tl_buf_add(w->to, digits, tl_format_int(digits, value));
}

void tl_json_put_real(struct tl_json *w, const char *key, double value)
{
	tl_json_put(w, key, "");
	tl_json_double(w->to, value);
}

void tl_json_put_text(struct tl_json *w, const char *key, const char *value, size_t len)
{
	tl_json_put(w, key, "");
	tl_json_quote(w->to, value, len);
}

void tl_json_put_string(struct tl_json *w, const char *key, const char *value)
{
	tl_json_put_text(w, key, value, strlen(value));
}
