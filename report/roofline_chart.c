/* roofline_chart.c - the sheet behind the roofline chart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/book.h"

#include <math.h>
#include <string.h>

#define SHEET "roofline_chart"

struct memory { struct tl_input in; const char *s; size_t len; };

static int64_t read_memory(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	struct memory *m = (struct memory *)in;
	size_t n = m->len < cap ? m->len : cap;
	(void)err;
	memcpy(buf, m->s, n);
	m->s += n;
	m->len -= n;
	return (int64_t)n;
}

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
	double intensity, achieved, roof, percent;
};

static const char *text_of(const struct sheet *s, const char *column, size_t row)
{
	int col = tl_book_column(s, column);
	return col >= 0 && s->columns[col].texts ? s->columns[col].texts[row] : "";
}

/* Rows that have everything: intensity, achieved, roof. The roof of a row
 * follows from its work and its least time. */
static size_t find_points(struct point *points, const struct sheet *s)
{
	static const char *const names[] = { "FLOPS/Byte", "TFLOPS/s_mean", "GFLOPS", "Roofline Time (µs)_first" };
	int col[4], percent = tl_book_column(s, "Pct Roofline_mean");
	size_t n = 0;

	for (size_t i = 0; i < 4; i++)
		if ((col[i] = tl_book_column(s, names[i])) < 0)
			return 0;
	for (size_t i = 0; i < s->n_rows && i < N_KEPT; i++) {
		const double *row = s->kept + i * s->n_columns;
		double intensity = row[col[0]], achieved = row[col[1]], roof = row[col[2]] / row[col[3]] * 1000;
		if (!(intensity > 0 && achieved > 0 && roof > 0) || isinf(roof))
			continue;
		points[n++] = (struct point){
			.row = i, .name = s->columns[0].texts[i],
			.dims = text_of(s, "Input Dims", i), .spec = text_of(s, "Compute Spec", i),
			.intensity = intensity, .achieved = achieved, .roof = roof,
			.percent = percent >= 0 && row[percent] > 0 ? row[percent] : achieved / roof * 100,
		};
	}
	return n;
}

/* ---- the roofs ----------------------------------------------------------------
 * A roof rises with the intensity (what the memory allows) up to what a unit of
 * the machine computes at most, a Compute Spec. Both are read off the points. */

#define MAX_ROOFS 6
struct roofs {
	double slope;                             /* TFLOP/s of an intensity of 1 */
	const char *spec[MAX_ROOFS];
	double top[MAX_ROOFS];                    /* infinite: nothing reaches it */
	size_t n;
	double bends[MAX_ROOFS + 2];              /* intensities where a line starts, bends or ends */
	size_t n_bends;
};

static void add_top(struct roofs *r, const struct point *p)
{
	size_t i = 0;

	while (i < r->n && strcmp(r->spec[i], p->spec))
		i++;
	if (i == MAX_ROOFS)
		return;
	if (i == r->n) {
		r->spec[r->n++] = p->spec;
		r->top[i] = 0;
	}
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
	if (!r->n)
		r->spec[0] = "memory", r->top[0] = INFINITY, r->n = 1;
	add_bend(r, least);
	add_bend(r, most);
	for (size_t i = 0; i < r->n; i++)
		if (r->top[i] / r->slope > least && r->top[i] / r->slope < most)
			add_bend(r, r->top[i] / r->slope);
}

/* ---- the sheet ------------------------------------------------------------------ */

static void add_header(struct tl_buf *b, const struct roofs *r)
{
	tl_buf_adds(b, "operator\tInput Dims\tCompute Spec\tFLOPS/Byte\tTFLOPS/s\tRoofline TFLOPS/s\tPct Roofline\t" ROOF "FLOPS/Byte");
	for (size_t i = 0; i < r->n; i++) {
		tl_buf_adds(b, "\t" ROOF);
		const char *spec = *r->spec[i] ? r->spec[i] : "compute";
		tl_tsv_add_text(b, spec, strlen(spec));
	}
	tl_buf_addc(b, '\n');
}

/* Operators of one name are told apart by their row in the sheet they are from. */
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
	add_number(b, p->achieved);
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

enum tl_status tl_book_add_roofline(struct tl_book *book, struct tl_error *err)
{
	const struct sheet *s = tl_book_find(book, "unified_perf_summary");
	struct point points[N_KEPT];
	struct roofs roofs;
	struct tl_buf b = { 0 };

	if (!s || tl_book_find(book, SHEET))
		return TL_OK;
	size_t n = find_points(points, s);
	if (!n)
		return TL_OK;
	find_roofs(&roofs, points, n);
	put_sheet(&b, points, n, &roofs);
	struct memory m = { { SHEET, read_memory }, b.data, b.len };
	enum tl_status st = tl_book_add_sheet(book, SHEET, &m.in, err);
	tl_buf_release(&b);
	return st;
}
