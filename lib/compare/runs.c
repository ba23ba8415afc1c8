/* runs.c - several runs of one program as one side of a comparison.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/runs.h"
#include "base/memory.h"
#include "compare/join.h"
#include "table/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *tl_judged_column(const struct tl_comparison *d)
{
	return d->sort ? d->sort : d->metrics[0];
}

/* Adds up a column of all rows of all runs, by group and run; to be freed. */
static double *sums_of(struct tl_table *const *tables, size_t n, const uint32_t *group, size_t n_groups, const char *name)
{
	double *sums = tl_calloc(n_groups * n + 1, sizeof *sums);
	size_t at = 0;

	for (size_t run = 0; run < n; run++) {
		int column = name ? tl_table_column(tables[run], name) : -1;
		for (size_t row = 0; row < tables[run]->n_rows; row++, at++) {
			double x = column < 0 ? 0 : tl_cell_number(tl_table_cell(tables[run], row, (size_t)column), tables[run]->ticks_per_us);
			sums[group[at] * n + run] += isnan(x) ? 0 : x;
		}
	}
	return sums;
}

enum { MEAN, STD, MIN, MAX, RUNS, COUNT, CALL, COLUMNS };

static size_t add_columns(struct tl_table *t, const struct tl_comparison *d)
{
	static const char *const suffixes[] = { [MEAN] = "", [STD] = "_std", [MIN] = "_min", [MAX] = "_max" };
	size_t first = t->n_columns;
	char name[256];

	for (int i = MEAN; i <= MAX; i++) {
		snprintf(name, sizeof name, "%s%s", tl_judged_column(d), suffixes[i]);
		tl_table_add_column(t, name);
	}
	tl_table_add_column(t, "runs");
	if (d->calls)
		tl_table_add_column(t, d->calls);
	if (d->calls && d->spread.mean)
		tl_table_add_column(t, d->spread.mean);
	return first;
}

/* The cells behind the keys of a row. */
static void fill_row(struct tl_table *t, size_t row, size_t first, const struct tl_comparison *d, const double *values, const double *calls,
                     const bool *has, size_t n)
{
	double sum = tl_pairwise_sum(values, n), called = tl_pairwise_sum(calls, n), least = INFINITY, most = -INFINITY;
	int64_t runs = 0;

	for (size_t i = 0; i < n; i++) {
		least = fmin(least, values[i]);
		most = fmax(most, values[i]);
		runs += has[i];
	}
	struct tl_cell cells[COLUMNS] = { tl_cell_real(sum / (double)n), tl_cell_real(tl_deviation(values, n)), tl_cell_real(least), tl_cell_real(most),
		tl_cell_int(runs), tl_cell_real(called / (double)n), called > 0 ? tl_cell_real(sum * d->sort_us / (d->mean_us ? d->mean_us : 1) / called) : tl_cell_null() };
	for (size_t i = 0; first + i < t->n_columns; i++)
		tl_table_set(t, row, first + i, cells[i]);
}

static void fill(struct tl_runs *s, const struct tl_comparison *d, struct tl_table *keys, struct tl_table *const *tables, const uint32_t *group,
                 size_t n_groups)
{
	double *calls = sums_of(tables, s->n, group, n_groups, d->calls);
	bool *has = tl_calloc(n_groups * s->n + 1, sizeof *has);
	size_t n_keys = s->table->n_columns, operator = d->operator ? tl_table_add_column(s->table, d->operator) : n_keys;
	size_t first = add_columns(s->table, d), at = 0;

	s->values = sums_of(tables, s->n, group, n_groups, tl_judged_column(d));
	tl_table_reserve(s->table, n_groups);
	s->table->n_rows = n_groups;
	for (size_t run = 0; run < s->n; run++)
		for (size_t row = 0; row < tables[run]->n_rows; row++, at++) {
			has[group[at] * s->n + run] = true;
			for (size_t k = 0; k < n_keys; k++)
				tl_table_set(s->table, group[at], k, tl_table_cell(keys, at, k));
			int column = d->operator ? tl_table_column(tables[run], d->operator) : -1;
			if (column >= 0)
				tl_table_set(s->table, group[at], operator, tl_table_cell(tables[run], row, (size_t)column));
		}
	for (size_t g = 0; g < n_groups; g++)
		fill_row(s->table, g, first, d, s->values + g * s->n, calls + g * s->n, has + g * s->n, s->n);
	free(calls);
	free(has);
}

enum tl_status tl_runs_make(struct tl_runs *s, const struct tl_comparison *d, struct tl_table *const *tables, size_t n, size_t *bad,
                            struct tl_error *err)
{
	struct tl_keys keys;

	*s = (struct tl_runs){ .n = n };
	enum tl_status st = tl_keys_find(&keys, d, tables, n, bad, err);
	if (!st) {
		struct tl_table *all = tl_keys_table(&keys, tables, n);
		size_t *columns = tl_alloc((keys.n + 1) * sizeof *columns);
		uint32_t *group = tl_alloc((all->n_rows + 1) * sizeof *group);
		s->table = tl_table_new(all->strings, 1, NULL);
		for (size_t k = 0; k < keys.n; k++)
			columns[k] = tl_table_add_column(s->table, keys.items[k]);
		fill(s, d, all, tables, group, tl_table_group(all, columns, keys.n, NULL, all->n_rows, group));
		free(group);
		free(columns);
		tl_table_free(all);
	}
	free(keys.items);
	return st;
}

void tl_runs_release(struct tl_runs *s)
{
	tl_table_free(s->table);
	free(s->values);
}

bool tl_runs_are_copies(const struct tl_runs *s)
{
	for (size_t row = 0; row < s->table->n_rows; row++)
		for (size_t run = 1; run < s->n; run++)
			if (s->values[row * s->n + run] != s->values[row * s->n])
				return false;
	return s->n > 1 && s->table->n_rows;
}
