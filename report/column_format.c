/* column_format.c - how a worksheet shows a column, by the column's name.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/column_format.h"

#include <math.h>
#include <string.h>

static const uint8_t numbers_of[TL_UNIT_N] = {
	[TL_UNIT_NONE] = TL_NUMBERS_GENERAL,
	[TL_UNIT_NS] = TL_NUMBERS_ID,
	[TL_UNIT_US] = TL_NUMBERS_TIME,
	[TL_UNIT_MS] = TL_NUMBERS_TIME,
	[TL_UNIT_PERCENT] = TL_NUMBERS_SHARE,
	[TL_UNIT_BYTES] = TL_NUMBERS_COUNT,
	[TL_UNIT_COUNT] = TL_NUMBERS_COUNT,
	[TL_UNIT_RATE] = TL_NUMBERS_RATE,
	[TL_UNIT_ID] = TL_NUMBERS_ID,
	[TL_UNIT_SHARE] = TL_NUMBERS_SHARE,
	[TL_UNIT_BIN] = TL_NUMBERS_BIN,
};

struct tl_column_format tl_column_format(const char *name)
{
	struct tl_column_kind kind = tl_column_kind(name);

	return (struct tl_column_format){ .numbers = numbers_of[kind.unit], .max_width = kind.max_width, .bar = kind.bar };
}

struct tl_column_format tl_overview_format(const char *name)
{
	struct tl_column_format format = { .numbers = TL_NUMBERS_GENERAL, .max_width = 45, .wraps = true };

	if (!strcmp(name, "value")) {
		format.numbers = TL_NUMBERS_MIXED;
		format.max_width = 70;
	}
	if (!strcmp(name, "unit"))
		format.max_width = 60;
	format.links = !strcmp(name, "sheet");
	return format;
}

int tl_number_width(enum tl_number_format format, double x, size_t text_len)
{
	static const int decimals[TL_NUMBERS_N] = { /* and the point */
		[TL_NUMBERS_TIME] = 4, [TL_NUMBERS_SHARE] = 3, [TL_NUMBERS_BIN] = 5, [TL_NUMBERS_RATE] = 4,
		[TL_NUMBERS_MIXED] = 3,
	};
	if (format == TL_NUMBERS_GENERAL)
		return text_len < 11 ? (int)text_len : 11;
	if (format == TL_NUMBERS_RATE && x < 0.01)
		return x == 0 ? 1 : 8 + (x < 0); /* 1.23E-04 */
	int digits = 1;
	for (double limit = 10; digits < 20 && fabs(x) >= limit; limit *= 10)
		digits++;
	int separators = format == TL_NUMBERS_ID ? 0 : (digits - 1) / 3;
	return digits + separators + decimals[format] + (x < 0);
}

/* For numbers in a column of texts. */
static void set_beside_text(lxw_format *f)
{
	format_set_align(f, LXW_ALIGN_LEFT);
	format_set_align(f, LXW_ALIGN_VERTICAL_TOP);
}

void tl_formats_add(struct tl_formats *f, lxw_workbook *workbook)
{
	static const char *const codes[TL_NUMBERS_N] = {
		[TL_NUMBERS_ID] = "0",
		[TL_NUMBERS_COUNT] = "#,##0",
		[TL_NUMBERS_TIME] = "#,##0.000",
		[TL_NUMBERS_SHARE] = "#,##0.00",
		[TL_NUMBERS_BIN] = "#,##0.0000",
		[TL_NUMBERS_RATE] = "[=0]0;[<0.01]0.00E+00;#,##0.000",
		[TL_NUMBERS_MIXED] = "#,##0.00",
	};
	f->header = workbook_add_format(workbook);
	format_set_bold(f->header);
	format_set_font_size(f->header, 9);
	format_set_text_wrap(f->header);
	format_set_align(f->header, LXW_ALIGN_VERTICAL_TOP);
	format_set_bottom(f->header, LXW_BORDER_THIN);
	format_set_bg_color(f->header, 0xEDEDED);
	for (int i = 0; i < TL_NUMBERS_N; i++) {
		if (!codes[i]) /* a workbook's own format of numbers */
			continue;
		f->numbers[i] = workbook_add_format(workbook);
		format_set_num_format(f->numbers[i], codes[i]);
	}
	f->mixed_whole = workbook_add_format(workbook);
	format_set_num_format(f->mixed_whole, codes[TL_NUMBERS_COUNT]);
	set_beside_text(f->mixed_whole);
	set_beside_text(f->numbers[TL_NUMBERS_MIXED]);
	f->text = workbook_add_format(workbook);
	format_set_indent(f->text, 1); /* away from the numbers of the column before */
	f->boolean = workbook_add_format(workbook); /* LibreOffice shows 1 and 0 without it */
	format_set_num_format(f->boolean, "\"TRUE\";\"TRUE\";\"FALSE\"");
	format_set_align(f->boolean, LXW_ALIGN_CENTER);
	f->wrapped = workbook_add_format(workbook);
	format_set_text_wrap(f->wrapped);
	format_set_align(f->wrapped, LXW_ALIGN_VERTICAL_TOP);
	f->section = workbook_add_format(workbook);
	format_set_top(f->section, LXW_BORDER_THIN);
	f->repeated = workbook_add_format(workbook);
	format_set_font_color(f->repeated, 0xBFBFBF);
	f->headline = workbook_add_format(workbook);
	format_set_bold(f->headline);
	f->link = workbook_add_format(workbook);
	format_set_font_color(f->link, 0x0563C1);
	format_set_underline(f->link, LXW_UNDERLINE_SINGLE);
	format_set_align(f->link, LXW_ALIGN_VERTICAL_TOP);
}

lxw_format *tl_formats_number(const struct tl_formats *f, enum tl_number_format format, double x)
{
	return format == TL_NUMBERS_MIXED && x == floor(x) ? f->mixed_whole : f->numbers[format];
}
