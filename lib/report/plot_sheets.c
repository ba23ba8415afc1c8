/* plot_sheets.c - the sheets that pictures are made of, in memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/plot_sheets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POINTS 2000 /* of the roofline, as on a page */
#define LARGEST 1e24    /* numbers beyond: no picture can be made of them */
#define LEAST 1e-24     /* numbers below are drawn as 0 */

static enum tl_status read_row(void *rows, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	(void)row, (void)err;
	tl_first_rows_add(rows, f, n);
	return TL_OK;
}

/* Of the sheet that the roofline is made of. */
static enum tl_status read_unified(void *sheets, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct tl_plot_sheets *s = sheets;

	tl_roof_chart_read(&s->roofline, f, n);
	return read_row(&s->items[s->n - 1].rows, row, f, n, err);
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
	bool is_unified = !strcmp(name, TL_UNIFIED);
	size_t most = is_unified ? MAX_POINTS : SIZE_MAX;
	*added = (struct tl_plot_sheet){ .name = tl_strdup(name), .rows = { .most = most, .all_texts = true } };
	added->rows.sheet = added->name;
	s->roofline.rows.most = MAX_POINTS;
	enum tl_status st = is_unified ? tl_tsv_read(tsv, read_unified, s, err) : tl_tsv_read(tsv, read_row, &added->rows, err);
	if (!st && is_unified)
		st = check_numbers(&s->roofline.rows, err);
	return st ? st : check_numbers(&added->rows, err);
}

enum tl_status tl_plot_sheets_add_roofline(struct tl_plot_sheets *s, struct tl_error *err)
{
	struct tl_input *sheet = find(s, TL_ROOFLINE_SHEET) ? NULL : tl_roof_chart_sheet(&s->roofline);

	return sheet ? tl_plot_sheets_add(s, TL_ROOFLINE_SHEET, sheet, err) : TL_OK;
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
	}
	free(s->items);
	tl_roof_chart_release(&s->roofline);
}
