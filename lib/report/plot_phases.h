/* plot_phases.h - the five pictures of prefill and decode that TraceLens has.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PLOT_PHASES_H
#define TL_PLOT_PHASES_H

#include "report/plot_panel.h"
#include "report/plot_sheets.h"

#include <stdbool.h>

enum tl_phase_picture { TL_PHASE_OVERVIEW, TL_PHASE_TIMES, TL_PHASE_COUNTS, TL_PHASE_BOTTLENECKS, TL_PHASE_TYPES };
/* Draws four panels of the sheets ops_summary_prefill and ops_summary_decode, one of which may be missing. False: both
 * are, or hold no time. */
bool tl_draw_phases(struct tl_drawing *, const struct tl_plot_sheets *, enum tl_phase_picture);

#endif
