/* cell_value.h - what a field of a sheet becomes in a workbook: a number or text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CELL_VALUE_H
#define TL_CELL_VALUE_H

#include "base/memory.h"
#include "base/utf8.h"

#include <stdbool.h>

/* The value of a field that is a decimal number as sheets write them: no '+',
 * no superfluous zeros in front, digits on both sides of a point, exponents
 * with 'e'. False for all else, and for numbers that a workbook could not show
 * as they are: integers of more than 15 digits, and those beyond a double. */
bool tl_xlsx_number(const char *field, size_t len, double *value);

/* UTF-16 units that a code point takes, or the U+FFFD that stands for a
 * malformed one. The length limits of workbooks count these units. */
static inline size_t tl_utf16_units(uint32_t code_point)
{
	return code_point > 0xffff && code_point != TL_UTF8_MALFORMED ? 2 : 1;
}

/* Sets `text` to what a workbook can hold of a field. Malformed UTF-8, NUL,
 * U+FFFE and U+FFFF become U+FFFD. A text of more than max_units UTF-16 units
 * is cut to end with an ellipsis, and *cut becomes true, else false. Returns the
 * number of characters in `text`. */
size_t tl_xlsx_text(struct tl_buf *text, const char *field, size_t len, size_t max_units, bool *cut);

#endif
