/* roofline.c - the sheet behind the roofline chart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "xlsx/private.h"

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
	tl_buf_add(b, text, tl_format_double(text, x));
}

/* Rows that have everything: name, intensity, achieved, roof, share. The roof
 * of a row follows from its work and its least time. */
static size_t list_points(struct tl_buf *b, const struct sheet *s)
{
	static const char *const names[] = { "FLOPS/Byte", "TFLOPS/s_mean", "GFLOPS", "Roofline Time (µs)_first" };
	size_t n = 0;
	int col[4];

	for (size_t i = 0; i < 4; i++)
		if ((col[i] = tl_book_column(s, names[i])) < 0)
			return 0;
	tl_buf_adds(b, "name\tFLOPS/Byte\tTFLOPS/s\tRoofline TFLOPS/s\tPct Roofline\n");
	for (size_t i = 0; i < s->n_rows && i < N_KEPT; i++) {
		const double *row = s->kept + i * s->n_columns;
		double intensity = row[col[0]], achieved = row[col[1]], roof = row[col[2]] / row[col[3]] * 1000;
		if (!(intensity > 0 && achieved > 0 && roof > 0) || isinf(roof))
			continue;
		tl_tsv_add_text(b, s->labels[i], strlen(s->labels[i]));
		add_number(b, intensity);
		add_number(b, achieved);
		add_number(b, roof);
		add_number(b, achieved / roof * 100);
		tl_buf_addc(b, '\n');
		n++;
	}
	return n;
}

enum tl_status tl_book_add_roofline(struct tl_book *book, struct tl_error *err)
{
	const struct sheet *s = tl_book_find(book, "unified_perf_summary");
	struct tl_buf b = { 0 };
	enum tl_status st = TL_OK;

	if (!s || tl_book_find(book, SHEET))
		return TL_OK;
	if (list_points(&b, s)) {
		struct memory m = { { SHEET, read_memory }, b.data, b.len };
		st = tl_book_add_sheet(book, SHEET, &m.in, err);
	}
	tl_buf_release(&b);
	return st;
}
