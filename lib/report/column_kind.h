/* column_kind.h - what the numbers of a sheet's column are, how it is shown, and how much people
 * look at it: as the sheet's description says, or for columns of others columns.tsv.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COLUMN_KIND_H
#define TL_COLUMN_KIND_H

#include "base/base.h"
#include "table/description.h"

/* The words of columns.tsv for ranks and bars are in this order, those for units in that of enum tl_unit. */

struct tl_column_facts {
	enum tl_unit unit;
	enum tl_column_rank rank;
	enum tl_column_bar bar;
	uint8_t max_width; /* in a workbook, in characters */
	bool is_share;     /* which part of the whole each row is */
};
/* sheet: the description that tl_description_of gives, or NULL. If it does not have the column, any sheet's column of this name
 * counts, then columns.tsv; a column that nobody knows is a text or plain number, 60 characters wide at most. */
struct tl_column_facts tl_column_facts(const struct tl_description *sheet, const char *name);

/* Is the i-th of the n columns of a sheet out of sight until people ask for it? On a wide sheet
 * these are statistics besides mean and sum, arguments in full, lists of kernels. */
bool tl_column_is_folded(struct tl_column_facts, size_t i, size_t n);

/* A table of columns; columns.tsv tells the form. Begin with zeros. */
struct tl_column_table {
	struct tl_column_row *rows;
	size_t n, cap;
	struct tl_arena arena;
};
/* TL_ERR_DATA: a row is wrong; *err names file, line and column. */
enum tl_status tl_column_table_add(struct tl_column_table *, const char *file, const char *text, size_t len, struct tl_error *err);
void tl_column_table_release(struct tl_column_table *);
/* False: no row tells what the column is. */
bool tl_column_table_find(const struct tl_column_table *, const char *name, struct tl_column_facts *);

#endif
