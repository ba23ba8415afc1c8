/* worksheet.c - a worksheet filled from a sheet in TSV.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/worksheet.h"
#include "report/cell_value.h"
#include "report/charts.h"
#include "report/sheet_layout.h"
#include "table/tsv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_ROWS 1048576
#define MAX_COLUMNS 16384
#define MAX_LINKS 1000 /* of a column; a worksheet may have 65,530 */
#define MAX_TEXT 32767 /* UTF-16 units of a cell */

struct tl_worksheet *tl_worksheet_find(const struct tl_worksheet *sheets, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(sheets[i].name, name))
			return (struct tl_worksheet *)&sheets[i];
	return NULL;
}

/* ---- cells ------------------------------------------------------------------------ */

/* A sheet that is being filled. */
struct filling {
	struct tl_worksheet *s;
	const struct tl_sheet_role *role;
	bool texts_only; /* in this row, what looks like a number is text: a version */
	struct tl_buf text;
};

static void widen(struct tl_column *c, size_t characters)
{
	c->width = fmax(c->width, (double)characters + 1);
}

/* A link to the sheet of that name. */
static lxw_error put_link(struct filling *f, lxw_row_t row, lxw_col_t col, const char *name)
{
	struct tl_buf url = { 0 };

	tl_buf_adds(&url, "internal:'");
	for (const char *p = name; *p; p++) {
		if (*p == '\'')
			tl_buf_addc(&url, '\'');
		tl_buf_addc(&url, *p);
	}
	tl_buf_adds(&url, "'!A1");
	lxw_error e = worksheet_write_url_opt(f->s->lxw, row, col, url.data, f->s->formats->link, name, NULL);
	tl_buf_release(&url);
	return e;
}

static lxw_error put_text(struct filling *f, lxw_row_t row, lxw_col_t col, const struct tl_field_text *field)
{
	bool cut;

	struct tl_column *c = &f->s->columns[col];

	widen(c, tl_xlsx_text(&f->text, field->s, field->len, MAX_TEXT, &cut));
	f->s->n_cut += cut;
	if (c->names_bars)
		tl_xlsx_mask(&f->text);
	tl_layout_row(f->s, row, col, f->text.data);
	if (c->format.links && row <= MAX_LINKS && tl_worksheet_find(f->role->sheets, f->role->n_sheets, f->text.data))
		return put_link(f, row, col, f->text.data);
	return worksheet_write_string(f->s->lxw, row, col, f->text.data,
	                              c->format.wraps ? f->s->formats->wrapped : col ? f->s->formats->text : NULL);
}

static lxw_error put_number(struct tl_worksheet *s, lxw_row_t row, lxw_col_t col, double x, size_t text_len)
{
	struct tl_column *c = &s->columns[col];

	widen(c, (size_t)tl_number_width(c->format.numbers, x, text_len));
	return worksheet_write_number(s->lxw, row, col, x, tl_formats_number(s->formats, c->format.numbers, x));
}

static bool is(const struct tl_field_text *field, const char *text)
{
	return field->len == strlen(text) && !memcmp(field->s, text, field->len);
}

static lxw_error put_cell(struct filling *f, lxw_row_t row, lxw_col_t col, const struct tl_field_text *field)
{
	double x;

	if (!f->texts_only && tl_xlsx_number(field->s, field->len, &x))
		return put_number(f->s, row, col, x, field->len);
	if (is(field, "True") || is(field, "False"))
		return worksheet_write_boolean(f->s->lxw, row, col, is(field, "True"), f->s->formats->boolean);
	return put_text(f, row, col, field);
}

/* ---- the header ---------------------------------------------------------------------- */

static void start_column(struct filling *f, size_t i, const struct tl_field_text *field)
{
	struct tl_worksheet *s = f->s;
	struct tl_column *c = &s->columns[i];
	bool cut;

	tl_xlsx_text(&f->text, field->s, field->len, MAX_TEXT, &cut);
	c->name = tl_arena_dup(&s->arena, f->text.data, f->text.len);
	c->format = f->s->is_overview ? tl_overview_format(c->name) : tl_column_format(c->name);
	c->names_bars = tl_charts_name(s->name, c->name);
}

static enum tl_status put_header(struct filling *f, const struct tl_field_text *fields, size_t n, struct tl_error *err)
{
	struct tl_worksheet *s = f->s;

	if (n > MAX_COLUMNS)
		return tl_fail(err, TL_ERR_DATA, "sheet '%s' has %zu columns, a workbook allows %d", s->name, n, MAX_COLUMNS);
	s->columns = tl_calloc(n, sizeof *s->columns);
	s->n_columns = n;
	for (size_t i = 0; i < n; i++) {
		start_column(f, i, &fields[i]);
		lxw_error e = worksheet_write_string(s->lxw, 0, (lxw_col_t)i, s->columns[i].name, s->formats->header);
		if (e)
			return tl_fail(err, TL_ERR_DATA, "sheet '%s', column %zu: %s", s->name, i + 1, lxw_strerror(e));
		s->n_cells++;
	}
	tl_layout_header_row(s);
	return TL_OK;
}

/* ---- rows -------------------------------------------------------------------------------- */

static enum tl_status put_row(void *ctx, size_t row, const struct tl_field_text *fields, size_t n, struct tl_error *err)
{
	struct filling *f = ctx;
	struct tl_worksheet *s = f->s;

	if (f->role->look)
		f->role->look(f->role->ctx, fields, n);
	tl_first_rows_add(&s->first, fields, n);
	if (row == 0)
		return put_header(f, fields, n, err);
	if (row >= MAX_ROWS)
		return tl_fail(err, TL_ERR_DATA, "sheet '%s' has more than %d rows, the most that a workbook allows",
		               s->name, MAX_ROWS - 1);
	f->texts_only = f->s->is_overview && (is(&fields[0], "software") || is(&fields[0], "tool"));
	for (size_t i = 0; i < n; i++) {
		if (!fields[i].len)
			continue;
		lxw_error e = put_cell(f, (lxw_row_t)row, (lxw_col_t)i, &fields[i]);
		if (e)
			return tl_fail(err, TL_ERR_DATA, "sheet '%s', row %zu, column '%s': %s", s->name, row,
			               s->columns[i].name, lxw_strerror(e));
		s->n_cells++;
	}
	s->n_rows = row;
	return TL_OK;
}

enum tl_status tl_worksheet_fill(struct tl_worksheet *s, const struct tl_sheet_role *role, struct tl_input *tsv,
                                 struct tl_error *err)
{
	struct filling f = { .s = s, .role = role };

	s->first.most = TL_CHART_ROWS;
	enum tl_status st = tl_tsv_read(tsv, put_row, &f, err);

	if (!st)
		tl_layout_apply(s);
	tl_buf_release(&f.text);
	return st;
}

void tl_worksheet_release(struct tl_worksheet *s)
{
	free(s->columns);
	tl_first_rows_release(&s->first);
	tl_arena_release(&s->arena);
}
