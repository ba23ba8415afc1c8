/* plot_phases.c - the five pictures of prefill and decode that TraceLens has.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/plot_phases.h"
#include "report/first_rows.h"
#include "report/plot_panel.h"
#include "report/plot_curves.h"
#include "table/statistics.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the phases -------------------------------------------------------------------- */

/* One phase: a row for each operator. */
struct phase_table {
	const char *phase;         /* "Prefill" */
	size_t n;
	const char **names;
	double *ms, *count, *percent;   /* device time, calls, share of the phase */
	double total_ms;
};
enum { PREFILL, DECODE, N_TABLES };

static double *numbers(const struct tl_first_rows *r, const char *name)
{
	int column = tl_first_column(r, name);
	double *x = tl_calloc(r->n + 1, sizeof *x);

	for (size_t i = 0; column >= 0 && i < r->n; i++)
		if (!isnan(tl_first_number(r, i, column)))
			x[i] = tl_first_number(r, i, column);
	return x;
}

static void fill(struct phase_table *t, const struct tl_first_rows *r)
{
	int name = tl_first_column(r, "name");

	t->n = r->n;
	t->names = tl_calloc(r->n + 1, sizeof *t->names);
	for (size_t i = 0; i < r->n; i++)
		t->names[i] = tl_first_text(r, i, name);
	t->ms = numbers(r, "total_direct_kernel_time_ms");
	t->count = numbers(r, "Count");
	t->percent = numbers(r, "Percentage (%)");
	for (size_t i = 0; i < r->n; i++)
		t->total_ms += t->ms[i];
}

static bool fill_tables(struct phase_table *t, const struct tl_plot_sheets *sheets)
{
	static const char *const names[] = { "ops_summary_prefill", "ops_summary_decode" };
	static const struct tl_first_rows none = { .most = 0 };

	for (size_t i = 0; i < N_TABLES; i++) {
		const struct tl_plot_sheet *s = tl_plot_sheets_find(sheets, names[i]);
		t[i] = (struct phase_table){ .phase = i == PREFILL ? "Prefill" : "Decode" };
		fill(&t[i], s ? &s->rows : &none);
	}
	return t[PREFILL].total_ms + t[DECODE].total_ms > 0;
}

/* ---- statistics -------------------------------------------------------------------- */

static double mean_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

static double median_of(const double *x, size_t n)
{
	double *copy = tl_calloc(n, sizeof *copy);

	memcpy(copy, x, n * sizeof *copy);
	double median = tl_median(copy, n);
	free(copy);
	return median;
}

/* ---- types of operators ---------------------------------------------------------------
 * The words and their order are those of TraceLens's pictures. */

static const struct { const char *type, *words[5]; } types[] = {
	{ "Matrix Ops", { "mm", "gemm", "matmul" } },
	{ "Attention", { "attention", "attn", "flash" } },
	{ "Normalization", { "norm" } },
	{ "Memory Ops", { "copy", "clone", "view", "reshape" } },
	{ "Elementwise", { "add", "mul", "div", "sub" } },
	{ "Embedding", { "embedding", "embed" } },
	{ "Triton Kernels", { "triton" } },
	{ "Other", { "" } },
};
enum { N_TYPES = sizeof types / sizeof *types };

static size_t operator_type(const char *name)
{
	char *folded = tl_strdup(name);
	size_t type = 0;

	for (char *p = folded; *p; p++)
		*p = (char)(isascii((unsigned char)*p) ? tolower((unsigned char)*p) : *p);
	for (bool found = false; !found; type += !found)
		for (size_t i = 0; types[type].words[i] && !found; i++)
			found = strstr(folded, types[type].words[i]) != NULL;
	free(folded);
	return type;
}

/* ---- phase panels ---------------------------------------------------------------- */

/* What bars show: the largest of the values. */
struct phase_bars {
	const char *title;    /* has %s for the phase */
	const char *bottom;   /* what the values are */
	enum tl_unit unit;
	size_t most, cut;     /* bars, at most 10; characters of a name */
};

#define PANEL 680.0     /* hundredths of an inch, of a panel's 750: what a name and a bar share */
#define MOST_BARS 10
#define N_BINS 20
#define MAX_NAMED 5        /* points */
#define NAME_WIDTH 0.5     /* of the range of these points */
#define NAME_HEIGHT 0.12

static void add_heading(struct tl_drawing *d, const char *format, const char *phase, const char *x, const char *unit, const char *y)
{
	struct tl_buf title = { 0 }, bottom = { 0 };

	tl_buf_addf(&title, format, phase);
	tl_buf_adds(&bottom, x);
	if (*unit)
		tl_buf_addf(&bottom, " (%s)", unit);
	tl_panel_titles(d, title.data, bottom.data, y);
	tl_buf_release(&title);
	tl_buf_release(&bottom);
}

/* A panel for a phase without operators. True: there are none. */
static bool is_missing(struct tl_drawing *d, const char *format, const struct phase_table *t)
{
	struct tl_buf note = { 0 };

	if (t->n)
		return false;
	tl_buf_addf(&note, "No %s Data Available", t->phase);
	add_heading(d, format, t->phase, "", "", "");
	tl_panel_text(d, "note", note.data, 0);
	tl_panel_add(d, TL_PANEL_NOTE);
	tl_buf_release(&note);
	return true;
}

/* ---- bars of operators ---------------------------------------------------------------- */

static void add_bar(struct tl_bars *bars, const char *name, size_t cut, uint32_t color, double value, const struct tl_rounding *r)
{
	struct tl_buf end = { 0 };

	tl_plot_value(&end, r, value);
	tl_bars_add(bars, value * r->scale, color, name, cut, tl_buf_text(&end));
	tl_buf_release(&end);
}

static void draw_bars(struct tl_drawing *d, const struct phase_bars *of, const char *phase, const char *const *names, const double *values,
                      size_t n)
{
	size_t rows[MOST_BARS], shown = tl_largest_rows(rows, values, n, of->most);
	struct tl_rounding r = tl_plot_rounding(of->unit, values, n);
	struct tl_bars bars = { .largest = 0 };

	for (size_t i = 0; i < shown; i++)
		add_bar(&bars, names[rows[i]], of->cut, tl_phase_color(phase), values[rows[i]], &r);
	add_heading(d, of->title, phase, of->bottom, tl_plot_unit(&r), "");
	tl_panel_add_bars(d, &bars, PANEL);
}

/* values: one for each operator. */
static void panel_phase_bars(struct tl_drawing *d, const struct phase_bars *of, const struct phase_table *t, const double *values)
{
	if (!is_missing(d, of->title, t))
		draw_bars(d, of, t->phase, t->names, values, t->n);
}

/* Time by type of operator. */
static void panel_types(struct tl_drawing *d, const struct phase_table *t)
{
	static const struct phase_bars bars = { "%s Operations by Type", "Total Time", TL_UNIT_MS, N_TYPES, 30 };
	double sums[N_TYPES] = { 0 }, ms[N_TYPES];
	bool used[N_TYPES] = { false };
	const char *names[N_TYPES];
	size_t n = 0;

	if (is_missing(d, bars.title, t))
		return;
	for (size_t i = 0; i < t->n; i++) {
		size_t type = operator_type(t->names[i]);
		sums[type] += t->ms[i];
		used[type] = true;
	}
	for (size_t i = 0; i < N_TYPES; i++)
		if (used[i]) {
			names[n] = types[i].type;
			ms[n++] = sums[i];
		}
	draw_bars(d, &bars, t->phase, names, ms, n);
}

/* ---- how operators' times are distributed ------------------------------------------------ */

/* Numbers of equal bins over the range of the values; a range of nothing is 1 wide. */
static void count_bins(struct tl_drawing *d, const double *ms, size_t n, double scale, uint32_t color)
{
	double least = INFINITY, most = -INFINITY, counts[N_BINS] = { 0 }, largest = 0;
	struct tl_block rows = { .n = 0 };

	for (size_t i = 0; i < n; i++) {
		least = fmin(least, ms[i] * scale);
		most = fmax(most, ms[i] * scale);
	}
	if (!(most > least)) {
		least -= 0.5;
		most += 0.5;
	}
	for (size_t i = 0; i < n; i++) {
		size_t bin = (size_t)((ms[i] * scale - least) / (most - least) * N_BINS);
		largest = fmax(largest, ++counts[bin < N_BINS ? bin : N_BINS - 1]);
	}
	for (size_t i = 0; i < N_BINS; i++) {
		const double row[] = { least + (most - least) * (double)i / N_BINS, least + (most - least) * (double)(i + 1) / N_BINS, counts[i], color };
		tl_block_numbers(&rows, row, 4);
	}
	tl_panel_number(d, "begin", least - 0.02 * (most - least));
	tl_panel_number(d, "end", most + 0.02 * (most - least));
	tl_panel_number(d, "largest", largest);
	tl_panel_block(d, "rows", &rows);
}

static void add_statistic(struct tl_drawing *d, const char *name, const char *label, double ms, const struct tl_rounding *r)
{
	struct tl_buf b = { 0 };

	tl_buf_addf(&b, "%s: ", label);
	tl_plot_value(&b, r, ms);
	tl_panel_number(d, name, ms * r->scale);
	tl_panel_text(d, name, b.data, 0);
	tl_buf_release(&b);
}

/* How many operators take how long. */
static void panel_distribution(struct tl_drawing *d, const struct phase_table *t)
{
	static const char title[] = "%s Time Distribution";

	if (is_missing(d, title, t))
		return;
	size_t largest;
	tl_largest_rows(&largest, t->ms, t->n, 1);
	double mean = mean_of(t->ms, t->n), median = median_of(t->ms, t->n);
	struct tl_rounding r = tl_plot_rounding(TL_UNIT_MS, (double[]){ t->ms[largest], mean, median }, 3);
	add_heading(d, title, t->phase, "Time of an Operation", tl_plot_unit(&r), "Operations");
	count_bins(d, t->ms, t->n, r.scale, tl_phase_color(t->phase));
	tl_panel_count(d, "has_mean", 1);
	add_statistic(d, "mean", "Mean", mean, &r);
	add_statistic(d, "median", "Median", median, &r);
	tl_panel_add(d, TL_PANEL_HISTOGRAM);
}

/* ---- calls against time -------------------------------------------------------------------- */

/* The straight line with the least squares; false: all calls are equally many. */
static bool fit(const struct phase_table *t, double *slope, double *intercept)
{
	double x = mean_of(t->count, t->n), y = mean_of(t->ms, t->n), xx = 0, xy = 0;

	for (size_t i = 0; i < t->n; i++) {
		xx += (t->count[i] - x) * (t->count[i] - x);
		xy += (t->count[i] - x) * (t->ms[i] - y);
	}
	*slope = xx > 0 ? xy / xx : 0;
	*intercept = y - *slope * x;
	return xx > 0;
}

static void add_points(struct tl_drawing *d, const struct phase_table *t, double scale)
{
	size_t largest_rows[MAX_NAMED], n = tl_largest_rows(largest_rows, t->ms, t->n, MAX_NAMED);
	double x[MAX_NAMED], y[MAX_NAMED];
	bool labelled[MAX_NAMED];
	struct tl_block rows = { .n = 0 }, names = { .n = 0 };
	double largest = 0, least_x = INFINITY, largest_x = 0;

	for (size_t i = 0; i < n; i++) {
		x[i] = t->count[largest_rows[i]];
		y[i] = t->ms[largest_rows[i]];
	}
	tl_choose_labels(labelled, x, y, n, n, n, NAME_WIDTH, NAME_HEIGHT);
	for (size_t i = 0; i < t->n; i++) {
		const double row[] = { t->count[i], t->ms[i] * scale, tl_phase_color(t->phase) };
		bool is_named = false;
		for (size_t k = 0; k < n; k++)
			is_named |= labelled[k] && largest_rows[k] == i;
		tl_block_numbers(&rows, row, 3);
		tl_block_text(&names, is_named ? t->names[i] : "", 25);
		largest = fmax(largest, row[1]);
		largest_x = fmax(largest_x, row[0]);
		least_x = fmin(least_x, row[0]);
	}
	tl_panel_number(d, "least_x", least_x);
	tl_panel_number(d, "largest_x", largest_x > 0 ? largest_x : 1);
	tl_panel_number(d, "largest", largest > 0 ? largest : 1);
	tl_panel_block(d, "names", &names);
	tl_panel_block(d, "rows", &rows);
}

/* Calls of operators against their time. */
static void panel_scatter(struct tl_drawing *d, const struct phase_table *t)
{
	static const char title[] = "%s: Frequency vs Total Time";
	double slope, intercept;

	if (is_missing(d, title, t))
		return;
	struct tl_rounding r = tl_plot_rounding(TL_UNIT_MS, t->ms, t->n);
	struct tl_buf side = { 0 };
	tl_buf_addf(&side, "Total Time (%s)", tl_plot_unit(&r));
	add_heading(d, title, t->phase, "Call Count", "", side.data);
	tl_panel_count(d, "has_line", fit(t, &slope, &intercept));
	tl_panel_number(d, "slope", slope * r.scale);
	tl_panel_number(d, "intercept", intercept * r.scale);
	add_points(d, t, r.scale);
	tl_panel_add(d, TL_PANEL_SCATTER);
	tl_buf_release(&side);
}

/* ---- both phases in a panel ------------------------------------------------------------------ */

static double mean_ms(const struct phase_table *t)
{
	return t->n ? t->total_ms / (double)t->n : 0;
}

/* The time of phases. */
static void panel_pie(struct tl_drawing *d, const struct phase_table *t)
{
	const double ms[] = { t[PREFILL].total_ms, t[DECODE].total_ms };
	struct tl_rounding r = tl_plot_rounding(TL_UNIT_MS, ms, N_TABLES);
	struct tl_bars slices = { .largest = 0 };
	double from = 90, all = ms[0] + ms[1];

	for (size_t i = 0; i < N_TABLES; i++) {
		const double row[] = { from, from + 360 * ms[i] / all, tl_phase_color(t[i].phase) };
		struct tl_buf b = { 0 };
		if (!(ms[i] > 0))
			continue;
		tl_plot_value(&b, &r, ms[i]);
		tl_buf_addf(&b, ", %.1f %%", ms[i] / all * 100);
		tl_block_numbers(&slices.rows, row, 3);
		tl_block_text(&slices.names, t[i].phase, 0);
		tl_block_text(&slices.ends, b.data, 0);
		tl_buf_release(&b);
		from = row[1];
	}
	tl_panel_titles(d, "Total Execution Time Distribution", "", "");
	tl_panel_bars(d, &slices);
	tl_panel_add(d, TL_PANEL_PIE);
}

/* Bars that stand; whole: their values are whole numbers. */
static void draw_columns(struct tl_drawing *d, struct tl_bars *c, bool whole)
{
	tl_panel_count(d, "n", c->rows.n);
	tl_panel_count(d, "whole", whole);
	tl_panel_number(d, "largest", c->largest > 0 ? c->largest : 1);
	tl_panel_bars(d, c);
	tl_panel_add(d, TL_PANEL_COLUMNS);
}

/* Mean time of operators; totals: beside the time of all. */
static void panel_means(struct tl_drawing *d, const struct phase_table *t, bool totals)
{
	const double all[] = { mean_ms(&t[0]), mean_ms(&t[1]), totals ? t[0].total_ms : 0, totals ? t[1].total_ms : 0 };
	struct tl_rounding r = tl_plot_rounding(TL_UNIT_MS, all, 4);
	struct tl_bars c = { .largest = 0 };
	struct tl_buf name = { 0 }, side = { 0 };

	for (size_t i = 0; i < N_TABLES; i++) {
		if (!t[i].n)
			continue;
		if (totals) {
			tl_buf_clear(&name);
			tl_buf_addf(&name, "%s: total", t[i].phase);
			add_bar(&c, name.data, 0, tl_phase_color(t[i].phase), t[i].total_ms, &r);
		}
		tl_buf_clear(&name);
		tl_buf_addf(&name, totals ? "%s: mean of %zu" : "%s (%zu ops)", t[i].phase, t[i].n);
		uint32_t color = tl_phase_color(t[i].phase), half_way_to_white = ((color >> 1) & 0x7f7f7f) + 0x808080;
		add_bar(&c, name.data, 0, totals ? half_way_to_white : color, mean_ms(&t[i]), &r);
	}
	tl_buf_addf(&side, totals ? "Time (%s)" : "Average Time (%s)", tl_plot_unit(&r));
	tl_panel_titles(d, totals ? "Total vs Average Operation Time" : "Average Time per Operation", "", side.data);
	draw_columns(d, &c, false);
	tl_buf_release(&name);
	tl_buf_release(&side);
}

/* ---- tables ------------------------------------------------------------------------------------ */

struct cells { struct tl_block rows, texts; size_t n; };
enum { TABLE_COLUMNS = 4, HEAD = 0xe8e8e8, SIDE = 0xf5f5f5, BODY = 0xffffff };

static void add_cells(struct cells *c, const char *const texts[TABLE_COLUMNS])
{
	size_t line = c->n / TABLE_COLUMNS;

	for (size_t i = 0; i < TABLE_COLUMNS; i++) {
		const double row[] = { (double)i, (double)line, !line ? HEAD : !i ? SIDE : BODY };
		tl_block_numbers(&c->rows, row, 3);
		tl_block_text(&c->texts, texts[i], 0);
		c->n++;
	}
}

static void draw_table(struct tl_drawing *d, const char *title, struct cells *c)
{
	tl_panel_titles(d, title, "", "");
	tl_panel_count(d, "columns", TABLE_COLUMNS);
	tl_panel_count(d, "lines", c->n / TABLE_COLUMNS);
	tl_panel_block(d, "names", &c->texts);
	tl_panel_block(d, "rows", &c->rows);
	tl_panel_add(d, TL_PANEL_TABLE);
}

/* Numbers of a line of a table; not a number: "N/A". */
static void add_numbers(struct cells *c, const char *metric, const char *format, const double *x, const char *last)
{
	char texts[3][40];

	for (size_t i = 0; i < 3; i++)
		if (isfinite(x[i]))
			snprintf(texts[i], sizeof texts[i], format, x[i]);
		else
			snprintf(texts[i], sizeof texts[i], "N/A");
	add_cells(c, (const char *const[]){ metric, texts[0], texts[1], last ? last : texts[2] });
}

/* Tables of numbers. */
static void panel_statistics(struct tl_drawing *d, const struct phase_table *t)
{
	const struct phase_table *p = &t[PREFILL], *q = &t[DECODE];
	double all = p->total_ms + q->total_ms, n = (double)(p->n + q->n);
	struct cells c = { .n = 0 };
	char ratio[2][40] = { "N/A", "N/A" };

	if (q->total_ms > 0)
		snprintf(ratio[0], sizeof ratio[0], "%.2f:1", p->total_ms / q->total_ms);
	if (p->total_ms > 0)
		snprintf(ratio[1], sizeof ratio[1], "1:%.2f", q->total_ms / p->total_ms);
	add_cells(&c, (const char *const[]){ "Metric", "Prefill", "Decode", "Total/Ratio" });
	add_numbers(&c, "Total Time (ms)", "%.1f", (double[]){ p->total_ms, q->total_ms, all }, NULL);
	add_numbers(&c, "Operation Count", "%.0f", (double[]){ (double)p->n, (double)q->n, n }, NULL);
	add_numbers(&c, "Avg Time/Op (ms)", "%.1f", (double[]){ p->total_ms / (double)p->n, q->total_ms / (double)q->n, all / n }, NULL);
	add_numbers(&c, "Phase Percentage", "%.1f%%", (double[]){ p->total_ms / all * 100, q->total_ms / all * 100, 0 }, "100%");
	add_cells(&c, (const char *const[]){ "Prefill:Decode Ratio", ratio[0], ratio[1], "Time Ratio" });
	draw_table(d, "Summary Statistics", &c);
}

static void compare(struct cells *c, const char *metric, const char *format, double prefill, double decode, bool smaller_wins, const char *what)
{
	bool is_prefill = smaller_wins ? prefill < decode : prefill > decode;
	char said[60];

	snprintf(said, sizeof said, "%s %s", is_prefill ? "Prefill" : "Decode", what);
	add_numbers(c, metric, format, (double[]){ prefill, decode, 0 }, said);
}

static void panel_efficiency(struct tl_drawing *d, const struct phase_table *t)
{
	const struct phase_table *p = &t[PREFILL], *q = &t[DECODE];
	double all = p->total_ms + q->total_ms;
	struct cells c = { .n = 0 };

	add_cells(&c, (const char *const[]){ "Metric", "Prefill", "Decode", "Comparison" });
	if (p->n && q->n) {
		compare(&c, "Ops/ms", "%.3f", (double)p->n / p->total_ms, (double)q->n / q->total_ms, false, "more efficient");
		compare(&c, "Avg Time/Op (ms)", "%.2f", mean_ms(p), mean_ms(q), true, "faster ops");
		compare(&c, "Total Operations", "%.0f", (double)p->n, (double)q->n, false, "more diverse");
		compare(&c, "Phase Dominance", "%.1f%%", p->total_ms / all * 100, q->total_ms / all * 100, false, "dominates");
	} else {
		const char *only = p->n ? "Only Prefill available" : "Only Decode available";
		add_numbers(&c, "Total Operations", "%.0f", (double[]){ p->n ? (double)p->n : NAN, q->n ? (double)q->n : NAN, 0 }, only);
		add_numbers(&c, "Total Time (ms)", "%.1f", (double[]){ p->n ? p->total_ms : NAN, q->n ? q->total_ms : NAN, 0 }, only);
	}
	draw_table(d, "Phase Efficiency Comparison", &c);
}

/* ---- pictures ------------------------------------------------------------------------ */

#define WIDTH 15.0   /* inches, as TraceLens */
#define HEIGHT 12.0

static void draw_overview(struct tl_drawing *d, const struct phase_table *t)
{
	panel_pie(d, t);
	/* How many operators they have. */
	const struct tl_rounding r = { .scale = 1, .suffix = "" };
	struct tl_bars c = { .largest = 0 };
	for (size_t i = 0; i < N_TABLES; i++)
		add_bar(&c, t[i].phase, 0, tl_phase_color(t[i].phase), (double)t[i].n, &r);
	tl_panel_titles(d, "Number of Operations by Phase", "", "Operation Count");
	draw_columns(d, &c, true);
	panel_means(d, t, false);
	panel_statistics(d, t);
}

static void draw_times(struct tl_drawing *d, const struct phase_table *t)
{
	static const struct phase_bars bars = { "Top 10 %s Operations by Time", "Time", TL_UNIT_MS, 10, 30 };

	for (size_t i = 0; i < N_TABLES; i++)
		panel_phase_bars(d, &bars, &t[i], t[i].ms);
	for (size_t i = 0; i < N_TABLES; i++)
		panel_distribution(d, &t[i]);
}

static void draw_counts(struct tl_drawing *d, const struct phase_table *t)
{
	static const struct phase_bars bars = { "Most Frequent %s Operations", "Call Count", TL_UNIT_COUNT, 10, 25 };

	for (size_t i = 0; i < N_TABLES; i++)
		panel_phase_bars(d, &bars, &t[i], t[i].count);
	for (size_t i = 0; i < N_TABLES; i++)
		panel_scatter(d, &t[i]);
}

static void draw_bottlenecks(struct tl_drawing *d, const struct phase_table *t)
{
	static const struct phase_bars slowest = { "Slowest %s Operations (Time/Call)", "Time per Call", TL_UNIT_MS, 8, 30 };
	static const struct phase_bars shares = { "Top %s Time Contributors", "Percentage of Phase Time", TL_UNIT_PERCENT, 10, 30 };

	for (size_t i = 0; i < N_TABLES; i++) {
		double *per_call = tl_calloc(t[i].n + 1, sizeof *per_call);
		for (size_t k = 0; k < t[i].n; k++)
			per_call[k] = t[i].count[k] > 0 ? t[i].ms[k] / t[i].count[k] : 0;
		panel_phase_bars(d, &slowest, &t[i], per_call);
		free(per_call);
	}
	for (size_t i = 0; i < N_TABLES; i++)
		panel_phase_bars(d, &shares, &t[i], t[i].percent);
}

static void draw_types(struct tl_drawing *d, const struct phase_table *t)
{
	for (size_t i = 0; i < N_TABLES; i++)
		panel_types(d, &t[i]);
	panel_means(d, t, true);
	panel_efficiency(d, t);
}

bool tl_draw_phases(struct tl_drawing *d, const struct tl_plot_sheets *sheets, enum tl_phase_picture picture)
{
	static void (*const draw[])(struct tl_drawing *, const struct phase_table *) = {
		[TL_PHASE_OVERVIEW] = draw_overview, [TL_PHASE_TIMES] = draw_times, [TL_PHASE_COUNTS] = draw_counts,
		[TL_PHASE_BOTTLENECKS] = draw_bottlenecks, [TL_PHASE_TYPES] = draw_types,
	};
	struct phase_table t[N_TABLES];
	bool can = fill_tables(t, sheets);

	if (can)
		draw[picture](d, t);
	d->width = WIDTH;
	d->height = HEIGHT;
	d->columns = d->lines = 2;
	for (size_t i = 0; i < N_TABLES; i++) {
		free(t[i].names);
		free(t[i].ms);
		free(t[i].count);
		free(t[i].percent);
	}
	return can;
}
