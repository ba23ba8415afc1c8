/* sheet_json.c - a finished sheet as JSON.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/sheet_json.h"

#include "base/json_writer.h"
#include "table/tsv.h"
#include "table/typed_columns.h"

#include <string.h>

#define CHUNK 65536

struct writer {
	const struct tl_sheet_json *o;
	struct tl_output *out;
	struct tl_buf text; /* of rows that are not written yet */
	struct tl_typed_columns columns;
	uint64_t total, n_written;
};

static void put_value(struct tl_json *j, const struct tl_typed_column *c, const struct tl_field_text *f)
{
	static const char *const words[] = { [TL_VALUE_NULL] = "null", [TL_VALUE_TRUE] = "true", [TL_VALUE_FALSE] = "false", [TL_VALUE_NUMBER] = "" };
	size_t whole = 0;
	enum tl_typed what = tl_typed_value(c, f, &whole);

	if (what == TL_VALUE_TEXT)
		tl_json_put_text(j, NULL, f->s, f->len);
	else
		tl_json_put(j, NULL, words[what]);
	if (what == TL_VALUE_NUMBER)
		tl_buf_add(j->to, f->s, c->type == TL_TYPE_INT && whole ? whole : f->len);
}

/* ---- rows --------------------------------------------------------------------------------- */

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
		tl_typed_columns_take(&w->columns, w->o->name, fields, n, NULL);
		for (size_t i = 0; w->o->types && i < n; i++)
			if (!w->columns.items[i].described || !w->o->name)
				w->columns.items[i] = (struct tl_typed_column){ w->columns.items[i].key, w->o->types[i], true };
		return TL_OK;
	}
	if (w->total++ < w->o->skip || (w->o->most && w->n_written == w->o->most))
		return TL_OK;
	if (w->o->form != TL_JSON_LINES)
		tl_buf_adds(&w->text, w->n_written ? ",\n" : "\n");
	w->n_written++;
	tl_json_open(&j, NULL, '{');
	for (size_t i = 0; i < n; i++) {
		tl_json_key(&j, w->columns.items[i].key, strlen(w->columns.items[i].key));
		put_value(&j, &w->columns.items[i], &fields[i]);
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
	if (w->o->name)
		tl_json_put_string(&j, "sheet", w->o->name);
	else
		tl_json_put(&j, "sheet", "null");
	if (w->o->trace)
		tl_json_put_string(&j, "trace", w->o->trace);
	else
		tl_json_put(&j, "trace", "null");
	tl_json_open(&j, "columns", '[');
	for (size_t i = 0; i < w->columns.n; i++)
		tl_json_put_string(&j, NULL, w->columns.items[i].key);
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
	tl_typed_columns_release(&w.columns);
	tl_buf_release(&w.text);
	return st;
}
