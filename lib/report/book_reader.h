/* book_reader.h - reads the sheets of a workbook (Office Open XML).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_BOOK_READER_H
#define TL_BOOK_READER_H

#include "table/tsv.h"

struct tl_book;

/* Opens a workbook and reads the names of its sheets and its shared texts. NULL: *err says why.
 * Texts of more than 256 MB are TL_ERR_DATA. */
struct tl_book *tl_book_open(const char *path, struct tl_error *);
void tl_book_close(struct tl_book *);
/* Name of the i-th sheet; NULL past the last. */
const char *tl_book_sheet(const struct tl_book *, size_t i);

/* Reads the i-th sheet and calls row() as tl_tsv_read does. Cells are texts: numbers as the file
 * has them, booleans True or False. The first row with cells is the header and says how many
 * columns there are; rows without cells are passed over. A sheet without cells calls nothing. */
enum tl_status tl_book_read(struct tl_book *, size_t i, tl_tsv_row *row, void *ctx, struct tl_error *);

#endif
