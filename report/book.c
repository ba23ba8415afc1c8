/* book.c - sheets in TSV become worksheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "json/utf8.h"
#include "report/archive.h"
#include "report/book.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_ROWS 1048576
#define MAX_COLUMNS 16384
#define MAX_CELL 32767 /* UTF-16 units */
#define MAX_NAME 31    /* UTF-16 units */

/* ---- the book ------------------------------------------------------------- */

static void add_formats(struct tl_book *b)
{
	b->header = workbook_add_format(b->wb);
	format_set_bold(b->header);
	format_set_text_wrap(b->header);
	format_set_align(b->header, LXW_ALIGN_VERTICAL_TOP);
	format_set_bottom(b->header, LXW_BORDER_THIN);
	format_set_bg_color(b->header, 0xEDEDED);
	for (int i = LOOK_GENERAL + 1; i < LOOK_COUNT_OF; i++) {
		b->look[i] = workbook_add_format(b->wb);
		format_set_num_format(b->look[i], tl_book_number_format((enum look)i));
	}
}

struct tl_book *tl_book_new(const char *path, time_t created)
{
	lxw_doc_properties about = { .created = created };
	lxw_workbook *wb = workbook_new(path);
	if (!wb)
		return NULL;
	struct tl_book *b = tl_calloc(1, sizeof *b);
	b->wb = wb;
	b->path = tl_strdup(path);
	workbook_set_properties(b->wb, &about);
	add_formats(b);
	return b;
}

enum tl_status tl_book_close(struct tl_book *b, struct tl_error *err)
{
	enum tl_status st = tl_book_add_roofline(b, err);
	if (st)
		return st;
	tl_book_add_charts(b);
	lxw_error e = workbook_close(b->wb);
	b->wb = NULL;
	if (e)
		return tl_fail(err, TL_ERR_IO, "cannot write the workbook: %s", lxw_strerror(e));
	return tl_archive_check(b->path, b->n_cells, err);
}

void tl_book_free(struct tl_book *b)
{
	if (!b)
		return;
	if (b->wb)
		lxw_workbook_free(b->wb);
	for (size_t i = 0; i < b->n_sheets; i++)
		free(b->sheets[i].columns), free(b->sheets[i].kept);
	free(b->sheets);
	free(b->path);
	tl_arena_release(&b->arena);
	tl_buf_release(&b->text);
	free(b);
}

struct sheet *tl_book_find(struct tl_book *b, const char *name)
{
	for (size_t i = 0; name && i < b->n_sheets; i++)
		if (!strcasecmp(b->sheets[i].name, name))
			return &b->sheets[i];
	return NULL;
}

size_t tl_book_cut_cells(const struct tl_book *b)
{
	return b->n_sheets ? b->sheets[b->n_sheets - 1].n_cut : 0;
}

int tl_book_column(const struct sheet *s, const char *name)
{
	for (size_t i = 0; i < s->n_columns; i++)
		if (!strcmp(s->columns[i].name, name))
			return (int)i;
	return -1;
}

/* ---- text -------------------------------------------------------------------- */

static bool is_plain(const char *s, size_t len)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t word, marks = 0; /* the high bits of bytes that are 0 or above 0x7f */
	size_t i = 0;

	for (; len - i >= sizeof word; i += sizeof word) {
		memcpy(&word, s + i, sizeof word);
		marks |= word | (word - ones);
	}
	for (; i < len; i++)
		marks |= (unsigned char)s[i] | ((unsigned char)s[i] - UINT64_C(1));
	return !(marks & ones << 7);
}

/* Copies what a workbook can hold: valid UTF-8 without NUL and U+FFFE, U+FFFF,
 * at most MAX_CELL units. Returns its length in characters. */
static size_t clean_text(struct tl_buf *b, const char *s, size_t len, bool *cut)
{
	size_t units = 0, used = 0, last = 0, n = 0;

	tl_buf_clear(b);
	*cut = false;
	if (len <= MAX_CELL && is_plain(s, len)) {
		tl_buf_add(b, s, len);
		return len;
	}
	for (size_t i = 0; i < len; i += used, n++) {
		uint32_t c = tl_utf8_decode(s + i, len - i, &used);
		units += c != TL_UTF8_MALFORMED && c > 0xffff ? 2 : 1;
		if (units > MAX_CELL) { /* `last` leaves room for the ellipsis */
			b->len = last;
			*cut = true;
			tl_buf_adds(b, "\xe2\x80\xa6");
			return n;
		}
		if (c == TL_UTF8_MALFORMED || c == 0 || c == 0xfffe || c == 0xffff)
			tl_buf_adds(b, "\xef\xbf\xbd");
		else
			tl_buf_add(b, s + i, used);
		if (units < MAX_CELL)
			last = b->len;
	}
	return n;
}

/* ---- cells ------------------------------------------------------------------------- */

static lxw_error put_text(struct tl_book *b, struct sheet *s, lxw_row_t row, lxw_col_t col, const struct tl_field_text *f)
{
	struct column *c = &s->columns[col];
	bool cut;
	double width = (double)clean_text(&b->text, f->s, f->len, &cut) + 1;

	s->n_cut += cut;
	if (width > c->width)
		c->width = width;
	return worksheet_write_string(s->ws, row, col, b->text.data, NULL);
}

static lxw_error put_cell(struct tl_book *b, struct sheet *s, lxw_row_t row, lxw_col_t col, const struct tl_field_text *f)
{
	struct column *c = &s->columns[col];

	if (!f->len)
		return LXW_NO_ERROR;
	double x;
	if (tl_book_number(f->s, f->len, &x)) {
		double width = tl_book_number_width((enum look)c->look, x, f->len) + 1;
		if (isinf(x))
			return put_text(b, s, row, col, f);
		if (width > c->width)
			c->width = width;
		if (row <= N_KEPT)
			s->kept[(row - 1) * s->n_columns + col] = x;
		return worksheet_write_number(s->ws, row, col, x, b->look[c->look]);
	}
	if ((f->len == 4 && !memcmp(f->s, "True", 4)) || (f->len == 5 && !memcmp(f->s, "False", 5)))
		return worksheet_write_boolean(s->ws, row, col, f->len == 4, NULL);
	return put_text(b, s, row, col, f);
}

/* Besides the first column: what the sheet behind the roofline chart shows. */
static bool needs_texts(const char *name)
{
	return !strcmp(name, "Input Dims") || !strcmp(name, "Compute Spec");
}

static enum tl_status put_header(struct tl_book *b, struct sheet *s, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	if (n > MAX_COLUMNS)
		return tl_fail(err, TL_ERR_DATA, "sheet '%s' has %zu columns, a workbook allows %d", s->name, n, MAX_COLUMNS);
	s->columns = tl_calloc(n, sizeof *s->columns);
	s->kept = tl_alloc(N_KEPT * n * sizeof *s->kept);
	s->n_columns = n;
	for (size_t i = 0; i < N_KEPT * n; i++)
		s->kept[i] = NAN;
	for (size_t i = 0; i < n; i++) {
		bool cut;
		double len = (double)clean_text(&b->text, f[i].s, f[i].len, &cut);
		s->columns[i].name = tl_arena_dup(&b->arena, b->text.data ? b->text.data : "", b->text.len);
		tl_book_look(&s->columns[i]);
		if (i == 0 || needs_texts(s->columns[i].name))
			s->columns[i].texts = tl_arena_alloc(&b->arena, N_KEPT * sizeof(char *));
		/* the filter's button needs room; long headers take two lines */
		s->columns[i].header_width = len + 2;
		s->columns[i].width = len < 10 ? len + 4 : len < 18 ? len + 2 : len / 2 + 5;
		if (s->columns[i].width > 24)
			s->columns[i].width = 24;
		if (worksheet_write_string(s->ws, 0, (lxw_col_t)i, s->columns[i].name, b->header) == LXW_ERROR_MEMORY_MALLOC_FAILED)
			return tl_fail(err, TL_ERR_IO, "out of memory");
		b->n_cells++;
	}
	return TL_OK;
}

struct filling { struct tl_book *book; struct sheet *sheet; };

static enum tl_status put_row(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct filling *fill = ctx;
	struct sheet *s = fill->sheet;

	if (row == 0)
		return put_header(fill->book, s, f, n, err);
	if (row >= MAX_ROWS)
		return tl_fail(err, TL_ERR_DATA, "sheet '%s' has more than %d rows, as many as a workbook allows", s->name, MAX_ROWS - 1);
	for (size_t i = 0; i < n && row <= N_KEPT; i++)
		if (s->columns[i].texts)
			s->columns[i].texts[row - 1] = tl_arena_dup(&fill->book->arena, f[i].s, f[i].len);
	for (size_t i = 0; i < n; i++) {
		lxw_error e = put_cell(fill->book, s, (lxw_row_t)row, (lxw_col_t)i, &f[i]);
		if (e)
			return tl_fail(err, TL_ERR_DATA, "sheet '%s', row %zu, column '%s': %s", s->name, row,
			               s->columns[i].name, lxw_strerror(e));
		fill->book->n_cells += f[i].len > 0;
	}
	s->n_rows = row;
	return TL_OK;
}

/* ---- sheets --------------------------------------------------------------------------- */

static enum tl_status check_name(struct tl_book *b, const char *name, struct tl_error *err)
{
	size_t len = strlen(name), units = 0, used;

	for (size_t i = 0; i < len; i += used) {
		uint32_t c = tl_utf8_decode(name + i, len - i, &used);
		if (c == TL_UTF8_MALFORMED || c < 0x20 || c == 0x7f || c == 0xfffe || c == 0xffff)
			return tl_fail(err, TL_ERR_USAGE, "a sheet name holds bytes that are no text");
		units += c > 0xffff ? 2 : 1;
	}
	if (!len)
		return tl_fail(err, TL_ERR_USAGE, "a sheet name is empty");
	if (units > MAX_NAME)
		return tl_fail(err, TL_ERR_USAGE, "sheet name '%s' has %zu characters, a workbook allows %d", name, units, MAX_NAME);
	if (strpbrk(name, "[]:*?/\\"))
		return tl_fail(err, TL_ERR_USAGE, "sheet name '%s' holds one of [ ] : * ? / \\, which a workbook forbids", name);
	if (name[0] == '\'' || name[len - 1] == '\'')
		return tl_fail(err, TL_ERR_USAGE, "sheet name '%s' starts or ends with an apostrophe, which a workbook forbids", name);
	if (tl_book_find(b, name))
		return tl_fail(err, TL_ERR_USAGE, "two sheets are named '%s' (upper and lower case are the same)", name);
	return TL_OK;
}

char *tl_book_fit_name(const char *name, size_t len)
{
	size_t units = 0, used, room = 0; /* `room`: length that leaves room for the ellipsis */

	for (size_t i = 0; i < len; i += used) {
		uint32_t c = tl_utf8_decode(name + i, len - i, &used);
		units += c != TL_UTF8_MALFORMED && c > 0xffff ? 2 : 1;
		if (units < MAX_NAME)
			room = i + used;
	}
	if (units <= MAX_NAME)
		return tl_strndup(name, len);
	struct tl_buf b = { 0 };
	tl_buf_add(&b, name, room);
	tl_buf_adds(&b, "\xe2\x80\xa6");
	return b.data;
}

static void finish_sheet(struct sheet *s)
{
	bool two_lines = false;

	for (size_t i = 0; i < s->n_columns; i++) {
		double width = s->columns[i].width < s->columns[i].cap ? s->columns[i].width : s->columns[i].cap;
		s->columns[i].width = width < 8 ? 8 : width;
		two_lines |= s->columns[i].header_width > s->columns[i].width;
		worksheet_set_column(s->ws, (lxw_col_t)i, (lxw_col_t)i, s->columns[i].width, NULL);
	}
	if (two_lines)
		worksheet_set_row(s->ws, 0, 30, NULL);
	/* on a wide sheet the first column stays in sight, if it leaves room */
	bool keep_first = s->n_columns > 8 && s->columns[0].width <= 40;
	worksheet_freeze_panes(s->ws, 1, keep_first);
	worksheet_autofilter(s->ws, 0, 0, (lxw_row_t)s->n_rows, (lxw_col_t)(s->n_columns - 1));
	worksheet_set_landscape(s->ws);
	if (s->n_columns <= 12)
		worksheet_fit_to_pages(s->ws, 1, 0);
	worksheet_repeat_rows(s->ws, 0, 0);
	tl_book_add_bars(s);
}

enum tl_status tl_book_add_sheet(struct tl_book *b, const char *name, struct tl_input *tsv, struct tl_error *err)
{
	enum tl_status st = check_name(b, name, err);
	if (st)
		return st;
	lxw_worksheet *ws = workbook_add_worksheet(b->wb, name);
	if (!ws)
		return tl_fail(err, TL_ERR_USAGE, "sheet name '%s' is refused", name);
	TL_GROW(b->sheets, b->cap_sheets, b->n_sheets + 1);
	struct sheet *s = &b->sheets[b->n_sheets++];
	*s = (struct sheet){ .name = tl_arena_dup(&b->arena, name, strlen(name)), .ws = ws };
	struct filling fill = { b, s };
	st = tl_tsv_read(tsv, put_row, &fill, err);
	if (st)
		return st;
	finish_sheet(s);
	return TL_OK;
}
