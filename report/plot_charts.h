/* plot_charts.h - pictures of the charts of a report (chart_list.h).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PLOT_CHARTS_H
#define TL_PLOT_CHARTS_H

#include "report/chart_list.h"
#include "report/plot_panel.h"
#include "report/plot_sheets.h"

#include <stdbool.h>

/* Draws the first chart of this shape that can be made of this sheet, and sets the drawing's
 * size and heading. False: none can. */
bool tl_draw_chart(struct tl_drawing *, const struct tl_plot_sheets *, const char *sheet, enum tl_chart_shape);

#endif
