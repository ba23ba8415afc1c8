/* table.c - tables in memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/table.h"

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
	for (size_t i = 0; i < t->n_columns; i++)
		free(t->columns[i]);
	free(t->columns);
	free(t->cells);
	free(t);
}

size_t tl_table_add_column(struct tl_table *t, const char *name)
{
	TL_GROW(t->columns, t->cap_columns, t->n_columns + 1);
	t->columns[t->n_columns] = tl_strdup(name);
	return t->n_columns++;
}

int tl_table_column(const struct tl_table *t, const char *name)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (*t->columns[i] == *name && !strcmp(t->columns[i], name))
			return (int)i;
	return -1;
}

void tl_table_reserve(struct tl_table *t, size_t n)
{
	size_t need = (t->n_rows + n) * t->n_columns;

	if (need <= t->cap_cells)
		return;
	t->cells = tl_realloc(t->cells, need * sizeof *t->cells);
	t->cap_cells = need;
}

struct tl_cell *tl_table_add_row(struct tl_table *t)
{
	TL_GROW(t->cells, t->cap_cells, (t->n_rows + 1) * t->n_columns);
	if (!t->n_columns)
		return NULL;
	struct tl_cell *row = t->cells + t->n_rows++ * t->n_columns;
	memset(row, 0, t->n_columns * sizeof *row); /* TL_CELL_NULL is 0 */
	return row;
}

void tl_table_head(struct tl_table *t, size_t n)
{
	if (n < t->n_rows)
		t->n_rows = n;
}

void tl_table_unify_column(struct tl_table *t, size_t col)
{
	bool ints = false, others = false;

	for (size_t i = 0; i < t->n_rows; i++) {
		unsigned type = tl_table_cell(t, i, col)->type;
		ints |= type == TL_CELL_INT;
		others |= type == TL_CELL_REAL || type == TL_CELL_NULL;
	}
	for (size_t i = 0; ints && others && i < t->n_rows; i++) {
		struct tl_cell *c = tl_table_cell(t, i, col);
		if (c->type == TL_CELL_INT)
			*c = tl_cell_real((double)c->i);
	}
}

size_t tl_table_group(const struct tl_table *t, const size_t *columns, size_t n_columns,
                      const size_t *rows, size_t n, uint32_t *of)
{
	struct tl_strtab groups = { 0 }; /* of the bytes of their keys; ids are from 1 in order of first appearance */
	unsigned char *key = tl_alloc(n_columns * TL_CELL_KEY + 1);
	size_t n_groups;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n_columns; k++)
			tl_cell_key(*tl_table_cell(t, rows ? rows[i] : i, columns[k]), key + k * TL_CELL_KEY);
		of[i] = tl_intern(&groups, (const char *)key, n_columns * TL_CELL_KEY) - 1;
	}
	n_groups = groups.count;
	tl_strtab_release(&groups);
	free(key);
	return n_groups;
}
