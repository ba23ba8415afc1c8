/* text_table.c - a sheet as people read it in a terminal.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/text_table.h"
#include "base/merge_sort.h"
#include "base/utf8.h"
#include "report/cell_value.h"
#include "report/cut_text.h"
#include "report/rounded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAP 2           /* blanks between columns */
#define FIRST_COLUMN 24 /* what the text of the first column and of others gets at least … */
#define OTHER_TEXT 12
#define HEADER_WORD 14  /* … and the longest word of a header at most */
#define SHORT_NUMBER 7  /* a fraction among texts is rounded if it is longer */

struct cell { const char *s; size_t len, width; double x; /* NaN: no number */ };

struct column {
	const char *name;
	struct tl_column_kind kind;
	bool is_text;          /* a cell is not a number */
	size_t longest;        /* the longest cell, in characters */
	size_t width;          /* of the column on the page; 0: not shown */
};

struct tl_text_table {
	struct tl_text_table_options options;
	struct tl_arena arena;
	struct column *columns; size_t n_columns;
	struct cell *cells; size_t n_cells, cap_cells; /* of the rows that may be shown */
	size_t n_rows;                                 /* of the sheet */
	size_t *order, n_shown;                        /* numbers of the rows to show */
	int sort_column;
};

struct tl_text_table *tl_text_table_new(const struct tl_text_table_options *o)
{
	struct tl_text_table *t = tl_calloc(1, sizeof *t);

	t->options = *o;
	t->sort_column = -1;
	return t;
}

void tl_text_table_free(struct tl_text_table *t)
{
	if (!t)
		return;
	tl_arena_release(&t->arena);
	free(t->cells);
	free(t->order);
	free(t);
}

/* ---- reading ------------------------------------------------------------------ */

/* A text that is safe in a terminal: control characters become '?', malformed UTF-8 becomes
 * U+FFFD. */
static struct cell text_cell(struct tl_text_table *t, const char *s, size_t len)
{
	struct tl_buf b = { 0 };
	struct cell c = { .x = NAN };
	size_t used;

	for (size_t i = 0; i < len; i += used, c.width++) {
		uint32_t ch = tl_utf8_decode(s + i, len - i, &used);
		char utf8[4];
		if (ch < 0x20 || (ch >= 0x7f && ch < 0xa0))
			ch = '?';
		tl_buf_add(&b, utf8, tl_utf8_encode(utf8, ch == TL_UTF8_MALFORMED ? 0xfffd : ch));
	}
	c.len = b.len;
	c.s = tl_arena_dup(&t->arena, tl_buf_text(&b), b.len);
	tl_buf_release(&b);
	return c;
}

static void read_header(struct tl_text_table *t, const struct tl_field_text *fields, size_t n)
{
	t->n_columns = n;
	t->columns = tl_arena_alloc(&t->arena, n * sizeof *t->columns);
	for (size_t i = 0; i < n; i++) {
		const char *name = text_cell(t, fields[i].s, fields[i].len).s;
		t->columns[i] = (struct column){ .name = name, .kind = tl_column_kind(name) };
	}
}

/* Does no later row take the place of the rows at the top? */
static bool has_all(const struct tl_text_table *t)
{
	const struct tl_text_table_options *o = &t->options;

	return o->top && !o->sort && !o->reverse && t->n_cells >= o->top * t->n_columns;
}

enum tl_status tl_text_table_row(void *ctx, size_t row, const struct tl_field_text *fields, size_t n, struct tl_error *err)
{
	struct tl_text_table *t = ctx;

	(void)err;
	if (row == 0) {
		read_header(t, fields, n);
		return TL_OK;
	}
	t->n_rows++;
	if (has_all(t))
		return TL_OK;
	TL_GROW(t->cells, t->cap_cells, t->n_cells + n);
	for (size_t i = 0; i < n; i++) {
		struct cell c = text_cell(t, fields[i].s, fields[i].len);
		if (!tl_xlsx_number(c.s, c.len, &c.x)) {
			c.x = NAN;
			/* a number with more digits than a double has stays as it is */
			t->columns[i].is_text |= c.len && strspn(c.s, "-0123456789") != c.len;
		}
		t->cells[t->n_cells++] = c;
	}
	return TL_OK;
}

/* ---- columns of the options ------------------------------------------------------ */

static int find_column(const struct tl_text_table *t, const char *name)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (!strcmp(t->columns[i].name, name))
			return (int)i;
	return -1;
}

static enum tl_status no_column(const struct tl_text_table *t, const char *name, struct tl_error *err)
{
	struct tl_buf all = { 0 };

	for (size_t i = 0; i < t->n_columns; i++)
		tl_buf_addf(&all, "%s%s", i ? ", " : "", t->columns[i].name);
	tl_fail(err, TL_ERR_USAGE, "no column '%s'; the sheet has %s", name, tl_buf_text(&all));
	tl_buf_release(&all);
	return TL_ERR_USAGE;
}

static enum tl_status find_columns(struct tl_text_table *t, size_t *shown, struct tl_error *err)
{
	const struct tl_text_table_options *o = &t->options;

	for (size_t i = 0; i < o->n_columns; i++) {
		int at = find_column(t, o->columns[i]);
		if (at < 0)
			return no_column(t, o->columns[i], err);
		shown[i] = (size_t)at;
	}
	if (o->sort && (t->sort_column = find_column(t, o->sort)) < 0)
		return no_column(t, o->sort, err);
	return TL_OK;
}

/* ---- rows -------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct tl_text_table *t = ctx;
	const struct cell *x = &t->cells[*(const size_t *)a * t->n_columns + (size_t)t->sort_column];
	const struct cell *y = &t->cells[*(const size_t *)b * t->n_columns + (size_t)t->sort_column];

	if (!x->len || !y->len)
		return !x->len - !y->len;
	int order = t->columns[t->sort_column].is_text ? strcmp(x->s, y->s) : (x->x < y->x) - (x->x > y->x);
	return t->options.reverse ? -order : order;
}

static void order_rows(struct tl_text_table *t)
{
	size_t n = t->n_columns ? t->n_cells / t->n_columns : 0;

	t->order = tl_alloc((n + 1) * sizeof *t->order);
	for (size_t i = 0; i < n; i++)
		t->order[i] = t->options.reverse && t->sort_column < 0 ? n - 1 - i : i;
	if (t->sort_column >= 0)
		tl_merge_sort(t->order, n, sizeof *t->order, compare_rows, t);
	t->n_shown = t->options.top && t->options.top < n ? t->options.top : n;
}

static struct cell *cell_at(const struct tl_text_table *t, size_t shown_row, size_t column)
{
	return &t->cells[t->order[shown_row] * t->n_columns + column];
}

/* A column of texts has no unit for all: only long fractions are rounded, lest they are cut. */
static bool is_to_round(const struct column *c, const struct cell *cell)
{
	return !isnan(cell->x) && (!c->is_text || (cell->len > SHORT_NUMBER && memchr(cell->s, '.', cell->len)));
}

/* Rounds the numbers of a column and measures it. */
static void round_column(struct tl_text_table *t, size_t column)
{
	struct column *c = &t->columns[column];
	struct tl_number_range range = { 0 };
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < t->n_shown; i++)
		if (!isnan(cell_at(t, i, column)->x))
			tl_number_range_add(&range, cell_at(t, i, column)->x);
	struct tl_rounding to = tl_rounding_for(c->is_text ? TL_UNIT_NONE : c->kind.unit, &range);
	for (size_t i = 0; i < t->n_shown; i++) {
		struct cell *cell = cell_at(t, i, column);
		if (is_to_round(c, cell)) {
			double x = cell->x;
			tl_buf_clear(&b);
			tl_add_rounded(&b, &to, x, cell->s, cell->len);
			*cell = text_cell(t, b.data, b.len);
			cell->x = x;
		}
		c->longest = cell->width > c->longest ? cell->width : c->longest;
	}
	tl_buf_release(&b);
}

/* ---- headers ------------------------------------------------------------------------- */

/* The end of the piece of a header at s: a header may be broken after '_' and at a blank. */
static const char *piece_end(const char *s)
{
	const char *end = s + strspn(s, " ");

	end += strcspn(end, "_ ");
	return end + strspn(end, "_");
}

/* Takes a line of at most `width` characters from the header at *s; a piece that is longer has
 * a line of its own. Returns its length in bytes. */
static size_t header_line(const char **s, size_t width)
{
	*s += strspn(*s, " ");
	const char *end = piece_end(*s);

	while (*end && tl_utf8_count(*s, (size_t)(piece_end(end) - *s)) <= width)
		end = piece_end(end);
	return (size_t)(end - *s);
}

static size_t header_lines(const char *s, size_t width)
{
	size_t n = 0;

	for (; *s; n++) {
		size_t len = header_line(&s, width);
		s += len;
	}
	return n;
}

static size_t longest_piece(const char *s)
{
	size_t longest = 0;

	while (*s) {
		s += strspn(s, " ");
		const char *end = piece_end(s);
		size_t n = tl_utf8_count(s, (size_t)(end - s));
		longest = n > longest ? n : longest;
		s = end;
	}
	return longest;
}

/* ---- the page ---------------------------------------------------------------------------- */

static size_t at_most(size_t n, size_t limit)
{
	return n < limit ? n : limit;
}

static size_t at_least(size_t n, size_t limit)
{
	return n > limit ? n : limit;
}

/* The least width of a column. */
static size_t least_width(const struct tl_text_table *t, size_t column)
{
	const struct column *c = &t->columns[column];
	size_t header = longest_piece(c->name);

	if (!t->options.width)
		return at_least(c->longest, header);
	if (c->is_text)
		return at_least(at_most(c->longest, column ? OTHER_TEXT : FIRST_COLUMN), at_most(header, OTHER_TEXT));
	return at_least(c->longest, at_most(header, HEADER_WORD));
}

/* Gives a width to the columns for which there is room: the first one, then by rank. Returns how
 * much is used. */
static size_t choose_by_rank(struct tl_text_table *t)
{
	size_t limit = t->options.width, used = 0;

	for (int rank = -1; rank <= TL_RANK_DETAIL; rank++)
		for (size_t i = 0; i < t->n_columns; i++) {
			struct column *c = &t->columns[i];
			size_t width = least_width(t, i), needs = width + (used ? GAP : 0);
			if (rank != (i ? (int)c->kind.rank : -1) || (limit && used && used + needs > limit) ||
			    (limit && rank == TL_RANK_DETAIL))
				continue;
			c->width = at_least(width, 1);
			used += needs;
		}
	return used;
}

/* Shares the rest of a line among texts that are cut. */
static void widen_texts(struct tl_text_table *t, const size_t *shown, size_t n, size_t used)
{
	for (bool more = true; more && used < t->options.width;) {
		more = false;
		for (size_t i = 0; i < n && used < t->options.width; i++) {
			struct column *c = &t->columns[shown[i]];
			if (!c->is_text || c->width >= c->longest)
				continue;
			c->width++;
			used++;
			more = true;
		}
	}
}

/* Chooses the columns and their widths; returns how many. */
static size_t lay_out(struct tl_text_table *t, size_t *shown)
{
	size_t n = t->options.n_columns, used = 0;

	for (size_t i = 0; i < t->n_columns; i++)
		round_column(t, i);
	for (size_t i = 0; i < n; i++) {
		t->columns[shown[i]].width = at_least(least_width(t, shown[i]), 1);
		used += t->columns[shown[i]].width + (i ? GAP : 0);
	}
	if (!n) {
		used = choose_by_rank(t);
		for (size_t i = 0; i < t->n_columns; i++)
			if (t->columns[i].width)
				shown[n++] = i;
	}
	widen_texts(t, shown, n, used);
	return n;
}

static void add_blanks(struct tl_buf *b, size_t n)
{
	while (n-- > 0)
		tl_buf_addc(b, ' ');
}

/* Adds a text in `width` characters, cut if need be. */
static void add_fitted(struct tl_buf *b, const char *s, size_t len, size_t chars, size_t width, bool right, bool last)
{
	size_t blanks = chars < width ? width - chars : 0;

	if (right)
		add_blanks(b, blanks);
	tl_add_cut(b, s, len, chars, width);
	if (!right && !last)
		add_blanks(b, blanks);
}

static void end_line(struct tl_buf *b)
{
	while (b->len && b->data[b->len - 1] == ' ')
		b->data[--b->len] = '\0';
	tl_buf_addc(b, '\n');
}

static void add_headers(struct tl_text_table *t, struct tl_buf *b, const size_t *shown, size_t n)
{
	const char **rest = tl_alloc((n + 1) * sizeof *rest);
	size_t lines = 0;

	for (size_t i = 0; i < n; i++) {
		rest[i] = t->columns[shown[i]].name;
		lines = at_least(lines, header_lines(rest[i], t->columns[shown[i]].width));
	}
	for (; lines; lines--) {
		for (size_t i = 0; i < n; i++) {
			const struct column *c = &t->columns[shown[i]];
			bool begun = header_lines(rest[i], c->width) >= lines; /* headers stand at the bottom */
			size_t len = begun ? header_line(&rest[i], c->width) : 0;
			add_blanks(b, i ? GAP : 0);
			add_fitted(b, rest[i], len, tl_utf8_count(rest[i], len), c->width, !c->is_text, false);
			rest[i] += len;
		}
		end_line(b);
	}
	free(rest);
	for (size_t i = 0; i < n; i++) {
		add_blanks(b, i ? GAP : 0);
		for (size_t k = 0; k < t->columns[shown[i]].width; k++)
			tl_buf_addc(b, '-');
	}
	end_line(b);
}

static void add_rows(struct tl_text_table *t, struct tl_buf *b, const size_t *shown, size_t n)
{
	for (size_t row = 0; row < t->n_shown; row++) {
		for (size_t i = 0; i < n; i++) {
			const struct column *c = &t->columns[shown[i]];
			const struct cell *cell = cell_at(t, row, shown[i]);
			add_blanks(b, i ? GAP : 0);
			add_fitted(b, cell->s, cell->len, cell->width, c->width, !c->is_text, i + 1 == n);
		}
		end_line(b);
	}
}

static size_t add_expanded(struct tl_text_table *t, struct tl_buf *b, size_t *shown)
{
	size_t n = t->options.n_columns, widest = 0;

	for (size_t i = 0; !t->options.n_columns && i < t->n_columns; i++)
		shown[n++] = i;
	for (size_t i = 0; i < n; i++) {
		round_column(t, shown[i]);
		widest = at_least(widest, tl_utf8_count(t->columns[shown[i]].name, strlen(t->columns[shown[i]].name)));
	}
	for (size_t row = 0; row < t->n_shown; row++) {
		tl_buf_addf(b, "%s-- row %zu\n", row ? "\n" : "", t->order[row] + 1);
		for (size_t i = 0; i < n; i++) {
			const char *name = t->columns[shown[i]].name;
			const struct cell *cell = cell_at(t, row, shown[i]);
			tl_buf_adds(b, name);
			add_blanks(b, widest - tl_utf8_count(name, strlen(name)) + GAP);
			tl_buf_add(b, cell->s, cell->len);
			end_line(b);
		}
	}
	return n;
}

enum tl_status tl_text_table_print(struct tl_text_table *t, struct tl_buf *b, struct tl_shown *of, struct tl_error *err)
{
	size_t *shown = tl_alloc((t->n_columns + t->options.n_columns + 1) * sizeof *shown), n;
	enum tl_status st = find_columns(t, shown, err);

	if (!st) {
		order_rows(t);
		if (t->options.expanded) {
			n = add_expanded(t, b, shown);
		} else {
			n = lay_out(t, shown);
			add_headers(t, b, shown, n);
			add_rows(t, b, shown, n);
		}
		*of = (struct tl_shown){ n, t->n_columns, t->n_shown, t->n_rows };
	}
	free(shown);
	return st;
}
