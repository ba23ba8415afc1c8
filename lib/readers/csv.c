/* csv.c - rows of a table of text with commas.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/csv.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 };

/* Reads on; what was taken makes room. 0: the end. */
static int more(struct tl_csv *c, struct tl_error *err)
{
	if (c->at) {
		c->text.len -= c->at;
		memmove(c->text.data, c->text.data + c->at, c->text.len);
		c->at = 0;
	}
	tl_buf_reserve(&c->text, PIECE);
	int64_t got = c->in->read(c->in, c->text.data + c->text.len, PIECE, err);
	if (got > 0) {
		c->text.len += (size_t)got;
		c->n_bytes += (uint64_t)got;
	}
	c->eof = got == 0;
	return got < 0 ? -1 : got > 0;
}

/* Where the field that begins at p, behind its quote if it has one, ends: at its quote, or what ends it. NULL: not in the text
 * that was read. */
static const char *end_of(const struct tl_csv *c, const char *p, const char *end, bool quoted)
{
	if (!quoted) {
		while (p < end && *p != ',' && *p != '\n')
			p++;
		return p < end || c->eof ? p : NULL;
	}
	for (; (p = memchr(p, '"', (size_t)(end - p))); p++) {
		size_t left = (size_t)(end - p) - 1; /* behind the quote */
		bool cr = left && p[1] == '\r';
		if (left == cr)
			return c->eof ? p : NULL;
		if (p[1] == ',' || p[1 + cr] == '\n')
			return p;
	}
	return c->eof ? end : NULL;
}

/* Cuts the row that begins at `at`. False: it does not end in the text that was read. */
static bool cut(struct tl_csv *c)
{
	const char *p = c->text.data + c->at, *end = c->text.data + c->text.len;

	c->n = 0;
	for (bool last = false; !last;) {
		bool quoted = p < end && *p == '"';
		const char *from = p + quoted, *to = end_of(c, from, end, quoted);
		if (!to)
			return false;
		p = to + (quoted && to < end);
		p += p < end && *p == '\r' && quoted;
		c->cut = p == end;
		last = p == end || *p == '\n';
		bool cr = last && !quoted && to > from && to[-1] == '\r';
		TL_PUSH(c->fields, c->n, c->cap, (struct tl_field_text){ from, (size_t)(to - from) - cr });
		p += p < end;
	}
	const char *begin = c->text.data + c->at;
	c->line = c->next_line;
	while ((begin = memchr(begin, '\n', (size_t)(p - begin)))) {
		begin++;
		c->next_line++;
	}
	c->at = (size_t)(p - c->text.data);
	return true;
}

static int next(struct tl_csv *c, struct tl_error *err)
{
	int got = 1;

	while (!c->eof && c->at == c->text.len && (got = more(c, err)) > 0)
		;
	if (c->at == c->text.len)
		return got < 0 ? -1 : 0;
	while (!cut(c)) {
		if (c->text.len - c->at > TL_CSV_MOST) {
			tl_fail(err, TL_ERR_DATA, "%s, line %llu: a row of more than %d bytes", c->in->name, (unsigned long long)c->next_line, TL_CSV_MOST);
			return -1;
		}
		if (more(c, err) < 0)
			return -1;
	}
	return 1;
}

int tl_csv_next(struct tl_csv *c, struct tl_error *err)
{
	static const char mark[] = "\xef\xbb\xbf";
	int got = 1;

	if (!c->next_line) {
		c->next_line = 1;
		while (!c->eof && c->text.len < 3 && (got = more(c, err)) > 0)
			;
		if (c->text.len >= 3 && !memcmp(c->text.data, mark, 3))
			c->at = 3;
	}
	while (got >= 0 && (got = next(c, err)) > 0 && c->n == 1 && !c->fields[0].len)
		;
	return got;
}

void tl_csv_release(struct tl_csv *c)
{
	tl_buf_release(&c->text);
	free(c->fields);
	*c = (struct tl_csv){ 0 };
}
