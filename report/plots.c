/* plots.c - the pictures of a report: which there are, what they are made of.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/plots.h"
#include "report/chart_list.h"
#include "report/column_kind.h"
#include "report/plot_panel.h"
#include "report/plot_phases.h"
#include "report/plot_roofline.h"
#include "report/plot_sheets.h"
#include "report/plot_steps.h"
#include "report/roofline_table.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- plot charts ----------------------------------------------------------------- */

#define WIDTH 13.0     /* inches */
#define MOST_BARS 64   /* devices */
#define NAME_LETTER 8.8 /* hundredths of an inch, of a name … */
#define LETTER 8.0     /* … and of a number */
#define LABEL 80       /* characters of a name beside a bar */

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
	return tl_plot_rounding(tl_column_kind(s->r->columns[s->y]).unit, values, n);
}

static void add_value(struct tl_buf *b, const struct tl_rounding *r, double x)
{
	char text[40];

	tl_add_rounded(b, r, x, text, (size_t)snprintf(text, sizeof text, "%g", x));
}

/* ---- bars ---------------------------------------------------------------------------- */

/* The column with a row's share; -1: none. */
static int share_column(const struct tl_first_rows *r)
{
	static const char *const names[] = { "Percentage (%)", "Percent of kernels time (%)", "Percent of total time (%)" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (tl_first_column(r, names[i]) >= 0)
			return tl_first_column(r, names[i]);
	return -1;
}

static void add_end(struct tl_block *ends, const struct source *s, const struct tl_rounding *r, size_t row)
{
	int share = share_column(s->r);
	struct tl_buf b = { 0 };

	add_value(&b, r, number(s, row));
	if (share >= 0 && !isnan(tl_first_number(s->r, row, share)))
		tl_buf_addf(&b, "  %.1f %%", tl_first_number(s->r, row, share));
	tl_block_text(ends, tl_buf_text(&b), 0);
	tl_buf_release(&b);
}

/* Rows of bars: those of the first rows of the sheet that have a name and a number. */
static size_t choose_bars(const struct source *s, size_t *rows, double *values)
{
	size_t n = 0;

	for (size_t i = 0; i < s->r->n && i < s->chart->max_bars; i++)
		if (*label(s, i) && !isnan(number(s, i))) {
			values[n] = number(s, i);
			rows[n++] = i;
		}
	return n;
}

static bool draw_bars(struct tl_drawing *d, const struct source *s)
{
	size_t *rows = tl_calloc(s->chart->max_bars + 1, sizeof *rows);
	double *values = tl_calloc(s->chart->max_bars + 1, sizeof *values), largest = 0;
	size_t n = choose_bars(s, rows, values);
	struct tl_rounding r = rounding(s, values, n);
	struct tl_block numbers = { .n = 0 }, names = { .n = 0 }, ends = { .n = 0 };

	for (size_t i = 0; i < n; i++) {
		const double row[] = { values[i] * r.scale, strstr(s->chart->title, "roofline") ? TL_GREEN : TL_BLUE };
		tl_block_numbers(&numbers, row, 2);
		tl_block_text(&names, label(s, rows[i]), LABEL);
		add_end(&ends, s, &r, rows[i]);
		largest = fmax(largest, row[0]);
	}
	if (n) {
		tl_panel_titles(d, s->chart->in_and_out, *tl_plot_unit(&r) ? tl_plot_unit(&r) : s->chart->bottom, "");
		tl_panel_count(d, "n", n);
		tl_panel_number(d, "largest", largest > 0 ? largest : 1);
		tl_panel_count(d, "longest_name", names.longest);
		tl_panel_count(d, "longest_end", ends.longest);
		tl_panel_number(d, "across", (WIDTH * 100 - NAME_LETTER * (double)names.longest - 80) / LETTER);
		tl_panel_block(d, "names", &names);
		tl_panel_block(d, "ends", &ends);
		tl_panel_block(d, "rows", &numbers);
		tl_panel_add(d, TL_PANEL_BARS);
		d->height = 1.8 + 0.3 * (double)(n < 6 ? 6 : n);
	}
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

static uint32_t part_color(const char *name, size_t k)
{
	static const uint32_t colors[] = { TL_BLUE, TL_VERMILION, TL_ORANGE, TL_PURPLE };

	if (strstr(name, "idle"))
		return strstr(name, "macro") ? TL_MEDIUM : TL_PALE;
	return colors[k % 4];
}

/* What tells a row's bar from others: its texts and plain numbers besides the part. */
static void add_bar_name(struct tl_buf *b, const struct source *s, size_t row)
{
	for (size_t i = 0; i < s->r->n_columns; i++) {
		const char *name = s->r->columns[i], *text = tl_first_text(s->r, row, (int)i);
		enum tl_unit unit = tl_column_kind(name).unit;
		size_t len = strlen(name);

		if ((int)i == s->x || (int)i == s->y || unit == TL_UNIT_PERCENT || unit == TL_UNIT_MS || !*text)
			continue;
		if (len > 4 && !strcmp(name + len - 4, "_pid"))
			len -= 4;
		tl_buf_addf(b, "%s%.*s %s", b->len > 1 ? ", " : "", (int)len, name, text);
	}
}

struct bars { struct tl_strtab names; double end[MOST_BARS]; };

/* The number of a row's bar; MOST_BARS: of none that is drawn. */
static size_t bar_of(struct bars *bars, const struct source *s, size_t row)
{
	struct tl_buf name = { 0 };

	tl_buf_addc(&name, '='); /* an empty name would have no number */
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

/* "idle_time" becomes "idle  2.99 ms  8.6 %"; of several bars, only the name. */
static void add_part_name(struct tl_block *names, const struct tl_rounding *r, const char *part, double value, double share)
{
	struct tl_buf b = { 0 };
	size_t len = strlen(part), cut = len > 5 && !strcmp(part + len - 5, "_time") ? len - 5 : len;

	tl_buf_add(&b, part, cut);
	for (size_t i = 0; i < b.len; i++)
		if (b.data[i] == '_')
			b.data[i] = ' ';
	if (!isnan(value)) {
		tl_buf_adds(&b, "  ");
		add_value(&b, r, value);
		if (!isnan(share))
			tl_buf_addf(&b, ", %.1f %%", share);
	}
	tl_block_text(names, b.data, 0);
	tl_buf_release(&b);
}

static void add_color(struct tl_block *colors, uint32_t color)
{
	char text[8];

	snprintf(text, sizeof text, "#%06x", color & 0xffffff);
	tl_block_text(colors, text, 0);
}

/* The parts that there are, in the order of the chart. */
static void add_parts(struct tl_drawing *d, const struct source *s, const struct tl_rounding *r, bool several, const bool *used)
{
	struct tl_block names = { .n = 0 }, colors = { .n = 0 };
	int percent = tl_first_column(s->r, "percent");
	size_t n = 0;

	for (size_t k = 0; s->chart->parts[k]; k++) {
		if (!used[k])
			continue;
		double value = NAN, share = NAN;
		for (size_t i = 0; i < s->r->n && !several; i++)
			if (part_of(s, i) == (int)k) {
				value = number(s, i);
				share = percent >= 0 ? tl_first_number(s->r, i, percent) : NAN;
			}
		add_part_name(&names, r, s->chart->parts[k], value, share);
		add_color(&colors, part_color(s->chart->parts[k], k));
		n++;
	}
	tl_panel_count(d, "n_parts", n);
	tl_panel_block(d, "parts", &names);
	tl_panel_block(d, "colours", &colors);
}

/* A row for each part of each bar; of each bar the parts come in the order of the chart. */
static void stack_parts(struct tl_block *rows, struct bars *bars, const struct source *s, double scale, bool *used)
{
	for (int k = 0; s->chart->parts[k]; k++)
		for (size_t i = 0; i < s->r->n; i++) {
			double value = number(s, i) * scale;
			size_t bar;
			if (part_of(s, i) != k || isnan(value) || (bar = bar_of(bars, s, i)) == MOST_BARS)
				continue;
			const double row[] = { (double)bar, bars->end[bar], bars->end[bar] + value, part_color(s->chart->parts[k], (size_t)k) };
			tl_block_numbers(rows, row, 4);
			bars->end[bar] += value;
			used[k] |= value > 0;
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
	struct bars bars = { .end = { 0 } };
	struct tl_block rows = { .n = 0 }, names = { .n = 0 };
	bool used[8] = { false };
	struct tl_rounding r = rounding_of_parts(s);

	stack_parts(&rows, &bars, s, r.scale, used);
	size_t n = bars.names.count < MOST_BARS ? bars.names.count : MOST_BARS;
	bool several = s->chart->shape == TL_CHART_DEVICES;
	/* the first part must be there; bars of devices are drawn if there are several */
	bool can = used[0] && (several ? n > 1 : n == 1);
	if (can) {
		for (size_t i = 0; i < n; i++)
			tl_block_text(&names, bars.names.entries[i + 1].s + 1, 40);
		tl_panel_titles(d, s->chart->in_and_out, tl_plot_unit(&r), "");
		tl_panel_count(d, "n", n);
		tl_panel_number(d, "largest", largest_of(bars.end, n));
		add_parts(d, s, &r, several, used);
		tl_panel_block(d, "names", &names);
		tl_panel_block(d, "rows", &rows);
		tl_panel_add(d, TL_PANEL_PARTS);
		d->height = 2.6 + 0.35 * (double)n;
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

/* ---- all of them --------------------------------------------------------------------------- */

static bool plot_charts_draw(struct tl_drawing *d, const struct source *s, const struct tl_plot_sheets *sheets)
{
	d->width = WIDTH;
	d->heading = s->chart->title;
	switch (s->chart->shape) {
	case TL_CHART_PARTS: case TL_CHART_DEVICES: return draw_parts(d, s);
	case TL_CHART_BARS: return draw_bars(d, s);
	case TL_CHART_HISTOGRAM: return draw_histogram(d, s);
	case TL_CHART_ROOFLINE: return tl_draw_roofline(d, sheets, s->r);
	case TL_CHART_STEPS: return tl_draw_steps(d, s->r);
	}
	return false;
}

/* Draws the first chart of this shape that can be made of this sheet, and sets the drawing's
 * size and heading. False: none can. */
static bool draw_chart(struct tl_drawing *d, const struct tl_plot_sheets *sheets, const char *sheet, enum tl_chart_shape shape)
{
	const struct tl_plot_sheet *found = tl_plot_sheets_find(sheets, sheet);

	for (const struct tl_chart *c = tl_charts; found && c->sheet; c++) {
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
	{ "phase_overview", "time of prefill and decode", PHASES, "Inference Phase Analysis Overview", tl_draw_phase_overview, 0 },
	{ "time_distributions", "the largest operators of each phase, and how their times are distributed", PHASES,
	  "Operation Time Distribution Analysis", tl_draw_phase_times, 0 },
	{ "operation_frequencies", "the most frequent operators of each phase; calls against time", PHASES,
	  "Operation Frequency Analysis", tl_draw_phase_counts, 0 },
	{ "performance_bottlenecks", "the slowest calls of each phase, and what takes most of its time", PHASES,
	  "Performance Bottleneck Analysis", tl_draw_phase_bottlenecks, 0 },
	{ "detailed_breakdowns", "time by type of operator; both phases compared", PHASES,
	  "Detailed Operation Breakdown", tl_draw_phase_types, 0 },
	{ "timeline", "where the time goes", { "gpu_timeline", "gpu_events_averages" }, NULL, NULL, TL_CHART_PARTS },
	{ "timeline_by_device", "where the time of each device goes", { "gpu_timeline_by_device", "gpu_timeline" }, NULL, NULL,
	  TL_CHART_DEVICES },
	{ "top_kernels", "the kernels that take most time", { "kernel_summary", "kernel_launchers_summary" }, NULL, NULL, TL_CHART_BARS },
	{ "top_operators", "the operators that take most time", { "ops_summary" }, NULL, NULL, TL_CHART_BARS },
	{ "kernel_categories", "time by category of kernels", { "kernel_categories", "kernel_summary_by_category",
	  "kernel_launchers_summary_by_category" }, NULL, NULL, TL_CHART_BARS },
	{ "operator_categories", "time by category of operators", { "ops_summary_by_category" }, NULL, NULL, TL_CHART_BARS },
	{ "phases", "time by phase, unknown ones too", { "phase_summary" }, NULL, NULL, TL_CHART_BARS },
	{ "roofline", "operators below their roofs", { "unified_perf_summary", TL_ROOFLINE_SHEET }, NULL, NULL, TL_CHART_ROOFLINE },
	{ "percent_of_roofline", "how near the largest operators come to their roofs", { "unified_perf_summary", TL_ROOFLINE_SHEET },
	  NULL, NULL, TL_CHART_BARS },
	{ "steps", "steps over time", { "steps" }, NULL, NULL, TL_CHART_STEPS },
	{ "short_kernels", "how many short kernels take how long", { "short_kernel_histogram" }, NULL, NULL, TL_CHART_HISTOGRAM },
	{ .name = NULL },
};

static const char *const formats[] = { [TL_PLOT_PNG] = "png", [TL_PLOT_SVG] = "svg", [TL_PLOT_PDF] = "pdf" };

const char *tl_plot_format_name(unsigned format)
{
	return format < TL_N_PLOT_FORMATS ? formats[format] : NULL;
}

bool tl_plots_need(const char *sheet)
{
	for (const struct tl_picture *p = tl_pictures; p->name; p++)
		for (size_t i = 0; p->sheets[i]; i++)
			if (!strcmp(p->sheets[i], sheet))
				return true;
	return false;
}

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
	tl_panel_text(head, "heading", b.data, 90);
	tl_buf_release(&b);
	tl_panel_count(head, "panels", d->n_panels);
	tl_buf_addf(&head->script, "set multiplot layout %zu,%zu title substr($heading[1], 2, strlen($heading[1])) font heading\n",
	            d->lines, d->columns);
}

static bool draw(struct tl_drawing *d, const struct tl_picture *p, const struct tl_plot_sheets *sheets)
{
	if (p->draw) {
		d->heading = p->heading;
		return p->draw(d, sheets);
	}
	for (size_t i = 0; p->sheets[i]; i++)
		if (draw_chart(d, sheets, p->sheets[i], (enum tl_chart_shape)p->shape))
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
