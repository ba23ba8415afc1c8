/* csv.c - rows of comma-separated values.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/csv.h"

#include <string.h>

static bool needs_quotes(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] == ',' || s[i] == '"' || s[i] == '\n' || s[i] == '\r')
			return true;
	return false;
}

void tl_csv_add(struct tl_buf *b, const char *s, size_t len, bool first)
{
	if (!first)
		tl_buf_addc(b, ',');
	if (!needs_quotes(s, len)) {
		tl_buf_add(b, s, len);
		return;
	}
	tl_buf_addc(b, '"');
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"')
			tl_buf_addc(b, '"');
		tl_buf_addc(b, s[i]);
	}
	tl_buf_addc(b, '"');
}

static void add_cell(struct tl_buf *b, const struct tl_table *t, size_t row, size_t column)
{
	struct tl_cell c = tl_table_cell(t, row, column);
	char number[TL_DOUBLE_TEXT];

	if (c.type == TL_CELL_TEXT)
		tl_csv_add(b, tl_str(t->strings, c.text), tl_str_len(t->strings, c.text), !column);
	else
		tl_csv_add(b, number, tl_cell_format(number, c, t->ticks_per_us), !column);
}

enum tl_status tl_csv_write(const struct tl_table *t, struct tl_output *out, struct tl_error *err)
{
	struct tl_buf line = { 0 };
	enum tl_status st = TL_OK;

	for (size_t row = 0; row <= t->n_rows && !st; row++) {
		tl_buf_clear(&line);
		for (size_t c = 0; c < t->n_columns; c++)
			if (row)
				add_cell(&line, t, row - 1, c);
			else
				tl_csv_add(&line, t->columns[c].name, strlen(t->columns[c].name), !c);
		tl_buf_addc(&line, '\n');
		st = out->write(out, line.data, line.len, err);
	}
	tl_buf_release(&line);
	return st;
}
