/* book_charts.c - the charts of a workbook, by chart_list.h.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/book_charts.h"

#include "base/memory.h"
#include "base/text.h"
#include "report/cell_value.h"
#include "report/chart_list.h"
#include "report/roofline_table.h"

#include <math.h>

/* ---- point labels ---------------------------------------------------------------- */

#define MAX_LABELS 15     /* of points */
#define LABEL_WIDTH 0.3   /* of the chart */
#define LABEL_HEIGHT 0.06

/* Where points lie: logarithms. */
/* A text that begins with '=' would be a formula. */
static void add_label_text(struct tl_buf *b, const char *text)
{
	struct tl_buf fit = { 0 };
	bool cut;

	tl_xlsx_text(&fit, text, strlen(text), 255, &cut);
	tl_xlsx_mask(&fit);
	tl_buf_addf(b, " %s", tl_buf_text(&fit));
	tl_buf_release(&fit);
}

/* The first points of a series, whose positions are in the columns x and y of the first n
 * rows and are shown on logarithmic axes, get the text of the first column as their label,
 * unless labels would cover each other: then the earlier row has its label. */
static void label_points(lxw_chart_series *series, const struct tl_worksheet *s, int x, int y, size_t n)
{
	lxw_chart_font font = { .size = 8 };
	lxw_chart_data_label labels[TL_CHART_ROWS], *list[TL_CHART_ROWS + 1] = { NULL };
	struct tl_buf texts[TL_CHART_ROWS] = { { 0 } };
	bool labelled[TL_CHART_ROWS] = { false };
	double at_x[TL_CHART_ROWS], at_y[TL_CHART_ROWS];

	n = n < TL_CHART_ROWS ? n : TL_CHART_ROWS;
	for (size_t i = 0; i < n; i++) {
		at_x[i] = log(tl_first_number(&s->first, i, x));
		at_y[i] = log(tl_first_number(&s->first, i, y));
	}
	tl_choose_labels(labelled, at_x, at_y, n, MAX_LABELS, MAX_LABELS, LABEL_WIDTH, LABEL_HEIGHT);
	for (size_t i = 0; i < n; i++) {
		add_label_text(&texts[i], tl_first_text(&s->first, i, 0));
		labels[i] = (lxw_chart_data_label){ .hide = !labelled[i], .font = &font };
		if (labelled[i])
			labels[i].value = texts[i].data;
		list[i] = &labels[i];
	}
	chart_series_set_labels(series);
	chart_series_set_labels_position(series, LXW_CHART_LABEL_POSITION_BELOW);
	chart_series_set_labels_custom(series, list);
	for (size_t i = 0; i < n; i++)
		tl_buf_release(&texts[i]);
}

/* ---- charts ---------------------------------------------------------------------- */

/* A chart that is being made. */
struct plot {
	const struct tl_chart *c;
	const struct tl_book_notes *notes;
	lxw_workbook *workbook;
	lxw_chart *chart;
	const struct tl_worksheet *s;
	int x, y;                       /* columns of s */
	const struct tl_worksheet *steps; /* memory_steps, or NULL */
};

/* ---- series ------------------------------------------------------------------- */

/* n rows from `first` on; names stand in the columns x to last_x. */
static lxw_chart_series *add_some_rows(const struct plot *p, size_t first, size_t n, int x, int last_x, int y)
{
	lxw_chart_series *series = chart_add_series(p->chart, NULL, NULL);
	lxw_row_t from = (lxw_row_t)first + 1, to = (lxw_row_t)(first + n);

	chart_series_set_categories(series, p->s->name, from, (lxw_col_t)x, to, (lxw_col_t)last_x);
	chart_series_set_values(series, p->s->name, from, (lxw_col_t)y, to, (lxw_col_t)y);
	return series;
}

static lxw_chart_series *add_rows(const struct plot *p, int x, int y, size_t n)
{
	return add_some_rows(p, 0, n, x, x, y);
}

/* How many of the first n rows remain if those at the end without a number are left
 * out; at least one. */
static size_t filled_rows(const struct tl_worksheet *s, int column, size_t n)
{
	while (n > 1 && n <= TL_CHART_ROWS && isnan(tl_first_number(&s->first, n - 1, column)))
		n--;
	return n;
}

static size_t count_bars(const struct plot *p)
{
	if (p->c->shape == TL_CHART_PEAK)
		return p->s->of_device.n < p->c->max_bars ? p->s->of_device.n : p->c->max_bars;
	return filled_rows(p->s, p->y, p->s->n_rows < p->c->max_bars ? p->s->n_rows : p->c->max_bars);
}

/* ---- the shapes ------------------------------------------------------------------ */

/* The first row from `row` on with that text in the column x; TL_CHART_ROWS: none of the first rows has it. */
static size_t row_of(const struct tl_worksheet *s, int x, const char *text, size_t row)
{
	while (row < s->n_rows && row < TL_CHART_ROWS && strcmp(tl_first_text(&s->first, row, x), text))
		row++;
	return row < s->n_rows ? row : TL_CHART_ROWS;
}

static void make_parts(struct plot *p)
{
	static const lxw_color_t colors[TL_PART_COLORS] = {
		0x4472C4, 0xED7D31, 0xFFC000, 0xCC79A7, 0xE6BCD3, 0x8F4F78, 0x70AD47, 0xA9D18E, 0xA69500, 0xD6CC6B, 0x7B4A12, 0x56B4E9, 0xA5D7F3,
		0x7A7A7A, [TL_PART_IDLE] = 0xBFBFBF, [TL_PART_MACRO_IDLE] = 0x8C8C8C, [TL_PART_UNRECORDED] = 0xECECEC };

	p->chart = workbook_add_chart(p->workbook, LXW_CHART_BAR_STACKED);
	/* a series for each row of a part; of several, each has a name of its own */
	for (size_t i = 0; i < TL_MAX_PARTS && p->c->parts[i]; i++) {
		lxw_chart_fill fill = { .color = colors[tl_chart_part_color(p->c, i)] };
		lxw_chart_line border = { .color = 0xFFFFFF, .width = 0.5 };
		int by = tl_first_column(&p->s->first, "cause");

		for (size_t row = 0; (row = row_of(p->s, p->x, p->c->parts[i], row)) != TL_CHART_ROWS; row++) {
			const char *cause = tl_first_text(&p->s->first, row, by);
			lxw_row_t at = (lxw_row_t)row + 1;
			lxw_chart_series *part = chart_add_series(p->chart, NULL, NULL);
			chart_series_set_values(part, p->s->name, at, (lxw_col_t)p->y, at, (lxw_col_t)p->y);
			chart_series_set_name_range(part, p->s->name, at, (lxw_col_t)(*cause ? by : p->x));
			chart_series_set_fill(part, &fill);
			chart_series_set_line(part, &border);
		}
	}
	chart_axis_set_label_position(p->chart->y_axis, LXW_CHART_AXIS_LABEL_POSITION_NONE);
	chart_axis_set_min(p->chart->x_axis, 0);
	chart_legend_set_position(p->chart, LXW_CHART_LEGEND_BOTTOM);
	chart_set_series_gap(p->chart, 40);
}

static void make_bars(struct plot *p)
{
	lxw_chart_font names = { .size = 8 };

	p->chart = workbook_add_chart(p->workbook, LXW_CHART_BAR);
	bool of_device = p->c->shape == TL_CHART_PEAK; /* names are those of two columns */
	lxw_chart_series *series = add_some_rows(p, of_device ? p->s->of_device.first : 0, count_bars(p), p->x, p->x + of_device, p->y);
	chart_series_set_labels(series);
	chart_series_set_labels_num_format(series, of_device ? "#,##0" : "#,##0.0");
	chart_series_set_labels_font(series, &names);
	chart_axis_set_reverse(p->chart->y_axis);
	chart_axis_set_crossing_max(p->chart->y_axis); /* so that values stay at the bottom */
	chart_axis_set_interval_unit(p->chart->y_axis, 1); /* every bar has its name */
	chart_axis_set_num_font(p->chart->y_axis, &names);
	chart_axis_set_min(p->chart->x_axis, 0);
	chart_legend_set_position(p->chart, LXW_CHART_LEGEND_NONE);
	chart_set_series_gap(p->chart, 40);
}

static void make_histogram(struct plot *p)
{
	p->chart = workbook_add_chart(p->workbook, LXW_CHART_COLUMN);
	add_rows(p, p->x, p->y, p->s->n_rows);
	chart_axis_set_num_format(p->chart->x_axis, "0.0");
	chart_legend_set_position(p->chart, LXW_CHART_LEGEND_NONE);
	chart_set_series_gap(p->chart, 5);
}

static void add_points(const struct plot *p)
{
	size_t n = filled_rows(p->s, p->y, p->s->n_rows);
	lxw_chart_series *series = add_rows(p, p->x, p->y, n);
	lxw_chart_fill fill = { .color = 0x4472C4 };
	lxw_chart_line line = { .color = 0x4472C4 };

	chart_series_set_name(series, "operators");
	chart_series_set_marker_type(series, LXW_CHART_MARKER_CIRCLE);
	chart_series_set_marker_size(series, 5);
	chart_series_set_marker_fill(series, &fill);
	chart_series_set_marker_line(series, &line);
	label_points(series, p->s, p->x, p->y, n);
}

static void make_roofline(struct plot *p)
{
	static const lxw_color_t colors[] = { 0xED7D31, 0x70AD47, 0x7030A0, 0xFFC000 };
	int roof_x = tl_first_column(&p->s->first, TL_ROOF_INTENSITY);
	size_t n = 0;

	p->chart = workbook_add_chart(p->workbook, LXW_CHART_SCATTER);
	add_points(p);
	for (int i = 0; i < (int)p->s->n_columns && roof_x >= 0; i++)
		if (i != roof_x && !strncmp(p->s->columns[i].name, TL_ROOF, strlen(TL_ROOF))) {
			lxw_chart_series *series = add_rows(p, roof_x, i, filled_rows(p->s, i, p->s->n_rows));
			lxw_chart_line line = { .color = colors[n++ % (sizeof colors / sizeof colors[0])], .width = 2 };

			chart_series_set_name_range(series, p->s->name, 0, (lxw_col_t)i);
			chart_series_set_marker_type(series, LXW_CHART_MARKER_NONE);
			chart_series_set_line(series, &line);
		}
	chart_axis_set_log_base(p->chart->x_axis, 10);
	chart_axis_set_log_base(p->chart->y_axis, 10);
	chart_axis_set_label_position(p->chart->x_axis, LXW_CHART_AXIS_LABEL_POSITION_LOW);
	chart_axis_set_label_position(p->chart->y_axis, LXW_CHART_AXIS_LABEL_POSITION_LOW);
	chart_legend_set_position(p->chart, LXW_CHART_LEGEND_BOTTOM);
}

/* Points on the line of what is allocated where the steps of its device begin. */
static void add_steps(const struct plot *p)
{
	const struct tl_worksheet *s = p->steps;
	int x = s ? tl_first_column(&s->first, "start_us") : -1, y = s ? tl_first_column(&s->first, "at_start_bytes") : -1;
	lxw_chart_line none = { .none = LXW_TRUE };

	if (x < 0 || y < 0 || !s->of_device.n || strcmp(s->of_device.device, p->s->of_device.device) != 0 ||
	    strcmp(s->of_device.process, p->s->of_device.process) != 0)
		return;
	struct plot of_steps = *p;
	of_steps.s = s;
	lxw_chart_series *series = add_some_rows(&of_steps, s->of_device.first, s->of_device.n, x, x, y);
	chart_series_set_name(series, "a step begins");
	chart_series_set_line(series, &none);
	chart_series_set_marker_type(series, LXW_CHART_MARKER_DIAMOND);
	chart_series_set_marker_size(series, 5);
}

/* A line for each of the columns. */
static void make_curve(struct plot *p)
{
	static const lxw_color_t colors[] = { 0x4472C4, 0xED7D31 };

	p->chart = workbook_add_chart(p->workbook, LXW_CHART_SCATTER_STRAIGHT);
	for (size_t i = 0; i < sizeof colors / sizeof *colors && p->c->parts[i]; i++) {
		int y = tl_first_column(&p->s->first, p->c->parts[i]);
		lxw_chart_line line = { .color = colors[i], .width = 1.25 };
		if (y < 0)
			continue;
		lxw_chart_series *series = add_some_rows(p, p->s->of_device.first, p->s->of_device.n, p->x, p->x, y);
		chart_series_set_name_range(series, p->s->name, 0, (lxw_col_t)y);
		chart_series_set_marker_type(series, LXW_CHART_MARKER_NONE);
		chart_series_set_line(series, &line);
	}
	add_steps(p);
	chart_axis_set_min(p->chart->y_axis, 0);
	chart_legend_set_position(p->chart, LXW_CHART_LEGEND_BOTTOM);
}

/* ---- what the shapes share ---------------------------------------------------------- */

static bool has_timeline_notes(const struct plot *p)
{
	return *p->notes->timeline && p->c->shape == TL_CHART_PARTS && !strcmp(p->c->sheet, "gpu_timeline");
}

static void set_titles(const struct plot *p)
{
	lxw_chart_font font = { .size = 10, .bold = LXW_TRUE }, small = { .size = 9, .bold = LXW_EXPLICIT_FALSE };
	const char *in_and_out = p->c->in_and_out ? p->c->in_and_out : p->notes->roofline;
	struct tl_buf title = { 0 };

	tl_buf_adds(&title, p->c->title);
	if (*in_and_out)
		tl_buf_addf(&title, "\n%s", in_and_out);
	if (has_timeline_notes(p))
		tl_buf_addf(&title, "\n%s", p->notes->timeline);
	if (p->c->shape == TL_CHART_PARTS && p->notes->remarks)
		tl_buf_adds(&title, "\nsee the overview for all warnings and what is left out");
	chart_title_set_name(p->chart, title.data);
	chart_title_set_name_font(p->chart, &font);
	tl_buf_release(&title);
	if (p->c->bottom) {
		chart_axis_set_name(p->chart->x_axis, p->c->bottom);
		chart_axis_set_name_font(p->chart->x_axis, &small);
	}
	if (p->c->side) {
		chart_axis_set_name(p->chart->y_axis, p->c->side);
		chart_axis_set_name_font(p->chart->y_axis, &small);
	}
}

static void set_grid(const struct plot *p)
{
	lxw_chart_line grid = { .color = 0xD9D9D9 };

	if (p->c->shape != TL_CHART_HISTOGRAM)
		chart_axis_major_gridlines_set_line(p->chart->x_axis, &grid);
	if (p->c->shape == TL_CHART_HISTOGRAM || p->c->shape == TL_CHART_ROOFLINE)
		chart_axis_major_gridlines_set_line(p->chart->y_axis, &grid);
}

/* Places the chart to the right of the columns, below earlier charts. */
static void place(const struct plot *p, struct tl_worksheet *on)
{
	static const lxw_chart_options sizes[] = {
		[TL_CHART_PARTS] = { .x_scale = 1.5, .y_scale = 0.85 },
		[TL_CHART_BARS] = { .x_scale = 1.5, .y_scale = 0.6 },
		[TL_CHART_HISTOGRAM] = { .x_scale = 1.7, .y_scale = 1.2 },
		[TL_CHART_ROOFLINE] = { .x_scale = 2, .y_scale = 2 },
		[TL_CHART_CURVE] = { .x_scale = 2, .y_scale = 1.2 },
		[TL_CHART_PEAK] = { .x_scale = 2, .y_scale = 0.6 },
		[TL_CHART_PATH] = { .x_scale = 1.5, .y_scale = 0.85 },
	};
	lxw_chart_options size = sizes[p->c->shape];

	if (has_timeline_notes(p)) /* room for the title */
		size.y_scale += 0.3;
	if (p->c->shape == TL_CHART_BARS || p->c->shape == TL_CHART_PEAK) /* room for each name */
		size.y_scale += 0.08 * (double)count_bars(p);
	worksheet_insert_chart_opt(on->lxw, (lxw_row_t)on->charts_end + 1, (lxw_col_t)on->n_columns + 1, p->chart, &size);
	worksheet_fit_to_pages(on->lxw, 1, 1);
	on->charts_end += (size_t)(15 * size.y_scale) + 1; /* a chart of scale 1 is 14.4 rows high */
}

/* A series is made of cells, which have no mean of several devices. These stand before the column x, and the rows in their order. */
static bool is_of_one_device(const struct tl_first_rows *r, int x)
{
	while (x-- > 0)
		if (strcmp(tl_first_text(r, 0, x), tl_first_text(r, r->n - 1, x)))
			return false;
	return true;
}

/* Does the sheet have what the chart shows? */
static bool can_show(const struct tl_chart *c, const struct tl_worksheet *s)
{
	if (!s || !s->n_rows || tl_first_column(&s->first, c->x) < 0 || tl_first_column(&s->first, c->y) < 0)
		return false;
	if (c->shape == TL_CHART_CURVE || c->shape == TL_CHART_PEAK)
		return s->of_device.n > (c->shape == TL_CHART_CURVE);
	int x = tl_first_column(&s->first, c->x);
	return c->shape != TL_CHART_PARTS || (row_of(s, x, c->parts[0], 0) != TL_CHART_ROWS &&
	       tl_first_column(&s->first, TL_CHART_BY_GPU) < 0 && is_of_one_device(&s->first, x));
}

static bool is_among(const char *const *titles, size_t n, const char *title)
{
	while (n && strcmp(titles[n - 1], title) != 0)
		n--;
	return n;
}

void tl_book_charts_add(lxw_workbook *workbook, struct tl_worksheet *sheets, size_t n, const struct tl_book_notes *notes)
{
	static void (*const make[])(struct plot *) = {
		[TL_CHART_PARTS] = make_parts,
		[TL_CHART_BARS] = make_bars,
		[TL_CHART_HISTOGRAM] = make_histogram,
		[TL_CHART_ROOFLINE] = make_roofline,
		[TL_CHART_CURVE] = make_curve,
		[TL_CHART_PEAK] = make_bars,
		[TL_CHART_PATH] = make_parts,
	};
	const char **titles = NULL; /* of charts that are made */
	size_t n_titles = 0, cap_titles = 0;
	for (const struct tl_chart *c = tl_chart_list(); c->sheet; c++) {
		struct tl_buf name = tl_chart_sheet_name(c->sheet);
		struct tl_worksheet *s = tl_worksheet_find(sheets, n, name.data);
		tl_buf_release(&name);
		struct tl_worksheet *on = c->on ? tl_worksheet_find(sheets, n, c->on) : NULL;
		if (c->shape >= sizeof make / sizeof make[0] || !make[c->shape] || is_among(titles, n_titles, c->title) || !can_show(c, s))
			continue;
		TL_PUSH(titles, n_titles, cap_titles, c->title);
		struct plot p = { .c = c, .notes = notes, .workbook = workbook, .s = s,
		                  .x = tl_first_column(&s->first, c->x), .y = tl_first_column(&s->first, c->y),
		                  .steps = tl_worksheet_find(sheets, n, "memory_steps") };
		make[c->shape](&p);
		chart_show_hidden_data(p.chart); /* folded columns too */
		set_titles(&p);
		set_grid(&p);
		place(&p, on ? on : s);
	}
	free(titles);
}
