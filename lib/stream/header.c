/* header.c - a stream's header put together from its lines, binary or text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "stream/header.h"
#include "stream/text_escape.h"

void tl_header_init(struct header_lines *l)
{
	*l = (struct header_lines){ .h.source = "" };
	tl_arena_init(&l->arena);
}

void tl_header_release(struct header_lines *l)
{
	free(l->lines);
	tl_arena_release(&l->arena);
}

bool tl_header_finish(struct header_lines *l)
{
	l->h.provenance = l->lines;
	l->h.n_provenance = l->n;
	return l->has_ticks;
}

static bool parse_flag(const char *s, bool *flag)
{
	*flag = s[0] == '1';
	return (s[0] == '0' || s[0] == '1') && s[1] == 0;
}

static bool parse_ticks(const char *s, int64_t *ticks)
{
	int64_t n = 0;

	for (; *s >= '0' && *s <= '9' && n <= INT64_MAX / 10 - 9; s++)
		n = n * 10 + (*s - '0');
	*ticks = n;
	return *s == 0 && n > 0;
}

static bool is_key(const char *name, const char *key, size_t len)
{
	return strlen(name) == len && memcmp(name, key, len) == 0;
}

enum header_result tl_header_add(struct header_lines *l, const char *key, size_t key_len,
                                 const char *value, size_t value_len)
{
	char *v = tl_arena_dup(&l->arena, value, value_len);
	size_t at;
	int64_t len = tl_text_unescape(v, value_len, &at);
	bool good = true;

	if (len < 0 || memchr(v, 0, (size_t)len))
		return HEADER_BAD_VALUE;
	v[len] = 0;
	if (is_key("source", key, key_len)) {
		l->h.source = v;
	} else if (is_key("ticks_per_us", key, key_len)) {
		good = l->has_ticks = parse_ticks(v, &l->h.ticks_per_us);
	} else if (is_key("linked", key, key_len)) {
		good = parse_flag(v, &l->h.linked);
	} else if (is_key("python", key, key_len)) {
		good = parse_flag(v, &l->h.python);
	} else if (is_key("provenance", key, key_len)) {
		TL_GROW(l->lines, l->cap, l->n + 1);
		l->lines[l->n++] = v;
	} else {
		return HEADER_UNKNOWN_KEY;
	}
	return good ? HEADER_OK : HEADER_BAD_VALUE;
}
