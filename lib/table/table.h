/* table.h - tables in memory: named columns of cells.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TABLE_H
#define TL_TABLE_H

#include "table/cell.h"

/* A cell is kept as a tag, which says what it is, and a value. Both arrays are by
 * row, or NULL as long as all cells are null. */
struct tl_table_column { char *name; uint8_t *tags; int64_t *values; };
struct tl_table {
	struct tl_strtab *strings; /* of text cells; borrowed, outlives the table */
	int64_t ticks_per_us;      /* of time cells */
	struct tl_table_column *columns; size_t n_columns, cap_columns;
	size_t n_rows, cap_rows;
};
/* columns: names, ended by NULL; or NULL for none. ticks_per_us: 1 if no cell is a
 * time. */
struct tl_table *tl_table_new(struct tl_strtab *strings, int64_t ticks_per_us, const char *const *columns);
void tl_table_free(struct tl_table *);
/* Adds a column of nulls; returns its index. */
size_t tl_table_add_column(struct tl_table *, const char *name);
/* Index of a column, or -1. */
int tl_table_column(const struct tl_table *, const char *name);
/* Makes room for n rows in all. */
void tl_table_reserve(struct tl_table *, size_t n);
/* Appends a row; cells: one for each column. */
void tl_table_add_row(struct tl_table *, const struct tl_cell *cells);
/* A tag: the type of the cell, and bits for its `whole` and `ms`. */
enum { TL_TAG_TYPE = 15, TL_TAG_WHOLE = 16, TL_TAG_MS = 32 };
static inline struct tl_cell tl_table_cell(const struct tl_table *t, size_t row, size_t column)
{
	const struct tl_table_column *c = &t->columns[column];
	struct tl_cell cell = tl_cell_null();

	if (c->tags) {
		cell.type = c->tags[row] & TL_TAG_TYPE;
		cell.whole = c->tags[row] & TL_TAG_WHOLE;
		cell.ms = c->tags[row] & TL_TAG_MS;
		cell.i = c->values[row];
	}
	return cell;
}
void tl_table_set(struct tl_table *, size_t row, size_t column, struct tl_cell);

/* Keeps the first n rows; all if n is negative. */
void tl_table_head(struct tl_table *, int64_t n);
/* Adds the rows of another table with the same strings. Columns that this table lacks
 * are added at its right. */
void tl_table_append(struct tl_table *, const struct tl_table *from);
/* Makes the integers of a column reals if it has reals or nulls too, as in pandas,
 * where a column is of one type. A column with cells of other types stays as it is. */
void tl_table_unify_column(struct tl_table *, size_t column);
/* Groups n rows (rows: their numbers; NULL: the first n) by equal cells in some
 * columns. of[i] becomes the number of the group of the i-th of them; groups are
 * numbered from 0 in order of first appearance. Returns how many groups there are. */
size_t tl_table_group(const struct tl_table *, const size_t *columns, size_t n_columns,
                      const size_t *rows, size_t n, uint32_t *of);

#endif
