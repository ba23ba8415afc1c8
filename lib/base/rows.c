/* rows.c - text in lines of fields with tabs between them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/rows.h"

#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t tl_cut_fields(const char *line, size_t len, char separator, size_t most, struct tl_field_text **fields, size_t *cap)
{
	const char *end = line + len;
	size_t n = 0;

	for (const char *cut; line && n <= most; line = cut ? cut + 1 : NULL) {
		cut = memchr(line, separator, (size_t)(end - line));
		TL_GROW(*fields, *cap, n + 1);
		(*fields)[n++] = (struct tl_field_text){ line, (size_t)((cut ? cut : end) - line) };
	}
	return n;
}

/* A comma before each name but the first: those before "[" must be there. */
static bool has_right_number(const struct tl_rows *r)
{
	size_t least = 1, most = 1;
	bool optional = false;

	for (const char *c = r->columns; c && *c; c++) {
		optional |= *c == '[';
		most += *c == ',';
		least += *c == ',' && !optional;
	}
	return !r->columns || (r->n >= least && r->n <= most);
}

static bool next_line(struct tl_rows *r)
{
	if (!r->len || r->status)
		return false;
	const char *end = memchr(r->text, '\n', r->len);
	r->line = r->text;
	r->line_len = end ? (size_t)(end - r->text) : r->len;
	r->text += r->line_len + (end != NULL);
	r->len -= r->line_len + (end != NULL);
	r->number++;
	r->line_len -= r->line_len && r->line[r->line_len - 1] == '\r';
	return true;
}

static bool is_blank(const struct tl_rows *r)
{
	size_t i = 0;

	while (i < r->line_len && (r->line[i] == ' ' || r->line[i] == '\t'))
		i++;
	return i == r->line_len || *r->line == '#';
}

bool tl_rows_next(struct tl_rows *r)
{
	while (next_line(r)) {
		if (memchr(r->line, '\0', r->line_len))
			tl_rows_fail(r, r->line, "the line holds a NUL byte");
		if (r->status || is_blank(r))
			continue;
		r->n = tl_cut_fields(r->line, r->line_len, '\t', SIZE_MAX - 1, &r->fields, &r->cap);
		if (has_right_number(r))
			return true;
		tl_rows_fail(r, r->line, "expected %s, TAB between them", r->columns);
	}
	free(r->fields);
	r->fields = NULL;
	return false;
}

enum tl_status tl_rows_fail(struct tl_rows *r, const char *at, const char *fmt, ...)
{
	char what[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	r->status = tl_fail(r->err, TL_ERR_DATA, "%s:%u:%zu: %s", r->file, r->number, (size_t)(at - r->line) + 1, what);
	return r->status;
}

size_t tl_rows_word(struct tl_rows *r, size_t field, const char *const *words)
{
	struct tl_field_text f = r->fields[field];
	struct tl_buf known = { 0 };

	for (size_t i = 0; words[i]; i++) {
		if (tl_text_is(f.s, f.len, words[i])) {
			tl_buf_release(&known);
			return i;
		}
		tl_buf_addf(&known, "%s%s", i ? ", " : "", words[i]);
	}
	tl_rows_fail(r, f.s, "expected one of %s: '%.*s'", tl_buf_text(&known), (int)(f.len < 80 ? f.len : 80), f.s);
	tl_buf_release(&known);
	return 0;
}

const char *tl_rows_text(const struct tl_rows *r, size_t field, struct tl_arena *arena)
{
	return field < r->n ? tl_arena_dup(arena, r->fields[field].s, r->fields[field].len) : NULL;
}

bool tl_field_int(const struct tl_field_text *f, int64_t *i)
{
	char text[24], *end;

	if (!f->len || f->len >= sizeof text)
		return false;
	memcpy(text, f->s, f->len);
	text[f->len] = '\0';
	errno = 0;
	*i = strtoll(text, &end, 10);
	return !*end && !errno;
}
