/* bare_name.c - what of the name of a function tells it from others.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/bare_name.h"

#include "base/text.h"

#include <string.h>

#define UNNAMED "(anonymous namespace)::"

/* Stands s[i] right behind a name, as the brackets of arguments do? */
static bool is_behind_name(const char *s, size_t i)
{
	return i && (tl_in_name(s[i - 1]) || s[i - 1] == '>');
}

/* Where the function's own arguments begin, or the end; 0: it is no function of C++. */
static size_t name_end(const char *s, size_t len)
{
	bool has_scope = tl_starts_with(s, "void ") || memmem(s, len, "::", 2), has_template = false;
	size_t end = len;
	int depth = 0, round = 0;

	for (size_t i = 0; i < len; i++) {
		if (!depth && !round && s[i] == '(' && is_behind_name(s, i))
			end = i;
		depth += s[i] == '<' && is_behind_name(s, i) ? 1 : s[i] == '>' && depth && s[i - 1] != '-' ? -1 : 0;
		round += s[i] == '(' ? 1 : s[i] == ')' ? -1 : 0;
		has_template |= depth;
	}
	return has_template || (has_scope && end < len) ? end : 0;
}

/* Adds the name within a mangled one, behind its namespaces, each with its length before it; what is left stands for the arguments
 * of a template. False: it is none. */
static bool add_mangled(struct tl_buf *b, const char *s, size_t len)
{
	size_t i = tl_starts_with(s, "_ZN") ? strlen("_ZN") : strlen("_Z"), name = 0, n = 0;

	if (!tl_starts_with(s, "_Z"))
		return false;
	for (size_t size = 0; i < len && tl_is_digit(s[i]); size = 0) {
		while (i < len && tl_is_digit(s[i]) && size < len)
			size = size * 10 + (size_t)(s[i++] - '0');
		if (size > len - i)
			return false;
		name = i;
		n = size;
		i += size;
	}
	tl_buf_add(b, s + name, n);
	if (n && i < len && s[i] == 'I')
		tl_buf_addf(b, "<%.*s>", (int)(len - i - 1), s + i + 1);
	return n;
}

void tl_add_bare_name(struct tl_buf *b, const char *s, size_t len)
{
	if (add_mangled(b, s, len))
		return;
	size_t end = name_end(s, len), i = tl_starts_with(s, "void ") ? strlen("void ") : 0, name = b->len;

	if (!end) {
		tl_buf_add(b, s, len);
		return;
	}
	for (; i < end; i++)
		if (tl_starts_with(s + i, UNNAMED)) {
			i += strlen(UNNAMED) - 1;
		} else if (tl_starts_with(s + i, "::") && b->len > name) {
			b->len = name; /* that was a namespace */
			i++;
		} else {
			tl_buf_addc(b, s[i]);
			name = tl_in_name(s[i]) ? name : b->len;
		}
}
