/* charts.c - the charts of a workbook.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/charts.h"
#include "report/cell_value.h"
#include "report/chart_list.h"
#include "report/label_places.h"
#include "report/roofline_table.h"
#include "report/worksheet.h"

#include <math.h>
#include <string.h>

/* ---- point labels ---------------------------------------------------------------- */

#define MAX_LABELS 15     /* of points */
#define LABEL_WIDTH 0.3   /* of the chart */
#define LABEL_HEIGHT 0.06

/* Where points lie: logarithms. */
struct positions { double x[TL_CHART_ROWS], y[TL_CHART_ROWS]; size_t n; };

static void find_positions(struct positions *at, const struct tl_worksheet *s, int x, int y, size_t n)
{
	at->n = n < TL_CHART_ROWS ? n : TL_CHART_ROWS;
	for (size_t i = 0; i < at->n; i++) {
		at->x[i] = log(tl_first_number(&s->first, i, x));
		at->y[i] = log(tl_first_number(&s->first, i, y));
	}
}

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
	struct positions at;

	find_positions(&at, s, x, y, n);
	tl_choose_labels(labelled, at.x, at.y, at.n, MAX_LABELS, MAX_LABELS, LABEL_WIDTH, LABEL_HEIGHT);
	for (size_t i = 0; i < at.n; i++) {
		add_label_text(&texts[i], tl_first_text(&s->first, i, 0));
		labels[i] = (lxw_chart_data_label){ .hide = !labelled[i], .font = &font };
		if (labelled[i])
			labels[i].value = texts[i].data;
		list[i] = &labels[i];
	}
	chart_series_set_labels(series);
	chart_series_set_labels_position(series, LXW_CHART_LABEL_POSITION_BELOW);
	chart_series_set_labels_custom(series, list);
	for (size_t i = 0; i < at.n; i++)
		tl_buf_release(&texts[i]);
}

/* ---- charts ---------------------------------------------------------------------- */

/* A chart that is being made. */
struct plot {
	const struct tl_chart *c;
	const struct tl_chart_notes *notes;
	lxw_workbook *workbook;
	lxw_chart *chart;
	const struct tl_worksheet *s;
	int x, y;                       /* columns of s */
};

/* ---- series ------------------------------------------------------------------- */

static lxw_chart_series *add_rows(const struct plot *p, int x, int y, size_t n)
{
	lxw_chart_series *series = chart_add_series(p->chart, NULL, NULL);

	chart_series_set_categories(series, p->s->name, 1, (lxw_col_t)x, (lxw_row_t)n, (lxw_col_t)x);
	chart_series_set_values(series, p->s->name, 1, (lxw_col_t)y, (lxw_row_t)n, (lxw_col_t)y);
	return series;
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
	return filled_rows(p->s, p->y, p->s->n_rows < p->c->max_bars ? p->s->n_rows : p->c->max_bars);
}

/* ---- the shapes ------------------------------------------------------------------ */

/* The row with that text in the first column; TL_CHART_ROWS: none of the first rows has it. */
static size_t row_of(const struct tl_worksheet *s, const char *text)
{
	size_t row = 0;

	while (row < s->n_rows && row < TL_CHART_ROWS && strcmp(tl_first_text(&s->first, row, 0), text))
		row++;
	return row < s->n_rows ? row : TL_CHART_ROWS;
}

static void add_part(const struct plot *p, const char *text, lxw_color_t color)
{
	lxw_chart_fill fill = { .color = color };
	size_t row = row_of(p->s, text);

	if (row == TL_CHART_ROWS)
		return;
	lxw_row_t at = (lxw_row_t)row + 1;
	lxw_chart_series *part = chart_add_series(p->chart, NULL, NULL);
	chart_series_set_values(part, p->s->name, at, (lxw_col_t)p->y, at, (lxw_col_t)p->y);
	chart_series_set_name_range(part, p->s->name, at, 0);
	chart_series_set_fill(part, &fill);
}

static void make_parts(struct plot *p)
{
	static const lxw_color_t colors[] = { 0x4472C4, 0xED7D31, 0xFFC000, 0xBFBFBF, 0xBFBFBF, 0x8C8C8C };

	p->chart = workbook_add_chart(p->workbook, LXW_CHART_BAR_STACKED);
	for (size_t i = 0; p->c->parts[i]; i++)
		add_part(p, p->c->parts[i], colors[i]);
	chart_axis_set_label_position(p->chart->y_axis, LXW_CHART_AXIS_LABEL_POSITION_NONE);
	chart_axis_set_min(p->chart->x_axis, 0);
	chart_legend_set_position(p->chart, LXW_CHART_LEGEND_BOTTOM);
	chart_set_series_gap(p->chart, 40);
}

static void make_bars(struct plot *p)
{
	lxw_chart_font names = { .size = 8 };

	p->chart = workbook_add_chart(p->workbook, LXW_CHART_BAR);
	lxw_chart_series *series = add_rows(p, p->x, p->y, count_bars(p));
	chart_series_set_labels(series);
	chart_series_set_labels_num_format(series, "#,##0.0");
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

static void add_roof(const struct plot *p, int x, int y, lxw_color_t color)
{
	lxw_chart_series *series = add_rows(p, x, y, filled_rows(p->s, y, p->s->n_rows));
	lxw_chart_line line = { .color = color, .width = 2 };

	chart_series_set_name_range(series, p->s->name, 0, (lxw_col_t)y);
	chart_series_set_marker_type(series, LXW_CHART_MARKER_NONE);
	chart_series_set_line(series, &line);
}

static void make_roofline(struct plot *p)
{
	static const lxw_color_t colors[] = { 0xED7D31, 0x70AD47, 0x7030A0, 0xFFC000 };
	int roof_x = tl_first_column(&p->s->first, TL_ROOF_INTENSITY);
	size_t n = 0;

	p->chart = workbook_add_chart(p->workbook, LXW_CHART_SCATTER);
	add_points(p);
	for (int i = 0; i < (int)p->s->n_columns && roof_x >= 0; i++)
		if (i != roof_x && !strncmp(p->s->columns[i].name, TL_ROOF, strlen(TL_ROOF)))
			add_roof(p, roof_x, i, colors[n++ % (sizeof colors / sizeof colors[0])]);
	chart_axis_set_log_base(p->chart->x_axis, 10);
	chart_axis_set_log_base(p->chart->y_axis, 10);
	chart_axis_set_label_position(p->chart->x_axis, LXW_CHART_AXIS_LABEL_POSITION_LOW);
	chart_axis_set_label_position(p->chart->y_axis, LXW_CHART_AXIS_LABEL_POSITION_LOW);
	chart_legend_set_position(p->chart, LXW_CHART_LEGEND_BOTTOM);
}

/* ---- what the shapes share ---------------------------------------------------------- */

static void set_titles(const struct plot *p)
{
	lxw_chart_font font = { .size = 10, .bold = LXW_TRUE }, small = { .size = 9, .bold = LXW_EXPLICIT_FALSE };
	const char *in_and_out = p->c->in_and_out ? p->c->in_and_out : p->notes->roofline;
	struct tl_buf title = { 0 };

	tl_buf_adds(&title, p->c->title);
	if (*in_and_out)
		tl_buf_addf(&title, "\n%s", in_and_out);
	if (p->c->shape == TL_CHART_PARTS && *p->notes->timeline)
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
	};
	lxw_chart_options size = sizes[p->c->shape];

	if (p->c->shape == TL_CHART_PARTS && *p->notes->timeline) /* room for the title */
		size.y_scale += 0.3;
	if (p->c->shape == TL_CHART_BARS) /* room for each name */
		size.y_scale += 0.08 * (double)count_bars(p);
	worksheet_insert_chart_opt(on->lxw, (lxw_row_t)on->charts_end + 1, (lxw_col_t)on->n_columns + 1, p->chart, &size);
	worksheet_fit_to_pages(on->lxw, 1, 1);
	on->charts_end += (size_t)(15 * size.y_scale) + 1; /* a chart of scale 1 is 14.4 rows high */
}

/* The name of a sheet in a workbook, which may be cut. The caller releases it. */
static struct tl_buf name_in_book(const char *sheet)
{
	struct tl_buf name = { 0 };
	bool cut;

	tl_xlsx_text(&name, sheet, strlen(sheet), TL_MAX_SHEET_NAME, &cut);
	return name;
}

bool tl_charts_name(const char *sheet, const char *column)
{
	bool found = false;

	for (const struct tl_chart *c = tl_charts; c->sheet && !found; c++) {
		struct tl_buf name = name_in_book(c->sheet);
		found = !strcmp(name.data, sheet) && !strcmp(c->x, column);
		tl_buf_release(&name);
	}
	return found;
}

static struct tl_worksheet *find_sheet(struct tl_worksheet *sheets, size_t n, const char *sheet)
{
	struct tl_buf name = name_in_book(sheet);
	struct tl_worksheet *found = tl_worksheet_find(sheets, n, name.data);

	tl_buf_release(&name);
	return found;
}

/* Does the sheet have what the chart shows? */
static bool can_show(const struct tl_chart *c, const struct tl_worksheet *s)
{
	if (!s || !s->n_rows || tl_first_column(&s->first, c->x) < 0 || tl_first_column(&s->first, c->y) < 0)
		return false;
	return c->shape != TL_CHART_PARTS ||
	       (row_of(s, c->parts[0]) != TL_CHART_ROWS && tl_first_column(&s->first, TL_CHART_BY_GPU) < 0);
}

void tl_charts_add(lxw_workbook *workbook, struct tl_worksheet *sheets, size_t n, const struct tl_chart_notes *notes)
{
	static void (*const make[])(struct plot *) = {
		[TL_CHART_PARTS] = make_parts,
		[TL_CHART_BARS] = make_bars,
		[TL_CHART_HISTOGRAM] = make_histogram,
		[TL_CHART_ROOFLINE] = make_roofline,
	};
	for (const struct tl_chart *c = tl_charts; c->sheet; c++) {
		struct tl_worksheet *s = find_sheet(sheets, n, c->sheet);
		struct tl_worksheet *on = c->on ? tl_worksheet_find(sheets, n, c->on) : NULL;
		if (c->shape >= sizeof make / sizeof make[0] || !can_show(c, s))
			continue;
		struct plot p = { .c = c, .notes = notes, .workbook = workbook, .s = s,
		                  .x = tl_first_column(&s->first, c->x), .y = tl_first_column(&s->first, c->y) };
		make[c->shape](&p);
		chart_show_hidden_data(p.chart); /* folded columns too */
		set_titles(&p);
		set_grid(&p);
		place(&p, on ? on : s);
	}
}
