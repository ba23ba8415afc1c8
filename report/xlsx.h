/* xlsx.h - a workbook made of sheets in TSV.
 *
 * tl_book_new, then tl_book_add_sheet for each sheet in their order, then
 * tl_book_close, which writes the file. The same sheets make the same bytes.
 * A book holds all of its cells in memory until it is closed.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_XLSX_H
#define TL_XLSX_H

#include "table/tsv.h"

#include <time.h>

struct tl_book;

/* The file at `path` is created or overwritten by tl_book_close. `created` is
 * the creation date that stands in the file. NULL when memory runs out. */
struct tl_book *tl_book_new(const char *path, time_t created);

/* Reads a TSV to its end and makes it the next sheet. Cells that are a decimal
 * number become numbers, True and False booleans, all else text; empty cells
 * stay empty. A name that a workbook cannot have is TL_ERR_USAGE; malformed
 * TSV and too many rows or columns are TL_ERR_DATA. */
enum tl_status tl_book_add_sheet(struct tl_book *, const char *name, struct tl_input *tsv, struct tl_error *);

/* A copy of a name, cut to the length that a workbook allows, with an ellipsis
 * at its end. The caller frees it. */
char *tl_book_fit_name(const char *name, size_t len);

/* Cells of the latest sheet that were longer than a workbook allows (32767
 * characters) and were cut to end with an ellipsis. */
size_t tl_book_cut_cells(const struct tl_book *);

/* Adds the charts, writes the file and reads it back, to be sure that it is
 * whole. TL_ERR_IO if it could not be written. The book is used up either way
 * and must still be freed. */
enum tl_status tl_book_close(struct tl_book *, struct tl_error *);
void tl_book_free(struct tl_book *);

#endif
