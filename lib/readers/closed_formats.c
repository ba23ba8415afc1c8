/* closed_formats.c - tells files that are no trace, but are known.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/closed_formats.h"

#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"

extern const char tl_data_closed_formats[];
extern const size_t tl_data_closed_formats_len;

enum { WHERE, TEXT, WHAT, HINT };

/* What is known of a file: its name and first bytes, or the names of a kind in it. */
struct file {
	const char *name;
	const unsigned char *first;
	size_t len;
	const char *kind; /* "tables", "members", "keys"; NULL: none */
	bool (*has)(const void *ctx, const char *name, size_t len);
	const void *ctx;
};

static bool has_all(const struct file *f, const struct tl_buf *names)
{
	for (const char *s = names->data, *end = s + names->len, *cut; s && s < end; s = cut + 1) {
		cut = memchr(s, ',', (size_t)(end - s));
		cut = cut ? cut : end;
		if (!f->has(f->ctx, s, (size_t)(cut - s)))
			return false;
	}
	return true;
}

/* Does the file have the bytes of this row, or with a name the ending, or all its names? */
static bool fits(struct tl_rows *r, const struct tl_buf *text, const struct file *f)
{
	static const char *const words[] = { "ends", "tables", "members", "keys", NULL };
	size_t n = f->name ? strlen(f->name) : 0;
	int64_t at;

	if (tl_field_int(&r->fields[WHERE], &at) && at >= 0)
		return (uint64_t)at + text->len <= f->len && !memcmp(f->first + at, text->data, text->len);
	size_t word = tl_rows_word(r, WHERE, words);
	if (word)
		return f->kind && !strcmp(f->kind, words[word]) && has_all(f, text);
	return n > text->len && !memcmp(f->name + n - text->len, text->data, text->len);
}

/* The first row that fits gives *out its texts; out may be NULL. */
static enum tl_status find(struct tl_rows r, const struct file *file, struct tl_buf *out, bool *found)
{
	struct tl_buf text = { 0 };

	r.columns = "where, text, what, hint";
	*found = false;
	while (tl_rows_next(&r)) {
		/* the bytes that the field writes, \xNN for some */
		const struct tl_field_text *f = &r.fields[TEXT];
		tl_buf_clear(&text);
		for (size_t i = 0; i < f->len; i++) {
			bool escaped = f->s[i] == '\\' && f->len - i >= 4;
			char digits[3] = { escaped ? f->s[i + 2] : '0', escaped ? f->s[i + 3] : '0', 0 };
			tl_buf_addc(&text, escaped ? (char)strtol(digits, NULL, 16) : f->s[i]);
			i += escaped ? 3 : 0;
		}
		if (!fits(&r, &text, file) || *found)
			continue;
		*found = true;
		if (out)
			tl_buf_addf(out, "%.*s; %.*s", (int)r.fields[WHAT].len, r.fields[WHAT].s, (int)r.fields[HINT].len, r.fields[HINT].s);
	}
	tl_buf_release(&text);
	return r.status;
}

static bool is_closed(const struct file *file, struct tl_buf *out)
{
	struct tl_error err;
	bool found;

	tl_must(find((struct tl_rows){ .file = "closed-formats", .text = tl_data_closed_formats, .len = tl_data_closed_formats_len, .err = &err },
	             file, out, &found), &err);
	return found;
}

bool tl_closed_format(const char *name, const unsigned char *first, size_t len, struct tl_buf *out)
{
	return is_closed(&(struct file){ .name = name, .first = first, .len = len }, out);
}

bool tl_closed_by_names(const char *kind, bool (*has)(const void *ctx, const char *name, size_t len), const void *ctx, struct tl_buf *out)
{
	return is_closed(&(struct file){ .kind = kind, .has = has, .ctx = ctx }, out);
}

enum tl_status tl_closed_formats_check(const char *file, const char *text, size_t len, struct tl_error *err)
{
	bool found;

	return find((struct tl_rows){ .file = file, .text = text, .len = len, .err = err }, &(struct file){ 0 }, NULL, &found);
}
