/* plot_panel.h - a picture as a script for gnuplot: panels, each of which is data and a template.
 *
 * A template (report/plots/panel-NAME.gp) draws; it says which data it expects. Texts go to
 * gnuplot as data, so that none is a command, whatever a trace holds.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PLOT_PANEL_H
#define TL_PLOT_PANEL_H

#include "base/memory.h"
#include "report/rounded.h"

#include <stdint.h>

/* Colours that people with any colour vision tell apart (Okabe and Ito), and greys. */
enum {
	TL_ORANGE = 0xE69F00, TL_SKY = 0x56B4E9, TL_GREEN = 0x009E73, TL_YELLOW = 0xF0E442, TL_BLUE = 0x0072B2,
	TL_VERMILION = 0xD55E00, TL_PURPLE = 0xCC79A7, TL_GREY = 0x7A7A7A, TL_PALE = 0xC3C9D1, TL_MEDIUM = 0xAAB2BC, TL_FAINT = 0xE8EBEF,
};
/* The k-th of a list of things that have no colour of their own. */
uint32_t tl_plot_color(size_t k);

/* A picture that is being made. Zero bytes and the members without a comment are a start. */
struct tl_drawing {
	struct tl_buf script;   /* of the panels */
	const char *heading;    /* of the picture; static */
	double width, height;   /* inches */
	size_t columns, lines;  /* of panels */
	size_t n_panels;
};

/* ---- data of the next panel ---- */

void tl_panel_number(struct tl_drawing *, const char *name, double);
void tl_panel_count(struct tl_drawing *, const char *name, size_t);
/* One text, $NAME[1], shortened in its middle to be no wider than so many digits; 0: not shortened. */
void tl_panel_text(struct tl_drawing *, const char *name, const char *text, size_t width);
/* The texts that all panels have. */
void tl_panel_titles(struct tl_drawing *, const char *title, const char *x, const char *y);

/* Lines of a block. */
struct tl_block { struct tl_buf lines; size_t n; double widest; /* of the texts, in digits */ };
void tl_block_numbers(struct tl_block *, const double *, size_t n);
void tl_block_text(struct tl_block *, const char *text, size_t width);
/* Writes the block, and widest_NAME, and releases it. */
void tl_panel_block(struct tl_drawing *, const char *name, struct tl_block *);

/* Names and colours of parts, which become $parts and $colours. */
struct tl_legend { struct tl_block names, colors; };
/* cut: as the width of tl_panel_text. */
void tl_legend_add(struct tl_legend *, const char *name, size_t cut, uint32_t color);
/* Writes and releases it. */
void tl_panel_legend(struct tl_drawing *, struct tl_legend *);

/* Bars: the value and colour of each, its name, and the text at its end. */
struct tl_bars { struct tl_block rows, names, ends; double largest; };
void tl_bars_add(struct tl_bars *, double value, uint32_t color, const char *name, size_t cut, const char *end);
/* What all panels of bars have. */
void tl_panel_bars(struct tl_drawing *, struct tl_bars *);
/* Adds a panel of bars that lie; room: what a name and a bar share, in hundredths of an inch. */
void tl_panel_add_bars(struct tl_drawing *, struct tl_bars *, double room);

/* ---- panels ---- */

enum tl_panel { TL_PANEL_BARS, TL_PANEL_COLUMNS, TL_PANEL_PIE, TL_PANEL_HISTOGRAM, TL_PANEL_SCATTER, TL_PANEL_TABLE,
	TL_PANEL_NOTE, TL_PANEL_PARTS, TL_PANEL_ROOFLINE, TL_PANEL_STEPS, TL_PANEL_SPANS, TL_PANEL_CURVE };
/* Adds a panel that shows the data before it. */
void tl_panel_add(struct tl_drawing *, enum tl_panel);

/* ---- numbers ---- */

/* How numbers of a column are shown: all in the unit that suits the largest. */
struct tl_rounding tl_plot_rounding(enum tl_unit, const double *, size_t n);
void tl_plot_value(struct tl_buf *, const struct tl_rounding *, double);
/* The unit of the rounding: "ms". */
const char *tl_plot_unit(const struct tl_rounding *);

#endif
