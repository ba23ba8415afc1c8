/* sheet_json.c - a finished sheet as JSON.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/sheet_json.h"

#include "base/json_writer.h"
#include "table/description.h"
#include "table/tsv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 65536

struct column { char *key; enum tl_type type; bool described; };

struct writer {
	const struct tl_sheet_json *o;
	struct tl_output *out;
	struct tl_buf text; /* of rows that are not written yet */
	struct column *columns; size_t n_columns;
	uint64_t total, n_written;
};

/* ---- values ------------------------------------------------------------------------------- */

static size_t digits(const char *s, const char *end)
{
	const char *p = s;

	while (p < end && isdigit((unsigned char)*p))
		p++;
	return (size_t)(p - s);
}

/* The grammar of JSON's numbers, which has no 007, .5, +1, or inf. *whole: the bytes without ".0". */
static bool is_number(const char *s, size_t len, size_t *whole)
{
	const char *p = s, *end = s + len;

	p += p < end && *p == '-';
	size_t n = digits(p, end);
	if (!n || (n > 1 && *p == '0'))
		return false;
	p += n;
	*whole = (size_t)(p - s);
	if (p < end && *p == '.') {
		n = digits(++p, end);
		if (!n)
			return false;
		for (; n--; p++)
			if (*p != '0')
				*whole = len;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		p += p < end && (*p == '-' || *p == '+');
		n = digits(p, end);
		if (!n)
			return false;
		p += n;
		*whole = len;
	}
	return p == end;
}

static bool is_word(const struct tl_field_text *f, const char *word)
{
	return f->len == strlen(word) && !memcmp(f->s, word, f->len);
}

/* Python and C print these where a number is meant. */
static bool is_no_finite_number(const struct tl_field_text *f)
{
	return is_word(f, "inf") || is_word(f, "-inf") || is_word(f, "nan");
}

static void put_value(struct tl_json *j, const struct column *c, const struct tl_field_text *f)
{
	bool number = c->type != TL_TYPE_TEXT && c->type != TL_TYPE_BOOL, is_bool = c->type == TL_TYPE_BOOL || !c->described;
	size_t whole;

	if (!f->len || (number && c->type != TL_TYPE_ANY && is_no_finite_number(f))) {
		tl_json_put(j, NULL, "null");
	} else if ((is_bool && is_word(f, "True")) || (c->type == TL_TYPE_BOOL01 && is_word(f, "1"))) {
		tl_json_put(j, NULL, "true");
	} else if ((is_bool && is_word(f, "False")) || (c->type == TL_TYPE_BOOL01 && is_word(f, "0"))) {
		tl_json_put(j, NULL, "false");
	} else if (number && is_number(f->s, f->len, &whole)) {
		tl_json_put(j, NULL, "");
		tl_buf_add(j->to, f->s, c->type == TL_TYPE_INT ? whole : f->len);
	} else {
		tl_json_put_text(j, NULL, f->s, f->len);
	}
}

/* ---- rows --------------------------------------------------------------------------------- */

static bool is_taken(const struct writer *w, const char *key)
{
	for (size_t i = 0; i < w->n_columns; i++)
		if (!strcmp(w->columns[i].key, key))
			return true;
	return false;
}

/* The headers of a trace's own names may differ only in what keys do not keep: the second is KEY_2. */
static char *free_key(const struct writer *w, const char *header)
{
	struct tl_buf b = { 0 };

	tl_column_key(&b, header);
	if (!b.len)
		tl_buf_addf(&b, "column_%zu", w->n_columns + 1);
	char *key = tl_strdup(tl_buf_text(&b));
	for (unsigned n = 2; is_taken(w, key); n++) {
		free(key);
		key = tl_strdupf("%s_%u", tl_buf_text(&b), n);
	}
	tl_buf_release(&b);
	return key;
}

static void take_header(struct writer *w, const struct tl_field_text *fields, size_t n)
{
	char **headers = tl_calloc(n + 1, sizeof *headers);

	for (size_t i = 0; i < n; i++)
		headers[i] = tl_strndup(fields[i].s, fields[i].len);
	const struct tl_description *d = tl_description_of(w->o->name, (const char *const *)headers, n);
	w->columns = tl_calloc(n + 1, sizeof *w->columns);
	for (size_t i = 0; i < n; i++) {
		const struct tl_described_column *c = d ? tl_described_column(d, headers[i]) : NULL;
		char *key = free_key(w, headers[i]);
		w->columns[w->n_columns++] = (struct column){ key, c ? c->type : TL_TYPE_ANY, c != NULL };
	}
	for (size_t i = 0; i < n; i++)
		free(headers[i]);
	free(headers);
}

static enum tl_status flush(struct writer *w, struct tl_error *err)
{
	enum tl_status st = w->text.len ? w->out->write(w->out, w->text.data, w->text.len, err) : TL_OK;

	tl_buf_clear(&w->text);
	return st;
}

static enum tl_status take_row(void *ctx, size_t row, const struct tl_field_text *fields, size_t n, struct tl_error *err)
{
	struct writer *w = ctx;
	struct tl_json j = { .to = &w->text, .in_line = true };

	if (!row) {
		take_header(w, fields, n);
		return TL_OK;
	}
	if (w->total++ < w->o->skip || (w->o->most && w->n_written == w->o->most))
		return TL_OK;
	if (w->o->form != TL_JSON_LINES)
		tl_buf_adds(&w->text, w->n_written ? ",\n" : "\n");
	w->n_written++;
	tl_json_open(&j, NULL, '{');
	for (size_t i = 0; i < n; i++) {
		tl_json_key(&j, w->columns[i].key, strlen(w->columns[i].key));
		put_value(&j, &w->columns[i], &fields[i]);
	}
	tl_json_close(&j, '}');
	if (w->o->form != TL_JSON_LINES)
		return TL_OK;
	tl_buf_addc(&w->text, '\n');
	return w->text.len >= CHUNK ? flush(w, err) : TL_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void add_envelope(const struct writer *w, struct tl_buf *b)
{
	struct tl_json j = { .to = b, .in_line = true };

	tl_json_open(&j, NULL, '{');
	tl_json_put_int(&j, "schema", TL_JSON_SCHEMA);
	tl_json_put_string(&j, "sheet", w->o->name);
	if (w->o->trace)
		tl_json_put_string(&j, "trace", w->o->trace);
	else
		tl_json_put(&j, "trace", "null");
	tl_json_open(&j, "columns", '[');
	for (size_t i = 0; i < w->n_columns; i++)
		tl_json_put_string(&j, NULL, w->columns[i].key);
	tl_json_close(&j, ']');
	tl_json_put_int(&j, "total", (int64_t)w->total);
	tl_json_put(&j, "rows", "");
}

static enum tl_status write_all(struct writer *w, struct tl_error *err)
{
	struct tl_buf head = { 0 };

	if (w->o->form == TL_JSON_SHEET)
		add_envelope(w, &head);
	if (w->o->form != TL_JSON_LINES)
		tl_buf_addc(&head, '[');
	enum tl_status st = head.len ? w->out->write(w->out, head.data, head.len, err) : TL_OK;
	if (w->o->form != TL_JSON_LINES)
		tl_buf_adds(&w->text, w->o->form == TL_JSON_SHEET ? "]}\n" : "]");
	tl_buf_release(&head);
	return st ? st : flush(w, err);
}

enum tl_status tl_sheet_json_write(struct tl_input *tsv, const struct tl_sheet_json *o, struct tl_output *out, struct tl_error *err)
{
	struct writer w = { .o = o, .out = out };
	enum tl_status st = tl_tsv_read(tsv, take_row, &w, err);

	if (!st)
		st = write_all(&w, err);
	for (size_t i = 0; i < w.n_columns; i++)
		free(w.columns[i].key);
	free(w.columns);
	tl_buf_release(&w.text);
	return st;
}
