/* first_rows.c - the first rows of a sheet, which charts look at.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/first_rows.h"
#include "report/cell_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int tl_first_column(const struct tl_first_rows *r, const char *name)
{
	for (size_t i = 0; i < r->n_columns; i++)
		if (!strcmp(r->columns[i], name))
			return (int)i;
	return -1;
}

double tl_first_number(const struct tl_first_rows *r, size_t row, int column)
{
	return row < r->n ? r->numbers[row * r->n_columns + (size_t)column] : NAN;
}

const char *tl_first_text(const struct tl_first_rows *r, size_t row, int column)
{
	const char *text = column >= 0 && row < r->n ? r->texts[row * r->n_columns + (size_t)column] : NULL;

	return text ? text : "";
}

static bool keeps_texts(const struct tl_first_rows *r, size_t i)
{
	return r->all_texts || !i || !strcmp(r->columns[i], "Input Dims") || !strcmp(r->columns[i], "Compute Spec");
}

void tl_first_rows_add(struct tl_first_rows *r, const struct tl_field_text *f, size_t n)
{
	size_t at = r->n * n;
	double x;

	if (!r->columns) {
		r->columns = tl_calloc(n, sizeof *r->columns);
		r->n_columns = n;
		for (size_t i = 0; i < n; i++)
			r->columns[i] = tl_arena_dup(&r->arena, f[i].s, f[i].len);
		r->description = tl_description_of(r->sheet, r->columns, n);
		r->is_sure = tl_description_is_sure(r->description, r->sheet, r->columns, n);
		return;
	}
	if (r->n == r->most)
		return;
	TL_GROW(r->numbers, r->cap_numbers, at + n);
	TL_GROW(r->texts, r->cap_texts, at + n);
	for (size_t i = 0; i < n; i++) {
		r->numbers[at + i] = tl_xlsx_number(f[i].s, f[i].len, &x) ? x : NAN;
		r->texts[at + i] = keeps_texts(r, i) ? tl_arena_dup(&r->arena, f[i].s, f[i].len) : NULL;
	}
	r->n++;
}

size_t tl_largest_rows(size_t *rows, const double *values, size_t n, size_t most)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		size_t at = found < most ? found++ : most;
		while (at && values[rows[at - 1]] < values[i]) {
			if (at < most)
				rows[at] = rows[at - 1];
			at--;
		}
		if (at < most)
			rows[at] = i;
	}
	return found;
}

void tl_first_rows_release(struct tl_first_rows *r)
{
	free(r->columns);
	free(r->numbers);
	free(r->texts);
	tl_arena_release(&r->arena);
}

static void scale(double *v, size_t n)
{
	double least = INFINITY, most = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		least = fmin(least, v[i]);
		most = fmax(most, v[i]);
	}
	for (size_t i = 0; i < n; i++)
		v[i] = most > least ? (v[i] - least) / (most - least) : 0;
}

void tl_choose_labels(bool *labelled, double *x, double *y, size_t n, size_t among, size_t most, double width, double height)
{
	size_t chosen = 0;

	scale(x, n);
	scale(y, n);
	for (size_t i = 0; i < n; i++) {
		labelled[i] = i < among && chosen < most;
		for (size_t k = 0; labelled[i] && k < i; k++)
			if (labelled[k] && fabs(x[k] - x[i]) < width && fabs(y[k] - y[i]) < height)
				labelled[i] = false;
		chosen += labelled[i];
	}
}
