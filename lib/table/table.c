/* table.c - tables in memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/table.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tl_table *tl_table_new(struct tl_strtab *strings, int64_t ticks_per_us, const char *const *columns)
{
	struct tl_table *t = tl_calloc(1, sizeof *t);

	t->strings = strings;
	t->ticks_per_us = ticks_per_us;
	for (; columns && *columns; columns++)
		tl_table_add_column(t, *columns);
	return t;
}

void tl_table_free(struct tl_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_columns; i++) {
		free(t->columns[i].name);
		free(t->columns[i].tags);
		free(t->columns[i].low);
		free(t->columns[i].values);
	}
	free(t->columns);
	free(t);
}

size_t tl_table_add_column(struct tl_table *t, const char *name)
{
	TL_GROW(t->columns, t->cap_columns, t->n_columns + 1);
	t->columns[t->n_columns] = (struct tl_table_column){ .name = tl_strdup(name) };
	return t->n_columns++;
}

int tl_table_column(const struct tl_table *t, const char *name)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (!strcmp(t->columns[i].name, name))
			return (int)i;
	return -1;
}

const char *tl_table_text(const struct tl_table *t, size_t row, int column, const char *otherwise)
{
	struct tl_cell c = column < 0 ? tl_cell_null() : tl_table_cell(t, row, (size_t)column);

	return c.type == TL_CELL_TEXT ? tl_str(t->strings, c.text) : otherwise;
}

double tl_table_number(const struct tl_table *t, size_t row, int column)
{
	return column < 0 ? NAN : tl_cell_number(tl_table_cell(t, row, (size_t)column), t->ticks_per_us);
}

/* ---- rows ------------------------------------------------------------------------ */

void tl_table_reserve(struct tl_table *t, size_t n)
{
	if (n <= t->cap_rows)
		return;
	for (size_t i = 0; i < t->n_columns; i++) {
		struct tl_table_column *c = &t->columns[i];
		if (!c->tags)
			continue;
		c->tags = tl_realloc(c->tags, n);
		if (c->low)
			c->low = tl_realloc(c->low, n * sizeof *c->low);
		else
			c->values = tl_realloc(c->values, n * sizeof *c->values);
	}
	t->cap_rows = n;
}

/* The column's values take 8 bytes from now on. */
static void widen(const struct tl_table *t, struct tl_table_column *c)
{
	c->values = tl_calloc(t->cap_rows, sizeof *c->values);
	for (size_t i = 0; i < t->n_rows; i++)
		c->values[i] = c->low[i];
	free(c->low);
	c->low = NULL;
}

/* Sets what does not fit into 4 bytes, or a cell of a column in which something did not. */
static void set_wide(struct tl_table *t, size_t row, struct tl_table_column *c, uint8_t type, int64_t value)
{
	if (c->low)
		widen(t, c);
	c->values[row] = value;
	if (!t->overflow && type == TL_CELL_TIME && (value == INT64_MAX || value == INT64_MIN))
		t->overflow = tl_intern_str(t->strings, c->name);
}

static inline void set(struct tl_table *t, size_t row, size_t column, struct tl_cell cell)
{
	struct tl_table_column *c = &t->columns[column];
	int64_t value = cell.type == TL_CELL_TEXT ? cell.text : cell.i;

	if (!c->tags && cell.type == TL_CELL_NULL)
		return;
	if (!c->tags) {
		c->tags = tl_calloc(t->cap_rows, 1); /* TL_CELL_NULL is 0 */
		c->low = tl_calloc(t->cap_rows, sizeof *c->low);
	}
	c->tags[row] = (uint8_t)(cell.type | (cell.whole ? TL_TAG_WHOLE : 0) | (cell.ms ? TL_TAG_MS : 0));
	if (c->low && (uint64_t)value <= UINT32_MAX)
		c->low[row] = (uint32_t)value;
	else
		set_wide(t, row, c, cell.type, value);
}

void tl_table_set(struct tl_table *t, size_t row, size_t column, struct tl_cell cell)
{
	set(t, row, column, cell);
}

void tl_table_add_row(struct tl_table *t, const struct tl_cell *cells)
{
	if (t->n_rows == t->cap_rows)
		tl_table_reserve(t, t->n_rows + t->n_rows / 2 + 16);
	for (size_t i = 0; i < t->n_columns; i++)
		set(t, t->n_rows, i, cells[i]);
	t->n_rows++;
}

void tl_table_head(struct tl_table *t, int64_t n)
{
	if (n >= 0 && (uint64_t)n < t->n_rows)
		t->n_rows = (size_t)n;
}

struct tl_cell tl_cell_copy(struct tl_cell c, const struct tl_strtab *from, struct tl_strtab *to)
{
	bool other = c.type == TL_CELL_TEXT && from != to;

	return other ? tl_cell_text(tl_intern(to, tl_str(from, c.text), tl_str_len(from, c.text))) : c;
}

void tl_table_append(struct tl_table *t, const struct tl_table *from)
{
	size_t n = t->n_rows;

	tl_table_reserve(t, n + from->n_rows);
	t->n_rows += from->n_rows;
	for (size_t c = 0; c < t->n_columns; c++)
		for (size_t row = n; row < t->n_rows; row++)
			tl_table_set(t, row, c, tl_cell_null());
	for (size_t c = 0; c < from->n_columns; c++) {
		int to = tl_table_column(t, from->columns[c].name);
		if (to < 0)
			to = (int)tl_table_add_column(t, from->columns[c].name);
		for (size_t row = 0; row < from->n_rows; row++)
			tl_table_set(t, n + row, (size_t)to, tl_cell_copy(tl_table_cell(from, row, c), from->strings, t->strings));
	}
}

/* ---- columns --------------------------------------------------------------------- */

void tl_table_unify_column(struct tl_table *t, size_t column)
{
	bool to_reals = false;

	for (size_t i = 0; i < t->n_rows; i++) {
		unsigned type = tl_table_cell(t, i, column).type;
		if (type != TL_CELL_INT && type != TL_CELL_REAL && type != TL_CELL_NULL)
			return;
		to_reals |= type != TL_CELL_INT;
	}
	for (size_t i = 0; to_reals && i < t->n_rows; i++) {
		struct tl_cell c = tl_table_cell(t, i, column);
		if (c.type == TL_CELL_INT)
			tl_table_set(t, i, column, tl_cell_real((double)c.i));
	}
}

size_t tl_table_group(const struct tl_table *t, const size_t *columns, size_t n_columns,
                      const size_t *rows, size_t n, uint32_t *of)
{
	struct tl_strtab groups = { 0 }; /* keys of groups; ids count from 1 in order of first appearance */
	unsigned char *key = tl_alloc(n_columns * TL_CELL_KEY + 1);
	size_t n_groups;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n_columns; k++)
			tl_cell_key(tl_table_cell(t, rows ? rows[i] : i, columns[k]), key + k * TL_CELL_KEY);
		of[i] = tl_intern(&groups, (const char *)key, n_columns * TL_CELL_KEY) - 1;
	}
	n_groups = groups.count;
	tl_strtab_release(&groups);
	free(key);
	return n_groups;
}

/* ---- comparing and printing cells ------------------------------------------------------- */

bool tl_cell_is_null(struct tl_cell c)
{
	return c.type == TL_CELL_NULL || (c.type == TL_CELL_REAL && isnan(c.d));
}

/* A real becomes an integer if its value is one, and null if it is NaN. */
static struct tl_cell canonical(struct tl_cell c)
{
	if (c.type != TL_CELL_REAL)
		return c;
	if (isnan(c.d))
		return tl_cell_null();
	if (c.d >= -0x1p63 && c.d < 0x1p63 && c.d == (double)(int64_t)c.d)
		return tl_cell_int((int64_t)c.d);
	return c;
}

/* ---- order ---------------------------------------------------------------------- */

static int compare_texts(const struct tl_strtab *t, uint32_t a, uint32_t b)
{
	if (a == b)
		return 0;
	size_t m = tl_str_len(t, a), n = tl_str_len(t, b);
	int r = memcmp(tl_str(t, a), tl_str(t, b), m < n ? m : n);
	return r ? r : (m > n) - (m < n);
}

static int compare_numbers(struct tl_cell a, struct tl_cell b)
{
	if (a.type != TL_CELL_REAL && b.type != TL_CELL_REAL)
		return (a.i > b.i) - (a.i < b.i);
	double x = a.type == TL_CELL_REAL ? a.d : (double)a.i;
	double y = b.type == TL_CELL_REAL ? b.d : (double)b.i;
	if (x == y && a.type != b.type) /* the real is 2^63, and the integer was rounded up to that */
		return a.type == TL_CELL_REAL ? 1 : -1;
	return (x > y) - (x < y);
}

int tl_cell_compare(const struct tl_strtab *t, struct tl_cell a, struct tl_cell b)
{
	static const uint8_t rank[] = { [TL_CELL_BOOL] = 0, [TL_CELL_INT] = 1, [TL_CELL_REAL] = 1, [TL_CELL_TIME] = 1,
		[TL_CELL_TEXT] = 2, [TL_CELL_NULL] = 3 };

	a = canonical(a);
	b = canonical(b);
	if (rank[a.type] != rank[b.type])
		return rank[a.type] - rank[b.type];
	switch (a.type) {
	case TL_CELL_NULL: return 0;
	case TL_CELL_BOOL: return (a.i > b.i) - (a.i < b.i);
	case TL_CELL_TEXT: return compare_texts(t, a.text, b.text);
	default: return compare_numbers(a, b);
	}
}

void tl_cell_key(struct tl_cell c, unsigned char key[TL_CELL_KEY])
{
	c = canonical(c);
	int64_t bits = c.type == TL_CELL_TEXT ? c.text : c.i;

	key[0] = c.type;
	memcpy(key + 1, &bits, sizeof bits);
}

/* ---- numbers ------------------------------------------------------------------------ */

uint32_t tl_cell_id(struct tl_strtab *ids, struct tl_cell cell, bool add)
{
	unsigned char key[TL_CELL_KEY];

	if (cell.type == TL_CELL_NULL)
		return 0;
	tl_cell_key(cell, key);
	return add ? tl_intern(ids, (const char *)key, sizeof key) : tl_strtab_find(ids, (const char *)key, sizeof key);
}

const char *tl_ticks_unit(int64_t ticks_per_us)
{
	return ticks_per_us == 1000 ? "ns" : ticks_per_us == 1000000 ? "ps" : "ticks";
}

double tl_cell_number(struct tl_cell c, int64_t ticks_per_us)
{
	switch (c.type) {
	case TL_CELL_BOOL:
	case TL_CELL_INT: return (double)c.i;
	case TL_CELL_REAL: return c.d;
	case TL_CELL_TIME: /* TraceLens divides twice for ms, which decides the last digits of percentages */
		return c.ms ? tl_divide(c.i, ticks_per_us) / 1000 : tl_divide(c.i, ticks_per_us);
	default: return NAN;
	}
}

static size_t format_time(char *buf, struct tl_cell c, int64_t ticks_per_us)
{
	int64_t per_unit = ticks_per_us;

	if (c.whole && !c.ms)
		return tl_format_int(buf, c.i / ticks_per_us);
	/* one division gives the double whose shortest text is the exact decimal */
	if (c.ms && __builtin_mul_overflow(ticks_per_us, 1000, &per_unit))
		return tl_format_double(buf, tl_cell_number(c, ticks_per_us));
	return tl_format_double(buf, tl_divide(c.i, per_unit));
}

size_t tl_cell_format(char *buf, struct tl_cell c, int64_t ticks_per_us)
{
	switch (c.type) {
	case TL_CELL_BOOL: return strlen(strcpy(buf, c.i ? "True" : "False"));
	case TL_CELL_INT: return tl_format_int(buf, c.i);
	case TL_CELL_REAL: return isnan(c.d) ? 0 : tl_format_double(buf, c.d);
	case TL_CELL_TIME: return format_time(buf, c, ticks_per_us);
	default: return 0;
	}
}
