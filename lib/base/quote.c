/* quote.c - texts and numbers of a program as JSON.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/quote.h"

#include <math.h>

#include "base/number.h"
#include "base/utf8.h"

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
