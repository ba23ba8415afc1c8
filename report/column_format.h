/* column_format.h - how a worksheet shows a column, by the column's name.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COLUMN_FORMAT_H
#define TL_COLUMN_FORMAT_H

#include "report/column_kind.h"

#include <xlsxwriter.h>

enum tl_number_format {
	TL_NUMBERS_GENERAL,
	TL_NUMBERS_ID,    /* integers without separators */
	TL_NUMBERS_COUNT, /* integers with separators */
	TL_NUMBERS_TIME,
	TL_NUMBERS_SHARE,
	TL_NUMBERS_BIN,   /* limits of a histogram's bins */
	TL_NUMBERS_RATE,  /* amounts and amounts per second, which may be tiny */
	TL_NUMBERS_MIXED, /* of several kinds: integers as counts, others as shares */
	TL_NUMBERS_N
};

struct tl_column_format {
	uint8_t numbers;               /* enum tl_number_format */
	uint8_t max_width;             /* in characters */
	bool wraps;                    /* long texts are set in several lines */
	bool links;                    /* names of sheets are links to them */
	uint8_t bar;                   /* enum tl_column_bar */
};
struct tl_column_format tl_column_format(const char *name);
/* The same of a column of the sheet overview. */
struct tl_column_format tl_overview_format(const char *name);

/* Characters that a number takes in a format; text_len: those it takes in the sheet. */
int tl_number_width(enum tl_number_format, double x, size_t text_len);

/* The formats of a workbook. */
struct tl_formats {
	lxw_format *header, *text, *wrapped, *link, *boolean, *mixed_whole, *numbers[TL_NUMBERS_N];
	/* of the overview: the first row of a section, the name of a section once more, and the headline */
	lxw_format *section, *repeated, *headline;
};
void tl_formats_add(struct tl_formats *, lxw_workbook *);
/* The format of a number; NULL: the workbook's own. */
lxw_format *tl_formats_number(const struct tl_formats *, enum tl_number_format, double x);

#endif
