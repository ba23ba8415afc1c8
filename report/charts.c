/* charts.c - charts, by the sheets they show.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/book.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum shape {
	SHAPE_PARTS,     /* one stacked bar: a part for each listed row */
	SHAPE_BARS,      /* a bar for each of the first rows, the first on top */
	SHAPE_HISTOGRAM, /* columns without gaps, all rows */
	SHAPE_ROOFLINE,  /* points of all rows below roofs, both axes logarithmic */
};

/* A chart is made when its sheet and both columns exist and have rows. It
 * stands on the sheet `on` if there is one, else on its own. */
struct chart {
	const char *sheet, *on;
	uint8_t shape;
	const char *title, *x, *y;      /* x: categories (or x values), y: values */
	const char *bottom, *side;      /* titles of the axes */
	size_t rows;                    /* SHAPE_BARS: at most so many */
	const char *parts[8];           /* SHAPE_PARTS: texts of the first column */
};

static const struct chart charts[] = {
	{ "gpu_timeline", NULL, SHAPE_PARTS, "Where the time goes", "type", "time ms", "ms", NULL, 0,
	  { "computation_time", "exposed_comm_time", "exposed_memcpy_time", "idle_time", "micro_idle_time", "macro_idle_time", NULL } },
	{ "ops_summary_by_category", "gpu_timeline", SHAPE_BARS, "Kernel time by category", "op category", "total_direct_kernel_time_ms", "ms", NULL, 12, { NULL } },
	{ "ops_summary", "gpu_timeline", SHAPE_BARS, "Kernel time of the largest operators", "name", "total_direct_kernel_time_ms", "ms", NULL, 15, { NULL } },
	{ "short_kernel_histogram", NULL, SHAPE_HISTOGRAM, "Short kernels", "bin_start", "count", "µs", "kernels", 0, { NULL } },
	{ "roofline_chart", "gpu_timeline", SHAPE_BARS, "Largest operators: percent of roofline", "operator", "Pct Roofline", "%", NULL, 15, { NULL } },
	{ "roofline_chart", NULL, SHAPE_ROOFLINE, "Largest operators against the roof", "FLOPS/Byte", "TFLOPS/s", "FLOPS/Byte", "TFLOP/s", 0, { NULL } },
};

static const lxw_color_t part_colors[] = { 0x4472C4, 0xED7D31, 0xFFC000, 0xBFBFBF, 0xBFBFBF, 0x8C8C8C };

static lxw_chart_series *add_rows(lxw_chart *chart, const struct sheet *s, int x, int y, size_t n)
{
	lxw_chart_series *series = chart_add_series(chart, NULL, NULL);
	chart_series_set_categories(series, s->name, 1, (lxw_col_t)x, (lxw_row_t)n, (lxw_col_t)x);
	chart_series_set_values(series, s->name, 1, (lxw_col_t)y, (lxw_row_t)n, (lxw_col_t)y);
	return series;
}

/* Rows up to the last one that has a number in the column, at least one. */
static size_t filled_rows(const struct sheet *s, int col, size_t n)
{
	while (n > 1 && n <= N_KEPT && isnan(s->kept[(n - 1) * s->n_columns + (size_t)col]))
		n--;
	return n;
}

static lxw_chart *parts_chart(struct tl_book *book, const struct chart *c, const struct sheet *s, int x, int y)
{
	lxw_chart *chart = workbook_add_chart(book->wb, LXW_CHART_BAR_STACKED);
	(void)x;
	for (size_t i = 0; c->parts[i]; i++) {
		size_t row = 0;
		while (row < s->n_rows && row < N_KEPT && strcmp(s->columns[0].texts[row], c->parts[i]))
			row++;
		if (row == s->n_rows || row == N_KEPT)
			continue;
		lxw_chart_series *part = chart_add_series(chart, NULL, NULL);
		lxw_chart_fill fill = { .color = part_colors[i] };
		chart_series_set_values(part, s->name, (lxw_row_t)row + 1, (lxw_col_t)y, (lxw_row_t)row + 1, (lxw_col_t)y);
		chart_series_set_name_range(part, s->name, (lxw_row_t)row + 1, 0);
		chart_series_set_fill(part, &fill);
	}
	chart_axis_set_label_position(chart->y_axis, LXW_CHART_AXIS_LABEL_POSITION_NONE);
	chart_legend_set_position(chart, LXW_CHART_LEGEND_BOTTOM);
	chart_set_series_gap(chart, 40);
	return chart;
}

static size_t bars_of(const struct chart *c, const struct sheet *s)
{
	return filled_rows(s, tl_book_column(s, c->y), s->n_rows < c->rows ? s->n_rows : c->rows);
}

static lxw_chart *bars_chart(struct tl_book *book, const struct chart *c, const struct sheet *s, int x, int y)
{
	lxw_chart *chart = workbook_add_chart(book->wb, LXW_CHART_BAR);
	lxw_chart_font names = { .size = 8 };

	add_rows(chart, s, x, y, bars_of(c, s));
	chart_axis_set_reverse(chart->y_axis);
	chart_axis_set_crossing_max(chart->y_axis); /* so that values stay at the bottom */
	chart_axis_set_interval_unit(chart->y_axis, 1); /* no bar without its name */
	chart_axis_set_num_font(chart->y_axis, &names);
	chart_legend_set_position(chart, LXW_CHART_LEGEND_NONE);
	chart_set_series_gap(chart, 40);
	return chart;
}

static lxw_chart *histogram(struct tl_book *book, const struct chart *c, const struct sheet *s, int x, int y)
{
	lxw_chart *chart = workbook_add_chart(book->wb, LXW_CHART_COLUMN);
	(void)c;
	add_rows(chart, s, x, y, s->n_rows);
	chart_axis_set_num_format(chart->x_axis, "0.0");
	chart_legend_set_position(chart, LXW_CHART_LEGEND_NONE);
	chart_set_series_gap(chart, 5);
	return chart;
}

static void add_points(lxw_chart *chart, const struct sheet *s, int x, int y)
{
	lxw_chart_series *series = add_rows(chart, s, x, y, filled_rows(s, y, s->n_rows));
	lxw_chart_fill fill = { .color = 0x4472C4 };
	lxw_chart_line line = { .color = 0x4472C4 };

	chart_series_set_name(series, "operators");
	chart_series_set_marker_type(series, LXW_CHART_MARKER_CIRCLE);
	chart_series_set_marker_size(series, 5);
	chart_series_set_marker_fill(series, &fill);
	chart_series_set_marker_line(series, &line);
}

static void add_roof(lxw_chart *chart, const struct sheet *s, int x, int y, lxw_color_t color)
{
	lxw_chart_series *series = add_rows(chart, s, x, y, filled_rows(s, y, s->n_rows));
	lxw_chart_line line = { .color = color, .width = 2 };

	chart_series_set_name_range(series, s->name, 0, (lxw_col_t)y);
	chart_series_set_marker_type(series, LXW_CHART_MARKER_NONE);
	chart_series_set_line(series, &line);
}

static lxw_chart *roofline(struct tl_book *book, const struct chart *c, const struct sheet *s, int x, int y)
{
	static const lxw_color_t colors[] = { 0xED7D31, 0x70AD47, 0x7030A0, 0xFFC000 };
	lxw_chart *chart = workbook_add_chart(book->wb, LXW_CHART_SCATTER);
	int roof_x = tl_book_column(s, ROOF "FLOPS/Byte");
	size_t n = 0;

	(void)c;
	add_points(chart, s, x, y);
	for (size_t i = 0; i < s->n_columns && roof_x >= 0; i++)
		if ((int)i != roof_x && !strncmp(s->columns[i].name, ROOF, strlen(ROOF)))
			add_roof(chart, s, roof_x, (int)i, colors[n++ % (sizeof colors / sizeof colors[0])]);
	chart_axis_set_log_base(chart->x_axis, 10);
	chart_axis_set_log_base(chart->y_axis, 10);
	chart_axis_set_label_position(chart->x_axis, LXW_CHART_AXIS_LABEL_POSITION_LOW);
	chart_axis_set_label_position(chart->y_axis, LXW_CHART_AXIS_LABEL_POSITION_LOW);
	chart_legend_set_position(chart, LXW_CHART_LEGEND_BOTTOM);
	return chart;
}

static void place(const struct chart *c, lxw_chart *chart, const struct sheet *s, struct sheet *on)
{
	static const lxw_chart_options size[] = {
		[SHAPE_PARTS] = { .x_scale = 1.5, .y_scale = 0.7 },
		[SHAPE_BARS] = { .x_scale = 1.5, .y_scale = 0.5 },
		[SHAPE_HISTOGRAM] = { .x_scale = 1.7, .y_scale = 1.2 },
		[SHAPE_ROOFLINE] = { .x_scale = 1.5, .y_scale = 2 },
	};
	lxw_chart_options options = size[c->shape];
	lxw_chart_line grid = { .color = 0xD9D9D9 };
	lxw_chart_font title = { .size = 12, .bold = LXW_TRUE }, small = { .size = 9, .bold = LXW_EXPLICIT_FALSE };

	chart_title_set_name(chart, c->title);
	chart_title_set_name_font(chart, &title);
	if (c->bottom) {
		chart_axis_set_name(chart->x_axis, c->bottom);
		chart_axis_set_name_font(chart->x_axis, &small);
	}
	if (c->side) {
		chart_axis_set_name(chart->y_axis, c->side);
		chart_axis_set_name_font(chart->y_axis, &small);
	}
	if (c->shape != SHAPE_HISTOGRAM)
		chart_axis_major_gridlines_set_line(chart->x_axis, &grid);
	if (c->shape == SHAPE_HISTOGRAM || c->shape == SHAPE_ROOFLINE)
		chart_axis_major_gridlines_set_line(chart->y_axis, &grid);
	if (c->shape == SHAPE_BARS) /* room for each name */
		options.y_scale += 0.07 * (double)bars_of(c, s);
	if (c->shape == SHAPE_PARTS || c->shape == SHAPE_BARS)
		chart_axis_set_min(chart->x_axis, 0);
	worksheet_insert_chart_opt(on->ws, (lxw_row_t)on->charts_row + 1, (lxw_col_t)on->n_columns + 1, chart, &options);
	on->charts_row += (size_t)(15 * options.y_scale) + 1; /* a chart of scale 1 is 14.4 rows high */
}

void tl_book_add_charts(struct tl_book *book)
{
	static lxw_chart *(*const make[])(struct tl_book *, const struct chart *, const struct sheet *, int, int) = {
		[SHAPE_PARTS] = parts_chart,
		[SHAPE_BARS] = bars_chart,
		[SHAPE_HISTOGRAM] = histogram,
		[SHAPE_ROOFLINE] = roofline,
	};
	for (size_t i = 0; i < sizeof charts / sizeof charts[0]; i++) {
		const struct chart *c = &charts[i];
		struct sheet *s = tl_book_find(book, c->sheet), *on = tl_book_find(book, c->on);
		if (!s || !s->n_rows)
			continue;
		int x = tl_book_column(s, c->x), y = tl_book_column(s, c->y);
		if (x >= 0 && y >= 0)
			place(c, make[c->shape](book, c, s, x, y), s, on ? on : s);
	}
}
