/* plots.h - the pictures of a report: which there are, what they are made of.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PLOTS_H
#define TL_PLOTS_H

#include "report/plot_sheets.h"

#include <stdbool.h>

enum tl_plot_format { TL_PLOT_PNG, TL_PLOT_SVG, TL_PLOT_PDF, TL_N_PLOT_FORMATS };

struct tl_plot_look {
	enum tl_plot_format format;
	int64_t dpi;        /* of PNG */
	const char *name;   /* what the pictures are of, in their headings; "": nothing */
};

enum { TL_MAX_PICTURE_SHEETS = 4 };
struct tl_picture {
	const char *name, *help;
	const char *sheets[TL_MAX_PICTURE_SHEETS + 1];  /* one of them is enough; the first is the usual one */
	/* not for callers: */
	const char *heading; /* of a picture of phases; NULL: the picture is a chart of the list */
	int what;            /* enum tl_phase_picture, or the chart's shape */
};
/* A row without a name ends the list. */
extern const struct tl_picture tl_pictures[];

/* Writes the script that draws a picture (gnuplot.h). False: the sheets do not have what it
 * needs. tl_plot_sheets_add_roofline was called. */
bool tl_picture_script(struct tl_buf *script, const struct tl_picture *, const struct tl_plot_sheets *, const struct tl_plot_look *);

#endif
