/* verdict.c - how sure the difference between two reports is.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/verdict.h"

#include <math.h>
#include <stdlib.h>

#define SURE 0.05

const char *tl_verdict_text(enum tl_verdict v)
{
	static const char *const texts[] = {
		[TL_VERDICT_NONE] = NULL,
		[TL_VERDICT_SLOWER] = "slower",
		[TL_VERDICT_FASTER] = "faster",
		[TL_VERDICT_SAME] = "no difference shown",
		[TL_VERDICT_ONE_RUN] = "not judged: one run each",
		[TL_VERDICT_ONE_VALUE] = "not judged: one value",
		[TL_VERDICT_OVERLAP] = "not judged: ranges overlap",
	};
	return texts[v];
}

/* ---- one row --------------------------------------------------------------------------- */

static double number(const struct tl_table *t, size_t row, const char *name)
{
	int column = name ? tl_table_column(t, name) : -1;

	return column < 0 ? NAN : tl_cell_number(tl_table_cell(t, row, (size_t)column), t->ticks_per_us);
}

static struct tl_spread spread_of(const struct tl_table *t, size_t row, const struct tl_spread_columns *c)
{
	return (struct tl_spread){ .n = number(t, row, c->count), .mean = number(t, row, c->mean), .std = number(t, row, c->std),
		.min = number(t, row, c->min), .max = number(t, row, c->max) };
}

/* The verdict, but for SLOWER, FASTER and SAME, which depend on other rows: NONE. */
static void judge_row(struct tl_judged *out, const struct tl_spread *a, const struct tl_spread *b)
{
	bool overlap = false;

	out->noise = tl_welch(a, b);
	if (isnan(out->noise.p) && a->n + b->n > 2)
		out->noise = tl_apart(a, b, &overlap);
	if (isnan(out->noise.p))
		out->verdict = overlap && a->n >= 2 && b->n >= 2 ? TL_VERDICT_OVERLAP : TL_VERDICT_ONE_VALUE;
	out->noise.low *= 100 / a->mean;
	out->noise.high *= 100 / a->mean;
	if (!isfinite(out->noise.low) || !isfinite(out->noise.high))
		out->noise.low = out->noise.high = NAN;
}

/* ---- all rows ------------------------------------------------------------------------------ */

static int by_probability(const void *a, const void *b)
{
	double x = (*(struct tl_judged *const *)a)->noise.p, y = (*(struct tl_judged *const *)b)->noise.p;

	return (x > y) - (x < y);
}

/* Benjamini and Hochberg: the i-th smallest of n probabilities times n / i, and no more than that
 * of a greater one. */
static void adjust(struct tl_judged *rows, size_t n_rows)
{
	struct tl_judged **tested = tl_alloc((n_rows + 1) * sizeof *tested);
	double least = 1;
	size_t n = 0;

	for (size_t i = 0; i < n_rows; i++)
		if (!isnan(rows[i].noise.p))
			tested[n++] = &rows[i];
	qsort(tested, n, sizeof *tested, by_probability);
	for (size_t i = n; i-- > 0;) {
		least = fmin(least, tested[i]->noise.p * (double)n / (double)(i + 1));
		tested[i]->adjusted = least;
	}
	free(tested);
}

void tl_judge(struct tl_judged *out, const struct tl_spread_columns *c, const struct tl_join *j, struct tl_table *const *tables,
              size_t other)
{
	for (size_t i = 0; i < j->n; i++) {
		size_t a = tl_join_row(j, i, 0), b = tl_join_row(j, i, other);
		out[i] = (struct tl_judged){ TL_VERDICT_NONE, { NAN, NAN, NAN }, NAN };
		if (a == TL_NO_ROW || b == TL_NO_ROW)
			continue;
		struct tl_spread x = spread_of(tables[0], a, c), y = spread_of(tables[other], b, c);
		if (c->mean)
			judge_row(&out[i], &x, &y);
		else
			out[i].verdict = TL_VERDICT_ONE_RUN;
	}
	adjust(out, j->n);
	for (size_t i = 0; i < j->n; i++) {
		if (isnan(out[i].noise.p))
			continue;
		double x = number(tables[0], tl_join_row(j, i, 0), c->mean), y = number(tables[other], tl_join_row(j, i, other), c->mean);
		out[i].verdict = out[i].adjusted >= SURE ? TL_VERDICT_SAME : y > x ? TL_VERDICT_SLOWER : TL_VERDICT_FASTER;
	}
}
