/* header.c - a trace's header as lines of key and value.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "stream/header.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

void tl_header_write_line(struct tl_buf *b, const char *before, const char *key, char between, const char *value)
{
	tl_buf_addf(b, "%s%s%c", before, key, between);
	tl_escape(b, value, strlen(value));
	tl_buf_addc(b, '\n');
}

void tl_header_write(struct tl_buf *b, const struct tl_header *h, const char *before, char between)
{
	char ticks[24];

	tl_format_int(ticks, h->ticks_per_us);
	tl_header_write_line(b, before, "source", between, h->source ? h->source : "");
	tl_header_write_line(b, before, "ticks_per_us", between, ticks);
	tl_header_write_line(b, before, "linked", between, h->linked ? "1" : "0");
	tl_header_write_line(b, before, "python", between, h->python ? "1" : "0");
	for (size_t i = 0; i < h->n_provenance; i++)
		tl_header_write_line(b, before, "provenance", between, h->provenance[i]);
}

void tl_header_release(struct tl_header_parts *l)
{
	free(l->provenance);
	tl_arena_release(&l->arena);
}

bool tl_header_finish(struct tl_header_parts *l)
{
	if (!l->h.source)
		l->h.source = "";
	l->h.provenance = l->provenance;
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

enum tl_header_result tl_header_add(struct tl_header_parts *l, const char *key, size_t key_len,
                                    const char *value, size_t value_len)
{
	char *v = tl_arena_dup(&l->arena, value, value_len);
	size_t at;
	int64_t len = tl_unescape(v, value_len, &at);
	bool good = true;

	if (len < 0 || memchr(v, 0, (size_t)len))
		return TL_HEADER_BAD_VALUE;
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
		TL_GROW(l->provenance, l->cap, l->n + 1);
		l->provenance[l->n++] = v;
	} else {
		return TL_HEADER_UNKNOWN_KEY;
	}
	return good ? TL_HEADER_OK : TL_HEADER_BAD_VALUE;
}
