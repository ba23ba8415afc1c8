/* plot_curves.h - the pictures of memory over time, of the times of steps, and of the steps of an engine.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PLOT_CURVES_H
#define TL_PLOT_CURVES_H

#include "report/chart_list.h"
#include "report/first_rows.h"
#include "report/plot_panel.h"

/* Which rows a chart shows of a sheet that tells a device: see chart_list.h. */
struct tl_device_rows { const char *device, *process; /* NULL: all rows */ };
struct tl_device_rows tl_device_rows(const struct tl_first_rows *);
bool tl_device_rows_has(const struct tl_device_rows *, const struct tl_first_rows *, size_t row);

/* Draws a TL_CHART_CURVE or TL_CHART_AREAS. steps: the sheet memory_steps, or NULL. False: there is no such curve. */
bool tl_draw_curve(struct tl_drawing *, const struct tl_chart *, const struct tl_first_rows *, const struct tl_first_rows *steps);
/* Draws step_times. False: there are not several steps. */
bool tl_draw_step_times(struct tl_drawing *, const struct tl_chart *, const struct tl_first_rows *);

/* Returns the colour of a phase. Other pictures use those of "Prefill" and "Decode", too. */
uint32_t tl_phase_color(const char *phase);

/* Draws the sheet steps: how long each step keeps the GPU busy, and when it runs on host and
 * GPU. False: there are no steps. */
bool tl_draw_steps(struct tl_drawing *, const struct tl_first_rows *steps);

#endif
