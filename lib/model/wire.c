/* wire.c - the checksum of a stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "model/wire.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/escape.h"

#ifdef TL_HAVE_ISAL
#include <isa-l/crc.h>
#endif

uint32_t tl_crc32(uint32_t crc, const void *p, size_t len)
{
#ifdef TL_HAVE_ISAL
	return crc32_gzip_refl(crc, p, len); /* ten times as fast */
#else
	return (uint32_t)crc32_z(crc, p, len);
#endif
}

/* ---- a trace's header as lines of key and value ----------------------------------------- */

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
		TL_PUSH(l->provenance, l->n, l->cap, v);
	} else {
		return TL_HEADER_UNKNOWN_KEY;
	}
	return good ? TL_HEADER_OK : TL_HEADER_BAD_VALUE;
}

/* ---- a window on an input, for the stream reader and the text reader -------------------- */

#define WINDOW ((size_t)256 << 10)

static void set_cap(struct tl_window *w, size_t cap)
{
	w->data = tl_realloc(w->data, cap);
	w->cap = cap;
}

void tl_window_init(struct tl_window *w, struct tl_input *in, const void *got, size_t got_len)
{
	*w = (struct tl_window){ .in = in };
	set_cap(w, got_len > WINDOW ? got_len : WINDOW);
	if (got_len)
		memcpy(w->data, got, got_len);
	w->len = got_len;
}

void tl_window_release(struct tl_window *w)
{
	free(w->data);
	w->data = NULL;
}

enum tl_status tl_window_fill(struct tl_window *w, size_t need, struct tl_error *err)
{
	if (tl_window_avail(w) >= need || w->eof)
		return TL_OK;
	size_t left = tl_window_avail(w);
	if (w->pos) {
		memmove(w->data, w->data + w->pos, left);
		w->base += w->pos;
		w->pos = 0;
		w->len = left;
	}
	if (w->len == w->cap)
		set_cap(w, w->cap * 2);
	else if (w->cap > 16 * WINDOW && w->len < WINDOW)
		set_cap(w, WINDOW); /* a huge record has gone by */
	while (w->len < need && !w->eof) {
		if (w->len == w->cap)
			set_cap(w, w->cap * 2);
		int64_t n = w->in->read(w->in, w->data + w->len, w->cap - w->len, err);
		if (n < 0)
			return err && err->status != TL_OK ? err->status : TL_ERR_IO;
		if (n == 0)
			w->eof = true;
		w->len += (size_t)n;
	}
	return TL_OK;
}

/* ---- marks of the text form that its writer and reader share ---------------------------- */
