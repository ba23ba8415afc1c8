/* plot_phases.c - the five pictures of prefill and decode that TraceLens has.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/plot_phases.h"
#include "report/phase_panels.h"

#include <stdlib.h>

#define WIDTH 15.0   /* inches, as TraceLens */
#define HEIGHT 12.0

static void set_size(struct tl_drawing *d)
{
	d->width = WIDTH;
	d->height = HEIGHT;
	d->columns = d->lines = 2;
}

bool tl_draw_phase_overview(struct tl_drawing *d, const struct tl_plot_sheets *sheets)
{
	struct tl_phase_table t[TL_N_TABLES];
	bool can = tl_phase_tables(t, sheets);

	if (can) {
		tl_panel_pie(d, t);
		tl_panel_counts(d, t);
		tl_panel_means(d, t, false);
		tl_panel_statistics(d, t);
	}
	set_size(d);
	tl_phase_tables_release(t);
	return can;
}

bool tl_draw_phase_times(struct tl_drawing *d, const struct tl_plot_sheets *sheets)
{
	static const struct tl_phase_bars bars = { "Top 10 %s Operations by Time", "Time", TL_UNIT_MS, 10, 30 };
	struct tl_phase_table t[TL_N_TABLES];
	bool can = tl_phase_tables(t, sheets);

	for (size_t i = 0; can && i < TL_N_TABLES; i++)
		tl_panel_phase_bars(d, &bars, &t[i], t[i].ms);
	for (size_t i = 0; can && i < TL_N_TABLES; i++)
		tl_panel_distribution(d, &t[i]);
	set_size(d);
	tl_phase_tables_release(t);
	return can;
}

bool tl_draw_phase_counts(struct tl_drawing *d, const struct tl_plot_sheets *sheets)
{
	static const struct tl_phase_bars bars = { "Most Frequent %s Operations", "Call Count", TL_UNIT_COUNT, 10, 25 };
	struct tl_phase_table t[TL_N_TABLES];
	bool can = tl_phase_tables(t, sheets);

	for (size_t i = 0; can && i < TL_N_TABLES; i++)
		tl_panel_phase_bars(d, &bars, &t[i], t[i].count);
	for (size_t i = 0; can && i < TL_N_TABLES; i++)
		tl_panel_scatter(d, &t[i]);
	set_size(d);
	tl_phase_tables_release(t);
	return can;
}

bool tl_draw_phase_bottlenecks(struct tl_drawing *d, const struct tl_plot_sheets *sheets)
{
	static const struct tl_phase_bars slowest = { "Slowest %s Operations (Time/Call)", "Time per Call", TL_UNIT_MS, 8, 30 };
	static const struct tl_phase_bars shares = { "Top %s Time Contributors", "Percentage of Phase Time", TL_UNIT_PERCENT, 10, 30 };
	struct tl_phase_table t[TL_N_TABLES];
	bool can = tl_phase_tables(t, sheets);

	for (size_t i = 0; can && i < TL_N_TABLES; i++) {
		double *per_call = tl_calloc(t[i].n + 1, sizeof *per_call);
		for (size_t k = 0; k < t[i].n; k++)
			per_call[k] = t[i].count[k] > 0 ? t[i].ms[k] / t[i].count[k] : 0;
		tl_panel_phase_bars(d, &slowest, &t[i], per_call);
		free(per_call);
	}
	for (size_t i = 0; can && i < TL_N_TABLES; i++)
		tl_panel_phase_bars(d, &shares, &t[i], t[i].percent);
	set_size(d);
	tl_phase_tables_release(t);
	return can;
}

bool tl_draw_phase_types(struct tl_drawing *d, const struct tl_plot_sheets *sheets)
{
	struct tl_phase_table t[TL_N_TABLES];
	bool can = tl_phase_tables(t, sheets);

	for (size_t i = 0; can && i < TL_N_TABLES; i++)
		tl_panel_types(d, &t[i]);
	if (can) {
		tl_panel_means(d, t, true);
		tl_panel_efficiency(d, t);
	}
	set_size(d);
	tl_phase_tables_release(t);
	return can;
}
