/* compared_book.h - the sheets of a comparison in a workbook.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COMPARED_BOOK_H
#define TL_COMPARED_BOOK_H

#include "compare/compare.h"
#include "report/workbook.h"

/* Adds the sheets to an empty workbook and fills them. The name of a sheet is cut to 31
 * characters, the most that a workbook allows; where two would be the same, the later one ends
 * with a number. Characters that a workbook forbids there become '_'. Columns of statistics are
 * folded (tl_comparison.hidden). *n_cut becomes the number of cells whose texts were cut. */
enum tl_status tl_compared_book(struct tl_workbook *, const struct tl_compared_list *, size_t *n_cut, struct tl_error *);

#endif
