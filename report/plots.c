/* plots.c - the pictures of a report: which there are, what they are made of.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/plots.h"
#include "report/plot_charts.h"
#include "report/plot_panel.h"
#include "report/plot_phases.h"
#include "report/roofline_table.h"

#include <string.h>

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
		if (tl_draw_chart(d, sheets, p->sheets[i], (enum tl_chart_shape)p->shape))
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
