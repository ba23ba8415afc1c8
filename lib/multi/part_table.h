/* part_table.h - the tables of parts, read back from TSV; tables to which those of many parts
 * are added.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PART_TABLE_H
#define TL_PART_TABLE_H

#include "base/io.h"
#include "table/table.h"

/* The time of tables that are read back: what is finer is rounded. */
#define TL_PART_TICKS 1000

/* What is read. */
struct tl_part_columns {
	const char *const *names;  /* the first columns, in this order; ends with NULL. NULL: any */
	const char *more;          /* how the names of further columns begin; NULL: there are none */
	enum tl_cell_type (*type_of)(const char *column); /* TL_CELL_TEXT, _INT, _REAL or _TIME, which is in µs */
};
/* Reads a TSV. TL_ERR_DATA: the text is malformed, has other columns, or a cell is no such number. */
enum tl_status tl_part_table_read(struct tl_input *, struct tl_strtab *, const struct tl_part_columns *, struct tl_table **out,
                                  struct tl_error *);

/* A sum of tables with its own texts. Zero bytes are an empty one. */
struct tl_part_sum {
	struct tl_strtab *strings;
	struct tl_table *table;  /* NULL: nothing was added */
	size_t limit;            /* private */
};
/* A function that adds up the rows of a table that agree, into a new one. */
typedef struct tl_table *tl_add_up(const struct tl_table *);
/* Adds the rows of a table, whichever strings it has. Memory stays in proportion to the rows
 * that the sum has. */
void tl_part_sum_add(struct tl_part_sum *, const struct tl_table *, tl_add_up *);
void tl_part_sum_release(struct tl_part_sum *);

#endif
