/* sheet_sum.h - the rows of any number of tables, added up by a definition while they come.
 *
 * The definition makes rows of the columns that it takes, with statistics that can be added up again: TL_SUM, TL_MIN, TL_MAX,
 * TL_FIRST. So memory stays in proportion to the rows that the sum has.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SHEET_SUM_H
#define TL_SHEET_SUM_H

#include "table/sheet.h"

/* Of zero bytes but for the definition. */
struct tl_sheet_sum {
	const struct tl_sheet_def *def;
	struct tl_strtab *strings; /* its own; this and what follows is private */
	struct tl_table *table;
	size_t limit;
};
/* Adds the rows of a table, whichever strings it has. */
void tl_sheet_sum_add(struct tl_sheet_sum *, const struct tl_table *);
/* The sum, which belongs to it; NULL: no table was added. */
struct tl_table *tl_sheet_sum_rows(struct tl_sheet_sum *);
void tl_sheet_sum_release(struct tl_sheet_sum *);

#endif
