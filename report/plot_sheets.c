/* plot_sheets.c - the sheets that pictures are made of, in memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/plot_sheets.h"
#include "base/memory_io.h"
#include "report/roofline_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNIFIED "unified_perf_summary"
#define MAX_POINTS 2000 /* of the roofline, as on a page */
#define LARGEST 1e24    /* numbers beyond: no picture can be made of them */
#define LEAST 1e-24     /* numbers below are drawn as 0 */

static enum tl_status add_row(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct tl_plot_sheet *s = ctx;

	(void)row;
	(void)err;
	tl_modelled_read(&s->modelled, f, n);
	tl_first_rows_add(&s->rows, f, n);
	return TL_OK;
}

static struct tl_plot_sheet *find(const struct tl_plot_sheets *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->items[i].name, name))
			return &s->items[i];
	return NULL;
}

static enum tl_status check_numbers(struct tl_first_rows *r, struct tl_error *err)
{
	for (size_t i = 0; i < r->n * r->n_columns; i++) {
		double *x = &r->numbers[i];
		if (fabs(*x) > LARGEST) {
			tl_fail(err, TL_ERR_DATA, "column '%s': %g is too large for a picture", r->columns[i % r->n_columns], *x);
			err->record = (int64_t)(i / r->n_columns) + 1;
			return TL_ERR_DATA;
		}
		if (fabs(*x) < LEAST)
			*x = 0;
	}
	return TL_OK;
}

enum tl_status tl_plot_sheets_add(struct tl_plot_sheets *s, const char *name, struct tl_input *tsv, struct tl_error *err)
{
	if (find(s, name))
		return tl_fail(err, TL_ERR_USAGE, "two sheets are named '%s'", name);
	TL_GROW(s->items, s->cap, s->n + 1);
	struct tl_plot_sheet *added = &s->items[s->n++];
	*added = (struct tl_plot_sheet){
		.name = tl_strdup(name),
		.rows = { .most = strcmp(name, UNIFIED) ? SIZE_MAX : MAX_POINTS, .all_texts = true },
	};
	enum tl_status st = tl_tsv_read(tsv, add_row, added, err);
	return st ? st : check_numbers(&added->rows, err);
}

enum tl_status tl_plot_sheets_add_roofline(struct tl_plot_sheets *s, struct tl_error *err)
{
	const struct tl_plot_sheet *unified = find(s, UNIFIED);
	struct tl_buf tsv = { 0 };
	enum tl_status st = TL_OK;

	if (unified && !find(s, TL_ROOFLINE_SHEET) &&
	    tl_roofline_table(&tsv, &unified->rows, &unified->modelled, &s->on_roofline)) {
		struct tl_memory_input in = tl_memory_input(TL_ROOFLINE_SHEET, tsv.data, tsv.len);
		st = tl_plot_sheets_add(s, TL_ROOFLINE_SHEET, &in.in, err);
	}
	tl_buf_release(&tsv);
	return st;
}

const struct tl_plot_sheet *tl_plot_sheets_find(const struct tl_plot_sheets *s, const char *name)
{
	const struct tl_plot_sheet *found = find(s, name);

	return found && found->rows.n ? found : NULL;
}

void tl_plot_sheets_release(struct tl_plot_sheets *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->items[i].name);
		tl_first_rows_release(&s->items[i].rows);
		tl_modelled_release(&s->items[i].modelled);
	}
	free(s->items);
	tl_buf_release(&s->on_roofline);
}
