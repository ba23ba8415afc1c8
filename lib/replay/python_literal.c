/* python_literal.c - lists as Python writes them: they become JSON, which is parsed.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "replay/python_literal.h"

#include "base/text.h"

#include <string.h>

/* What follows a backslash; returns how many characters were read. */
static size_t add_escape(struct tl_buf *json, const char *s, size_t len)
{
	if (len >= 3 && s[0] == 'x') {
		tl_buf_addf(json, "\\u00%.2s", s + 1);
		return 3;
	}
	if (len >= 5 && s[0] == 'u') {
		tl_buf_addf(json, "\\u%.4s", s + 1);
		return 5;
	}
	if (len && strchr("nrt\\", s[0]))
		tl_buf_addf(json, "\\%c", s[0]);
	else if (len && s[0] == '"')
		tl_buf_adds(json, "\\\"");
	else if (len)
		tl_buf_addc(json, s[0]);
	return len ? 1 : 0;
}

/* A text; s stands at its first quote. Returns how many characters were read. */
static size_t add_text(struct tl_buf *json, const char *s, size_t len)
{
	size_t i = 1;

	tl_buf_addc(json, '"');
	while (i < len && s[i] != s[0]) {
		if (s[i] == '\\') {
			i++;
			i += add_escape(json, s + i, len - i);
		} else if (s[i] == '"') {
			tl_buf_adds(json, "\\\"");
			i++;
		} else {
			tl_buf_addc(json, s[i++]);
		}
	}
	if (i < len)
		tl_buf_addc(json, '"'); /* else the parser finds that the text does not end */
	return i < len ? i + 1 : i;
}

/* None, True and False; 0: it is none of them. */
static size_t add_word(struct tl_buf *json, const char *s, size_t len)
{
	static const char *const words[][2] = { { "None", "null" }, { "True", "true" }, { "False", "false" } };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i][0]);
		if (len >= n && !memcmp(s, words[i][0], n)) {
			tl_buf_adds(json, words[i][1]);
			return n;
		}
	}
	return 0;
}

/* A tuple of one has a comma before its end, which JSON has not. */
static void drop_comma(struct tl_buf *json)
{
	while (json->len && tl_is_blank(json->data[json->len - 1]))
		json->len--;
	if (json->len && json->data[json->len - 1] == ',')
		json->len--;
}

enum tl_status tl_python_parse(struct tl_arena *arena, const char *text, size_t len, struct tl_value *out, struct tl_error *err)
{
	struct tl_buf json = { 0 };
	size_t i = 0;

	while (i < len) {
		size_t n = text[i] == '\'' || text[i] == '"' ? add_text(&json, text + i, len - i) : add_word(&json, text + i, len - i);
		if (!n) {
			if (text[i] == ')' || text[i] == ']')
				drop_comma(&json);
			tl_buf_addc(&json, text[i] == '(' ? '[' : text[i] == ')' ? ']' : text[i]);
			n = 1;
		}
		i += n;
	}
	enum tl_status status = tl_value_parse(arena, tl_buf_text(&json), json.len, out, err);
	tl_buf_release(&json);
	return status;
}
