/* table.h - cells, and tables in memory: named columns of cells.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TABLE_H
#define TL_TABLE_H

#include "base/strings.h"

#include <stdbool.h>

/* ---- cells ------------------------------------------------------- */

enum tl_cell_type { TL_CELL_NULL, TL_CELL_BOOL, TL_CELL_INT, TL_CELL_REAL, TL_CELL_TIME, TL_CELL_TEXT };
struct tl_cell {
	uint8_t type;
	bool whole;  /* a time is printed as an integer of µs, else as a real */
	bool ms;     /* a time is printed in ms, else in µs */
	union { int64_t i; /* of BOOL and INT; ticks of TIME */ double d; uint32_t text; };
};
static inline struct tl_cell tl_cell_of(enum tl_cell_type type, int64_t i)
{
	struct tl_cell c = { (uint8_t)type, false, false, { i } };
	return c;
}
static inline struct tl_cell tl_cell_null(void) { return tl_cell_of(TL_CELL_NULL, 0); }
static inline struct tl_cell tl_cell_bool(bool b) { return tl_cell_of(TL_CELL_BOOL, b); }
static inline struct tl_cell tl_cell_int(int64_t i) { return tl_cell_of(TL_CELL_INT, i); }
static inline struct tl_cell tl_cell_real(double d)
{
	struct tl_cell c = tl_cell_of(TL_CELL_REAL, 0);
	c.d = d;
	return c;
}
/* A time that is printed in µs. whole: the trace states it without a fraction. */
static inline struct tl_cell tl_cell_time(int64_t ticks, bool whole)
{
	struct tl_cell c = tl_cell_of(TL_CELL_TIME, ticks);
	c.whole = whole;
	return c;
}
/* A time that is printed in ms. */
static inline struct tl_cell tl_cell_ms(int64_t ticks)
{
	struct tl_cell c = tl_cell_of(TL_CELL_TIME, ticks);
	c.ms = true;
	return c;
}
/* A text by its id in the table's string table; id 0 is null. */
static inline struct tl_cell tl_cell_text(uint32_t id)
{
	struct tl_cell c = tl_cell_of(id ? TL_CELL_TEXT : TL_CELL_NULL, 0);
	c.text = id;
	return c;
}

/* A text that is put into the table's string table; NULL is null. */
static inline struct tl_cell tl_cell_str(struct tl_strtab *strings, const char *s)
{
	return s ? tl_cell_text(tl_intern_str(strings, s)) : tl_cell_null();
}

/* Null, or a real that is not a number. */
bool tl_cell_is_null(struct tl_cell);
/* As strcmp. Bools come before numbers, numbers before texts (by bytes), texts before
 * nulls. Times are compared by their ticks. */
int tl_cell_compare(const struct tl_strtab *, struct tl_cell a, struct tl_cell b);

/* Fills bytes that are the same for two cells of a column if and only if the cells
 * compare as equal. */
#define TL_CELL_KEY 9
void tl_cell_key(struct tl_cell, unsigned char key[TL_CELL_KEY]);

/* The number of what a cell says among `ids`, to which it is added if asked for; 0: the cell is null, or what it says
 * is not among them. */
uint32_t tl_cell_id(struct tl_strtab *ids, struct tl_cell, bool add);

/* "ns", "ps" or, of another clock, "ticks": what a tick is. */
const char *tl_ticks_unit(int64_t ticks_per_us);
/* The number in a cell: 0 or 1 of a bool, µs or ms of a time, NaN of texts and nulls. */
double tl_cell_number(struct tl_cell, int64_t ticks_per_us);
/* Writes a bool, number or time as sheets show it: nothing for NaN and null. The cell
 * is no text. buf holds TL_DOUBLE_TEXT bytes; returns the length. */
size_t tl_cell_format(char *buf, struct tl_cell, int64_t ticks_per_us);

/* The cell with its text in another string table. */
struct tl_cell tl_cell_copy(struct tl_cell, const struct tl_strtab *from, struct tl_strtab *to);

/* A cell is kept as a tag, which says what it is, and a value: most columns have texts, counts or short times, so a value takes
 * 4 bytes until the column gets one that takes 8. The arrays are by row; tags are NULL as long as all cells are null, else one
 * of the two others is NULL. */
struct tl_table_column { char *name; uint8_t *tags; uint32_t *low; int64_t *values; };
struct tl_table {
	struct tl_strtab *strings; /* of text cells; borrowed, outlives the table */
	int64_t ticks_per_us;      /* of time cells */
	struct tl_table_column *columns; size_t n_columns, cap_columns;
	size_t n_rows, cap_rows;
	uint32_t overflow;         /* the name of the first column that got a time of INT64_MAX or INT64_MIN ticks, where sums of
	                              times stop (tl_ticks_add); 0: there is none. Such a table cannot be written */
};
/* columns: names, ended by NULL; or NULL for none. ticks_per_us: 1 if no cell is a
 * time. */
struct tl_table *tl_table_new(struct tl_strtab *strings, int64_t ticks_per_us, const char *const *columns);
void tl_table_free(struct tl_table *);
/* Adds a column of nulls; returns its index. */
size_t tl_table_add_column(struct tl_table *, const char *name);
/* Index of a column, or -1. */
int tl_table_column(const struct tl_table *, const char *name);
/* The text of a cell; `otherwise` if it holds none, or the column is negative. */
const char *tl_table_text(const struct tl_table *, size_t row, int column, const char *otherwise);
/* The number in a cell, as tl_cell_number; NaN if the column is negative. */
double tl_table_number(const struct tl_table *, size_t row, int column);
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
		int64_t value = c->low ? (int64_t)c->low[row] : c->values[row];
		if (cell.type == TL_CELL_TEXT)
			cell.text = (uint32_t)value;
		else
			cell.i = value;
	}
	return cell;
}
void tl_table_set(struct tl_table *, size_t row, size_t column, struct tl_cell);

/* Keeps the first n rows; all if n is negative. */
void tl_table_head(struct tl_table *, int64_t n);
/* Adds the rows of another table, whose texts are copied if it has other strings. Columns that this
 * table lacks are added at its right. */
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
