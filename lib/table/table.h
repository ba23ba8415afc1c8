/* table.h - tables in memory: named columns, rows of cells.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TABLE_H
#define TL_TABLE_H

#include "table/cell.h"

struct tl_table {
	struct tl_strtab *strings; /* of text cells; borrowed, outlives the table */
	int64_t ticks_per_us;      /* of time cells */
	char **columns; size_t n_columns, cap_columns;
	struct tl_cell *cells;     /* row-major */
	size_t n_rows, cap_cells;
};
/* columns: names that end with NULL; or NULL. ticks_per_us: 1 where no cell is a
 * time. */
struct tl_table *tl_table_new(struct tl_strtab *strings, int64_t ticks_per_us, const char *const *columns);
void tl_table_free(struct tl_table *);
/* Adds a column (before any row) and returns its index. */
size_t tl_table_add_column(struct tl_table *, const char *name);
/* Index of a column, or -1. */
int tl_table_column(const struct tl_table *, const char *name);
/* Room for n more rows, so that adding them moves nothing. */
void tl_table_reserve(struct tl_table *, size_t n);
/* Appends a row of nulls; returns its cells, valid until the next row. */
struct tl_cell *tl_table_add_row(struct tl_table *);
static inline struct tl_cell *tl_table_cell(const struct tl_table *t, size_t row, size_t col)
{
	return &t->cells[row * t->n_columns + col];
}
/* Keeps the first n rows. */
void tl_table_head(struct tl_table *, size_t n);
/* Makes the integers of a column reals when the column also has reals or nulls:
 * so do dataframes, whose columns are integers only as a whole. */
void tl_table_unify_column(struct tl_table *, size_t col);
/* Groups n rows (NULL: all) by equal cells in some columns: of[i] becomes the
 * number of the group of rows[i], in order of first appearance. Returns how many
 * groups there are. */
size_t tl_table_group(const struct tl_table *, const size_t *columns, size_t n_columns,
                      const size_t *rows, size_t n, uint32_t *of);

#endif
