/* plots.c - the pictures of a report: which there are, what they are made of.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/plots.h"
#include "base/merge_sort.h"
#include "report/chart_list.h"
#include "report/column_kind.h"
#include "report/plot_curves.h"
#include "report/plot_panel.h"
#include "report/plot_phases.h"
#include "report/plot_sheets.h"
#include "report/roofline_table.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- plot charts ----------------------------------------------------------------- */

#define WIDTH 13.0     /* inches */
#define MOST_BARS 64   /* devices */
#define ROOM 1220.0    /* hundredths of an inch: what a name and a bar share */
#define LABEL 70       /* digits as wide as a name beside a bar */
#define MAX_NAMES 16      /* of points */
#define MAX_CATEGORIES 7  /* with a colour of their own */
#define NAME 52           /* characters */
#define NUMBER_WIDTH 0.025 /* of the picture, of a point's number */
#define NUMBER_HEIGHT 0.04

/* A chart and what it is made of. */
struct source {
	const struct tl_chart *chart;
	const struct tl_first_rows *r;
	int x, y; /* columns */
};

static double number(const struct source *s, size_t row)
{
	return tl_first_number(s->r, row, s->y);
}

static const char *label(const struct source *s, size_t row)
{
	return tl_first_text(s->r, row, s->x);
}

static struct tl_rounding rounding(const struct source *s, const double *values, size_t n)
{
	return tl_plot_rounding(tl_column_facts(s->r->description, s->r->columns[s->y]).unit, values, n);
}

/* ---- bars ---------------------------------------------------------------------------- */

/* The column with a row's share; -1: none. */
static int share_column(const struct tl_first_rows *r)
{
	for (size_t i = 0; i < r->n_columns; i++)
		if (tl_column_facts(r->description, r->columns[i]).is_share)
			return (int)i;
	return -1;
}

/* The first rows of the sheet that have a name and a number. */
static size_t choose_bars(const struct source *s, size_t *rows, double *values)
{
	struct tl_device_rows of = s->chart->shape == TL_CHART_PEAK ? tl_device_rows(s->r) : (struct tl_device_rows){ NULL, NULL };
	size_t n = 0, seen = 0;

	for (size_t i = 0; i < s->r->n && seen < s->chart->max_bars; i++)
		if (tl_device_rows_has(&of, s->r, i) && seen++ < s->chart->max_bars && *label(s, i) && !isnan(number(s, i))) {
			values[n] = number(s, i);
			rows[n++] = i;
		}
	return n;
}

/* The name of a row's bar: of several columns, if the chart lists them. */
static const char *bar_name(struct tl_buf *b, const struct source *s, size_t row)
{
	tl_buf_clear(b);
	for (size_t k = 0; s->chart->parts[k]; k++) {
		const char *text = tl_first_text(s->r, row, tl_first_column(s->r, s->chart->parts[k]));
		if (*text)
			tl_buf_addf(b, "%s%s", b->len ? ", " : "", text);
	}
	return b->len ? tl_buf_text(b) : label(s, row);
}

static bool draw_bars(struct tl_drawing *d, const struct source *s)
{
	size_t *rows = tl_calloc(s->chart->max_bars + 1, sizeof *rows);
	double *values = tl_calloc(s->chart->max_bars + 1, sizeof *values);
	size_t n = choose_bars(s, rows, values);
	struct tl_rounding r = rounding(s, values, n);
	uint32_t color = !strcmp(s->chart->sheet, TL_ROOFLINE_SHEET) ? TL_GREEN : TL_BLUE;
	int share = share_column(s->r);
	struct tl_bars bars = { .largest = 0 };
	struct tl_buf end = { 0 }, name = { 0 };

	for (size_t i = 0; i < n; i++) {
		tl_buf_clear(&end);
		tl_plot_value(&end, &r, values[i]);
		if (share >= 0 && !isnan(tl_first_number(s->r, rows[i], share)))
			tl_buf_addf(&end, "  %.1f %%", tl_first_number(s->r, rows[i], share));
		tl_bars_add(&bars, values[i] * r.scale, color, bar_name(&name, s, rows[i]), LABEL, end.data);
	}
	if (n) {
		tl_panel_titles(d, s->chart->in_and_out, *tl_plot_unit(&r) ? tl_plot_unit(&r) : s->chart->bottom, "");
		tl_panel_add_bars(d, &bars, ROOM);
		d->height = 1.8 + 0.3 * (double)(n < 6 ? 6 : n);
	}
	tl_buf_release(&end);
	tl_buf_release(&name);
	free(rows);
	free(values);
	return n > 0;
}

/* ---- parts of time ---------------------------------------------------------------------- */

static int part_of(const struct source *s, size_t row)
{
	for (int k = 0; s->chart->parts[k]; k++)
		if (!strcmp(label(s, row), s->chart->parts[k]))
			return k;
	return -1;
}

static uint32_t part_color(const struct source *s, size_t k)
{
	static const uint32_t colors[TL_PART_COLORS] = { TL_BLUE, TL_VERMILION, TL_ORANGE, TL_PURPLE, 0xE6BCD3, 0x8F4F78, TL_GREEN,
		0x7CCBB3, 0xA69500, 0xD6CC6B, 0x7B4A12, TL_SKY, 0xA5D7F3, TL_GREY, [TL_PART_IDLE] = TL_PALE, [TL_PART_MACRO_IDLE] = TL_MEDIUM,
		[TL_PART_UNRECORDED] = TL_FAINT };

	return colors[tl_chart_part_color(s->chart, k)];
}

/* What tells a row's bar from others: its texts and plain numbers besides the part, and what the part is told apart by. */
static void add_bar_name(struct tl_buf *b, const struct source *s, size_t row)
{
	for (size_t i = 0; i < s->r->n_columns; i++) {
		const char *name = s->r->columns[i], *text = tl_first_text(s->r, row, (int)i);
		enum tl_unit unit = tl_column_facts(s->r->description, name).unit;
		size_t len = strlen(name);

		if ((int)i == s->x || (int)i == s->y || unit == TL_UNIT_PERCENT || unit == TL_UNIT_MS || !*text || !strcmp(name, "cause"))
			continue;
		if (len > 4 && !strcmp(name + len - 4, "_pid"))
			len -= 4;
		tl_buf_addf(b, "%s%.*s %s", b->len > 1 ? ", " : "", (int)len, name, text);
	}
}

struct bars { struct tl_strtab names; size_t n; double parts[TL_MAX_PARTS][MOST_BARS], end[MOST_BARS]; };

/* The number of a row's bar; MOST_BARS: of none that is drawn. */
static size_t bar_of(struct bars *bars, const struct source *s, size_t row)
{
	struct tl_buf name = { 0 };

	tl_buf_addc(&name, '='); /* an empty name would have no number */
	if (s->chart->shape != TL_CHART_PATH)
		add_bar_name(&name, s, row);
	uint32_t id = tl_intern(&bars->names, name.data, name.len);
	tl_buf_release(&name);
	return id <= MOST_BARS ? id - 1 : MOST_BARS;
}

/* One unit for all parts. */
static struct tl_rounding rounding_of_parts(const struct source *s)
{
	double largest = 0;

	for (size_t i = 0; i < s->r->n; i++)
		if (part_of(s, i) >= 0 && !isnan(number(s, i)))
			largest = fmax(largest, number(s, i));
	return rounding(s, (double[]){ largest, 0.5 }, 2); /* 0.5: times have fractions */
}

/* "idle_time" becomes "idle  2.99 ms, 8.6 %"; of several bars, only the name. value: in the unit that is shown. */
static void add_part_name(struct tl_buf *b, const struct tl_rounding *r, const char *part, double value, double all)
{
	size_t len = strlen(part), cut = len > 5 && !strcmp(part + len - 5, "_time") ? len - 5 : len;

	tl_buf_clear(b);
	tl_buf_add(b, part, cut);
	for (size_t i = 0; i < b->len; i++)
		if (b->data[i] == '_')
			b->data[i] = ' ';
	if (isnan(value))
		return;
	tl_buf_adds(b, "  ");
	tl_plot_value(b, r, value / r->scale);
	tl_buf_addf(b, ", %.1f %%", value / all * 100);
}

/* The parts that there are, in the order of the chart. */
static void add_parts(struct tl_drawing *d, const struct source *s, const struct tl_rounding *r, const struct bars *bars, const bool *used)
{
	struct tl_legend parts = { .names = { .n = 0 } };
	struct tl_buf name = { 0 };

	for (size_t k = 0; s->chart->parts[k]; k++) {
		if (!used[k])
			continue;
		add_part_name(&name, r, s->chart->parts[k], bars->n == 1 ? bars->parts[k][0] : NAN, bars->end[0]);
		tl_legend_add(&parts, name.data, 0, part_color(s, k));
	}
	tl_panel_legend(d, &parts);
	tl_buf_release(&name);
}

/* The sums of the rows of each part of each bar. Of devices in one bar it is their mean. */
static void sum_parts(struct bars *bars, const struct source *s, double scale)
{
	bool is_mean = s->chart->shape == TL_CHART_PARTS && tl_first_column(s->r, "device") >= 0;

	for (size_t i = 0; i < s->r->n; i++) {
		int k = part_of(s, i);
		double value = number(s, i) * scale;
		size_t bar;
		if (k >= 0 && !isnan(value) && (bar = bar_of(bars, s, i)) < MOST_BARS)
			bars->parts[k][is_mean ? 0 : bar] += value;
	}
	bars->n = bars->names.count < MOST_BARS ? bars->names.count : MOST_BARS;
	for (size_t k = 0; is_mean && bars->n && k < TL_MAX_PARTS; k++)
		bars->parts[k][0] /= (double)bars->n;
	bars->n = is_mean && bars->n ? 1 : bars->n;
}

/* A row for each part of each bar; of each bar the parts come in the order of the chart. */
static void stack_parts(struct tl_block *rows, struct bars *bars, const struct source *s, bool *used)
{
	for (size_t k = 0; s->chart->parts[k]; k++)
		for (size_t i = 0; i < bars->n; i++) {
			double value = bars->parts[k][i];
			const double row[] = { (double)i, bars->end[i], bars->end[i] + value, part_color(s, k) };
			if (!(value > 0))
				continue;
			tl_block_numbers(rows, row, 4);
			bars->end[i] += value;
			used[k] = true;
		}
}

static double largest_of(const double *x, size_t n)
{
	double largest = 0;

	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, x[i]);
	return largest > 0 ? largest : 1;
}

static bool draw_parts(struct tl_drawing *d, const struct source *s)
{
	struct bars bars = { .n = 0 };
	struct tl_block rows = { .n = 0 }, names = { .n = 0 };
	bool used[TL_MAX_PARTS] = { false };
	struct tl_rounding r = rounding_of_parts(s);

	sum_parts(&bars, s, r.scale);
	stack_parts(&rows, &bars, s, used);
	size_t n = bars.n;
	bool several = s->chart->shape == TL_CHART_DEVICES;
	/* the first part must be there; bars of devices are drawn if there are several */
	bool can = (used[0] || s->chart->shape == TL_CHART_PATH) && (several ? n > 1 : n == 1);
	if (can) {
		for (size_t i = 0; i < n; i++)
			tl_block_text(&names, several ? bars.names.entries[i + 1].s + 1 : "", 40);
		tl_panel_titles(d, s->chart->in_and_out, tl_plot_unit(&r), "");
		tl_panel_count(d, "n", n);
		tl_panel_number(d, "largest", largest_of(bars.end, n));
		add_parts(d, s, &r, &bars, used);
		tl_panel_block(d, "names", &names);
		tl_panel_block(d, "rows", &rows);
		tl_panel_add(d, TL_PANEL_PARTS);
		d->height = 2.6 + 0.35 * (double)n + (s->chart->shape == TL_CHART_PATH ? 1 : 0); /* a legend of many lines */
	}
	tl_buf_release(&rows.lines);
	tl_strtab_release(&bars.names);
	return can;
}

/* ---- histogram --------------------------------------------------------------------------- */

static bool draw_histogram(struct tl_drawing *d, const struct source *s)
{
	int end = tl_first_column(s->r, "bin_end");
	struct tl_block rows = { .n = 0 };
	double largest = 0, begin = INFINITY, last = -INFINITY;

	for (size_t i = 0; end >= 0 && i < s->r->n; i++) {
		const double row[] = { tl_first_number(s->r, i, s->x), tl_first_number(s->r, i, end), number(s, i), TL_BLUE };
		if (isnan(row[0]) || isnan(row[1]) || isnan(row[2]))
			continue;
		tl_block_numbers(&rows, row, 4);
		largest = fmax(largest, row[2]);
		begin = fmin(begin, row[0]);
		last = fmax(last, row[1]);
	}
	bool can = rows.n && last > begin;
	if (can) {
		tl_panel_titles(d, s->chart->in_and_out, s->chart->bottom, s->chart->side);
		tl_panel_number(d, "largest", largest > 0 ? largest : 1);
		tl_panel_number(d, "begin", begin);
		tl_panel_number(d, "end", last);
		tl_panel_count(d, "has_mean", 0);
		tl_panel_block(d, "rows", &rows);
		tl_panel_add(d, TL_PANEL_HISTOGRAM);
		d->height = 6;
	}
	tl_buf_release(&rows.lines);
	return can;
}

/* ---- operators below their roofs -------------------------------------------------------- */

struct point { double x, y, us; const char *name, *category; size_t kind; };
struct points {
	struct point *p; size_t n;   /* the largest time first */
	const char *categories[MAX_CATEGORIES]; size_t n_categories; /* in the order of points */
	bool others;                 /* there are more categories */
};

TL_ORDER(by_time, struct point, TL_DESC(x->us))

static void find_points(struct points *to, const struct tl_first_rows *r, const struct tl_first_rows *unified)
{
	int x = tl_first_column(r, "FLOPS/Byte"), y = tl_first_column(r, "TFLOPS/s");
	int row = tl_first_column(r, "unified_perf_summary row");
	int category = unified ? tl_first_column(unified, "op category") : -1;
	int time = unified ? tl_first_column(unified, "Kernel Time (µs)_sum") : -1;

	to->p = tl_calloc(r->n + 1, sizeof *to->p);
	for (size_t i = 0; x >= 0 && y >= 0 && i < r->n; i++) {
		struct point p = { .x = tl_first_number(r, i, x), .y = tl_first_number(r, i, y), .name = tl_first_text(r, i, 0), .category = "" };
		double at = row >= 0 ? tl_first_number(r, i, row) : NAN;
		if (!(p.x > 0 && p.y > 0))
			continue;
		if (at >= 2 && unified) {
			p.category = tl_first_text(unified, (size_t)at - 2, category);
			p.us = time >= 0 ? tl_first_number(unified, (size_t)at - 2, time) : 0;
		}
		p.us = p.us > 0 ? p.us : 0;
		to->p[to->n++] = p;
	}
	tl_merge_sort(to->p, to->n, sizeof *to->p, by_time, NULL);
}

static void find_categories(struct points *points)
{
	for (size_t i = 0; i < points->n; i++) {
		struct point *p = &points->p[i];
		while (p->kind < points->n_categories && strcmp(points->categories[p->kind], p->category) != 0)
			p->kind++;
		if (p->kind < points->n_categories)
			continue;
		if (p->kind < MAX_CATEGORIES)
			points->categories[points->n_categories++] = p->category;
		else
			points->others = true;
	}
}

static uint32_t color_of(size_t kind)
{
	return kind < MAX_CATEGORIES ? tl_plot_color(kind) : TL_GREY;
}

static void add_categories(struct tl_drawing *d, const struct points *points)
{
	struct tl_legend legend = { .names = { .n = 0 } };

	for (size_t k = 0; k < points->n_categories; k++)
		tl_legend_add(&legend, *points->categories[k] ? points->categories[k] : "operators", 40, color_of(k));
	if (points->others)
		tl_legend_add(&legend, "other categories", 40, color_of(MAX_CATEGORIES));
	tl_panel_legend(d, &legend);
}

static void add_points(struct tl_drawing *d, const struct points *points)
{
	double *x = tl_calloc(points->n, sizeof *x), *y = tl_calloc(points->n, sizeof *y);
	bool *labelled = tl_calloc(points->n, sizeof *labelled);
	double most = points->p[0].us > 0 ? points->p[0].us : 1;
	struct tl_block rows = { .n = 0 }, names = { .n = 0 };
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < points->n; i++) {
		x[i] = log(points->p[i].x);
		y[i] = log(points->p[i].y);
	}
	tl_choose_labels(labelled, x, y, points->n, points->n, MAX_NAMES, NUMBER_WIDTH, NUMBER_HEIGHT);
	for (size_t i = 0; i < points->n; i++) {
		const struct point *p = &points->p[i];
		const double row[] = { p->x, p->y, 0.9 + 3 * sqrt(p->us / most), color_of(p->kind), labelled[i] ? (double)names.n + 1 : 0 };
		tl_block_numbers(&rows, row, 5);
		if (!labelled[i])
			continue;
		tl_buf_clear(&b);
		tl_buf_addf(&b, "%zu  %s", names.n + 1, p->name);
		tl_block_text(&names, b.data, NAME);
	}
	tl_panel_count(d, "n_names", names.n);
	tl_panel_block(d, "names", &names);
	tl_panel_block(d, "rows", &rows);
	tl_buf_release(&b);
	free(x);
	free(y);
	free(labelled);
}

struct range { double least, most; };
static void widen(struct range *r, double x)
{
	r->least = fmin(r->least, x);
	r->most = fmax(r->most, x);
}

/* Intensity and the height of each roof, as far as the roofs' rows go. */
static void add_roofs(struct tl_drawing *d, const struct tl_first_rows *r, struct range *x, struct range *y)
{
	int at = tl_first_column(r, TL_ROOF_INTENSITY);
	struct tl_block roofs = { .n = 0 }, names = { .n = 0 };
	double *row = tl_calloc(r->n_columns + 1, sizeof *row);

	for (size_t i = 0; at >= 0 && i < r->n; i++) {
		size_t n = 0;
		row[n++] = tl_first_number(r, i, at);
		for (size_t k = (size_t)at + 1; k < r->n_columns && !strncmp(r->columns[k], TL_ROOF, strlen(TL_ROOF)); k++) {
			row[n++] = tl_first_number(r, i, (int)k);
			if (!i)
				tl_block_text(&names, r->columns[k], 40);
			widen(y, row[n - 1]);
		}
		if (isnan(row[0]))
			continue;
		widen(x, row[0]);
		tl_block_numbers(&roofs, row, n);
	}
	tl_panel_count(d, "n_roofs", roofs.n ? names.n : 0);
	tl_panel_block(d, "roof_names", &names);
	tl_panel_block(d, "roofs", &roofs);
	free(row);
}

/* Draws the rows of a sheet of roofline_table.h; category and time of operators come from unified_perf_summary, if that
 * is there. The largest points have numbers, whose names stand beside the picture. */
static bool draw_roofline(struct tl_drawing *d, const struct tl_plot_sheets *sheets, const struct tl_first_rows *r)
{
	const struct tl_plot_sheet *unified = tl_plot_sheets_find(sheets, TL_UNIFIED);
	struct points points = { .n = 0 };
	struct range x = { INFINITY, 0 }, y = { INFINITY, 0 };

	find_points(&points, r, unified ? &unified->rows : NULL);
	if (points.n) {
		find_categories(&points);
		for (size_t i = 0; i < points.n; i++) {
			widen(&x, points.p[i].x);
			widen(&y, points.p[i].y);
		}
		tl_panel_titles(d, tl_buf_text(&sheets->roofline.summary), "FLOP/byte", "TFLOP/s");
		add_roofs(d, r, &x, &y);
		add_categories(d, &points);
		add_points(d, &points);
		tl_panel_number(d, "least_x", x.least);
		tl_panel_number(d, "largest_x", x.most);
		tl_panel_number(d, "least_y", y.least);
		tl_panel_number(d, "largest_y", y.most);
		tl_panel_add(d, TL_PANEL_ROOFLINE);
		d->width = 15;
		d->height = 8.5;
	}
	free(points.p);
	return points.n > 0;
}

/* ---- all of them --------------------------------------------------------------------------- */

static bool plot_charts_draw(struct tl_drawing *d, const struct source *s, const struct tl_plot_sheets *sheets)
{
	const struct tl_plot_sheet *steps = tl_plot_sheets_find(sheets, "memory_steps");

	d->width = WIDTH;
	d->heading = s->chart->title;
	switch (s->chart->shape) {
	case TL_CHART_PARTS: case TL_CHART_DEVICES: case TL_CHART_PATH: return draw_parts(d, s);
	case TL_CHART_BARS: case TL_CHART_PEAK: return draw_bars(d, s);
	case TL_CHART_CURVE: case TL_CHART_AREAS: return tl_draw_curve(d, s->chart, s->r, steps ? &steps->rows : NULL);
	case TL_CHART_STEP_TIMES: return tl_draw_step_times(d, s->chart, s->r);
	case TL_CHART_HISTOGRAM: return draw_histogram(d, s);
	case TL_CHART_ROOFLINE: return draw_roofline(d, sheets, s->r);
	case TL_CHART_STEPS: return tl_draw_steps(d, s->r);
	case TL_CHART_NAMED: case TL_CHART_HEAT: case TL_CHART_BANDWIDTH: return false;
	}
	return false;
}

/* Draws the first chart of this shape that can be made of this sheet, and sets the drawing's
 * size and heading. False: none can. */
static bool draw_chart(struct tl_drawing *d, const struct tl_plot_sheets *sheets, const char *sheet, enum tl_chart_shape shape)
{
	const struct tl_plot_sheet *found = tl_plot_sheets_find(sheets, sheet);

	for (const struct tl_chart *c = tl_chart_list(); found && c->sheet; c++) {
		if (strcmp(c->sheet, sheet) != 0 || c->shape != shape)
			continue;
		struct source s = { c, &found->rows, tl_first_column(&found->rows, c->x), tl_first_column(&found->rows, c->y) };
		if (s.x >= 0 && s.y >= 0 && plot_charts_draw(d, &s, sheets))
			return true;
	}
	return false;
}

/* ---- plots ----------------------------------------------------------------------- */

#define PHASES { "ops_summary_prefill", "ops_summary_decode" }

const struct tl_picture tl_pictures[] = {
	{ "phase_overview", "time of prefill and decode", PHASES, "Inference Phase Analysis Overview", TL_PHASE_OVERVIEW },
	{ "time_distributions", "the largest operators of each phase, and how their times are distributed", PHASES,
	  "Operation Time Distribution Analysis", TL_PHASE_TIMES },
	{ "operation_frequencies", "the most frequent operators of each phase; calls against time", PHASES,
	  "Operation Frequency Analysis", TL_PHASE_COUNTS },
	{ "performance_bottlenecks", "the slowest calls of each phase, and what takes most of its time", PHASES,
	  "Performance Bottleneck Analysis", TL_PHASE_BOTTLENECKS },
	{ "detailed_breakdowns", "time by type of operator; both phases compared", PHASES,
	  "Detailed Operation Breakdown", TL_PHASE_TYPES },
	{ "timeline", "where the time goes", { "ledger", "gpu_timeline", "gpu_events_averages" }, NULL, TL_CHART_PARTS },
	{ "timeline_by_device", "where the time of each device goes", { "ledger", "gpu_timeline_by_device", "gpu_timeline" },
	  NULL, TL_CHART_DEVICES },
	{ "top_kernels", "the kernels that take most time", { "kernel_summary", "kernel_stats", "kernel_launchers_summary" }, NULL, TL_CHART_BARS },
	{ "top_operators", "the operators that take most time", { "ops_summary" }, NULL, TL_CHART_BARS },
	{ "kernel_categories", "time by category of kernels", { "kernel_categories", "kernel_summary_by_category",
	  "kernel_launchers_summary_by_category" }, NULL, TL_CHART_BARS },
	{ "operator_categories", "time by category of operators", { "ops_summary_by_category" }, NULL, TL_CHART_BARS },
	{ "phases", "time by phase, unknown ones too", { "phase_summary" }, NULL, TL_CHART_BARS },
	{ "roofline", "operators below their roofs", { "unified_perf_summary", TL_ROOFLINE_SHEET }, NULL, TL_CHART_ROOFLINE },
	{ "percent_of_roofline", "how near the largest operators come to their roofs", { "unified_perf_summary", TL_ROOFLINE_SHEET },
	  NULL, TL_CHART_BARS },
	{ "steps", "steps over time", { "steps" }, NULL, TL_CHART_STEPS },
	{ "step_times", "how long each step of the program takes, slow ones marked", { "step_times" }, NULL, TL_CHART_STEP_TIMES },
	{ "path", "what the critical path consists of", { "path_summary" }, NULL, TL_CHART_PATH },
	{ "memory", "memory over time; with memory_steps, where steps begin", { "memory_curve", "memory_steps" }, NULL, TL_CHART_CURVE },
	{ "memory_peak", "what filled the memory at its peak", { "memory_peak" }, NULL, TL_CHART_PEAK },
	{ "memory_categories", "memory over time by what it is for", { "memory_categories" }, NULL, TL_CHART_AREAS },
	{ "short_kernels", "how many short kernels take how long", { "short_kernel_histogram" }, NULL, TL_CHART_HISTOGRAM },
	{ .name = NULL },
};

/* ---- the script ---------------------------------------------------------------------- */

#define PIXELS 100.0 /* of an inch: sizes of letters and lines are chosen for it */

/* Letters, lines and points grow with the resolution. SVG has no bold letters here. */
static void add_terminal(struct tl_buf *b, const struct tl_drawing *d, const struct tl_plot_look *look)
{
	double scale = (double)look->dpi / PIXELS;

	switch (look->format) {
	case TL_PLOT_PNG:
		tl_buf_addf(b, "set terminal pngcairo noenhanced size %.0f,%.0f font \"Sans,11\" fontscale %.4f linewidth %.4f pointscale %.4f\n",
		            d->width * (double)look->dpi, d->height * (double)look->dpi, scale, scale, scale);
		break;
	case TL_PLOT_SVG:
		tl_buf_addf(b, "set terminal svg noenhanced size %.0f,%.0f font \"sans-serif,14\" background rgb \"white\"\n",
		            d->width * PIXELS, d->height * PIXELS);
		tl_buf_adds(b, "bold = \"\"\nheading = \"sans-serif,20\"\n");
		return;
	default:
		tl_buf_addf(b, "set terminal pdfcairo noenhanced size %.2fin,%.2fin font \"Sans,11\" fontscale 0.75 linewidth 1.5 pointscale 0.8\n",
		            d->width, d->height);
	}
	tl_buf_adds(b, "bold = \":Bold\"\nheading = \":Bold,16\"\n");
}

static void add_heading(struct tl_drawing *head, const struct tl_drawing *d, const char *name)
{
	struct tl_buf b = { 0 };

	tl_buf_adds(&b, d->heading);
	if (*name)
		tl_buf_addf(&b, " - %s", name);
	tl_panel_text(head, "heading", b.data, 78); /* what the letters of a heading, larger and bold, have room for */
	tl_buf_release(&b);
	tl_panel_count(head, "panels", d->n_panels);
	tl_buf_addf(&head->script, "set multiplot layout %zu,%zu title substr($heading[1], 2, strlen($heading[1])) font heading\n",
	            d->lines, d->columns);
}

static bool draw(struct tl_drawing *d, const struct tl_picture *p, const struct tl_plot_sheets *sheets)
{
	if (p->heading) {
		d->heading = p->heading;
		return tl_draw_phases(d, sheets, (enum tl_phase_picture)p->what);
	}
	for (size_t i = 0; p->sheets[i]; i++)
		if (draw_chart(d, sheets, p->sheets[i], (enum tl_chart_shape)p->what))
			return true;
	return false;
}

bool tl_picture_script(struct tl_buf *script, const struct tl_picture *p, const struct tl_plot_sheets *sheets, const struct tl_plot_look *look)
{
	struct tl_drawing d = { .columns = 1, .lines = 1 }, head = { .columns = 1 };
	bool can = draw(&d, p, sheets);

	if (can) {
		tl_buf_adds(script, "set encoding utf8\n");
		add_terminal(script, &d, look);
		add_heading(&head, &d, look->name);
		tl_buf_add(script, head.script.data, head.script.len);
		tl_buf_add(script, d.script.data, d.script.len);
		tl_buf_adds(script, "unset multiplot\n");
	}
	tl_buf_release(&head.script);
	tl_buf_release(&d.script);
	return can;
}
