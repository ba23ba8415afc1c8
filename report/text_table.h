/* text_table.h - a sheet as people read it in a terminal: aligned columns, rounded numbers
 * with units, long texts cut in the middle.
 *
 * Call tl_text_table_new, then tl_text_table_row for each line of the sheet (it is a
 * tl_tsv_row; its ctx is the text table), then tl_text_table_print.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TEXT_TABLE_H
#define TL_TEXT_TABLE_H

#include "base/memory.h"
#include "table/tsv.h"

#include <stdbool.h>

struct tl_text_table_options {
	const char *const *columns; size_t n_columns; /* these, in this order; 0: all that there is room for */
	const char *sort;   /* by this column: numbers from the largest, texts from A to Z, empty fields last;
	                       NULL: the sheet's order */
	bool reverse;       /* the rows in the opposite order */
	size_t top;         /* at most so many rows; 0: all */
	size_t width;       /* of a line, in characters; 0: as wide as needed, nothing is cut */
	bool expanded;      /* each row as a block with a line for each column, in full */
};

struct tl_text_table;
struct tl_text_table *tl_text_table_new(const struct tl_text_table_options *);
void tl_text_table_free(struct tl_text_table *);

tl_tsv_row tl_text_table_row;

/* What was shown of what there is. */
struct tl_shown { size_t columns, all_columns, rows, all_rows; };

/* Adds the text to the buffer. Control characters of the sheet become '?'. TL_ERR_USAGE:
 * a column of the options is not in the sheet; *err lists those that are. */
enum tl_status tl_text_table_print(struct tl_text_table *, struct tl_buf *, struct tl_shown *, struct tl_error *);

#endif
