/* table_reader.h - tables read back from TSV.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TABLE_READER_H
#define TL_TABLE_READER_H

#include "base/io.h"
#include "table/table.h"

/* The time of tables that are read back: what is finer is rounded. */
#define TL_TSV_TICKS 1000

/* What is read. */
struct tl_tsv_columns {
	const char *const *names;  /* the first columns, in this order; ends with NULL. NULL: any */
	const char *more;          /* how the names of further columns begin; NULL: there are none */
	/* TL_CELL_TEXT, _INT, _REAL or _TIME, which is in µs; TL_CELL_NULL: an integer, a real or a text, as the cell reads */
	enum tl_cell_type (*type_of)(const char *column);
};
/* Reads a TSV. TL_ERR_DATA: the text is malformed, has other columns, or a cell is no such number. */
enum tl_status tl_tsv_read_table(struct tl_input *, struct tl_strtab *, const struct tl_tsv_columns *, struct tl_table **out,
                                 struct tl_error *);

#endif
