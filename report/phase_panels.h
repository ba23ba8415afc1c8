/* phase_panels.h - panels of the pictures of prefill and decode.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PHASE_PANELS_H
#define TL_PHASE_PANELS_H

#include "report/phase_table.h"
#include "report/plot_panel.h"

/* ---- of one phase; a phase without operators says so ---- */

/* What bars show: the largest of the values. */
struct tl_phase_bars {
	const char *title;    /* has %s for the phase */
	const char *bottom;   /* what the values are */
	enum tl_unit unit;
	size_t most, cut;     /* bars, at most 10; characters of a name */
};
/* values: one for each operator. */
void tl_panel_phase_bars(struct tl_drawing *, const struct tl_phase_bars *, const struct tl_phase_table *, const double *values);
/* Time by type of operator. */
void tl_panel_types(struct tl_drawing *, const struct tl_phase_table *);
/* How many operators take how long. */
void tl_panel_distribution(struct tl_drawing *, const struct tl_phase_table *);
/* Calls of operators against their time. */
void tl_panel_scatter(struct tl_drawing *, const struct tl_phase_table *);

/* ---- of both phases: an array of TL_N_TABLES ---- */

/* The time of phases. */
void tl_panel_pie(struct tl_drawing *, const struct tl_phase_table *);
/* How many operators they have. */
void tl_panel_counts(struct tl_drawing *, const struct tl_phase_table *);
/* Mean time of operators; totals: beside the time of all. */
void tl_panel_means(struct tl_drawing *, const struct tl_phase_table *, bool totals);
/* Tables of numbers. */
void tl_panel_statistics(struct tl_drawing *, const struct tl_phase_table *);
void tl_panel_efficiency(struct tl_drawing *, const struct tl_phase_table *);

#endif
