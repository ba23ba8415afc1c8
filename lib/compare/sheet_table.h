/* sheet_table.h - sheets that were read as text, as tables with typed columns.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SHEET_TABLE_H
#define TL_SHEET_TABLE_H

#include "table/table.h"
#include "table/tsv.h"

/* A tl_tsv_row. ctx: a table without columns, which gets the columns of row 0 and the cells of
 * the further rows as texts. Texts that pandas reads as missing (empty, None, nan, NA, …) are
 * nulls. A header of one empty field, as pandas writes it for a sheet without columns, adds no
 * column; rows below it are passed over. */
tl_tsv_row tl_sheet_table_add;
/* To be called after the last row. A column whose texts are all integers, all numbers, or all
 * True or False, becomes one of such cells; others stay texts. */
void tl_sheet_table_type(struct tl_table *);

#endif
