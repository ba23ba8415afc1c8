/* plot_roofline.h - the picture of operators below their roofs.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PLOT_ROOFLINE_H
#define TL_PLOT_ROOFLINE_H

#include "report/plot_panel.h"
#include "report/plot_sheets.h"

#include <stdbool.h>

/* Draws the rows of a sheet of roofline_table.h; category and time of operators come from
 * unified_perf_summary, if that is there. The largest points have numbers, whose names stand
 * beside the picture. False: no row has a place. */
bool tl_draw_roofline(struct tl_drawing *, const struct tl_plot_sheets *, const struct tl_first_rows *);

#endif
