/* roofline_table.c - the sheet behind the roofline chart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/roofline_table.h"
#include "base/number.h"
#include "base/text.h"
#include "report/cell_value.h"
#include "table/tsv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_number(struct tl_buf *b, double x)
{
	char text[TL_DOUBLE_TEXT];

	tl_buf_addc(b, '\t');
	if (!isnan(x))
		tl_buf_add(b, text, tl_format_double(text, x));
}

/* ---- the rows ----------------------------------------------------------------- */

void tl_roof_chart_read(void *roofline, const struct tl_field_text *f, size_t n)
{
	struct tl_roof_chart *r = roofline;
	double us;

	tl_first_rows_add(&r->rows, f, n);
	if (!r->has_header) {
		r->has_header = true;
		const struct { const char *name; size_t *at; } columns[] = {
			{ "name", &r->at.name }, { "Kernel Time (µs)_sum", &r->at.time },
			{ "GFLOPS", &r->at.flops }, { "Data Moved (MB)", &r->at.bytes },
		};

		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++)
				if (tl_text_is(f[i].s, f[i].len, columns[k].name))
					*columns[k].at = i + 1;
		return;
	}
	if (!r->at.name || !r->at.time || !r->at.flops || !r->at.bytes || r->at.name > n || r->at.time > n ||
	    r->at.flops > n || r->at.bytes > n)
		return;
	if (!tl_xlsx_number(f[r->at.time - 1].s, f[r->at.time - 1].len, &us))
		return;
	r->total_us += us;
	if (f[r->at.flops - 1].len || f[r->at.bytes - 1].len)
		return;
	r->unmodelled_us += us;
	uint32_t known = r->names.count, id = tl_intern(&r->names, f[r->at.name - 1].s, f[r->at.name - 1].len);
	TL_GROW(r->us, r->cap, (size_t)id + 1);
	r->us[id] = id > known ? us : r->us[id] + us;
}

/* ---- the operators ---------------------------------------------------------- */

struct point {
	size_t row; /* of the sheet, 0 is the first below the header */
	const char *name, *dims, *spec;
	double intensity;      /* FLOP/byte */
	double rate, roof;     /* TFLOP/s: measured, and the highest at this intensity */
	double percent;        /* of the roof */
	double us;             /* kernel time */
};

/* Finds the rows that have an intensity, a rate and a roof; returns how many. A row's
 * roof is its work over its least time. */
static size_t find_points(struct point *points, const struct tl_first_rows *s)
{
	int intensity = tl_first_column(s, "FLOPS/Byte"), rate = tl_first_column(s, "TFLOPS/s_mean");
	int work = tl_first_column(s, "GFLOPS"), least_time = tl_first_column(s, "Roofline Time (µs)_first");
	int percent = tl_first_column(s, "Pct Roofline_mean");
	int dims = tl_first_column(s, "Input Dims"), spec = tl_first_column(s, "Compute Spec");
	int time = tl_first_column(s, "Kernel Time (µs)_sum");
	size_t n = 0;

	if (intensity < 0 || rate < 0 || work < 0 || least_time < 0)
		return 0;
	for (size_t i = 0; i < s->n; i++) {
		struct point p = {
			.row = i, .name = tl_first_text(s, i, 0),
			.dims = tl_first_text(s, i, dims), .spec = tl_first_text(s, i, spec),
			.intensity = tl_first_number(s, i, intensity), .rate = tl_first_number(s, i, rate),
			.roof = tl_first_number(s, i, work) / tl_first_number(s, i, least_time) * 1000,
			.percent = percent >= 0 ? tl_first_number(s, i, percent) : NAN,
			.us = time >= 0 ? tl_first_number(s, i, time) : NAN,
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

/* ---- names of points ---------------------------------------------------------- */

#define MAX_SHAPE 36 /* bytes */

/* Sizes of operands, short: "((16, 64), (), (64,))" becomes "[16,64] [64]". */
static void add_shape(struct tl_buf *b, const char *dims)
{
	struct tl_buf shape = { 0 };
	bool open = false; /* in a list that has a number */

	for (const char *p = dims; *p; p++) {
		if (*p >= '0' && *p <= '9') {
			bool first = p == dims || p[-1] < '0' || p[-1] > '9';
			if (first)
				tl_buf_adds(&shape, open ? "," : shape.len ? " [" : "[");
			tl_buf_addc(&shape, *p);
			open = true;
		} else if ((*p == ')' || *p == ']') && open) {
			tl_buf_addc(&shape, ']');
			open = false;
		}
	}
	if (shape.len > MAX_SHAPE)
		tl_buf_addf(b, " %.*s\xe2\x80\xa6", MAX_SHAPE, shape.data);
	else if (shape.len)
		tl_buf_addf(b, " %s", shape.data);
	tl_buf_release(&shape);
}

/* "aten::mm [16,64] [64,8]"; " #2" tells a second point of that name apart. */
static void add_label(struct tl_buf *b, const struct point *points, size_t i)
{
	const struct point *p = &points[i];
	struct tl_buf label = { 0 };
	size_t same = 1;

	for (size_t k = 0; k < i; k++)
		same += !strcmp(points[k].name, p->name) && !strcmp(points[k].dims, p->dims);
	tl_buf_adds(&label, p->name);
	add_shape(&label, p->dims);
	if (same > 1)
		tl_buf_addf(&label, " #%zu", same);
	tl_tsv_add_text(b, label.data, label.len);
	tl_buf_release(&label);
}

/* ---- the sheet ------------------------------------------------------------------ */

enum { MAX_UNMODELLED = 15 };
struct unmodelled { const struct tl_roof_chart *all; size_t ids[MAX_UNMODELLED], n; };

static void add_point(struct tl_buf *b, const struct point *points, size_t i)
{
	const struct point *p = &points[i];

	add_label(b, points, i);
	tl_buf_addf(b, "\t%zu\t", p->row + 2);
	tl_tsv_add_text(b, p->spec, strlen(p->spec));
	add_number(b, p->intensity);
	add_number(b, p->rate);
	add_number(b, p->roof);
	add_number(b, p->percent);
}

/* The sheet as TSV: the operators, and beside them the bends of the roofs and what has no
 * model. */
static void put_sheet(struct tl_buf *b, const struct point *points, size_t n, const struct roofs *r,
                      const struct unmodelled *u)
{
	tl_buf_adds(b, "operator\tunified_perf_summary row\tCompute Spec\tFLOPS/Byte\tTFLOPS/s\t"
	               "Roofline TFLOPS/s\tPct Roofline\t" TL_ROOF_INTENSITY);
	for (size_t i = 0; i < r->n; i++) {
		tl_buf_adds(b, "\t" TL_ROOF);
		/* A header has no control characters. */
		struct tl_buf masked = { 0 };
		tl_buf_adds(&masked, *r->spec[i] ? r->spec[i] : "compute");
		tl_xlsx_mask(&masked);
		tl_tsv_add_text(b, masked.data, masked.len);
		tl_buf_release(&masked);
	}
	if (u->n)
		tl_buf_adds(b, "\t" TL_NOT_MODELLED "\t" TL_NOT_MODELLED_TIME);
	tl_buf_addc(b, '\n');
	for (size_t i = 0; i < n || i < r->n_bends || i < u->n; i++) {
		double x = i < r->n_bends ? r->bends[i] : NAN;
		if (i < n)
			add_point(b, points, i);
		else
			tl_buf_adds(b, "\t\t\t\t\t\t");
		add_number(b, x);
		for (size_t k = 0; k < r->n; k++)
			add_number(b, isnan(x) ? NAN : fmin(r->slope * x, r->top[k]));
		if (u->n) {
			tl_buf_addc(b, '\t');
			if (i < u->n) {
				const struct tl_strtab_entry *name = &u->all->names.entries[u->ids[i]];
				tl_tsv_add_text(b, name->s, name->len);
				add_number(b, u->all->us[u->ids[i]] / 1000);
			} else {
				tl_buf_addc(b, '\t');
			}
		}
		tl_buf_addc(b, '\n');
	}
}

static void summarize(struct tl_buf *b, const struct point *points, size_t n, const struct tl_roof_chart *r)
{
	double us = 0;

	for (size_t i = 0; i < n; i++)
		us += points[i].us;
	if (!(r->total_us > 0) || isnan(us))
		return;
	tl_buf_addf(b, "%zu row%s with %.1f %% of the kernel time, communication left out; not modelled: %.1f %%",
	            n, n == 1 ? "" : "s", us / r->total_us * 100, r->unmodelled_us / r->total_us * 100);
}

/* The operators without a model that took most time. */
static void find_unmodelled(struct unmodelled *u)
{
	if (!u->all->names.count)
		return;
	u->n = tl_largest_rows(u->ids, u->all->us + 1, u->all->names.count, MAX_UNMODELLED);
	for (size_t i = 0; i < u->n; i++)
		u->ids[i]++; /* ids begin with 1 */
}

struct tl_input *tl_roof_chart_sheet(struct tl_roof_chart *r)
{
	struct point *points = tl_calloc(r->rows.n + 1, sizeof *points);
	struct unmodelled u = { .all = r };
	struct roofs roofs;
	size_t n = find_points(points, &r->rows);

	if (n) {
		find_roofs(&roofs, points, n);
		find_unmodelled(&u);
		put_sheet(&r->tsv, points, n, &roofs, &u);
		summarize(&r->summary, points, n, r);
		r->in = tl_memory_input(TL_ROOFLINE_SHEET, r->tsv.data, r->tsv.len);
	}
	free(points);
	return n ? &r->in.in : NULL;
}

void tl_roof_chart_release(struct tl_roof_chart *r)
{
	tl_first_rows_release(&r->rows);
	tl_strtab_release(&r->names);
	free(r->us);
	tl_buf_release(&r->summary);
	tl_buf_release(&r->tsv);
}
