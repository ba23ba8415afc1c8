/* sheet_form.c - a single sheet on standard output: as TSV, JSON, text or Markdown, all rows or some.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/sheet_form.h"

#include "base/memory_io.h"
#include "base/text.h"
#include "cli/programs.h"
#include "table/markdown.h"
#include "table/sheet_json.h"
#include "table/tsv.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *tl_sheet_form;
int64_t tl_form_rows, tl_form_offset;

const char *tl_take_form(void *dest, const char *form)
{
	static const char *const forms[] = { "tsv", "text", "json", "jsonl", "markdown", "folded", NULL };

	*(const char **)dest = form;
	if (!strncmp(form, "json", 4))
		tl_tell_errors_as_json();
	return tl_is_one_of(forms, form) ? NULL : "expected tsv, text, json, jsonl, markdown or folded";
}

const char *tl_take_quotes(void *dest, const char *how)
{
	*(bool *)dest = !strcmp(how, "escape");
	return *(bool *)dest || !strcmp(how, "plain") ? NULL : "expected plain or escape";
}

bool tl_form_is_asked(void)
{
	return tl_sheet_form || tl_form_rows || tl_form_offset;
}

bool tl_form_is_text(const char *path)
{
	return tl_sheet_form ? !strcmp(tl_sheet_form, "text") : tl_to_terminal(path);
}

/* The table without the rows that are not asked for. It shares the cells; free its columns. */
static struct tl_table some_rows(const struct tl_table *t)
{
	struct tl_table some = *t;
	size_t skip = (uint64_t)tl_form_offset < t->n_rows ? (size_t)tl_form_offset : t->n_rows;

	some.columns = tl_alloc((t->n_columns + 1) * sizeof *some.columns);
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct tl_table_column *c = &t->columns[i];
		some.columns[i] = (struct tl_table_column){ c->name, c->tags ? c->tags + skip : NULL, c->low ? c->low + skip : NULL,
		                                            c->values ? c->values + skip : NULL };
	}
	some.n_rows -= skip;
	if (tl_form_rows)
		tl_table_head(&some, tl_form_rows);
	return some;
}

static void add_text(struct tl_buf *b, const struct tl_buf *tsv, const char *path)
{
	const char *const argv[] = { "tl-show", "--top", "0", "--color", tl_has_colours(path) ? "always" : "never", NULL };
	int status = tl_program_output((struct tl_process){ .argv = argv }, tsv, b, NULL);

	if (status)
		tl_end(status); /* it has said why */
}

static const char *shown(const char *name)
{
	return name ? name : "answer";
}

static void write_tsv(const struct tl_table *t, const char *name, struct tl_output *out)
{
	struct tl_error err;
	enum tl_status st = tl_tsv_write(t, out, &err);

	if (st == TL_ERR_DATA)
		tl_die("sheet %s: %s", shown(name), err.text);
	if (st)
		tl_die_error(out->name, &err);
}

/* What the cells of each column are: text, or anything. */
static enum tl_type *types_of(const struct tl_table *t)
{
	enum tl_type *types = tl_alloc((t->n_columns + 1) * sizeof *types);

	for (size_t i = 0; i < t->n_columns; i++) {
		types[i] = TL_TYPE_TEXT;
		for (size_t row = 0; row < t->n_rows && types[i] == TL_TYPE_TEXT; row++) {
			struct tl_cell c = tl_table_cell(t, row, i);
			types[i] = c.type == TL_CELL_BOOL ? TL_TYPE_BOOL : c.type == TL_CELL_TEXT || c.type == TL_CELL_NULL ? TL_TYPE_TEXT : TL_TYPE_ANY;
		}
	}
	return types;
}

/* total rows are counted, so JSON gets the whole sheet. */
static void write_json(const struct tl_table *t, const struct tl_buf *tsv, const char *name, const char *trace, struct tl_output *out)
{
	enum tl_type *types = types_of(t);
	struct tl_memory_input in = tl_memory_input(shown(name), tsv->data, tsv->len);
	struct tl_sheet_json o = { .form = strcmp(tl_sheet_form, "json") ? TL_JSON_LINES : TL_JSON_SHEET, .name = name, .trace = trace, .types = types,
	                           .skip = (uint64_t)tl_form_offset, .most = (uint64_t)tl_form_rows };
	struct tl_error err;

	if (tl_sheet_json_write(&in.in, &o, out, &err))
		tl_die_error(shown(name), &err);
	free(types);
}

/* A line a row: a stack, a blank and its cost, as programs for flame graphs read it. */
static void add_folded(struct tl_buf *b, const struct tl_table *t, const char *name)
{
	if (t->n_columns != 2)
		tl_usage("--format folded is for sheets of a stack and a number, as those of tl-tree: %s has %zu columns", shown(name), t->n_columns);
	for (size_t row = 0; row < t->n_rows; row++) {
		tl_tsv_add_cell(b, tl_table_cell(t, row, 0), t->strings, t->ticks_per_us);
		tl_buf_addc(b, ' ');
		tl_tsv_add_cell(b, tl_table_cell(t, row, 1), t->strings, t->ticks_per_us);
		tl_buf_addc(b, '\n');
	}
}

/* Programs that take quotes for more lose rows without a word. */
static void note_quotes(const struct tl_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_columns && !tl_tsv_escapes_quotes; i++)
		for (size_t row = 0; row < t->n_rows; row++)
			n += *tl_table_text(t, row, (int)i, "") == '"';
	if (n)
		tl_note("%zu cell%s with a quote, which is a character like any other: tl-tools(7) tells how other programs read that", n,
		        n == 1 ? " begins" : "s begin");
}

void tl_form_write(const char *path, const struct tl_table *t, const char *name, const char *trace)
{
	struct tl_table some = some_rows(t);
	struct tl_memory_output made = tl_memory_output(shown(name)), tsv = tl_memory_output(shown(name));
	const char *form = tl_form_is_text(path) ? "text" : tl_sheet_form ? tl_sheet_form : "tsv";

	if (tl_tsv_escapes_quotes && tl_sheet_form && strcmp(form, "tsv") != 0)
		tl_usage("--tsv-quotes is about TSV, not about --format %s", form);

	if (!strcmp(form, "markdown")) {
		tl_markdown_add(&made.text, &some, some.n_rows);
		tl_buf_addc(&made.text, '\n');
	} else if (!strcmp(form, "folded")) {
		add_folded(&made.text, &some, name);
	} else if (!strcmp(form, "text")) {
		write_tsv(&some, name, &tsv.out);
		add_text(&made.text, &tsv.text, path);
		if (some.n_rows < t->n_rows)
			tl_note("%s: %zu of %zu rows are shown; --rows N shows others", shown(name), some.n_rows, t->n_rows);
	} else if (strcmp(form, "tsv") != 0) {
		write_tsv(t, name, &tsv.out);
		write_json(t, &tsv.text, name, trace, &made.out);
	}
	if (!strcmp(form, "tsv")) {
		struct tl_output *out = tl_open_output(path, false);
		note_quotes(&some);
		write_tsv(&some, name, out);
		tl_close_output(out);
	} else {
		tl_write_text(path, &made.text);
	}
	tl_buf_release(&made.text);
	tl_buf_release(&tsv.text);
	free(some.columns);
}
