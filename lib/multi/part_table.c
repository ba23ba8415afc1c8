/* part_table.c - the tables of parts, read back from TSV.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "multi/part_table.h"

#include "base/number.h"
#include "base/text.h"
#include "table/tsv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	struct tl_strtab *strings;
	const struct tl_part_columns *columns;
	struct tl_table *table;
	struct tl_cell *cells;
	enum tl_cell_type *types;
};

static bool read_cell(const struct reading *r, size_t column, const struct tl_field_text *f, struct tl_cell *out)
{
	char number[64], *end;
	double x;

	*out = tl_cell_null();
	if (!f->len)
		return true;
	if (r->types[column] != TL_CELL_TEXT && f->len >= sizeof number)
		return false;
	snprintf(number, sizeof number, "%.*s", r->types[column] == TL_CELL_TEXT ? 0 : (int)f->len, f->s);
	switch (r->types[column]) {
	case TL_CELL_TEXT:
		*out = tl_cell_text(tl_intern(r->strings, f->s, f->len));
		return true;
	case TL_CELL_INT:
		*out = tl_cell_int(0);
		return tl_field_int(f, &out->i);
	default:
		x = tl_parse_double(number, &end);
		if (r->types[column] == TL_CELL_REAL)
			*out = tl_cell_real(x);
		else if (fabs(x * TL_PART_TICKS) < 9e18)
			*out = tl_cell_time(llround(x * TL_PART_TICKS), !strpbrk(number, ".e"));
		return !*end && (r->types[column] == TL_CELL_REAL || fabs(x * TL_PART_TICKS) < 9e18);
	}
}

/* The name that a column must have, or begin with; NULL: it must not be there. */
static const char *expected(const struct tl_part_columns *c, size_t column, bool *whole)
{
	size_t i = 0;

	while (c->names && i < column && c->names[i])
		i++;
	*whole = c->names && c->names[i];
	return *whole ? c->names[i] : c->names ? c->more : "";
}

static enum tl_status check_columns(const struct reading *r, struct tl_error *err)
{
	size_t n = r->table->n_columns;
	bool whole;

	for (size_t i = 0; i < n; i++) {
		const char *name = r->table->columns[i].name, *wanted = expected(r->columns, i, &whole);
		if (!wanted || !tl_starts_with(name, wanted) || (whole && strcmp(name, wanted)))
			return tl_fail(err, TL_ERR_DATA, "the column '%.60s' is not expected, but %s", name, wanted ? wanted : "no further one");
	}
	const char *missing = expected(r->columns, n, &whole);
	return whole ? tl_fail(err, TL_ERR_DATA, "the column %s is missing", missing) : TL_OK;
}

static enum tl_status read_header(struct reading *r, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	r->table = tl_table_new(r->strings, TL_PART_TICKS, NULL);
	r->cells = tl_calloc(n + 1, sizeof *r->cells);
	r->types = tl_calloc(n + 1, sizeof *r->types);
	for (size_t i = 0; i < n; i++) {
		char *name = tl_strndup(f[i].s, f[i].len);
		tl_table_add_column(r->table, name);
		r->types[i] = r->columns->type_of(name);
		free(name);
	}
	return check_columns(r, err);
}

static enum tl_status read_row(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct reading *r = ctx;

	if (!row)
		return read_header(r, f, n, err);
	for (size_t i = 0; i < n; i++)
		if (!read_cell(r, i, &f[i], &r->cells[i]))
			return tl_fail(err, TL_ERR_DATA, "'%.60s' is no number, but the column '%.60s' has numbers",
			               tl_str(r->strings, tl_intern(r->strings, f[i].s, f[i].len)), r->table->columns[i].name);
	tl_table_add_row(r->table, r->cells);
	return TL_OK;
}

enum tl_status tl_part_table_read(struct tl_input *in, struct tl_strtab *strings, const struct tl_part_columns *columns,
                                  struct tl_table **out, struct tl_error *err)
{
	struct reading r = { .strings = strings, .columns = columns };
	enum tl_status status = tl_tsv_read(in, read_row, &r, err);

	if (!status && !r.table)
		status = tl_fail(err, TL_ERR_DATA, "the file is empty");
	if (status)
		tl_table_free(r.table);
	*out = status ? NULL : r.table;
	free(r.cells);
	free(r.types);
	return status;
}

/* ---- sums ----------------------------------------------------------------------------- */

enum { ROWS_BETWEEN = 4096 }; /* rows that are added before a sum is made at all */

/* Adds the rows of a table with other strings. */
static void append_copy(struct tl_table *to, const struct tl_table *from)
{
	struct tl_table copy = *from;
	struct tl_table *t = tl_table_new(to->strings, from->ticks_per_us, NULL);
	struct tl_cell *c = tl_calloc(from->n_columns + 1, sizeof *c);

	for (size_t k = 0; k < copy.n_columns; k++)
		tl_table_add_column(t, copy.columns[k].name);
	for (size_t i = 0; i < copy.n_rows; i++) {
		for (size_t k = 0; k < copy.n_columns; k++) {
			c[k] = tl_table_cell(&copy, i, k);
			if (c[k].type == TL_CELL_TEXT)
				c[k].text = tl_intern(to->strings, tl_str(from->strings, c[k].text), tl_str_len(from->strings, c[k].text));
		}
		tl_table_add_row(t, c);
	}
	tl_table_append(to, t);
	tl_table_free(t);
	free(c);
}

void tl_part_sum_release(struct tl_part_sum *s)
{
	tl_table_free(s->table);
	if (s->strings)
		tl_strtab_release(s->strings);
	free(s->strings);
	*s = (struct tl_part_sum){ 0 };
}

/* Adds up the rows; the texts of the old ones are freed. */
static void compact(struct tl_part_sum *s, tl_add_up *add_up)
{
	struct tl_table *sum = add_up(s->table);
	struct tl_part_sum new = { .limit = s->limit };

	tl_part_sum_add(&new, sum, add_up);
	tl_table_free(sum);
	tl_part_sum_release(s);
	*s = new;
	s->limit = 2 * s->table->n_rows + ROWS_BETWEEN;
}

void tl_part_sum_add(struct tl_part_sum *s, const struct tl_table *rows, tl_add_up *add_up)
{
	if (!s->table) {
		s->strings = tl_calloc(1, sizeof *s->strings);
		s->table = tl_table_new(s->strings, rows->ticks_per_us, NULL);
		s->limit = s->limit ? s->limit : ROWS_BETWEEN;
		for (size_t k = 0; k < rows->n_columns; k++)
			tl_table_add_column(s->table, rows->columns[k].name);
	}
	append_copy(s->table, rows);
	if (s->table->n_rows > s->limit)
		compact(s, add_up);
}
