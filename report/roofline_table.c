/* roofline_table.c - the sheet behind the roofline chart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/roofline_table.h"
#include "base/number.h"
#include "table/tsv.h"

#include <math.h>
#include <string.h>

static void add_number(struct tl_buf *b, double x)
{
	char text[TL_DOUBLE_TEXT];

	tl_buf_addc(b, '\t');
	if (!isnan(x))
		tl_buf_add(b, text, tl_format_double(text, x));
}

/* ---- the operators ---------------------------------------------------------- */

struct point {
	size_t row; /* of the sheet, 0 is the first below the header */
	const char *name, *dims, *spec;
	double intensity;      /* FLOP/byte */
	double rate, roof;     /* TFLOP/s: measured, and the highest at this intensity */
	double percent;        /* of the roof */
};

/* Finds the rows that have an intensity, a rate and a roof; returns how many. A row's
 * roof is its work over its least time. */
static size_t find_points(struct point *points, const struct tl_worksheet *s)
{
	int intensity = tl_worksheet_column(s, "FLOPS/Byte"), rate = tl_worksheet_column(s, "TFLOPS/s_mean");
	int work = tl_worksheet_column(s, "GFLOPS"), least_time = tl_worksheet_column(s, "Roofline Time (µs)_first");
	int percent = tl_worksheet_column(s, "Pct Roofline_mean");
	int dims = tl_worksheet_column(s, "Input Dims"), spec = tl_worksheet_column(s, "Compute Spec");
	size_t n = 0;

	if (intensity < 0 || rate < 0 || work < 0 || least_time < 0)
		return 0;
	for (size_t i = 0; i < s->n_rows && i < TL_CHART_ROWS; i++) {
		struct point p = {
			.row = i, .name = tl_worksheet_text(s, i, 0),
			.dims = tl_worksheet_text(s, i, dims), .spec = tl_worksheet_text(s, i, spec),
			.intensity = tl_worksheet_number(s, i, intensity), .rate = tl_worksheet_number(s, i, rate),
			.roof = tl_worksheet_number(s, i, work) / tl_worksheet_number(s, i, least_time) * 1000,
			.percent = percent >= 0 ? tl_worksheet_number(s, i, percent) : NAN,
		};
		if (!(p.intensity > 0 && p.rate > 0 && p.roof > 0) || isinf(p.roof))
			continue;
		if (!(p.percent > 0))
			p.percent = p.rate / p.roof * 100;
		points[n++] = p;
	}
	return n;
}

/* ---- the roofs ----------------------------------------------------------------
 * A roof rises with the intensity, as far as the memory is the limit, up to the peak
 * of a Compute Spec. Slope and peaks follow from the points. */

#define MAX_ROOFS 6
struct roofs {
	double slope;                             /* TFLOP/s at an intensity of 1 */
	const char *spec[MAX_ROOFS];
	double top[MAX_ROOFS];                    /* TFLOP/s; infinite: the memory limits all points */
	size_t n;
	double bends[MAX_ROOFS + 2];              /* intensities where a roof starts, bends or ends; ascending */
	size_t n_bends;
};

static void add_top(struct roofs *r, const struct point *p)
{
	size_t i = 0;

	while (i < r->n && strcmp(r->spec[i], p->spec))
		i++;
	if (i == MAX_ROOFS)
		return;
	if (i == r->n)
		r->spec[r->n++] = p->spec;
	r->top[i] = fmax(r->top[i], p->roof);
}

static void add_bend(struct roofs *r, double intensity)
{
	size_t i = r->n_bends;

	for (; i && r->bends[i - 1] >= intensity; i--) {
		if (r->bends[i - 1] == intensity)
			return;
	}
	memmove(r->bends + i + 1, r->bends + i, (r->n_bends++ - i) * sizeof *r->bends);
	r->bends[i] = intensity;
}

static void find_roofs(struct roofs *r, const struct point *p, size_t n)
{
	double least = INFINITY, most = 0;

	*r = (struct roofs){ 0 };
	for (size_t i = 0; i < n; i++) {
		r->slope = fmax(r->slope, p[i].roof / p[i].intensity);
		least = fmin(least, p[i].intensity);
		most = fmax(most, p[i].intensity);
	}
	for (size_t i = 0; i < n; i++)
		if (p[i].roof < 0.999 * r->slope * p[i].intensity)
			add_top(r, &p[i]);
	if (!r->n) {
		r->spec[r->n] = "memory";
		r->top[r->n++] = INFINITY;
	}
	add_bend(r, least);
	add_bend(r, most);
	for (size_t i = 0; i < r->n; i++)
		if (r->top[i] / r->slope > least && r->top[i] / r->slope < most)
			add_bend(r, r->top[i] / r->slope);
}

/* ---- the sheet ------------------------------------------------------------------ */

static void add_header(struct tl_buf *b, const struct roofs *r)
{
	tl_buf_adds(b, "operator\tInput Dims\tCompute Spec\tFLOPS/Byte\tTFLOPS/s\tRoofline TFLOPS/s\tPct Roofline\t"
	               TL_ROOF_INTENSITY);
	for (size_t i = 0; i < r->n; i++) {
		tl_buf_adds(b, "\t" TL_ROOF);
		const char *spec = *r->spec[i] ? r->spec[i] : "compute";
		tl_tsv_add_text(b, spec, strlen(spec));
	}
	tl_buf_addc(b, '\n');
}

/* The row in unified_perf_summary tells operators of one name apart. */
static void add_point(struct tl_buf *b, const struct point *p)
{
	char row[24];

	tl_tsv_add_text(b, p->name, strlen(p->name));
	tl_buf_adds(b, ", row ");
	tl_buf_add(b, row, tl_format_int(row, (int64_t)p->row + 2));
	tl_buf_addc(b, '\t');
	tl_tsv_add_text(b, p->dims, strlen(p->dims));
	tl_buf_addc(b, '\t');
	tl_tsv_add_text(b, p->spec, strlen(p->spec));
	add_number(b, p->intensity);
	add_number(b, p->rate);
	add_number(b, p->roof);
	add_number(b, p->percent);
}

/* The sheet as TSV: the operators, and beside them the bends of the roofs. */
static void put_sheet(struct tl_buf *b, const struct point *points, size_t n, const struct roofs *r)
{
	add_header(b, r);
	for (size_t i = 0; i < n || i < r->n_bends; i++) {
		double x = i < r->n_bends ? r->bends[i] : NAN;
		if (i < n)
			add_point(b, &points[i]);
		else
			tl_buf_adds(b, "\t\t\t\t\t\t");
		add_number(b, x);
		for (size_t k = 0; k < r->n; k++)
			add_number(b, isnan(x) ? NAN : fmin(r->slope * x, r->top[k]));
		tl_buf_addc(b, '\n');
	}
}

bool tl_roofline_table(struct tl_buf *tsv, const struct tl_worksheet *unified)
{
	struct point points[TL_CHART_ROWS];
	struct roofs roofs;
	size_t n = find_points(points, unified);

	if (!n)
		return false;
	find_roofs(&roofs, points, n);
	put_sheet(tsv, points, n, &roofs);
	return true;
}
