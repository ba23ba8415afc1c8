/* numbers.c - the numbers of a column in a group of rows, and statistics of them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/numbers.h"

#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool tl_is_statistic(enum tl_column_kind kind)
{
	return kind >= TL_SUM && kind <= TL_MAX;
}

void tl_numbers_release(struct tl_numbers *x)
{
	free(x->values);
	free(x->scratch);
}

void tl_numbers_take(struct tl_numbers *x, const struct tl_table *t, const size_t *rows, size_t n)
{
	double least = INFINITY, greatest = -INFINITY;

	x->n = 0;
	x->sum = 0;
	x->reals = x->times = false;
	x->least = x->greatest = tl_cell_null();
	x->ticks_per_us = t->ticks_per_us;
	TL_GROW(x->values, x->cap, n);
	for (size_t i = 0; i < n; i++) {
		struct tl_cell c = tl_table_cell(t, rows[i], x->column);
		double value = tl_cell_number(c, t->ticks_per_us);
		if (isnan(value))
			continue;
		if (!x->n || value < least) {
			x->least = c;
			least = value;
		}
		if (!x->n || value > greatest) {
			x->greatest = c;
			greatest = value;
		}
		x->values[x->n++] = value;
		x->reals |= c.type == TL_CELL_REAL;
		x->times |= c.type == TL_CELL_TIME;
		x->sum += c.type == TL_CELL_REAL ? 0 : c.i;
	}
}

static struct tl_cell sum_of(const struct tl_numbers *x)
{
	if (x->reals || !x->n)
		return tl_cell_real(tl_kahan_sum(x->values, x->n));
	if (x->sum < INT64_MIN || x->sum > INT64_MAX)
		return tl_cell_real((double)x->sum / (double)(x->times ? x->ticks_per_us : 1));
	return x->times ? tl_cell_time((int64_t)x->sum, false) : tl_cell_int((int64_t)x->sum);
}

static double median_of(struct tl_numbers *x)
{
	TL_GROW(x->scratch, x->cap_scratch, x->n);
	memcpy(x->scratch, x->values, x->n * sizeof *x->values);
	return tl_median(x->scratch, x->n);
}

static struct tl_cell extreme_of(const struct tl_numbers *x, struct tl_cell c)
{
	return x->reals && c.type == TL_CELL_INT ? tl_cell_real((double)c.i) : c;
}

struct tl_cell tl_numbers_statistic(struct tl_numbers *x, const struct tl_column *c)
{
	if (c->kind == TL_SUM)
		return sum_of(x);
	if (!x->n)
		return !c->zero ? tl_cell_null() : c->kind == TL_MIN || c->kind == TL_MAX ? tl_cell_int(0) : tl_cell_real(0);
	switch (c->kind) {
	case TL_MEAN: return tl_cell_real(tl_kahan_sum(x->values, x->n) / (double)x->n);
	case TL_MEDIAN: return tl_cell_real(median_of(x));
	case TL_VAR: return tl_cell_real(tl_variance(x->values, x->n));
	case TL_STD_ALL: return tl_cell_real(tl_deviation_of_all(x->values, x->n));
	case TL_MIN: return extreme_of(x, x->least);
	case TL_MAX: return extreme_of(x, x->greatest);
	default: return x->n > 1 ? tl_cell_real(tl_deviation(x->values, x->n)) : c->rounded ? tl_cell_real(0) : tl_cell_null();
	}
}
