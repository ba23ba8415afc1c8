/* worksheet.c - a worksheet filled from a sheet in TSV.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/worksheet.h"
#include "report/cell_value.h"
#include "table/tsv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_ROWS 1048576
#define MAX_COLUMNS 16384
#define MAX_TEXT 32767 /* UTF-16 units of a cell */

/* ---- what charts ask ---------------------------------------------------------- */

struct tl_worksheet *tl_worksheet_find(struct tl_worksheet *sheets, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(sheets[i].name, name))
			return &sheets[i];
	return NULL;
}

int tl_worksheet_column(const struct tl_worksheet *s, const char *name)
{
	for (size_t i = 0; i < s->n_columns; i++)
		if (!strcmp(s->columns[i].name, name))
			return (int)i;
	return -1;
}

double tl_worksheet_number(const struct tl_worksheet *s, size_t row, int column)
{
	return s->numbers[row * s->n_columns + (size_t)column];
}

const char *tl_worksheet_text(const struct tl_worksheet *s, size_t row, int column)
{
	return column >= 0 && s->columns[column].texts ? s->columns[column].texts[row] : "";
}

/* ---- cells ------------------------------------------------------------------------ */

/* A sheet that is being filled. */
struct filling {
	struct tl_worksheet *s;
	struct tl_buf text;
};

static void widen(struct tl_column *c, size_t characters)
{
	c->width = fmax(c->width, (double)characters + 1);
}

static lxw_error put_text(struct filling *f, lxw_row_t row, lxw_col_t col, const struct tl_field_text *field)
{
	bool cut;

	widen(&f->s->columns[col], tl_xlsx_text(&f->text, field->s, field->len, MAX_TEXT, &cut));
	f->s->n_cut += cut;
	return worksheet_write_string(f->s->lxw, row, col, f->text.data, NULL);
}

static lxw_error put_number(struct tl_worksheet *s, lxw_row_t row, lxw_col_t col, double x, size_t text_len)
{
	struct tl_column *c = &s->columns[col];

	widen(c, (size_t)tl_number_width(c->format.numbers, x, text_len));
	if (row <= TL_CHART_ROWS)
		s->numbers[(row - 1) * s->n_columns + col] = x;
	return worksheet_write_number(s->lxw, row, col, x, s->formats->numbers[c->format.numbers]);
}

static bool is(const struct tl_field_text *field, const char *text)
{
	return field->len == strlen(text) && !memcmp(field->s, text, field->len);
}

static lxw_error put_cell(struct filling *f, lxw_row_t row, lxw_col_t col, const struct tl_field_text *field)
{
	double x;

	if (tl_xlsx_number(field->s, field->len, &x))
		return put_number(f->s, row, col, x, field->len);
	if (is(field, "True") || is(field, "False"))
		return worksheet_write_boolean(f->s->lxw, row, col, is(field, "True"), NULL);
	return put_text(f, row, col, field);
}

/* ---- the header ---------------------------------------------------------------------- */

/* How wide a column must be for its header, in characters: with room for the button of
 * the filter; a long header is set in two lines. */
static double header_width(double header)
{
	if (header < 10)
		return header + 4;
	if (header < 18)
		return header + 2;
	return fmin(header / 2 + 5, 24);
}

static void start_column(struct filling *f, size_t i, const struct tl_field_text *field)
{
	struct tl_worksheet *s = f->s;
	struct tl_column *c = &s->columns[i];
	bool cut;
	double width = (double)tl_xlsx_text(&f->text, field->s, field->len, MAX_TEXT, &cut);

	c->name = tl_arena_dup(&s->arena, f->text.data, f->text.len);
	c->format = tl_column_format(c->name);
	c->header_width = width + 2;
	c->width = header_width(width);
	if (i == 0 || !strcmp(c->name, "Input Dims") || !strcmp(c->name, "Compute Spec"))
		c->texts = tl_arena_alloc(&s->arena, TL_CHART_ROWS * sizeof *c->texts);
}

static enum tl_status put_header(struct filling *f, const struct tl_field_text *fields, size_t n, struct tl_error *err)
{
	struct tl_worksheet *s = f->s;

	if (n > MAX_COLUMNS)
		return tl_fail(err, TL_ERR_DATA, "sheet '%s' has %zu columns, a workbook allows %d", s->name, n, MAX_COLUMNS);
	s->columns = tl_calloc(n, sizeof *s->columns);
	s->numbers = tl_alloc(TL_CHART_ROWS * n * sizeof *s->numbers);
	s->n_columns = n;
	for (size_t i = 0; i < TL_CHART_ROWS * n; i++)
		s->numbers[i] = NAN;
	for (size_t i = 0; i < n; i++) {
		start_column(f, i, &fields[i]);
		lxw_error e = worksheet_write_string(s->lxw, 0, (lxw_col_t)i, s->columns[i].name, s->formats->header);
		if (e)
			return tl_fail(err, TL_ERR_DATA, "sheet '%s', column %zu: %s", s->name, i + 1, lxw_strerror(e));
		s->n_cells++;
	}
	return TL_OK;
}

/* ---- rows -------------------------------------------------------------------------------- */

static void keep_texts(struct tl_worksheet *s, size_t row, const struct tl_field_text *fields)
{
	for (size_t i = 0; i < s->n_columns; i++)
		if (s->columns[i].texts)
			s->columns[i].texts[row] = tl_arena_dup(&s->arena, fields[i].s, fields[i].len);
}

static enum tl_status put_row(void *ctx, size_t row, const struct tl_field_text *fields, size_t n, struct tl_error *err)
{
	struct filling *f = ctx;
	struct tl_worksheet *s = f->s;

	if (row == 0)
		return put_header(f, fields, n, err);
	if (row >= MAX_ROWS)
		return tl_fail(err, TL_ERR_DATA, "sheet '%s' has more than %d rows, the most that a workbook allows",
		               s->name, MAX_ROWS - 1);
	if (row <= TL_CHART_ROWS)
		keep_texts(s, row - 1, fields);
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

/* ---- layout --------------------------------------------------------------------------------- */

static void set_widths(struct tl_worksheet *s)
{
	bool two_lines = false;

	for (size_t i = 0; i < s->n_columns; i++) {
		struct tl_column *c = &s->columns[i];
		c->width = fmax(8, fmin(c->width, c->format.max_width));
		two_lines |= c->header_width > c->width;
		worksheet_set_column(s->lxw, (lxw_col_t)i, (lxw_col_t)i, c->width, NULL);
	}
	if (two_lines)
		worksheet_set_row(s->lxw, 0, 30, NULL);
}

static void add_data_bar(struct tl_worksheet *s, lxw_col_t col, const struct tl_data_bar *bar)
{
	lxw_conditional_format f = {
		.type = LXW_CONDITIONAL_DATA_BAR,
		.bar_color = bar->color,
		.bar_solid = LXW_TRUE,
		.data_bar_2010 = LXW_TRUE,
		.bar_no_border = LXW_TRUE,
		.min_rule_type = LXW_CONDITIONAL_RULE_TYPE_NUMBER,
		.min_value = 0,
		.max_rule_type = bar->full > 0 ? LXW_CONDITIONAL_RULE_TYPE_NUMBER : LXW_CONDITIONAL_RULE_TYPE_MAXIMUM,
		.max_value = bar->full,
	};
	worksheet_conditional_format_range(s->lxw, 1, col, (lxw_row_t)s->n_rows, col, &f);
}

static void finish(struct tl_worksheet *s)
{
	set_widths(s);
	/* on a wide sheet the first column stays in sight, if it leaves room */
	worksheet_freeze_panes(s->lxw, 1, s->n_columns > 8 && s->columns[0].width <= 40);
	worksheet_autofilter(s->lxw, 0, 0, (lxw_row_t)s->n_rows, (lxw_col_t)(s->n_columns - 1));
	worksheet_set_landscape(s->lxw);
	if (s->n_columns <= 12)
		worksheet_fit_to_pages(s->lxw, 1, 0);
	worksheet_repeat_rows(s->lxw, 0, 0);
	for (size_t i = 0; i < s->n_columns && s->n_rows; i++)
		if (s->columns[i].format.bar)
			add_data_bar(s, (lxw_col_t)i, s->columns[i].format.bar);
}

enum tl_status tl_worksheet_fill(struct tl_worksheet *s, struct tl_input *tsv, struct tl_error *err)
{
	struct filling f = { .s = s };
	enum tl_status st = tl_tsv_read(tsv, put_row, &f, err);

	if (!st)
		finish(s);
	tl_buf_release(&f.text);
	return st;
}

void tl_worksheet_release(struct tl_worksheet *s)
{
	free(s->columns);
	free(s->numbers);
	tl_arena_release(&s->arena);
}
