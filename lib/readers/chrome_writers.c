/* chrome_writers.c - tells who wrote a trace in Chrome's JSON form.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/chrome_writers.h"

#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"
#include "model/fields.h"

extern const char tl_data_chrome_writers[];
extern const size_t tl_data_chrome_writers_len;

enum { SIGNS, WRITER, WHAT, HINT };
static const char *const kinds[] = { "process", "thread", "pid", "category", "argument", "metadata" };
enum { N_KINDS = sizeof kinds / sizeof *kinds, MOST_SIGNS = 3 };

/* ---- the table ---------------------------------------------------------------------------- */

/* A copy in which \x20 is a blank. */
static const char *with_blanks(const char *s, size_t len, struct tl_arena *arena)
{
	char *out = tl_arena_alloc(arena, len + 1), *to = out;

	for (size_t i = 0; i < len; i++) {
		bool blank = len - i >= 4 && !memcmp(s + i, "\\x20", 4);
		*to++ = blank ? ' ' : s[i];
		i += blank ? 3 : 0;
	}
	*to = '\0';
	return out;
}

/* Takes a sign, KIND=TEXT. */
static void take_sign(struct tl_rows *r, struct tl_chrome_writer *w, const char *s, size_t len, struct tl_arena *arena)
{
	const char *is = memchr(s, '=', len);
	size_t kind = 0;

	while (is && kind < N_KINDS && !tl_text_is(s, (size_t)(is - s), kinds[kind]))
		kind++;
	if (!is || kind == N_KINDS || w->n_signs == MOST_SIGNS) {
		tl_rows_fail(r, s, "expected up to %d signs, each KIND=TEXT", MOST_SIGNS);
		return;
	}
	w->signs[w->n_signs].kind = (enum tl_writer_sign)kind;
	w->signs[w->n_signs++].text = with_blanks(is + 1, len - (size_t)(is + 1 - s), arena);
}

static enum tl_status read_rows(struct tl_chrome_writers *w, struct tl_rows r)
{
	struct tl_field_text *signs = NULL;
	size_t cap = 0;

	r.columns = "signs, writer, what, hint";
	while (tl_rows_next(&r)) {
		struct tl_chrome_writer row = { .writer = tl_rows_text(&r, WRITER, &w->arena),
			.what = tl_rows_text(&r, WHAT, &w->arena), .hint = tl_rows_text(&r, HINT, &w->arena) };
		size_t n = tl_cut_fields(r.fields[SIGNS].s, r.fields[SIGNS].len, ' ', MOST_SIGNS, &signs, &cap);
		for (size_t i = 0; !r.status && i < n; i++)
			take_sign(&r, &row, signs[i].s, signs[i].len, &w->arena);
		row.remark = *row.hint == '+' ? row.hint + 1 : NULL;
		row.hint = strcmp(row.hint, "-") != 0 && !row.remark ? row.hint : NULL;
		TL_PUSH(w->rows, w->n_rows, w->cap_rows, row);
	}
	free(signs);
	return r.status;
}

enum tl_status tl_chrome_writers_check(const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_chrome_writers w = { 0 };
	enum tl_status st = read_rows(&w, (struct tl_rows){ .file = file, .text = text, .len = len, .err = err });

	tl_chrome_writers_release(&w);
	return st;
}

void tl_chrome_writers_release(struct tl_chrome_writers *w)
{
	free(w->rows);
	tl_arena_release(&w->arena);
}

/* ---- signs ---------------------------------------------------------------------------------- */

/* Is the word one of those that commas part? */
static bool is_among(const char *words, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (const char *s = words, *end = words + len, *cut; s && s <= end; s = cut ? cut + 1 : NULL) {
		cut = memchr(s, ',', (size_t)(end - s));
		if ((size_t)((cut ? cut : end) - s) == n && !memcmp(s, word, n))
			return true;
	}
	return false;
}

static bool is_seen(enum tl_writer_sign kind, const char *sign, const char *text, size_t len)
{
	if (kind == TL_SIGN_CATEGORY)
		return is_among(text, len, sign);
	if (kind == TL_SIGN_ARGUMENT)
		return tl_text_is(text, len, sign);
	if (kind == TL_SIGN_METADATA)
		return memmem(text, len, sign, strlen(sign)) != NULL;
	return len >= strlen(sign) && !memcmp(text, sign, strlen(sign));
}

void tl_chrome_writers_see(struct tl_chrome_writers *w, enum tl_writer_sign kind, const char *text, size_t len)
{
	struct tl_error err;

	if (w->found)
		return;
	if (!w->rows)
		tl_must(read_rows(w, (struct tl_rows){ .file = "chrome-writers", .text = tl_data_chrome_writers,
		                                       .len = tl_data_chrome_writers_len, .err = &err }), &err);
	for (size_t i = 0; i < w->n_rows; i++) {
		struct tl_chrome_writer *row = &w->rows[i];
		for (size_t k = 0; k < row->n_signs; k++)
			if (row->signs[k].kind == kind && !row->signs[k].seen && is_seen(kind, row->signs[k].text, text, len)) {
				row->signs[k].seen = true;
				row->n_seen++;
			}
		if (!w->found && row->n_seen == row->n_signs)
			w->found = row;
	}
}

/* ---- mergers ------------------------------------------------------------------------------ */

#define LABEL_STEP 1000000000000 /* people can read label and id in the sum */

uint32_t tl_merger_label(struct tl_strtab *labels, const char *pid)
{
	const char *end = strncmp(pid, "\"[", 2) ? NULL : strstr(pid, "] ");

	return end ? tl_intern(labels, pid, (size_t)(end - pid)) : 0;
}

static bool is_id(const char *key, bool top)
{
	return top ? !strcmp(key, TL_KEY_FLOW_ID) : !strcmp(key, TL_KEY_CORRELATION) || !strcmp(key, TL_KEY_EXTERNAL_ID) || !strcmp(key, TL_KEY_RECORD);
}

void tl_merger_move_ids(struct tl_tables *tables, const struct tl_layout *l, int64_t *values, uint32_t label, struct tl_buf *room)
{
	for (uint32_t i = 0; i < l->n_fields; i++) {
		if (!is_id(tl_str(&tables->strings, l->fields[i].key), l->fields[i].top))
			continue;
		if (l->fields[i].type == TL_FIELD_INT) {
			values[i] = (int64_t)((uint64_t)values[i] + (uint64_t)label * LABEL_STEP);
		} else if (l->fields[i].type == TL_FIELD_STRING) {
			tl_buf_clear(room);
			tl_buf_addf(room, "%u:%s", (unsigned)label, tl_str(&tables->strings, (uint32_t)values[i]));
			values[i] = tl_add_string(tables, room->data, room->len);
		}
	}
}
