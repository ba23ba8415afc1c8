/* sheet_table.c - sheets that were read as text, as tables with typed columns.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/sheet_table.h"
#include "base/number.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What pandas takes for a missing cell by default (pandas.read_csv, na_values). */
static const char *const missing[] = {
	"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>",
	"N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
};

static bool is_missing(const struct tl_field_text *f)
{
	for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
		if (tl_text_is(f->s, f->len, missing[i]))
			return true;
	return false;
}

static void add_columns(struct tl_table *t, const struct tl_field_text *f, size_t n)
{
	for (size_t i = 0; i < n && (n > 1 || f[0].len); i++) {
		char *name = tl_strndup(f[i].s, f[i].len);
		tl_table_add_column(t, name);
		free(name);
	}
}

enum tl_status tl_sheet_table_add(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct tl_table *t = ctx;

	(void)err;
	if (row == 0) {
		add_columns(t, f, n);
		return TL_OK;
	}
	if (!t->n_columns)
		return TL_OK;
	if (t->n_rows == t->cap_rows)
		tl_table_reserve(t, t->n_rows + t->n_rows / 2 + 16);
	for (size_t i = 0; i < n; i++)
		tl_table_set(t, t->n_rows, i, is_missing(&f[i]) ? tl_cell_null() : tl_cell_text(tl_intern(t->strings, f[i].s, f[i].len)));
	t->n_rows++;
	return TL_OK;
}

/* ---- types ------------------------------------------------------------------------- */

static bool as_bool(const char *s, struct tl_cell *cell)
{
	*cell = tl_cell_bool(!strcasecmp(s, "true"));
	return !strcasecmp(s, "true") || !strcasecmp(s, "false");
}

static bool as_int(const char *s, struct tl_cell *cell)
{
	char *end;

	if (!tl_is_digit(s[*s == '-' || *s == '+']))
		return false;
	errno = 0;
	*cell = tl_cell_int(strtoll(s, &end, 10));
	return !*end && !errno;
}

static bool as_real(const char *s, struct tl_cell *cell)
{
	char *end;

	if (s[strspn(s, "0123456789+-.eE")] && strcasecmp(s + (*s == '-'), "inf"))
		return false;
	*cell = tl_cell_real(tl_parse_double(s, &end));
	return end > s && !*end;
}

typedef bool reads_as(const char *, struct tl_cell *);

/* Whether all texts of a column are of a type; with set, makes its cells be of it. */
static bool column_is(struct tl_table *t, size_t column, reads_as *is, bool set)
{
	for (size_t row = 0; row < t->n_rows; row++) {
		struct tl_cell c = tl_table_cell(t, row, column);
		if (c.type != TL_CELL_TEXT)
			continue;
		if (!is(tl_str(t->strings, c.text), &c))
			return false;
		if (set)
			tl_table_set(t, row, column, c);
	}
	return true;
}

void tl_sheet_table_type(struct tl_table *t)
{
	static reads_as *const types[] = { as_bool, as_int, as_real };

	for (size_t column = 0; column < t->n_columns; column++)
		for (size_t i = 0; i < sizeof types / sizeof *types; i++)
			if (column_is(t, column, types[i], false)) {
				column_is(t, column, types[i], true);
				break;
			}
}
