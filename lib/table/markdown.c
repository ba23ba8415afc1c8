/* markdown.c - a table as a pipe table of Markdown.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/markdown.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

enum { PADDING = 2 }; /* a column is wider than its name by at least this */

/* A column as text, by row. */
struct column { char **cells; bool number; size_t width; };

/* Code points of a text. */
static size_t width_of(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static bool is_number(struct tl_cell c)
{
	return c.type == TL_CELL_INT || c.type == TL_CELL_REAL || c.type == TL_CELL_TIME;
}

static char *text_of(const struct tl_table *t, struct tl_cell c, bool reals)
{
	struct tl_buf b = { 0 };
	char digits[TL_DOUBLE_TEXT];
	size_t len;

	tl_buf_reserve(&b, 1);
	b.data[0] = 0;
	if (c.type == TL_CELL_TEXT) {
		const char *s = tl_str(t->strings, c.text);
		for (len = tl_str_len(t->strings, c.text); len && tl_is_blank(*s); len--)
			s++;
		while (len && tl_is_blank(s[len - 1]))
			len--;
		tl_buf_add(&b, s, len);
	} else if (reals && is_number(c)) {
		tl_buf_addf(&b, "%g", tl_cell_number(c, t->ticks_per_us));
	} else if (c.type != TL_CELL_NULL) {
		len = tl_cell_format(digits, c, t->ticks_per_us);
		tl_buf_add(&b, digits, len);
	}
	return b.data;
}

/* Digits behind the point, or signs behind the e; with the point itself. */
static size_t behind_point(const char *s)
{
	const char *point = strrchr(s, '.');

	if (!point)
		point = strrchr(s, 'e');
	return point ? strlen(point) : 0;
}

static struct column make_column(const struct tl_table *t, size_t column, size_t n)
{
	struct column c = { .cells = tl_alloc((n + 1) * sizeof *c.cells), .number = n > 0 };
	bool reals = false;

	for (size_t i = 0; i < n; i++) {
		struct tl_cell cell = tl_table_cell(t, i, column);
		c.number = c.number && is_number(cell);
		reals |= cell.type == TL_CELL_REAL;
	}
	for (size_t i = 0; i < n; i++)
		c.cells[i] = text_of(t, tl_table_cell(t, i, column), c.number && reals);
	if (c.number && reals) {
		/* puts the points of reals one below the other */
		size_t most = 0;
		for (size_t k = 0; k < n; k++)
			most = behind_point(c.cells[k]) > most ? behind_point(c.cells[k]) : most;
		for (size_t k = 0; k < n; k++) {
			struct tl_buf b = { 0 };
			tl_buf_addf(&b, "%s%*s", c.cells[k], (int)(most - behind_point(c.cells[k])), "");
			free(c.cells[k]);
			c.cells[k] = b.data;
		}
	}
	c.width = width_of(t->columns[column].name) + PADDING;
	for (size_t i = 0; i < n; i++)
		c.width = width_of(c.cells[i]) > c.width ? width_of(c.cells[i]) : c.width;
	return c;
}

static void add_cell(struct tl_buf *b, const struct column *c, const char *text)
{
	int fill = (int)(c->width - width_of(text));

	tl_buf_addf(b, " %*s%s%*s |", c->number ? fill : 0, "", text, c->number ? 0 : fill, "");
}

void tl_markdown_add(struct tl_buf *b, const struct tl_table *t, size_t n)
{
	struct column *columns = tl_alloc((t->n_columns + 1) * sizeof *columns);

	n = n < t->n_rows ? n : t->n_rows;
	tl_buf_addc(b, '|');
	for (size_t c = 0; c < t->n_columns; c++) {
		columns[c] = make_column(t, c, n);
		add_cell(b, &columns[c], t->columns[c].name);
	}
	tl_buf_adds(b, "\n|");
	for (size_t c = 0; c < t->n_columns; c++) {
		if (!columns[c].number)
			tl_buf_addc(b, ':');
		for (size_t i = 0; i < columns[c].width + 1; i++)
			tl_buf_addc(b, '-');
		tl_buf_adds(b, columns[c].number ? ":|" : "|");
	}
	for (size_t i = 0; i < n; i++) {
		tl_buf_adds(b, "\n|");
		for (size_t c = 0; c < t->n_columns; c++)
			add_cell(b, &columns[c], columns[c].cells[i]);
	}
	for (size_t c = 0; c < t->n_columns; c++) {
		for (size_t i = 0; i < n; i++)
			free(columns[c].cells[i]);
		free(columns[c].cells);
	}
	free(columns);
}
