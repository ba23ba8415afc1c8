/* csv.c - rows of comma-separated values.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/csv.h"

static bool needs_quotes(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] == ',' || s[i] == '"' || s[i] == '\n' || s[i] == '\r')
			return true;
	return false;
}

void tl_csv_add(struct tl_buf *b, const char *s, size_t len, bool first)
{
	if (!first)
		tl_buf_addc(b, ',');
	if (!needs_quotes(s, len)) {
		tl_buf_add(b, s, len);
		return;
	}
	tl_buf_addc(b, '"');
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"')
			tl_buf_addc(b, '"');
		tl_buf_addc(b, s[i]);
	}
	tl_buf_addc(b, '"');
}
