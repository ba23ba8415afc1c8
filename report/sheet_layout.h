/* sheet_layout.h - how a worksheet looks: widths, folded columns, what stays in sight, print.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SHEET_LAYOUT_H
#define TL_SHEET_LAYOUT_H

#include "report/worksheet.h"

/* Each of these two is called while the row is being written: later its height cannot be
 * changed. Gives the header's row a height for headers that break between words. */
void tl_layout_header_row(struct tl_worksheet *);
/* Makes a row high enough for a text in its i-th column, if the column wraps texts. */
void tl_layout_row(struct tl_worksheet *, lxw_row_t, size_t i, const char *text);

/* Lays out a worksheet whose rows were written. */
void tl_layout_apply(struct tl_worksheet *);

#endif
