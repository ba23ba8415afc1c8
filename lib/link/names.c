/* names.c - what the linker has to know of a text, found out once.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/linker.h"

#include <stdlib.h>
#include <string.h>

static bool starts(const char *s, size_t len, const char *with)
{
	size_t n = strlen(with);
	return len >= n && !memcmp(s, with, n);
}

static bool is(const char *s, size_t len, const char *text)
{
	return len == strlen(text) && !memcmp(s, text, len);
}

static bool holds(const char *s, size_t len, const char *text)
{
	return memmem(s, len, text, strlen(text)) != NULL;
}

/* How far the end of "launch" must move at least so that c stands there. */
static size_t launch_shift(char c)
{
	switch (c | 0x20) {
	case 'l': return 5;
	case 'a': return 4;
	case 'u': return 3;
	case 'n': return 2;
	case 'c': return 1;
	default: return 6; /* 'h' too, once it did not match */
	}
}

static bool holds_launch(const char *s, size_t len)
{
	static const char lower[] = "launch";
	for (size_t end = 5; end < len; end += launch_shift(s[end])) {
		size_t k = 0;
		while (k < 6 && (s[end - 5 + k] | 0x20) == lower[k])
			k++;
		if (k == 6)
			return true;
	}
	return false;
}

/* Whether a JSON number equals an integer, however it is written: such numbers
 * are the same key. */
static bool integral(const char *s, size_t len, int64_t *value)
{
	char text[64];
	if (!len || len >= sizeof text || !(s[0] == '-' || (s[0] >= '0' && s[0] <= '9')))
		return false;
	memcpy(text, s, len);
	text[len] = 0;
	if (strspn(text, "0123456789+-.eE") != len)
		return false;
	if (!strpbrk(text, ".eE") && len <= 18) {
		*value = strtoll(text, NULL, 10);
		return true;
	}
	double x = tl_parse_double(text, NULL);
	if (!(x > -9e15 && x < 9e15) || x != (double)(int64_t)x)
		return false;
	*value = (int64_t)x;
	return true;
}

static uint16_t name_flags(const char *s, size_t len)
{
	uint16_t f = NAME_SEEN;
	if (holds_launch(s, len))
		f |= NAME_LAUNCH;
	if (is(s, len, "cudaGraphLaunch") || is(s, len, "hipGraphLaunch"))
		f |= NAME_GRAPH;
	if (starts(s, len, "autograd::engine::evaluate_function:"))
		f |= NAME_BACKWARD;
	if (holds(s, len, "torch/utils/checkpoint.py") && holds(s, len, "recompute_fn"))
		f |= NAME_RECOMPUTE;
	return f;
}

static uint16_t key_flags(const char *s, size_t len)
{
	if (is(s, len, "correlation"))
		return TEXT_CORRELATION;
	if (is(s, len, "External id"))
		return TEXT_EXTERNAL_ID;
	if (is(s, len, "Sequence number"))
		return TEXT_SEQUENCE;
	return is(s, len, "id") ? TEXT_ID : 0;
}

struct text_info tl_link_text_info(const char *s, size_t len)
{
	struct text_info t = { tl_hash(s, len, 7), 0 };
	t.flags = name_flags(s, len) | key_flags(s, len);
	int64_t value = 0;
	if (is(s, len, "null"))
		t.flags |= TEXT_NULL;
	if (integral(s, len, &value) || is(s, len, "false") || (is(s, len, "true") && (value = 1))) {
		t.flags |= TEXT_INTEGRAL;
		t.hash = (uint64_t)value;
	}
	return t;
}
