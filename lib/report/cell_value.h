/* cell_value.h - what a field of a sheet becomes in a workbook: a number or text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CELL_VALUE_H
#define TL_CELL_VALUE_H

#include "base/memory.h"
#include "base/utf8.h"

#include <stdbool.h>

/* Is a field a decimal number as sheets write it? It has no '+' and no superfluous
 * zeros in front, digits on both sides of a point, and 'e' before an exponent. If so,
 * *value becomes the number. False also for numbers that a workbook cannot hold:
 * integers of more than 15 digits, and what is too large for a double. */
bool tl_xlsx_number(const char *field, size_t len, double *value);

#define TL_MAX_SHEET_NAME 31 /* UTF-16 units of a sheet's name in a workbook */
/* UTF-16 units of a code point; of a malformed one, those of the U+FFFD that stands
 * for it. Workbooks limit lengths in these units. */
static inline size_t tl_utf16_units(uint32_t code_point)
{
	return code_point > 0xffff && code_point != TL_UTF8_MALFORMED ? 2 : 1;
}

/* Sets `text` to what a workbook can hold of a field. Malformed UTF-8, NUL, U+FFFE and
 * U+FFFF become U+FFFD. *cut tells whether the text had more than max_units UTF-16
 * units: then it is cut and ends with an ellipsis. Returns the number of characters. */
size_t tl_xlsx_text(struct tl_buf *text, const char *field, size_t len, size_t max_units, bool *cut);

/* Makes '?' of control characters, for parts of a workbook where they would be no XML. In
 * cells libxlsxwriter writes them as _x001B_. */
void tl_xlsx_mask(struct tl_buf *text);

#endif
