/* plot_steps.c - the picture of the steps of an engine.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/plot_steps.h"

#include <math.h>
#include <string.h>

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
