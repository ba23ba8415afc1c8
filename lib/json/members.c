/* members.c - objects of JSON for people to read: a member a line.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "json/members.h"

#include <inttypes.h>
#include <string.h>

#include "base/quote.h"

void tl_json_member(struct tl_buf *b, int indent, const char *key)
{
	tl_buf_addf(b, "%s\n%*s\"%s\": ", b->data[b->len - 1] == '{' ? "" : ",", indent, "", key);
}

void tl_json_member_int(struct tl_buf *b, int indent, const char *key, int64_t value)
{
	tl_json_member(b, indent, key);
	tl_buf_addf(b, "%" PRId64, value);
}

void tl_json_member_real(struct tl_buf *b, int indent, const char *key, double value)
{
	tl_json_member(b, indent, key);
	tl_json_double(b, value);
}

void tl_json_member_text(struct tl_buf *b, int indent, const char *key, const char *value)
{
	tl_json_member(b, indent, key);
	tl_json_quote(b, value, strlen(value));
}
