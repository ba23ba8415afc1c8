/* formats.c - how columns look, by their names: number formats, widths, bars.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/book.h"

#include <math.h>
#include <string.h>

/* First rule whose text the column name contains. */
static const struct { const char *part; uint8_t look; double cap; } rules[] = {
	{ "param: ", LOOK_GENERAL, 40 },
	{ "UID", LOOK_PLAIN, 12 },
	{ "stream", LOOK_PLAIN, 12 },
	{ "Input ", LOOK_GENERAL, 40 },
	{ "Concrete Inputs", LOOK_GENERAL, 40 },
	{ "kernel_details", LOOK_GENERAL, 40 },
	{ "kernels_details", LOOK_GENERAL, 40 },
	{ "perf_params", LOOK_GENERAL, 40 },
	{ "call_stack", LOOK_GENERAL, 40 },
	{ "Kernel name", LOOK_GENERAL, 60 },
	{ "(%)", LOOK_RATIO, 20 },
	{ "percent", LOOK_RATIO, 20 },
	{ "Pct ", LOOK_RATIO, 20 },
	{ "overlap_pct", LOOK_RATIO, 20 },
	{ "FLOPS", LOOK_RATE, 24 },
	{ ROOF, LOOK_RATE, 20 },
	{ "TB/s", LOOK_RATE, 20 },
	{ "(MB)", LOOK_RATE, 20 },
	{ "bin_", LOOK_PRECISE, 20 },
	{ "(µs)_count", LOOK_COUNT, 20 },
	{ "Kernel count", LOOK_COUNT, 20 },
	{ "(µs)", LOOK_TIME, 24 },
	{ "_us", LOOK_TIME, 24 },
	{ "time", LOOK_TIME, 24 },
	{ "dur_", LOOK_TIME, 24 },
	{ "speedup", LOOK_RATIO, 20 },
	{ "Count", LOOK_COUNT, 20 },
	{ "count", LOOK_COUNT, 20 },
	{ "nelems", LOOK_COUNT, 20 },
	{ "size", LOOK_GENERAL, 20 },
};

void tl_book_look(struct column *c)
{
	c->look = LOOK_GENERAL;
	c->cap = 60;
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		if (!strstr(c->name, rules[i].part))
			continue;
		c->look = rules[i].look;
		c->cap = rules[i].cap;
		return;
	}
}

const char *tl_book_number_format(enum look look)
{
	static const char *const format[] = {
		[LOOK_GENERAL] = "General",
		[LOOK_PLAIN] = "0",
		[LOOK_COUNT] = "#,##0",
		[LOOK_TIME] = "#,##0.000",
		[LOOK_RATIO] = "#,##0.00",
		[LOOK_PRECISE] = "#,##0.0000",
		[LOOK_RATE] = "[=0]0;[<0.01]0.00E+00;#,##0.000", /* may be tiny */
	};
	return format[look];
}

double tl_book_number_width(enum look look, double x, size_t text_len)
{
	static const int decimals[] = { 0, 0, 0, 4, 3, 5, 4 }; /* with their point */
	if (look == LOOK_GENERAL)
		return text_len < 11 ? (double)text_len : 11;
	if (look == LOOK_RATE && x < 0.01)
		return x == 0 ? 1 : 8 + (x < 0);
	int digits = 1;
	for (double limit = 10; digits < 20 && fabs(x) >= limit; limit *= 10)
		digits++;
	int commas = look == LOOK_PLAIN ? 0 : (digits - 1) / 3;
	return digits + commas + decimals[look] + (x < 0);
}

/* ---- data bars -------------------------------------------------------------- */

/* Columns of any sheet that get data bars; `full` is the value of a full bar,
 * 0 the column's greatest. */
static const struct { const char *column; double full; lxw_color_t color; } bars[] = {
	{ "percent", 100, 0x8FAADC },
	{ "Percentage (%)", 0, 0x8FAADC },
	{ "Percent of total time (%)", 0, 0x8FAADC },
	{ "Short Kernel duration (µs) percent of total time", 0, 0x8FAADC },
	{ "Pct Roofline_mean", 100, 0xA9D18E },
	{ "Pct Roofline", 100, 0xA9D18E },
};

void tl_book_add_bars(struct sheet *s)
{
	for (size_t i = 0; i < sizeof bars / sizeof bars[0] && s->n_rows; i++) {
		int col = tl_book_column(s, bars[i].column);
		if (col < 0)
			continue;
		lxw_conditional_format f = {
			.type = LXW_CONDITIONAL_DATA_BAR,
			.bar_color = bars[i].color,
			.bar_solid = LXW_TRUE,
			.data_bar_2010 = LXW_TRUE,
			.bar_no_border = LXW_TRUE,
			.min_rule_type = LXW_CONDITIONAL_RULE_TYPE_NUMBER,
			.min_value = 0,
			.max_rule_type = bars[i].full > 0 ? LXW_CONDITIONAL_RULE_TYPE_NUMBER : LXW_CONDITIONAL_RULE_TYPE_MAXIMUM,
			.max_value = bars[i].full,
		};
		worksheet_conditional_format_range(s->ws, 1, (lxw_col_t)col, (lxw_row_t)s->n_rows, (lxw_col_t)col, &f);
	}
}
