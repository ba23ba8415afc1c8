/* column_format.c - how a worksheet shows a column, by the column's name.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/column_format.h"
#include "report/column_kind.h"

#include <math.h>
#include <string.h>

#define DEFAULT_MAX_WIDTH 60

/* The first rule whose part the column's name contains decides; without one, the unit of
 * the column's numbers. */
static const struct { const char *part; uint8_t numbers, max_width; } rules[] = {
	{ "param: ", TL_NUMBERS_GENERAL, 40 },
	{ "UID", TL_NUMBERS_ID, 12 },
	{ "stream", TL_NUMBERS_ID, 12 },
	{ "Input ", TL_NUMBERS_GENERAL, 40 },
	{ "Concrete Inputs", TL_NUMBERS_GENERAL, 40 },
	{ "kernel_details", TL_NUMBERS_GENERAL, 40 },
	{ "kernels_details", TL_NUMBERS_GENERAL, 40 },
	{ "perf_params", TL_NUMBERS_GENERAL, 40 },
	{ "call_stack", TL_NUMBERS_GENERAL, 40 },
	{ "Kernel name", TL_NUMBERS_GENERAL, 60 },
	{ "module", TL_NUMBERS_GENERAL, 110 }, /* paths that differ at their ends */
	{ "FLOPS", TL_NUMBERS_RATE, 24 },
	{ "roof ", TL_NUMBERS_RATE, 20 },
	{ "TB/s", TL_NUMBERS_RATE, 20 },
	{ "GB/s", TL_NUMBERS_RATE, 20 },
	{ "(MB)", TL_NUMBERS_RATE, 20 },
	{ "bin_", TL_NUMBERS_BIN, 20 },
	{ "speedup", TL_NUMBERS_SHARE, 20 },
	{ "rank", TL_NUMBERS_ID, 20 },
	{ "process", TL_NUMBERS_ID, 20 },
	{ "size", TL_NUMBERS_GENERAL, 20 },
};

static const struct { uint8_t numbers, max_width; } of_units[] = {
	[TL_UNIT_NONE] = { TL_NUMBERS_GENERAL, DEFAULT_MAX_WIDTH },
	[TL_UNIT_NS] = { TL_NUMBERS_ID, 24 },
	[TL_UNIT_US] = { TL_NUMBERS_TIME, 24 },
	[TL_UNIT_MS] = { TL_NUMBERS_TIME, 24 },
	[TL_UNIT_PERCENT] = { TL_NUMBERS_SHARE, 20 },
	[TL_UNIT_BYTES] = { TL_NUMBERS_COUNT, 20 },
	[TL_UNIT_COUNT] = { TL_NUMBERS_COUNT, 20 },
};

static const struct tl_data_bar bars[] = {
	{ "percent", 100, 0x8FAADC },
	{ "Percentage (%)", 0, 0x8FAADC },
	{ "Percent of total time (%)", 0, 0x8FAADC },
	{ "Percent of idle time (%)", 100, 0x8FAADC },
	{ "Percent of step (%)", 100, 0x8FAADC },
	{ "Subtree Percentage (%)", 100, 0x8FAADC },
	{ "Short Kernel duration (µs) percent of total time", 0, 0x8FAADC },
	{ "Pct Roofline_mean", 100, 0xA9D18E },
	{ "Pct Roofline", 100, 0xA9D18E },
};

struct tl_column_format tl_column_format(const char *name)
{
	enum tl_unit unit = tl_column_kind(name).unit;
	struct tl_column_format format = { .numbers = of_units[unit].numbers, .max_width = of_units[unit].max_width };

	for (size_t i = 0; i < sizeof bars / sizeof bars[0]; i++)
		if (!strcmp(name, bars[i].column))
			format.bar = &bars[i];
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		if (!strstr(name, rules[i].part))
			continue;
		format.numbers = rules[i].numbers;
		format.max_width = rules[i].max_width;
		break;
	}
	return format;
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
