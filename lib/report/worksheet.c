/* worksheet.c - a worksheet filled from a sheet in TSV.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/worksheet.h"
#include "base/text.h"
#include "base/utf8.h"
#include "report/cell_value.h"
#include "report/chart_list.h"
#include "report/column_kind.h"
#include "report/finding_links.h"
#include "table/tsv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- formats ---------------------------------------------------------------------- */

static const uint8_t numbers_of[TL_UNIT_N] = {
	[TL_UNIT_NONE] = TL_NUMBERS_GENERAL,
	[TL_UNIT_NS] = TL_NUMBERS_ID,
	[TL_UNIT_US] = TL_NUMBERS_TIME,
	[TL_UNIT_MS] = TL_NUMBERS_TIME,
	[TL_UNIT_PERCENT] = TL_NUMBERS_SHARE,
	[TL_UNIT_BYTES] = TL_NUMBERS_COUNT,
	[TL_UNIT_COUNT] = TL_NUMBERS_COUNT,
	[TL_UNIT_RATE] = TL_NUMBERS_RATE,
	[TL_UNIT_ID] = TL_NUMBERS_ID,
	[TL_UNIT_SHARE] = TL_NUMBERS_SHARE,
	[TL_UNIT_BIN] = TL_NUMBERS_BIN,
};

#define WIDE_KEY 60 /* characters; keys that may be wider are sentences */

static struct tl_column_format column_format(const char *sheet, struct tl_column_facts kind, const char *name)
{
	return (struct tl_column_format){
		.numbers = numbers_of[kind.unit], .max_width = kind.max_width, .bar = kind.bar,
		.wraps = kind.rank == TL_RANK_KEY && kind.max_width > WIDE_KEY, .links = tl_finding_links(sheet, name),
	};
}

/* The same of a column of the sheet overview. */
static struct tl_column_format overview_format(const char *name)
{
	struct tl_column_format format = { .numbers = TL_NUMBERS_GENERAL, .max_width = 45, .wraps = true };

	if (!strcmp(name, "value")) {
		format.numbers = TL_NUMBERS_MIXED;
		format.max_width = 70;
	}
	if (!strcmp(name, "unit"))
		format.max_width = 60;
	format.links = !strcmp(name, "sheet");
	return format;
}

/* Characters that a number takes in a format; text_len: those it takes in the sheet. */
static int number_width(enum tl_number_format format, double x, size_t text_len)
{
	static const int decimals[TL_NUMBERS_N] = { /* and the point */
		[TL_NUMBERS_TIME] = 4, [TL_NUMBERS_SHARE] = 3, [TL_NUMBERS_BIN] = 5, [TL_NUMBERS_RATE] = 4,
		[TL_NUMBERS_MIXED] = 3,
	};
	if (format == TL_NUMBERS_GENERAL)
		return text_len < 11 ? (int)text_len : 11;
	if (format == TL_NUMBERS_RATE && x < 0.01)
		return x == 0 ? 1 : 8 + (x < 0); /* 1.23E-04 */
	int digits = 1;
	for (double limit = 10; digits < 20 && fabs(x) >= limit; limit *= 10)
		digits++;
	int separators = format == TL_NUMBERS_ID ? 0 : (digits - 1) / 3;
	return digits + separators + decimals[format] + (x < 0);
}

/* For numbers in a column of texts. */
static void set_beside_text(lxw_format *f)
{
	format_set_align(f, LXW_ALIGN_LEFT);
	format_set_align(f, LXW_ALIGN_VERTICAL_TOP);
}

void tl_formats_add(struct tl_formats *f, lxw_workbook *workbook)
{
	static const char *const codes[TL_NUMBERS_N] = {
		[TL_NUMBERS_ID] = "0",
		[TL_NUMBERS_COUNT] = "#,##0",
		[TL_NUMBERS_TIME] = "#,##0.000",
		[TL_NUMBERS_SHARE] = "#,##0.00",
		[TL_NUMBERS_BIN] = "#,##0.0000",
		[TL_NUMBERS_RATE] = "[=0]0;[<0.01]0.00E+00;#,##0.000",
		[TL_NUMBERS_MIXED] = "#,##0.00",
	};
	f->header = workbook_add_format(workbook);
	format_set_bold(f->header);
	format_set_font_size(f->header, 9);
	format_set_text_wrap(f->header);
	format_set_align(f->header, LXW_ALIGN_VERTICAL_TOP);
	format_set_bottom(f->header, LXW_BORDER_THIN);
	format_set_bg_color(f->header, 0xEDEDED);
	for (int i = 0; i < TL_NUMBERS_N; i++) {
		if (!codes[i]) /* a workbook's own format of numbers */
			continue;
		f->numbers[i] = workbook_add_format(workbook);
		format_set_num_format(f->numbers[i], codes[i]);
		format_set_align(f->numbers[i], LXW_ALIGN_VERTICAL_TOP); /* beside texts of several lines */
	}
	f->mixed_whole = workbook_add_format(workbook);
	format_set_num_format(f->mixed_whole, codes[TL_NUMBERS_COUNT]);
	set_beside_text(f->mixed_whole);
	set_beside_text(f->numbers[TL_NUMBERS_MIXED]);
	f->text = workbook_add_format(workbook);
	format_set_indent(f->text, 1); /* away from the numbers of the column before */
	format_set_align(f->text, LXW_ALIGN_VERTICAL_TOP);
	f->boolean = workbook_add_format(workbook); /* LibreOffice shows 1 and 0 without it */
	format_set_num_format(f->boolean, "\"TRUE\";\"TRUE\";\"FALSE\"");
	format_set_align(f->boolean, LXW_ALIGN_CENTER);
	f->wrapped = workbook_add_format(workbook);
	format_set_text_wrap(f->wrapped);
	format_set_align(f->wrapped, LXW_ALIGN_VERTICAL_TOP);
	f->section = workbook_add_format(workbook);
	format_set_top(f->section, LXW_BORDER_THIN);
	f->repeated = workbook_add_format(workbook);
	format_set_font_color(f->repeated, 0xBFBFBF);
	f->headline = workbook_add_format(workbook);
	format_set_bold(f->headline);
	f->link = workbook_add_format(workbook);
	format_set_font_color(f->link, 0x0563C1);
	format_set_underline(f->link, LXW_UNDERLINE_SINGLE);
	format_set_align(f->link, LXW_ALIGN_VERTICAL_TOP);
}

/* The format of a number; NULL: the workbook's own. */
static lxw_format *number_format(const struct tl_formats *f, enum tl_number_format format, double x)
{
	return format == TL_NUMBERS_MIXED && x == floor(x) ? f->mixed_whole : f->numbers[format];
}

/* ---- layout ---------------------------------------------------------------- */

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

static double width_of(const struct tl_column *c)
{
	size_t n = tl_utf8_count(c->name, strlen(c->name)), line = header_line(c->name);
	double header = (double)(n < line ? n : line) * HEADER_FONT + BUTTON;

	return fmax(NARROWEST, fmax(fmin(c->width, c->format.max_width), header));
}

/* ---- heights ----------------------------------------------------------------------- */

/* These two are called while the row is being written: later its height cannot be changed. */

/* Makes the header's row high enough for headers that break between words. */
static void set_header_height(struct tl_worksheet *s)
{
	size_t lines = 1;

	for (size_t i = 0; i < s->n_columns; i++) {
		size_t n = count_lines(s->columns[i].name, header_line(s->columns[i].name));
		lines = n > lines ? n : lines;
	}
	worksheet_set_row(s->lxw, 0, (double)lines * LINE_HEIGHT, NULL);
}

/* Makes a row high enough for a text in its i-th column, if the column wraps texts. */
static void set_row_height(struct tl_worksheet *s, lxw_row_t row, size_t i, const char *text)
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
	return i < s->n_columns && s->columns[i].folded;
}

/* ---- the whole layout ----------------------------------------------------------------------- */

static void add_data_bar(struct tl_worksheet *s, lxw_col_t col, enum tl_column_bar bar)
{
	double full = bar == TL_BAR_GREATEST ? 0 : 100;
	lxw_conditional_format f = {
		.type = LXW_CONDITIONAL_DATA_BAR,
		.bar_color = bar == TL_BAR_ROOF ? 0xA9D18E : 0x8FAADC,
		.bar_solid = LXW_TRUE,
		.data_bar_2010 = LXW_TRUE,
		.bar_no_border = LXW_TRUE,
		.min_rule_type = LXW_CONDITIONAL_RULE_TYPE_NUMBER,
		.min_value = 0,
		.max_rule_type = full > 0 ? LXW_CONDITIONAL_RULE_TYPE_NUMBER : LXW_CONDITIONAL_RULE_TYPE_MAXIMUM,
		.max_value = full,
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
	add_rule(s, "=OR($A2=\"headline\",$A2=\"finding\")", 1, 2, s->formats->headline);
	add_rule(s, "=AND($A2<>$A1,$A2<>\"headline\",$A2<>\"finding\")", 0, last, s->formats->section);
	add_rule(s, "=$A2=$A1", 0, 0, s->formats->repeated);
}

/* The rows of the worksheet are written. */
static void lay_out(struct tl_worksheet *s)
{
	for (size_t i = 0; i <= s->n_columns; i++) {
		bool folded = is_folded(s, i), behind = !folded && i && is_folded(s, i - 1);
		lxw_row_col_options options = { .hidden = folded, .level = folded, .collapsed = behind };

		if (i < s->n_columns || behind)
			worksheet_set_column_opt(s->lxw, (lxw_col_t)i, (lxw_col_t)i,
			                         i < s->n_columns ? width_of(&s->columns[i]) : LXW_DEF_COL_WIDTH, NULL, &options);
	}
	/* on a wide sheet the first column stays in sight, if it leaves room */
	worksheet_freeze_panes(s->lxw, 1, s->n_columns > 8 && width_of(&s->columns[0]) <= 40);
	worksheet_autofilter(s->lxw, 0, 0, (lxw_row_t)s->n_rows, (lxw_col_t)(s->n_columns - 1));
	/* a page is as wide as the sheet, begins with the header and ends with the names of file and sheet */
	worksheet_set_landscape(s->lxw);
	worksheet_fit_to_pages(s->lxw, 1, 0);
	worksheet_repeat_rows(s->lxw, 0, 0);
	worksheet_set_footer(s->lxw, "&L&F: &A&R&P / &N");
	mark_sections(s);
	for (size_t i = 0; i < s->n_columns && s->n_rows; i++)
		if (s->columns[i].format.bar)
			add_data_bar(s, (lxw_col_t)i, s->columns[i].format.bar);
}

/* ---- worksheet ------------------------------------------------------------------- */

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
	size_t added;    /* rows of the overview that are not in its file */
	bool texts_only; /* in this row, what looks like a number is text: a version */
	const struct tl_field_text *fields; /* of the row */
	struct tl_buf text;
};

static void widen(struct tl_column *c, size_t characters)
{
	c->width = fmax(c->width, (double)characters + 1);
}

/* Adds where a text of a column with links leads, as libxlsxwriter has it. False: nowhere. */
static bool add_target(struct filling *f, struct tl_buf *url)
{
	const char *name = f->text.data;
	bool is_evidence = !strcmp(f->s->name, TL_FINDING_EVIDENCE);
	const struct tl_worksheet *to = tl_worksheet_find(f->role->sheets, f->role->n_sheets, name);
	size_t line = is_evidence ? tl_evidence_leads_to(&f->s->first, f->fields) : f->s->is_overview;

	if (!is_evidence && (!to || !line)) { /* the id of a finding */
		to = tl_worksheet_find(f->role->sheets, f->role->n_sheets, TL_FINDING_EVIDENCE);
		line = to ? tl_evidence_line(&to->first, name) : 0;
	}
	if (!to || !line)
		return false;
	tl_buf_adds(url, "internal:'");
	for (const char *p = to->name; *p; p++)
		tl_buf_addf(url, "%s%c", *p == '\'' ? "'" : "", *p);
	tl_buf_addf(url, "'!A%zu", line);
	return true;
}

static lxw_error put_number(struct tl_worksheet *s, lxw_row_t row, lxw_col_t col, double x, size_t text_len)
{
	struct tl_column *c = &s->columns[col];
	enum tl_number_format format = c->format.numbers;

	if (format == TL_NUMBERS_GENERAL && x != floor(x)) /* else all its digits would stand there */
		format = x > 0 && x < 0.01 ? TL_NUMBERS_RATE : TL_NUMBERS_TIME;
	widen(c, (size_t)number_width(format, x, text_len));
	if (!strcmp(c->name, "depth")) {
		/* A row of a tree: buttons beside the rows close what is deeper, below the row that holds it. */
		enum { DEEPEST = 7 }; /* that a workbook has */
		lxw_row_col_options level = { .level = x < 0 ? 0 : x < DEEPEST ? (uint8_t)x : DEEPEST };

		if (level.level)
			worksheet_set_row_opt(s->lxw, row, LXW_DEF_ROW_HEIGHT, NULL, &level);
		worksheet_outline_settings(s->lxw, LXW_TRUE, LXW_FALSE, LXW_TRUE, LXW_FALSE);
	}
	return worksheet_write_number(s->lxw, row, col, x, number_format(s->formats, format, x));
}

static lxw_error put_cell(struct filling *f, lxw_row_t row, lxw_col_t col, const struct tl_field_text *field)
{
	struct tl_column *c = &f->s->columns[col];
	bool cut;
	double x;

	if (!f->texts_only && tl_xlsx_number(field->s, field->len, &x))
		return put_number(f->s, row, col, x, field->len);
	if (tl_text_is(field->s, field->len, "True") || tl_text_is(field->s, field->len, "False"))
		return worksheet_write_boolean(f->s->lxw, row, col, field->s[0] == 'T', f->s->formats->boolean);
	widen(c, tl_xlsx_text(&f->text, field->s, field->len, MAX_TEXT, &cut));
	f->s->n_cut += cut;
	if (c->names_bars)
		tl_xlsx_mask(&f->text);
	set_row_height(f->s, row, col, f->text.data);
	struct tl_buf url = { 0 };
	lxw_error e = c->format.links && row <= MAX_LINKS && add_target(f, &url) ?
		worksheet_write_url_opt(f->s->lxw, row, col, url.data, f->s->formats->link, f->text.data, NULL) :
		worksheet_write_string(f->s->lxw, row, col, f->text.data, c->format.wraps ? f->s->formats->wrapped : col ? f->s->formats->text : NULL);
	tl_buf_release(&url);
	return e;
}

/* ---- the header ---------------------------------------------------------------------- */

static void start_column(struct filling *f, size_t i, const struct tl_field_text *field)
{
	struct tl_worksheet *s = f->s;
	struct tl_column *c = &s->columns[i];
	bool cut;

	tl_xlsx_text(&f->text, field->s, field->len, MAX_TEXT, &cut);
	c->name = tl_arena_dup(&s->arena, f->text.data, f->text.len);
	struct tl_column_facts facts = tl_column_facts(s->first.description, c->name);
	c->format = f->s->is_overview ? overview_format(c->name) : column_format(s->name, facts, c->name);
	c->folded = s->folds ? s->folds(s->folds_ctx, c->name) : tl_column_is_folded(facts, i, s->n_columns);
	c->names_bars = s->has_charts && tl_chart_names(s->name, c->name);
}

static const struct tl_described_column *described(const struct tl_worksheet *s, size_t i)
{
	return s->first.is_sure ? tl_described_column(s->first.description, s->columns[i].name) : NULL;
}

/* What the column says, for the mouse above its header. Neighbours of which one sentence tells, as the statistics of one time, have
 * one comment: each takes as much of the file as a row. */
static void put_comment(struct tl_worksheet *s, size_t i)
{
	enum { LINE = 48, LINE_PIXELS = 14, FEW = 30 /* bytes; so short a text says hardly more than the header */ };
	const struct tl_described_column *c = described(s, i), *before = i ? described(s, i - 1) : NULL;
	lxw_comment_options box = { .width = 300, .author = (char *)"" };

	if (!c || strlen(c->text) < FEW || (before && !strcmp(c->text, before->text)))
		return;
	box.height = (uint16_t)((strlen(c->text) / LINE + 2) * LINE_PIXELS);
	worksheet_write_comment_opt(s->lxw, 0, (lxw_col_t)i, c->text, &box);
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
		put_comment(s, i);
	}
	set_header_height(s);
	return TL_OK;
}

/* ---- rows -------------------------------------------------------------------------------- */

static enum tl_status put_row(struct filling *f, size_t row, const struct tl_field_text *fields, size_t n, struct tl_error *err)
{
	struct tl_worksheet *s = f->s;

	f->fields = fields;
	if (row >= MAX_ROWS)
		return tl_fail(err, TL_ERR_DATA, "sheet '%s' has more than %d rows, the most that a workbook allows",
		               s->name, MAX_ROWS - 1);
	f->texts_only = f->s->is_overview && (tl_text_is(fields->s, fields->len, "software") || tl_text_is(fields->s, fields->len, "tool"));
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

static struct tl_field_text field_of(const struct tl_buf *b)
{
	return (struct tl_field_text){ tl_buf_text(b), b->len };
}

/* The overview begins with what to do first, if the workbook has findings. */
static enum tl_status put_findings(struct filling *f, const struct tl_field_text *header, size_t n, struct tl_error *err)
{
	static const char *const names[] = { "section", "item", "value", "unit", "sheet" };
	const struct tl_worksheet *findings = tl_worksheet_find(f->role->sheets, f->role->n_sheets, TL_FINDINGS);
	size_t at = 0, same = 0;
	enum tl_status st = TL_OK;

	while (same < n && same < 5 && tl_text_is(header[same].s, header[same].len, names[same]))
		same++;
	for (bool more = findings && n == 5 && same == 5; more && !st;) {
		struct tl_overview_row r = { .section = { 0 } };
		more = tl_overview_finding(&r, &findings->first, &at);
		if (more)
			st = put_row(f, ++f->added, (struct tl_field_text[]){ field_of(&r.section), field_of(&r.item),
				field_of(&r.value), field_of(&r.unit), field_of(&r.sheet) }, n, err);
		tl_overview_row_release(&r);
	}
	return st;
}

/* Finds the rows of the device that charts show: those that follow one another. */
static void see_device(struct tl_worksheet *s, size_t row, const struct tl_field_text *fields)
{
	int device = tl_first_column(&s->first, "device"), process = tl_first_column(&s->first, "process");

	if (device < 0 || process < 0)
		return;
	const struct tl_field_text *d = &fields[device], *p = &fields[process];
	const char *now = s->of_device.device;
	bool is_same = now && tl_text_is(d->s, d->len, now), is_host = tl_text_is(d->s, d->len, TL_CHART_HOST);
	if (is_same && tl_text_is(p->s, p->len, s->of_device.process) && s->of_device.first + s->of_device.n == row - 1) {
		s->of_device.n++;
	} else if (!now || (!is_same && !is_host && (!strcmp(now, TL_CHART_HOST) || strncmp(d->s, now, d->len) < 0))) {
		s->of_device.first = row - 1;
		s->of_device.n = 1;
		s->of_device.device = tl_arena_dup(&s->arena, d->s, d->len);
		s->of_device.process = tl_arena_dup(&s->arena, p->s, p->len);
	}
}

static enum tl_status take_row(void *ctx, size_t row, const struct tl_field_text *fields, size_t n, struct tl_error *err)
{
	struct filling *f = ctx;

	if (f->role->look)
		f->role->look(f->role->ctx, fields, n);
	tl_first_rows_add(&f->s->first, fields, n);
	if (row) {
		see_device(f->s, row, fields);
		return put_row(f, row + f->added, fields, n, err);
	}
	enum tl_status st = put_header(f, fields, n, err);
	return st || !f->s->is_overview ? st : put_findings(f, fields, n, err);
}

enum tl_status tl_worksheet_fill(struct tl_worksheet *s, const struct tl_sheet_role *role, struct tl_input *tsv,
                                 struct tl_error *err)
{
	struct filling f = { .s = s, .role = role };

	for (const struct tl_chart *c = tl_chart_list(); c->sheet && !s->has_charts; c++)
		s->has_charts = tl_chart_shows(c, s->name);
	/* links look them up */
	s->first.most = tl_fill_turn(s->name) < TL_FILL_TURNS - 1 ? MAX_LINKS : s->has_charts ? TL_CHART_ROWS : 0;
	s->first.all_texts = true;
	s->first.sheet = s->name;
	enum tl_status st = tl_tsv_read(tsv, take_row, &f, err);

	if (!st)
		lay_out(s);
	tl_buf_release(&f.text);
	return st;
}

void tl_worksheet_release(struct tl_worksheet *s)
{
	free(s->columns);
	tl_first_rows_release(&s->first);
	tl_arena_release(&s->arena);
}
