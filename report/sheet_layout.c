/* sheet_layout.c - how a worksheet looks: widths, folded columns, what stays in sight, print.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/sheet_layout.h"
#include "base/utf8.h"
#include "report/column_kind.h"

#include <math.h>
#include <string.h>

#define NARROWEST 8      /* characters */
#define WIDEST_HEADER 34
#define EASY_HEADER 24   /* characters; a header of several words gets so many to stand in two lines */
#define BUTTON 3         /* the filter's button, in characters */
#define HEADER_FONT 0.95 /* the header's bold letters are smaller */
#define LINE_HEIGHT 15   /* points */

/* ---- widths ---------------------------------------------------------------------- */

/* Lines that a text takes if lines have so many characters, broken at blanks. A longer word
 * goes on in the next line. */
static size_t count_lines(const char *text, size_t width)
{
	size_t lines = 1, used = 0, len;

	for (const char *word = text; *word; word += len + (word[len] == ' ')) {
		len = strcspn(word, " ");
		size_t n = tl_utf8_count(word, len);
		if (used && used + 1 + n > width) {
			lines++;
			used = 0;
		}
		used += n + (used > 0);
		lines += n ? (used - 1) / width : 0;
		used = n ? (used - 1) % width + 1 : used;
	}
	return lines;
}

static size_t longest_word(const char *text)
{
	size_t longest = 0, len;

	for (const char *word = text; *word; word += len + (word[len] == ' ')) {
		len = strcspn(word, " ");
		size_t n = tl_utf8_count(word, len);
		longest = n > longest ? n : longest;
	}
	return longest;
}

/* Characters in a line of a header. */
static size_t header_line(const char *header)
{
	const size_t most = (size_t)((WIDEST_HEADER - BUTTON) / HEADER_FONT);
	size_t width = longest_word(header);

	width = width > NARROWEST ? width : NARROWEST;
	while (width < EASY_HEADER && count_lines(header, width) > 2)
		width++;
	return width > most ? most : width;
}

static double header_width(const char *header)
{
	size_t n = tl_utf8_count(header, strlen(header)), line = header_line(header);

	return (double)(n < line ? n : line) * HEADER_FONT + BUTTON;
}

static double width_of(const struct tl_column *c)
{
	double text = fmin(c->width, c->format.max_width);

	return fmax(NARROWEST, fmax(text, header_width(c->name)));
}

/* ---- heights ----------------------------------------------------------------------- */

void tl_layout_header_row(struct tl_worksheet *s)
{
	size_t lines = 1;

	for (size_t i = 0; i < s->n_columns; i++) {
		size_t n = count_lines(s->columns[i].name, header_line(s->columns[i].name));
		lines = n > lines ? n : lines;
	}
	worksheet_set_row(s->lxw, 0, (double)lines * LINE_HEIGHT, NULL);
}

void tl_layout_row(struct tl_worksheet *s, lxw_row_t row, size_t i, const char *text)
{
	const struct tl_column *c = &s->columns[i];
	size_t lines = c->format.wraps ? count_lines(text, c->format.max_width) : 1;

	if (lines > 1 && row != s->high_row) {
		s->high_row = row;
		s->high_lines = 1;
	}
	if (lines > 1 && lines > s->high_lines) {
		s->high_lines = lines;
		worksheet_set_row(s->lxw, row, (double)lines * LINE_HEIGHT, NULL);
	}
}

/* ---- folded columns ---------------------------------------------------------------- */

/* A button above the column behind folded ones shows them. */
static bool is_folded(const struct tl_worksheet *s, size_t i)
{
	if (i >= s->n_columns)
		return false;
	return s->folds ? s->folds(s->folds_ctx, s->columns[i].name) : tl_column_is_folded(s->columns[i].name, i, s->n_columns);
}

static void set_columns(struct tl_worksheet *s)
{
	for (size_t i = 0; i <= s->n_columns; i++) {
		bool folded = is_folded(s, i), behind = !folded && i && is_folded(s, i - 1);
		lxw_row_col_options options = { .hidden = folded, .level = folded, .collapsed = behind };

		if (i < s->n_columns || behind)
			worksheet_set_column_opt(s->lxw, (lxw_col_t)i, (lxw_col_t)i,
			                         i < s->n_columns ? width_of(&s->columns[i]) : LXW_DEF_COL_WIDTH, NULL, &options);
	}
}

/* ---- the rest ----------------------------------------------------------------------- */

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

static void add_rule(struct tl_worksheet *s, const char *formula, lxw_col_t first, lxw_col_t last, lxw_format *format)
{
	lxw_conditional_format f = {
		.type = LXW_CONDITIONAL_TYPE_FORMULA,
		.value_string = (char *)formula,
		.format = format,
	};

	worksheet_conditional_format_range(s->lxw, 1, first, (lxw_row_t)s->n_rows, last, &f);
}

/* Sections of the overview begin with a line and state their name once. */
static void mark_sections(struct tl_worksheet *s)
{
	lxw_col_t last = (lxw_col_t)(s->n_columns - 1);

	if (!s->is_overview || !s->n_rows)
		return;
	/* no two of these for a cell: LibreOffice applies one only */
	add_rule(s, "=$A2=\"headline\"", 1, 2, s->formats->headline);
	add_rule(s, "=AND($A2<>$A1,$A2<>\"headline\")", 0, last, s->formats->section);
	add_rule(s, "=$A2=$A1", 0, 0, s->formats->repeated);
}

/* A page is as wide as the sheet; each page begins with the header and ends with the names
 * of file and sheet. */
static void set_print(struct tl_worksheet *s)
{
	worksheet_set_landscape(s->lxw);
	worksheet_fit_to_pages(s->lxw, 1, 0);
	worksheet_repeat_rows(s->lxw, 0, 0);
	worksheet_set_footer(s->lxw, "&L&F: &A&R&P / &N");
}

void tl_layout_apply(struct tl_worksheet *s)
{
	set_columns(s);
	/* on a wide sheet the first column stays in sight, if it leaves room */
	worksheet_freeze_panes(s->lxw, 1, s->n_columns > 8 && width_of(&s->columns[0]) <= 40);
	worksheet_autofilter(s->lxw, 0, 0, (lxw_row_t)s->n_rows, (lxw_col_t)(s->n_columns - 1));
	set_print(s);
	mark_sections(s);
	for (size_t i = 0; i < s->n_columns && s->n_rows; i++)
		if (s->columns[i].format.bar)
			add_data_bar(s, (lxw_col_t)i, s->columns[i].format.bar);
}
