/* tl-show.c - a sheet for people at a terminal.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/bare_name.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "report/cell_value.h"
#include "report/rounded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MANY INT32_MAX
#define NO_TERMINAL 80  /* characters of a line where none can be asked */
#define GAP 2           /* blanks between columns */
#define KEY_TEXT 16     /* what the text of a key and of another column gets at least, */
#define OTHER_TEXT 12
#define KEY_WISH 36     /* a key before columns that people look at less, */
#define LEAST_KEY 10    /* a key where there is no room for all of them, */
#define SENTENCE 20     /* a column of sentences, */
#define HEADER_WORD 14  /* and the longest word of a header at most */
#define LONG_KEY 60     /* a key that may be wider, in columns.tsv, is a sentence */
#define TRIES 4         /* to find what tells texts apart */
#define MOST_INDENT 100 /* of names in a tree */
#define SHORT_NUMBER 7  /* a fraction among texts is rounded if it is longer */

static struct tl_opt_list columns;
static const char *sort, *colour = "auto";
static bool reverse, expanded;
static int64_t top = 25, given_width = -1;
static size_t line_length; /* in columns of a terminal; 0: as wide as needed, nothing is cut */
static struct tl_common common;

static const char *take_colour(void *dest, const char *when)
{
	static const char *const words[] = { "auto", "always", "never", NULL };

	*(const char **)dest = when;
	return tl_is_one_of(words, when) ? NULL : "expected auto, always or never";
}

static const struct tl_opt options[] = {
	{ 0, "columns", "LIST", "only these columns, in this order (names separated by commas)", TL_OPT_CALL, &columns, 0, 0, tl_add_names },
	{ 0, "sort", "COLUMN", "order the rows: numbers from the largest, texts from A to Z", TL_OPT_TEXT, &sort, 0, 0, NULL },
	{ 'r', "reverse", NULL, "in the opposite order", TL_OPT_FLAG, &reverse, 0, 0, NULL },
	{ 'n', "top", "N", "the first N rows (25); 0: all", TL_OPT_INT, &top, 0, MANY, NULL },
	{ 'w', "width", "N", "lines of N characters (the terminal's width); 0: nothing is cut", TL_OPT_INT, &given_width, 0, MANY, NULL },
	{ 'x', "expanded", NULL, "each row as a block, with a line for each column", TL_OPT_FLAG, &expanded, 0, 0, NULL },
	{ 0, "color", "WHEN", "bold headers and dim lines: auto (on a terminal, unless NO_COLOR is set), always or never", TL_OPT_CALL, &colour, 0, 0, take_colour },
	{ .long_name = NULL },
};

static const struct tl_program program = {
	.name = "tl-show",
	.synopsis = "[OPTION]... [FILE.tsv]...",
	.purpose = "show sheets to people: aligned, rounded, with units",
	.detail = "FILE is a sheet in TSV; without it, or with -, standard input is read.\n"
	          "Example: tl-ops trace.json.gz | tl-show --top 10",
	.options = options,
	.common = TL_COMMON_OUTPUT,
	.c = &common,
};

/* ---- a sheet ------------------------------------------------------------------------------ */

struct cell { const char *s; size_t len, width; /* columns of a terminal */ double x; /* NaN: no number */ };

struct column {
	const char *name;
	struct tl_column_facts kind;
	bool is_main;          /* the time that the sheet is about */
	bool is_text;          /* a cell is not a number */
	size_t longest;        /* the longest cell */
	size_t width;          /* of the column on the page; 0: not shown */
};

struct sheet {
	struct tl_arena arena;
	struct column *columns; size_t n_columns;
	struct cell *cells; size_t n_cells, cap_cells; /* of the rows that may be shown */
	size_t n_rows;                                 /* of the sheet */
	size_t *order, n_shown;                        /* numbers of the rows to show */
	int sort_column, depth_column;                 /* -1: none */
};

/* ---- reading ------------------------------------------------------------------ */

static struct cell text_cell(struct sheet *t, const char *s, size_t len)
{
	struct tl_buf b = { 0 };
	struct cell c = { .x = NAN };

	tl_buf_add_shown(&b, s, len);
	c.width = tl_utf8_width(tl_buf_text(&b), b.len);
	c.len = b.len;
	c.s = tl_arena_dup(&t->arena, tl_buf_text(&b), b.len);
	tl_buf_release(&b);
	return c;
}

static void read_header(struct sheet *t, const struct tl_field_text *fields, size_t n)
{
	bool has_key = false;

	const char **names = tl_arena_alloc(&t->arena, (n + 1) * sizeof *names);

	t->n_columns = n;
	t->columns = tl_arena_alloc(&t->arena, n * sizeof *t->columns);
	for (size_t i = 0; i < n; i++)
		names[i] = text_cell(t, fields[i].s, fields[i].len).s;
	const struct tl_description *sheet = tl_description_of(NULL, names, n);
	for (size_t i = 0; i < n; i++) {
		const struct tl_described_column *d = sheet ? tl_described_column(sheet, names[i]) : NULL;
		t->columns[i] = (struct column){ .name = names[i], .kind = tl_column_facts(sheet, names[i]) };
		t->columns[i].is_main = d && d->role == TL_ROLE_TIME;
		has_key |= t->columns[i].kind.rank == TL_RANK_KEY;
		if (!strcmp(names[i], "depth") && i && !sort)
			t->depth_column = (int)i;
	}
	if (n && t->columns[0].kind.rank != TL_RANK_KEY && !(has_key && t->columns[0].kind.rank == TL_RANK_WHAT)) {
		t->columns[0].kind.rank = TL_RANK_KEY; /* a sheet begins with what its rows are of */
		t->columns[0].kind.max_width = LONG_KEY;
	}
}

/* A sheet with a column of depths is a tree: names stand further to the right the deeper they are. */
static void indent(struct sheet *t, struct cell *name, double depth)
{
	if (!(depth >= 1 && depth <= MOST_INDENT))
		depth = depth > MOST_INDENT ? MOST_INDENT : 0;
	char *text = tl_strdupf("%*s%s", (int)depth, "", name->s);
	*name = text_cell(t, text, strlen(text));
	free(text);
}

static enum tl_status read_row(void *ctx, size_t row, const struct tl_field_text *fields, size_t n, struct tl_error *err)
{
	struct sheet *t = ctx;

	(void)err;
	if (row == 0) {
		read_header(t, fields, n);
		return TL_OK;
	}
	t->n_rows++;
	if (top && !sort && !reverse && t->n_cells >= (size_t)top * t->n_columns)
		return TL_OK; /* no later row takes the place of the rows at the top */
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
	if (t->depth_column > 0)
		indent(t, &t->cells[t->n_cells - n], t->cells[t->n_cells - n + (size_t)t->depth_column].x);
	return TL_OK;
}

/* ---- columns of the options ------------------------------------------------------ */

/* Ends the program if the sheet has no such column. */
static size_t column_named(const struct sheet *t, const char *name, const char *file)
{
	struct tl_buf all = { 0 };

	for (size_t i = 0; i < t->n_columns; i++)
		if (!strcmp(t->columns[i].name, name))
			return i;
	for (size_t i = 0; i < t->n_columns; i++)
		tl_buf_addf(&all, "%s%s", i ? ", " : "", t->columns[i].name);
	tl_usage("%s: no column '%s'; the sheet has %s", file, name, tl_buf_text(&all));
}

/* ---- rows -------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct sheet *t = ctx;
	const struct cell *x = &t->cells[*(const size_t *)a * t->n_columns + (size_t)t->sort_column];
	const struct cell *y = &t->cells[*(const size_t *)b * t->n_columns + (size_t)t->sort_column];

	if (!x->len || !y->len)
		return !x->len - !y->len;
	int order = t->columns[t->sort_column].is_text ? strcmp(x->s, y->s) : (x->x < y->x) - (x->x > y->x);
	return reverse ? -order : order;
}

static void order_rows(struct sheet *t)
{
	size_t n = t->n_columns ? t->n_cells / t->n_columns : 0;

	t->order = tl_alloc((n + 1) * sizeof *t->order);
	for (size_t i = 0; i < n; i++)
		t->order[i] = reverse && t->sort_column < 0 ? n - 1 - i : i;
	if (t->sort_column >= 0)
		tl_merge_sort(t->order, n, sizeof *t->order, compare_rows, t);
	t->n_shown = top && (size_t)top < n ? (size_t)top : n;
}

static struct cell *cell_at(const struct sheet *t, size_t shown_row, size_t column)
{
	return &t->cells[t->order[shown_row] * t->n_columns + column];
}

/* A column of texts has no unit for all: only long fractions are rounded, lest they are cut. */
static bool is_to_round(const struct column *c, const struct cell *cell)
{
	return !isnan(cell->x) && (!c->is_text || (cell->len > SHORT_NUMBER && memchr(cell->s, '.', cell->len)));
}

/* Rounds the numbers of a column and measures it. */
static void round_column(struct sheet *t, size_t column)
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

/* ---- lines of a text ------------------------------------------------------------------ */

static size_t at_most(size_t n, size_t limit)
{
	return n < limit ? n : limit;
}

static size_t at_least(size_t n, size_t limit)
{
	return n > limit ? n : limit;
}

/* Takes a line of at most `width` columns, one letter at least, from the text at *s, without the blanks at its start. It ends
 * before a blank, or behind one of `breaks`, if that can be. Returns its length in bytes. */
static size_t take_line(const char **s, const char *end, size_t width, const char *breaks)
{
	while (*s < end && **s == ' ')
		++*s;
	size_t len = (size_t)(end - *s), best = 0, fit = tl_utf8_fit(*s, len, width);

	if (len && !fit)
		tl_utf8_decode(*s, len, &fit);
	for (size_t at = 1; at <= fit; at++) {
		char here = (*s)[at - 1], next = at < len ? (*s)[at] : ' ';
		if (next == ' ' || (strchr(breaks, here) && next != here))
			best = at;
	}
	return fit < len && best ? best : fit;
}

/* ---- headers ------------------------------------------------------------------------- */

/* The end of the piece of a header at s: a header may be broken after '_' and at a blank. */
static const char *piece_end(const char *s)
{
	const char *end = s + strspn(s, " ");

	end += strcspn(end, "_ ");
	return end + strspn(end, "_");
}

static size_t header_line(const char **s, size_t width)
{
	return take_line(s, *s + strlen(*s), width, "_");
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
		size_t n = tl_utf8_width(s, (size_t)(end - s));
		longest = n > longest ? n : longest;
		s = end;
	}
	return longest;
}

/* ---- the page ---------------------------------------------------------------------------- */

/* Does the column tell which row it is, or what the sheet is for? */
static bool is_key(const struct sheet *t, size_t column)
{
	return t->columns[column].kind.rank == TL_RANK_KEY;
}

/* Are its cells prose, which is broken over lines? Any other text is shortened. */
static bool has_sentences(const struct column *c)
{
	return c->kind.rank == TL_RANK_KEY && c->kind.max_width > LONG_KEY;
}

/* The least width of a column. */
static size_t least_width(const struct sheet *t, size_t column)
{
	const struct column *c = &t->columns[column];
	size_t header = longest_piece(c->name);

	if (!line_length)
		return at_least(c->longest, header);
	if (c->is_text)
		return at_least(at_most(c->longest, has_sentences(c) ? SENTENCE : is_key(t, column) ? LEAST_KEY : OTHER_TEXT),
		                at_most(header, OTHER_TEXT));
	return at_least(c->longest, at_most(header, HEADER_WORD));
}

/* How many cells of a column are cut, if it may become wider. */
static size_t cut_cells(const struct sheet *t, size_t column, size_t limit)
{
	const struct column *c = &t->columns[column];
	size_t n = 0;

	for (size_t row = 0; c->width && c->is_text && c->width < limit && row < t->n_shown; row++)
		n += cell_at(t, row, column)->width > c->width;
	return n;
}

/* Gives what a line has left to texts, or only to those of keys, up to `limit`: each time where most cells are cut, of these to
 * the narrowest column. Returns how much of the line is used. */
static size_t widen_texts(struct sheet *t, bool keys_only, size_t limit, size_t used)
{
	for (; used < line_length; used++) {
		struct column *best = NULL;
		size_t most = 0;
		for (size_t i = 0; i < t->n_columns; i++) {
			size_t n = keys_only && !is_key(t, i) ? 0 : cut_cells(t, i, limit);
			if (!n || n < most || (n == most && t->columns[i].width >= best->width))
				continue;
			best = &t->columns[i];
			most = n;
		}
		if (!best)
			break;
		best->width++;
	}
	return used;
}

/* When a column gets its room: keys first, then the time that the sheet is about, then all others by rank. Such a sheet has one
 * in its first row. */
static int turn_of(const struct sheet *t, size_t column)
{
	const struct column *c = &t->columns[column];

	if (is_key(t, column))
		return 0;
	return c->is_main && (!t->n_shown || cell_at(t, 0, column)->len) ? 1 : 1 + (int)c->kind.rank;
}

/* Gives a width to the keys, and to other columns for which there is room, in turn. Returns how much is used. */
static size_t choose_by_rank(struct sheet *t)
{
	size_t used = 0;

	for (int turn = 0; turn <= 1 + TL_RANK_DETAIL; turn++) {
		for (size_t i = 0; i < t->n_columns; i++) {
			struct column *c = &t->columns[i];
			size_t width = least_width(t, i), needs = width + (used ? GAP : 0);
			bool is_empty = t->n_shown && !c->longest;
			if (turn != turn_of(t, i) || (line_length && (is_empty ||
			    (turn && (used + needs > line_length || turn == 1 + TL_RANK_DETAIL)))))
				continue;
			c->width = at_least(width, 1);
			used += needs;
		}
		if (!turn)
			used = widen_texts(t, true, KEY_TEXT, used);
		if (turn == 1 + TL_RANK_TOTAL)
			used = widen_texts(t, true, KEY_WISH, used);
	}
	return used;
}

/* Texts that look alike when they are short: the first of them, how many bytes all begin with, and whether there are different ones. */
struct alike { const struct cell *text; size_t prefix; bool differ; };

static void add_alike(struct alike *a, const struct cell *text)
{
	size_t n = 0;

	if (!a->text)
		*a = (struct alike){ text, text->len, false };
	while (n < at_most(a->prefix, text->len) && text->s[n] == a->text->s[n])
		n++;
	a->prefix = n;
	a->differ |= n < text->len || n < a->text->len;
}

/* Shortens texts of a column. Where those that differ would look alike, they show where their bare names differ, or at last where
 * the texts do. */
static void shorten_texts(struct sheet *t, size_t column)
{
	const struct column *c = &t->columns[column];
	struct name { struct cell text, shown; size_t indent, width; uint32_t look; bool fits; } *names = tl_alloc((t->n_shown + 1) * sizeof *names);
	struct alike *all = tl_alloc((t->n_shown + 1) * sizeof *all);
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < t->n_shown; i++) {
		struct cell *cell = cell_at(t, i, column);
		bool fits = cell->width <= c->width || (has_sentences(c) && memchr(cell->s, ' ', cell->len));
		size_t blanks = t->depth_column > 0 && !column && !fits ? strspn(cell->s, " ") : 0;
		*cell = (struct cell){ cell->s + blanks, cell->len - blanks, cell->width - blanks, cell->x };
		names[i] = (struct name){ .text = *cell, .shown = *cell, .fits = fits, .indent = at_most(blanks, c->width / 2) };
		names[i].width = c->width - names[i].indent;
		if (names[i].fits)
			continue;
		tl_buf_clear(&b);
		tl_add_bare_name(&b, cell->s, cell->len);
		names[i].text = text_cell(t, b.data, b.len);
		tl_buf_clear(&b);
		tl_add_short_name(&b, cell->s, cell->len, names[i].width);
		names[i].shown = text_cell(t, b.data, b.len);
	}
	for (int tries = 1; tries <= TRIES; tries++) {
		struct tl_strtab looks = { 0 };
		memset(all, 0, (t->n_shown + 1) * sizeof *all);
		for (size_t i = 0; i < t->n_shown; i++) {
			names[i].text = tries == TRIES ? *cell_at(t, i, column) : names[i].text;
			names[i].look = tl_intern(&looks, names[i].shown.s, names[i].shown.len);
			add_alike(&all[names[i].look], &names[i].text);
		}
		for (size_t i = 0; i < t->n_shown; i++) {
			if (names[i].fits || !all[names[i].look].differ)
				continue;
			tl_buf_clear(&b);
			tl_add_difference(&b, names[i].text.s, names[i].text.len, all[names[i].look].prefix, names[i].width);
			names[i].shown = text_cell(t, b.data, b.len);
		}
		tl_strtab_release(&looks);
	}
	for (size_t i = 0; i < t->n_shown; i++) {
		*cell_at(t, i, column) = names[i].shown;
		if (names[i].indent)
			indent(t, cell_at(t, i, column), (double)names[i].indent);
	}
	tl_buf_release(&b);
	free(names);
	free(all);
}

/* Chooses the columns and their widths; returns how many. */
static size_t lay_out(struct sheet *t, size_t *shown)
{
	size_t n = columns.n, used = 0;

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
	widen_texts(t, false, SIZE_MAX, used);
	for (size_t i = 0; i < n; i++)
		if (t->columns[shown[i]].is_text)
			shorten_texts(t, shown[i]);
	return n;
}

static void add_blanks(struct tl_buf *b, size_t n)
{
	while (n-- > 0)
		tl_buf_addc(b, ' ');
}

/* Adds a text in a column. */
static void add_fitted(struct tl_buf *b, const char *s, size_t len, size_t chars, size_t width, bool right, bool last)
{
	size_t blanks = chars < width ? width - chars : 0;

	if (right)
		add_blanks(b, blanks);
	tl_buf_add(b, s, len);
	if (!right && !last)
		add_blanks(b, blanks);
}

/* Begins a line of this look: bold 1, dim 2; plain 0, at the end of such a line. */
static void look(struct tl_buf *b, int how)
{
	if (!strcmp(colour, "always"))
		tl_buf_addf(b, "\033[%dm", how);
}

static void end_line(struct tl_buf *b)
{
	while (b->len && b->data[b->len - 1] == ' ')
		b->data[--b->len] = '\0';
	tl_buf_addc(b, '\n');
}

static void add_headers(struct sheet *t, struct tl_buf *b, const size_t *shown, size_t n)
{
	const char **rest = tl_alloc((n + 1) * sizeof *rest);
	size_t lines = 0;

	for (size_t i = 0; i < n; i++) {
		rest[i] = t->columns[shown[i]].name;
		lines = at_least(lines, header_lines(rest[i], t->columns[shown[i]].width));
	}
	look(b, 1);
	for (; lines; lines--) {
		for (size_t i = 0; i < n; i++) {
			const struct column *c = &t->columns[shown[i]];
			bool begun = header_lines(rest[i], c->width) >= lines; /* headers stand at the bottom */
			size_t len = begun ? header_line(&rest[i], c->width) : 0;
			add_blanks(b, i ? GAP : 0);
			add_fitted(b, rest[i], len, tl_utf8_width(rest[i], len), c->width, !c->is_text, false);
			rest[i] += len;
		}
		end_line(b);
	}
	free(rest);
	look(b, 0);
	look(b, 2);
	for (size_t i = 0; i < n; i++) {
		add_blanks(b, i ? GAP : 0);
		for (size_t k = 0; k < t->columns[shown[i]].width; k++)
			tl_buf_addc(b, '-');
	}
	end_line(b);
	look(b, 0);
}

/* Adds a line of the row: what is left of sentences and, in the first line, all other cells. */
static void add_line(struct sheet *t, struct tl_buf *b, size_t row, const size_t *shown, size_t n, const char **rest, bool first)
{
	for (size_t i = 0; i < n; i++) {
		const struct column *c = &t->columns[shown[i]];
		const struct cell *cell = cell_at(t, row, shown[i]);
		const char *s = rest[i], *end = cell->s + cell->len;
		size_t len = first ? cell->len : 0, chars = first ? cell->width : 0;
		if (cell->width > c->width) {
			len = take_line(&s, end, c->width, "_,:/<");
			chars = tl_utf8_width(s, len);
		}
		add_blanks(b, i ? GAP : 0);
		add_fitted(b, s, len, chars, c->width, !c->is_text, i + 1 == n);
		rest[i] = s + len;
	}
	end_line(b);
}

static void add_rows(struct sheet *t, struct tl_buf *b, const size_t *shown, size_t n)
{
	const char **rest = tl_alloc((n + 1) * sizeof *rest);

	for (size_t row = 0; row < t->n_shown; row++) {
		bool more = true;
		for (size_t i = 0; i < n; i++)
			rest[i] = cell_at(t, row, shown[i])->s;
		for (bool first = true; more; first = false) {
			add_line(t, b, row, shown, n, rest, first);
			more = false;
			for (size_t i = 0; i < n; i++) {
				const struct cell *cell = cell_at(t, row, shown[i]);
				more |= rest[i] < cell->s + cell->len;
			}
		}
	}
	free(rest);
}

static size_t add_expanded(struct sheet *t, struct tl_buf *b, size_t *shown)
{
	size_t n = columns.n, widest = 0;

	for (size_t i = 0; !columns.n && i < t->n_columns; i++)
		shown[n++] = i;
	for (size_t i = 0; i < n; i++) {
		round_column(t, shown[i]);
		widest = at_least(widest, tl_utf8_width(t->columns[shown[i]].name, strlen(t->columns[shown[i]].name)));
	}
	for (size_t row = 0; row < t->n_shown; row++) {
		tl_buf_addf(b, "%s-- row %zu\n", row ? "\n" : "", t->order[row] + 1);
		for (size_t i = 0; i < n; i++) {
			const char *name = t->columns[shown[i]].name;
			const struct cell *cell = cell_at(t, row, shown[i]);
			tl_buf_adds(b, name);
			add_blanks(b, widest - tl_utf8_width(name, strlen(name)) + GAP);
			tl_buf_add(b, cell->s, cell->len);
			end_line(b);
		}
	}
	return n;
}

/* ---- all ----------------------------------------------------------------------------------- */

/* Of the terminal that shows the output, maybe by way of a pager. */
static size_t line_width(void)
{
	struct winsize w;
	const char *text = getenv("COLUMNS");

	if (given_width >= 0)
		return (size_t)given_width;
	for (int fd = 1; fd <= 2; fd++)
		if (!ioctl(fd, TIOCGWINSZ, &w) && w.ws_col)
			return w.ws_col;
	long n = text ? strtol(text, NULL, 10) : 0;
	return n > 0 && n < MANY ? (size_t)n : NO_TERMINAL;
}

/* Adds the text of a sheet to the page; notes what it does not show. */
static void show(const char *file, struct tl_buf *page)
{
	struct tl_input *in = tl_open_input(file);
	struct sheet t = { .sort_column = -1, .depth_column = -1 };
	struct tl_error err;

	if (tl_tsv_read(in, read_row, &t, &err))
		tl_die_error(in->name, &err);
	size_t *shown = tl_alloc((t.n_columns + columns.n + 1) * sizeof *shown), n;
	for (size_t i = 0; i < columns.n; i++)
		shown[i] = column_named(&t, columns.items[i], in->name);
	if (sort)
		t.sort_column = (int)column_named(&t, sort, in->name);
	order_rows(&t);
	if (expanded) {
		n = add_expanded(&t, page, shown);
	} else {
		n = lay_out(&t, shown);
		add_headers(&t, page, shown, n);
		add_rows(&t, page, shown, n);
	}
	if (t.n_shown < t.n_rows)
		tl_note("%s: %zu of %zu rows are shown; --top N shows others", in->name, t.n_shown, t.n_rows);
	if (n < t.n_columns && !columns.n)
		tl_note("%s: %zu of %zu columns are shown; --columns, --width and --expanded show others", in->name, n, t.n_columns);
	free(shown);
	free(t.cells);
	free(t.order);
	tl_arena_release(&t.arena);
	tl_close_input(in);
}

int main(int argc, char **argv)
{
	int n;
	char **files = tl_cli_start(&program, argc, argv, &n);
	struct tl_buf page = { 0 };

	line_length = line_width();
	if (!strcmp(colour, "auto"))
		colour = tl_has_colours(common.output) ? "always" : "never";
	if (!n)
		show(NULL, &page);
	for (int i = 0; i < n; i++) {
		if (n > 1)
			tl_buf_addf(&page, "%s== %s\n", i ? "\n" : "", tl_input_name(files[i]));
		show(files[i], &page);
	}
	tl_write_text(common.output, &page);
	tl_buf_release(&page);
	return 0;
}
