/* plot_panel.c - a picture as a script for gnuplot.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/plot_panel.h"
#include "report/cell_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define END "END"       /* of a block; no line of numbers or texts begins so */
#define LONGEST 100000  /* characters of a text */
#define DIGIT 9.33      /* how wide one is, in hundredths of an inch */

/* Made from report/plots/. */
#define TEMPLATE(name) extern const char tl_data_panel_##name[]
TEMPLATE(style);
TEMPLATE(bars);
TEMPLATE(columns);
TEMPLATE(pie);
TEMPLATE(histogram);
TEMPLATE(scatter);
TEMPLATE(table);
TEMPLATE(note);
TEMPLATE(parts);
TEMPLATE(roofline);
TEMPLATE(steps);
TEMPLATE(spans);
TEMPLATE(curve);

static const char *const templates[] = {
	[TL_PANEL_BARS] = tl_data_panel_bars, [TL_PANEL_COLUMNS] = tl_data_panel_columns, [TL_PANEL_PIE] = tl_data_panel_pie,
	[TL_PANEL_HISTOGRAM] = tl_data_panel_histogram, [TL_PANEL_SCATTER] = tl_data_panel_scatter,
	[TL_PANEL_TABLE] = tl_data_panel_table, [TL_PANEL_NOTE] = tl_data_panel_note, [TL_PANEL_PARTS] = tl_data_panel_parts,
	[TL_PANEL_ROOFLINE] = tl_data_panel_roofline, [TL_PANEL_STEPS] = tl_data_panel_steps,
	[TL_PANEL_SPANS] = tl_data_panel_spans, [TL_PANEL_CURVE] = tl_data_panel_curve,
};

uint32_t tl_plot_color(size_t k)
{
	static const uint32_t colors[] = { TL_BLUE, TL_ORANGE, TL_GREEN, TL_PURPLE, TL_SKY, TL_VERMILION, TL_YELLOW, TL_GREY };

	return colors[k % (sizeof colors / sizeof *colors)];
}

/* ---- data ---- */

/* Always a real number: gnuplot divides integers as C does. */
static void add_number(struct tl_buf *b, double x)
{
	if (isfinite(x))
		tl_buf_addf(b, "%.12e", x);
	else
		tl_buf_adds(b, "NaN");
}

void tl_panel_number(struct tl_drawing *d, const char *name, double x)
{
	tl_buf_addf(&d->script, "%s = ", name);
	add_number(&d->script, x);
	tl_buf_addc(&d->script, '\n');
}

void tl_panel_count(struct tl_drawing *d, const char *name, size_t n)
{
	tl_buf_addf(&d->script, "%s = %zu\n", name, n);
}

void tl_block_numbers(struct tl_block *block, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		tl_buf_adds(&block->lines, i ? " " : "");
		add_number(&block->lines, x[i]);
	}
	tl_buf_addc(&block->lines, '\n');
	block->n++;
}

/* How wide a text is drawn, in digits; a bit more for what differs between fonts. */
static double width_of(const char *text, size_t len)
{
	static const struct { const char *letters; double width; } kinds[] = {
		{ " ',.ijlIJ", 0.5 }, { "!()-/:;[\\]frt|", 0.65 }, { "&ABCDGHKNOQRSUVXYZ", 1.25 }, { "#+<=>M^w~", 1.35 }, { "%@Wm", 1.6 },
	};
	double sum = 0;

	for (size_t i = 0, used; i < len; i += used) {
		uint32_t c = tl_utf8_decode(text + i, len - i, &used);
		double width = c < 0x80 ? 1 : 1.6;
		for (size_t k = 0; c < 0x80 && k < sizeof kinds / sizeof *kinds; k++)
			width = strchr(kinds[k].letters, (int)c) ? kinds[k].width : width;
		sum += width;
	}
	return sum;
}

/* A line is '=' and the text, without control characters. */
void tl_block_text(struct tl_block *block, const char *text, size_t width)
{
	struct tl_buf clean = { 0 }, line = { 0 };
	bool cut;

	tl_xlsx_text(&clean, text, strlen(text), LONGEST, &cut);
	tl_xlsx_mask(&clean);
	size_t chars = tl_utf8_width(tl_buf_text(&clean), clean.len), shown = width && chars > 2 * width ? 2 * width : chars;
	do { /* no letter is narrower than half a digit */
		tl_buf_clear(&line);
		tl_add_short_name(&line, tl_buf_text(&clean), clean.len, shown);
	} while (width && width_of(tl_buf_text(&line), line.len) > (double)width && --shown > 1);
	tl_buf_addf(&block->lines, "=%s\n", tl_buf_text(&line));
	block->widest = fmax(block->widest, width_of(tl_buf_text(&line), line.len));
	block->n++;
	tl_buf_release(&clean);
	tl_buf_release(&line);
}

void tl_panel_block(struct tl_drawing *d, const char *name, struct tl_block *block)
{
	tl_buf_addf(&d->script, "$%s << " END "\n%s" END "\nwidest_%s = ", name, tl_buf_text(&block->lines), name);
	add_number(&d->script, block->widest);
	tl_buf_addc(&d->script, '\n');
	tl_buf_release(&block->lines);
	*block = (struct tl_block){ .n = 0 };
}

void tl_panel_text(struct tl_drawing *d, const char *name, const char *text, size_t width)
{
	struct tl_block block = { .n = 0 };

	tl_block_text(&block, text, width);
	tl_panel_block(d, name, &block);
}

void tl_panel_titles(struct tl_drawing *d, const char *title, const char *x, const char *y)
{
	tl_panel_text(d, "title", title, 0);
	tl_panel_text(d, "x_title", x, 0);
	tl_panel_text(d, "y_title", y, 0);
}

void tl_legend_add(struct tl_legend *l, const char *name, size_t cut, uint32_t color)
{
	char text[8];

	snprintf(text, sizeof text, "#%06x", color & 0xffffff);
	tl_block_text(&l->names, name, cut);
	tl_block_text(&l->colors, text, 0);
}

void tl_panel_legend(struct tl_drawing *d, struct tl_legend *l)
{
	tl_panel_count(d, "n_parts", l->names.n);
	tl_panel_block(d, "parts", &l->names);
	tl_panel_block(d, "colours", &l->colors);
}

void tl_bars_add(struct tl_bars *bars, double value, uint32_t color, const char *name, size_t cut, const char *end)
{
	tl_block_numbers(&bars->rows, (double[]){ value, color }, 2);
	tl_block_text(&bars->names, name, cut);
	tl_block_text(&bars->ends, end, 0);
	bars->largest = fmax(bars->largest, value);
}

void tl_panel_bars(struct tl_drawing *d, struct tl_bars *bars)
{
	tl_panel_block(d, "names", &bars->names);
	tl_panel_block(d, "ends", &bars->ends);
	tl_panel_block(d, "rows", &bars->rows);
}

void tl_panel_add_bars(struct tl_drawing *d, struct tl_bars *bars, double room)
{
	tl_panel_count(d, "n", bars->rows.n);
	tl_panel_number(d, "largest", bars->largest > 0 ? bars->largest : 1);
	tl_panel_number(d, "across", room / DIGIT - bars->names.widest);
	tl_panel_bars(d, bars);
	tl_panel_add(d, TL_PANEL_BARS);
}

void tl_panel_add(struct tl_drawing *d, enum tl_panel kind)
{
	tl_buf_adds(&d->script, tl_data_panel_style);
	tl_buf_adds(&d->script, templates[kind]);
	d->n_panels++;
}

/* ---- numbers ---- */

struct tl_rounding tl_plot_rounding(enum tl_unit unit, const double *x, size_t n)
{
	struct tl_number_range range = { 0 };

	for (size_t i = 0; i < n; i++)
		if (isfinite(x[i]))
			tl_number_range_add(&range, x[i]);
	return tl_rounding_for(unit, &range);
}

void tl_plot_value(struct tl_buf *b, const struct tl_rounding *r, double x)
{
	char text[40];

	tl_add_rounded(b, r, x, text, (size_t)snprintf(text, sizeof text, "%g", x));
}

const char *tl_plot_unit(const struct tl_rounding *r)
{
	return *r->suffix == ' ' ? r->suffix + 1 : r->suffix;
}
