/* table_reader.c - tables read back from TSV.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/table_reader.h"

#include "base/number.h"
#include "base/text.h"
#include "table/tsv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	struct tl_strtab *strings;
	const struct tl_tsv_columns *columns;
	struct tl_table *table;
	struct tl_cell *cells;
	enum tl_cell_type *types;
};

/* False: the cell is not of the column's type. */
static bool read_cell(const struct reading *r, size_t column, const struct tl_field_text *f, struct tl_cell *out)
{
	enum tl_cell_type type = r->types[column];
	char number[64] = "", *end = number;
	double x = 0;

	*out = tl_cell_null();
	if (!f->len)
		return true;
	if ((type == TL_CELL_INT || type == TL_CELL_NULL) && tl_field_int(f, &out->i)) {
		*out = tl_cell_int(out->i);
		return true;
	}
	if (type != TL_CELL_TEXT && type != TL_CELL_INT && f->len < sizeof number) {
		memcpy(number, f->s, f->len);
		x = tl_parse_double(number, &end);
	}
	bool is_number = end > number && !*end;
	if (type == TL_CELL_TIME && is_number && fabs(x * TL_TSV_TICKS) < 9e18)
		*out = tl_cell_time(llround(x * TL_TSV_TICKS), !strpbrk(number, ".e"));
	else if (type != TL_CELL_TIME && is_number)
		*out = tl_cell_real(x);
	else if (type == TL_CELL_TEXT || type == TL_CELL_NULL)
		*out = tl_cell_text(tl_intern(r->strings, f->s, f->len));
	else
		return false;
	return true;
}

/* The name that a column must have, or begin with; NULL: it must not be there. */
static const char *expected(const struct tl_tsv_columns *c, size_t column, bool *whole)
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

static enum tl_status read_row(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct reading *r = ctx;

	if (!row) {
		r->table = tl_table_new(r->strings, TL_TSV_TICKS, NULL);
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
	for (size_t i = 0; i < n; i++)
		if (!read_cell(r, i, &f[i], &r->cells[i]))
			return tl_fail(err, TL_ERR_DATA, "'%.60s' is no number, but the column '%.60s' has numbers",
			               tl_str(r->strings, tl_intern(r->strings, f[i].s, f[i].len)), r->table->columns[i].name);
	tl_table_add_row(r->table, r->cells);
	return TL_OK;
}

enum tl_status tl_tsv_read_table(struct tl_input *in, struct tl_strtab *strings, const struct tl_tsv_columns *columns,
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
