/* plot_curves.c - the pictures of memory over time, of the times of steps, and of the steps of an engine.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/plot_curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SINCE_1970 1e12 /* in µs; later times, of snapshots, are shown from the first one on */

/* ---- the rows of one device ---------------------------------------------------------- */

struct tl_device_rows tl_device_rows(const struct tl_first_rows *r)
{
	int device = tl_first_column(r, "device"), process = tl_first_column(r, "process");
	struct tl_device_rows of = { NULL, NULL };

	for (size_t i = 0; device >= 0 && i < r->n; i++) {
		const char *name = tl_first_text(r, i, device);
		bool is_host = !strcmp(name, TL_CHART_HOST), instead_of_host = of.device && !strcmp(of.device, TL_CHART_HOST) && !is_host;
		if (!of.device || instead_of_host || (!is_host && strcmp(name, of.device) < 0))
			of = (struct tl_device_rows){ name, tl_first_text(r, i, process) };
	}
	return of;
}

bool tl_device_rows_has(const struct tl_device_rows *of, const struct tl_first_rows *r, size_t row)
{
	return !of->device || (!strcmp(tl_first_text(r, row, tl_first_column(r, "device")), of->device) &&
	                       !strcmp(tl_first_text(r, row, tl_first_column(r, "process")), of->process));
}

/* ---- curves ----------------------------------------------------------------------------- */

/* What a curve is made of; lines: columns. */
struct curve {
	const struct tl_chart *c;
	const struct tl_first_rows *r;
	struct tl_device_rows of;
	int x, lines[TL_MAX_PARTS]; size_t n_lines;
	size_t n;                /* points */
	double from, to, most;   /* times, and the greatest value that is drawn */
};

static double number(const struct curve *c, size_t row, int column)
{
	double x = tl_first_number(c->r, row, column);

	return isnan(x) ? 0 : x;
}

static void choose_lines(struct curve *c)
{
	for (size_t k = 0; k < TL_MAX_PARTS && c->c->parts[k]; k++) {
		int column = tl_first_column(c->r, c->c->parts[k]);
		bool is_used = false;
		for (size_t i = 0; column >= 0 && i < c->r->n && !is_used; i++)
			is_used = tl_device_rows_has(&c->of, c->r, i) && number(c, i, column) > 0;
		if (is_used)
			c->lines[c->n_lines++] = column;
	}
}

/* Fills the row of a point: its time, and each line; of areas the sums. */
static void fill(const struct curve *c, size_t row, double *to)
{
	to[0] = number(c, row, c->x);
	for (size_t k = 0; k < c->n_lines; k++)
		to[1 + k] = number(c, row, c->lines[k]) + (c->c->shape == TL_CHART_AREAS && k ? to[k] : 0);
}

static void measure(struct curve *c)
{
	double row[1 + TL_MAX_PARTS];

	for (size_t i = 0; i < c->r->n; i++) {
		if (!tl_device_rows_has(&c->of, c->r, i))
			continue;
		fill(c, i, row);
		c->from = c->n++ ? fmin(c->from, row[0]) : row[0];
		c->to = fmax(c->to, row[0]);
		for (size_t k = 0; k < c->n_lines; k++)
			c->most = fmax(c->most, row[1 + k]);
	}
}

static void add_points(struct tl_drawing *d, const struct curve *c, double x_scale, double y_scale)
{
	struct tl_block rows = { .n = 0 };
	double row[1 + TL_MAX_PARTS];

	for (size_t i = 0; i < c->r->n; i++) {
		if (!tl_device_rows_has(&c->of, c->r, i))
			continue;
		fill(c, i, row);
		row[0] = (row[0] - (c->from > SINCE_1970 ? c->from : 0)) * x_scale;
		for (size_t k = 0; k < c->n_lines; k++)
			row[1 + k] *= y_scale;
		tl_block_numbers(&rows, row, 1 + c->n_lines);
	}
	tl_panel_block(d, "rows", &rows);
}

/* Where steps begin, of the same device. */
static void add_marks(struct tl_drawing *d, const struct curve *c, const struct tl_first_rows *steps, double x_scale)
{
	int start = steps ? tl_first_column(steps, "start_us") : -1;
	struct tl_block marks = { .n = 0 };

	for (size_t i = 0; start >= 0 && c->from <= SINCE_1970 && i < steps->n; i++) {
		double at = tl_first_number(steps, i, start);
		if (tl_device_rows_has(&c->of, steps, i) && at >= c->from && at <= c->to)
			tl_block_numbers(&marks, (double[]){ at * x_scale }, 1);
	}
	tl_panel_count(d, "n_marks", marks.n);
	tl_panel_block(d, "marks", &marks);
}

static void add_names(struct tl_drawing *d, const struct curve *c)
{
	struct tl_legend legend = { .names = { .n = 0 } };

	for (size_t k = 0; k < c->n_lines; k++) {
		struct tl_buf name = { 0 };
		const char *column = c->r->columns[c->lines[k]];
		for (const char *p = column; *p && strcmp(p, "_bytes"); p++)
			tl_buf_addc(&name, *p == '_' ? ' ' : *p);
		tl_legend_add(&legend, tl_buf_text(&name), 40, tl_plot_color(k));
		tl_buf_release(&name);
	}
	tl_panel_legend(d, &legend);
}

bool tl_draw_curve(struct tl_drawing *d, const struct tl_chart *chart, const struct tl_first_rows *r, const struct tl_first_rows *steps)
{
	struct curve c = { .c = chart, .r = r, .of = tl_device_rows(r), .x = tl_first_column(r, chart->x) };
	struct tl_buf title = { 0 }, bottom = { 0 };

	choose_lines(&c);
	measure(&c);
	if (!c.n_lines || c.n < 2 || c.to <= c.from)
		return false;
	double span = c.from > SINCE_1970 ? c.to - c.from : c.to, most = c.most;
	struct tl_rounding x = tl_plot_rounding(TL_UNIT_US, &span, 1), y = tl_plot_rounding(TL_UNIT_BYTES, &most, 1);
	tl_buf_addf(&title, "%s%s%s%s", chart->in_and_out, c.of.device ? "; " : "", c.of.device ? c.of.device : "",
	            steps ? "; broken lines: steps begin" : "");
	tl_buf_addf(&bottom, "%s (%s)", chart->bottom, tl_plot_unit(&x));
	tl_panel_titles(d, tl_buf_text(&title), tl_buf_text(&bottom), tl_plot_unit(&y));
	tl_panel_number(d, "first", (c.from > SINCE_1970 ? 0 : c.from) * x.scale);
	tl_panel_number(d, "last", span * x.scale);
	tl_panel_number(d, "largest", most * y.scale);
	tl_panel_count(d, "filled", chart->shape == TL_CHART_AREAS);
	add_names(d, &c);
	add_marks(d, &c, steps, x.scale);
	add_points(d, &c, x.scale, y.scale);
	tl_panel_add(d, TL_PANEL_CURVE);
	d->height = 6;
	tl_buf_release(&title);
	tl_buf_release(&bottom);
	return true;
}

/* ---- times of steps ---------------------------------------------------------------------- */

static const struct { const char *mark, *name; uint32_t color; } marks[] = {
	{ "", "step", TL_BLUE }, { "slow", "slow step", TL_VERMILION }, { "first", "first step", TL_MEDIUM }, { "cut", "cut short", TL_PALE },
};
enum { N_MARKS = sizeof marks / sizeof *marks };

static size_t mark_of(const struct tl_first_rows *r, size_t row)
{
	const char *text = tl_first_text(r, row, tl_first_column(r, "mark"));
	size_t k = 0;

	while (k < N_MARKS && strcmp(marks[k].mark, text))
		k++;
	return k < N_MARKS ? k : 0;
}

bool tl_draw_step_times(struct tl_drawing *d, const struct tl_chart *chart, const struct tl_first_rows *r)
{
	int y = tl_first_column(r, chart->y);
	struct tl_legend legend = { .names = { .n = 0 } };
	struct tl_block rows = { .n = 0 };
	bool used[N_MARKS] = { false };
	double largest = 0;

	for (size_t i = 0; i < r->n; i++)
		largest = fmax(largest, tl_first_number(r, i, y));
	if (r->n < 2 || largest <= 0)
		return false;
	struct tl_rounding to = tl_plot_rounding(TL_UNIT_MS, &largest, 1);
	for (size_t i = 0; i < r->n; i++) {
		size_t k = mark_of(r, i);
		used[k] = true;
		tl_block_numbers(&rows, (double[]){ tl_first_number(r, i, y) * to.scale, 0, marks[k].color }, 3);
	}
	for (size_t k = 0; k < N_MARKS; k++)
		if (used[k])
			tl_legend_add(&legend, marks[k].name, 0, marks[k].color);
	tl_panel_titles(d, chart->in_and_out, chart->bottom, tl_plot_unit(&to));
	tl_panel_count(d, "n", r->n);
	tl_panel_number(d, "largest", largest * to.scale);
	tl_panel_legend(d, &legend);
	tl_panel_block(d, "rows", &rows);
	tl_panel_add(d, TL_PANEL_STEPS);
	d->height = 5;
	return true;
}

/* ---- steps of an engine -------------------------------------------------------------------- */

static const struct { const char *phase; uint32_t color; } colors[] = {
	{ "Prefill", TL_BLUE }, { "Decode", TL_ORANGE }, { "Mixed", TL_GREEN }, { "Unknown", TL_GREY },
};
enum { N_PHASES = sizeof colors / sizeof *colors };

uint32_t tl_phase_color(const char *phase)
{
	for (size_t i = 0; i < N_PHASES; i++)
		if (!strcmp(colors[i].phase, phase))
			return colors[i].color;
	return TL_GREY;
}

static double value(const struct tl_first_rows *r, size_t row, int column)
{
	double x = column >= 0 ? tl_first_number(r, row, column) : NAN;

	return isnan(x) ? 0 : x;
}

static double largest_sum(const struct tl_first_rows *r, int a, int b)
{
	double largest = 0;

	for (size_t i = 0; i < r->n; i++)
		largest = fmax(largest, value(r, i, a) + value(r, i, b));
	return largest;
}

static bool has_phase(const struct tl_first_rows *r, const char *phase)
{
	int column = tl_first_column(r, "phase");

	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(tl_first_text(r, i, column), phase))
			return true;
	return false;
}

static void add_busy(struct tl_drawing *d, const struct tl_first_rows *r, int busy, int idle)
{
	double largest = largest_sum(r, busy, idle);
	struct tl_rounding to = tl_plot_rounding(TL_UNIT_US, &largest, 1);
	int phase = tl_first_column(r, "phase");
	struct tl_block rows = { .n = 0 };
	struct tl_buf side = { 0 };

	for (size_t i = 0; i < r->n; i++) {
		const double row[] = { value(r, i, busy) * to.scale, value(r, i, idle) * to.scale, tl_phase_color(tl_first_text(r, i, phase)) };
		tl_block_numbers(&rows, row, 3);
	}
	tl_buf_addf(&side, "Time on the GPU (%s)", tl_plot_unit(&to));
	tl_panel_titles(d, "How long each step takes on the GPU", "Step", side.data);
	tl_panel_count(d, "n", r->n);
	tl_panel_number(d, "largest", largest > 0 ? largest * to.scale : 1);
	struct tl_legend phases = { .names = { .n = 0 } };
	for (size_t i = 0; i < N_PHASES; i++)
		if (has_phase(r, colors[i].phase))
			tl_legend_add(&phases, colors[i].phase, 0, colors[i].color);
	tl_legend_add(&phases, "GPU idle between the step's kernels", 0, TL_PALE);
	tl_panel_legend(d, &phases);
	tl_panel_block(d, "rows", &rows);
	tl_panel_add(d, TL_PANEL_STEPS);
	tl_buf_release(&side);
}

/* When a step runs, on the host in one lane, on the GPU in the other. */
static void add_spans(struct tl_drawing *d, const struct tl_first_rows *r)
{
	const int begin[] = { tl_first_column(r, "start_us"), tl_first_column(r, "device_start_us") };
	const int length[] = { tl_first_column(r, "duration_us"), tl_first_column(r, "device_span_us") };
	double largest = fmax(largest_sum(r, begin[0], length[0]), largest_sum(r, begin[1], length[1]));
	struct tl_rounding to = tl_plot_rounding(TL_UNIT_US, &largest, 1);
	int phase = tl_first_column(r, "phase");
	struct tl_block rows = { .n = 0 };
	struct tl_buf bottom = { 0 };

	for (size_t i = 0; i < r->n; i++)
		for (size_t lane = 0; lane < 2; lane++) {
			double from = value(r, i, begin[lane]) * to.scale, to_end = from + value(r, i, length[lane]) * to.scale;
			const double row[] = { from, to_end, (double)lane, tl_phase_color(tl_first_text(r, i, phase)) };
			if (to_end > from)
				tl_block_numbers(&rows, row, 4);
		}
	tl_buf_addf(&bottom, "Time since the trace begins (%s)", tl_plot_unit(&to));
	tl_panel_titles(d, "When each step runs", bottom.data, "");
	tl_panel_number(d, "largest", largest * to.scale);
	if (rows.n) {
		tl_panel_count(d, "n", rows.n);
		tl_panel_block(d, "rows", &rows);
		tl_panel_add(d, TL_PANEL_SPANS);
	}
	tl_buf_release(&bottom);
}

bool tl_draw_steps(struct tl_drawing *d, const struct tl_first_rows *r)
{
	int busy = tl_first_column(r, "gpu_busy_us"), idle = tl_first_column(r, "gpu_idle_us");

	if (!r->n || largest_sum(r, busy, -1) <= 0)
		return false;
	add_busy(d, r, busy, idle);
	add_spans(d, r);
	d->width = 13;
	d->height = 8;
	d->lines = d->n_panels;
	return true;
}
