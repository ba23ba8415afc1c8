/* plot_steps.h - the picture of the steps of an engine.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PLOT_STEPS_H
#define TL_PLOT_STEPS_H

#include "report/first_rows.h"
#include "report/plot_panel.h"

#include <stdbool.h>

/* The colour of a phase by its name, also of "Prefill" and "Decode" in other pictures. */
uint32_t tl_phase_color(const char *phase);

/* Draws the sheet steps: how long each step keeps the GPU busy, and when it runs on host and
 * GPU. False: there are no steps. */
bool tl_draw_steps(struct tl_drawing *, const struct tl_first_rows *steps);

#endif
