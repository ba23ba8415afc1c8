/* point_labels.c - names beside the points of a chart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/point_labels.h"
#include "report/cell_value.h"
#include "report/label_places.h"

#include <math.h>
#include <string.h>

#define MAX_LABELS 15     /* of points */
#define LABEL_WIDTH 0.3   /* of the chart */
#define LABEL_HEIGHT 0.06

/* Where points lie: logarithms. */
struct positions { double x[TL_CHART_ROWS], y[TL_CHART_ROWS]; size_t n; };

static void find_positions(struct positions *at, const struct tl_worksheet *s, int x, int y, size_t n)
{
	at->n = n < TL_CHART_ROWS ? n : TL_CHART_ROWS;
	for (size_t i = 0; i < at->n; i++) {
		at->x[i] = log(tl_first_number(&s->first, i, x));
		at->y[i] = log(tl_first_number(&s->first, i, y));
	}
}

/* A text that begins with '=' would be a formula. */
static void add_label_text(struct tl_buf *b, const char *text)
{
	struct tl_buf fit = { 0 };
	bool cut;

	tl_xlsx_text(&fit, text, strlen(text), 255, &cut);
	tl_xlsx_mask(&fit);
	tl_buf_addf(b, " %s", tl_buf_text(&fit));
	tl_buf_release(&fit);
}

void tl_label_points(lxw_chart_series *series, const struct tl_worksheet *s, int x, int y, size_t n)
{
	lxw_chart_font font = { .size = 8 };
	lxw_chart_data_label labels[TL_CHART_ROWS], *list[TL_CHART_ROWS + 1] = { NULL };
	struct tl_buf texts[TL_CHART_ROWS] = { { 0 } };
	bool labelled[TL_CHART_ROWS] = { false };
	struct positions at;

	find_positions(&at, s, x, y, n);
	tl_choose_labels(labelled, at.x, at.y, at.n, MAX_LABELS, MAX_LABELS, LABEL_WIDTH, LABEL_HEIGHT);
	for (size_t i = 0; i < at.n; i++) {
		add_label_text(&texts[i], tl_first_text(&s->first, i, 0));
		labels[i] = (lxw_chart_data_label){ .hide = !labelled[i], .font = &font };
		if (labelled[i])
			labels[i].value = texts[i].data;
		list[i] = &labels[i];
	}
	chart_series_set_labels(series);
	chart_series_set_labels_position(series, LXW_CHART_LABEL_POSITION_BELOW);
	chart_series_set_labels_custom(series, list);
	for (size_t i = 0; i < at.n; i++)
		tl_buf_release(&texts[i]);
}
