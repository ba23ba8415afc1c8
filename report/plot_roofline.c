/* plot_roofline.c - the picture of operators below their roofs.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/plot_roofline.h"
#include "report/label_places.h"
#include "report/roofline_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 16
#define MAX_CATEGORIES 7  /* with a colour of their own */
#define NAME 52           /* characters */
#define NUMBER_WIDTH 0.025 /* of the picture, of a point's number */
#define NUMBER_HEIGHT 0.04

struct point { double x, y, us; const char *name, *category; size_t kind; };
struct points {
	struct point *p; size_t n;   /* the largest time first */
	const char *categories[MAX_CATEGORIES]; size_t n_categories; /* in the order of points */
	bool others;                 /* there are more categories */
};

static int by_time(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	return (p->us < q->us) - (p->us > q->us);
}

static void find_points(struct points *to, const struct tl_first_rows *r, const struct tl_first_rows *unified)
{
	int x = tl_first_column(r, "FLOPS/Byte"), y = tl_first_column(r, "TFLOPS/s");
	int row = tl_first_column(r, "unified_perf_summary row");
	int category = unified ? tl_first_column(unified, "op category") : -1;
	int time = unified ? tl_first_column(unified, "Kernel Time (µs)_sum") : -1;

	to->p = tl_calloc(r->n + 1, sizeof *to->p);
	for (size_t i = 0; x >= 0 && y >= 0 && i < r->n; i++) {
		struct point p = { .x = tl_first_number(r, i, x), .y = tl_first_number(r, i, y), .name = tl_first_text(r, i, 0), .category = "" };
		double at = row >= 0 ? tl_first_number(r, i, row) : NAN;
		if (!(p.x > 0 && p.y > 0))
			continue;
		if (at >= 2 && unified) {
			p.category = tl_first_text(unified, (size_t)at - 2, category);
			p.us = time >= 0 ? tl_first_number(unified, (size_t)at - 2, time) : 0;
		}
		p.us = p.us > 0 ? p.us : 0;
		to->p[to->n++] = p;
	}
	qsort(to->p, to->n, sizeof *to->p, by_time);
}

static void find_categories(struct points *points)
{
	for (size_t i = 0; i < points->n; i++) {
		struct point *p = &points->p[i];
		while (p->kind < points->n_categories && strcmp(points->categories[p->kind], p->category) != 0)
			p->kind++;
		if (p->kind < points->n_categories)
			continue;
		if (p->kind < MAX_CATEGORIES)
			points->categories[points->n_categories++] = p->category;
		else
			points->others = true;
	}
}

/* ---- what the panel gets ---- */

static uint32_t color_of(size_t kind)
{
	return kind < MAX_CATEGORIES ? tl_plot_color(kind) : TL_GREY;
}

static void add_category(struct tl_block *names, struct tl_block *colors, const char *name, size_t kind)
{
	char text[8];

	snprintf(text, sizeof text, "#%06x", color_of(kind) & 0xffffff);
	tl_block_text(names, *name ? name : "operators", 40);
	tl_block_text(colors, text, 0);
}

static void add_categories(struct tl_drawing *d, const struct points *points)
{
	struct tl_block names = { .n = 0 }, colors = { .n = 0 };

	for (size_t k = 0; k < points->n_categories; k++)
		add_category(&names, &colors, points->categories[k], k);
	if (points->others)
		add_category(&names, &colors, "other categories", MAX_CATEGORIES);
	tl_panel_count(d, "n_parts", names.n);
	tl_panel_block(d, "parts", &names);
	tl_panel_block(d, "colours", &colors);
}

static void add_points(struct tl_drawing *d, const struct points *points)
{
	double *x = tl_calloc(points->n, sizeof *x), *y = tl_calloc(points->n, sizeof *y);
	bool *labelled = tl_calloc(points->n, sizeof *labelled);
	double most = points->p[0].us > 0 ? points->p[0].us : 1;
	struct tl_block rows = { .n = 0 }, names = { .n = 0 };
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < points->n; i++) {
		x[i] = log(points->p[i].x);
		y[i] = log(points->p[i].y);
	}
	tl_choose_labels(labelled, x, y, points->n, points->n, MAX_NAMES, NUMBER_WIDTH, NUMBER_HEIGHT);
	for (size_t i = 0; i < points->n; i++) {
		const struct point *p = &points->p[i];
		const double row[] = { p->x, p->y, 0.9 + 3 * sqrt(p->us / most), color_of(p->kind), labelled[i] ? (double)names.n + 1 : 0 };
		tl_block_numbers(&rows, row, 5);
		if (!labelled[i])
			continue;
		tl_buf_clear(&b);
		tl_buf_addf(&b, "%zu  %s", names.n + 1, p->name);
		tl_block_text(&names, b.data, NAME);
	}
	tl_panel_count(d, "n_names", names.n);
	tl_panel_block(d, "names", &names);
	tl_panel_block(d, "rows", &rows);
	tl_buf_release(&b);
	free(x);
	free(y);
	free(labelled);
}

struct range { double least, most; };
static void widen(struct range *r, double x)
{
	r->least = fmin(r->least, x);
	r->most = fmax(r->most, x);
}

/* Intensity and the height of each roof, as far as the roofs' rows go. */
static void add_roofs(struct tl_drawing *d, const struct tl_first_rows *r, struct range *x, struct range *y)
{
	int at = tl_first_column(r, TL_ROOF_INTENSITY);
	struct tl_block roofs = { .n = 0 }, names = { .n = 0 };
	double *row = tl_calloc(r->n_columns + 1, sizeof *row);

	for (size_t i = 0; at >= 0 && i < r->n; i++) {
		size_t n = 0;
		row[n++] = tl_first_number(r, i, at);
		for (size_t k = (size_t)at + 1; k < r->n_columns && !strncmp(r->columns[k], TL_ROOF, strlen(TL_ROOF)); k++) {
			row[n++] = tl_first_number(r, i, (int)k);
			if (!i)
				tl_block_text(&names, r->columns[k], 40);
			widen(y, row[n - 1]);
		}
		if (isnan(row[0]))
			continue;
		widen(x, row[0]);
		tl_block_numbers(&roofs, row, n);
	}
	tl_panel_count(d, "n_roofs", roofs.n ? names.n : 0);
	tl_panel_block(d, "roof_names", &names);
	tl_panel_block(d, "roofs", &roofs);
	free(row);
}

bool tl_draw_roofline(struct tl_drawing *d, const struct tl_plot_sheets *sheets, const struct tl_first_rows *r)
{
	const struct tl_plot_sheet *unified = tl_plot_sheets_find(sheets, "unified_perf_summary");
	struct points points = { .n = 0 };
	struct range x = { INFINITY, 0 }, y = { INFINITY, 0 };

	find_points(&points, r, unified ? &unified->rows : NULL);
	if (points.n) {
		find_categories(&points);
		for (size_t i = 0; i < points.n; i++) {
			widen(&x, points.p[i].x);
			widen(&y, points.p[i].y);
		}
		tl_panel_titles(d, tl_buf_text(&sheets->on_roofline), "FLOP/byte", "TFLOP/s");
		add_roofs(d, r, &x, &y);
		add_categories(d, &points);
		add_points(d, &points);
		tl_panel_number(d, "least_x", x.least);
		tl_panel_number(d, "largest_x", x.most);
		tl_panel_number(d, "least_y", y.least);
		tl_panel_number(d, "largest_y", y.most);
		tl_panel_add(d, TL_PANEL_ROOFLINE);
		d->width = 15;
		d->height = 8.5;
	}
	free(points.p);
	return points.n > 0;
}
