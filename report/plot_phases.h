/* plot_phases.h - the five pictures of prefill and decode that TraceLens has.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PLOT_PHASES_H
#define TL_PLOT_PHASES_H

#include "report/plot_panel.h"
#include "report/plot_sheets.h"

#include <stdbool.h>

/* Each draws four panels of the sheets ops_summary_prefill and ops_summary_decode, one of which
 * may be missing. False: both are, or hold no time. */
typedef bool tl_draw_phases(struct tl_drawing *, const struct tl_plot_sheets *);
tl_draw_phases tl_draw_phase_overview, tl_draw_phase_times, tl_draw_phase_counts, tl_draw_phase_bottlenecks,
	tl_draw_phase_types;

#endif
