/* compare.c - a sheet of several reports side by side, with differences.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/compare.h"
#include "base/merge_sort.h"
#include "base/number.h"
#include "base/text.h"
#include "compare/comparisons.h"
#include "compare/join.h"
#include "compare/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- verdict --------------------------------------------------------------------- */

static double number(const struct tl_table *t, size_t row, const char *name)
{
	int column = name ? tl_table_column(t, name) : -1;

	return column < 0 ? NAN : tl_cell_number(tl_table_cell(t, row, (size_t)column), t->ticks_per_us);
}

/* Of each joined row what the table tells; to be freed. */
static struct tl_spread *spreads_of(const struct tl_join *j, struct tl_table *const *tables, size_t table, const struct tl_spread_columns *c)
{
	const struct tl_table *t = tables[table];
	struct tl_spread *out = tl_calloc(j->n + 1, sizeof *out);

	for (size_t i = 0; i < j->n; i++) {
		size_t row = tl_join_row(j, i, table);
		if (row != TL_NO_ROW)
			out[i] = (struct tl_spread){ .n = number(t, row, c->count), .mean = number(t, row, c->mean),
				.std = number(t, row, c->std), .min = number(t, row, c->min), .max = number(t, row, c->max) };
	}
	return out;
}

/* Judges each joined row: table `other` against table 0. out: as many as the join has rows. */
static void judge_rows(struct tl_judged *out, const struct tl_spread_columns *c, const struct tl_join *j, struct tl_table *const *tables,
              size_t other)
{
	struct tl_spread *a = spreads_of(j, tables, 0, c), *b = spreads_of(j, tables, other, c);

	tl_judge(out, a, b, j->n);
	for (size_t i = 0; i < j->n && !c->mean; i++)
		if (out[i].verdict != TL_VERDICT_NONE)
			out[i].verdict = TL_VERDICT_ONE_RUN;
	free(a);
	free(b);
}

/* The values of a joined row by run, those of a report that lacks it are 0; to be freed. */
static double *values_of(const struct tl_join *j, const struct tl_runs *s, size_t report)
{
	double *out = tl_calloc(j->n * s->n + 1, sizeof *out);

	for (size_t i = 0; i < j->n; i++)
		if (tl_join_row(j, i, report) != TL_NO_ROW)
			memcpy(out + i * s->n, s->values + tl_join_row(j, i, report) * s->n, s->n * sizeof *out);
	return out;
}

/* The same as judge_rows, by the spread between runs. */
static void judge_runs(struct tl_judged *out, const struct tl_join *j, const struct tl_runs *sides, size_t other)
{
	double *a = values_of(j, &sides[0], 0), *b = values_of(j, &sides[other], other);

	tl_judge_runs(out, a, sides[0].n, b, sides[other].n, j->n);
	free(a);
	free(b);
}

/* ---- compare --------------------------------------------------------------------- */

enum column_kind { KEY, DIFFERENCE, PERCENT, DATA, VERDICT, PROBABILITY, ADJUSTED, LOW, HIGH };

/* A column of the result. */
struct column {
	enum column_kind kind;
	size_t report;      /* of DATA; of differences and verdicts the one that is not the baseline */
	size_t at, base;    /* index in the report's table, of differences in that of the baseline, too */
	char *name;
};

struct comparing {
	const struct tl_comparison *d;
	const struct tl_compare_input *in;
	struct tl_compare_report *report;
	struct tl_arena arena;
	struct tl_spread_columns spread;
	struct tl_keys keys;
	struct tl_join join;
	struct tl_judged **judged; /* of each report but the baseline; NULL: no verdicts */
	struct column *columns; size_t n_columns, cap_columns;
};

/* ---- columns --------------------------------------------------------------------------- */

static void add_column(struct comparing *c, enum column_kind kind, size_t report, size_t at, size_t base, const struct tl_buf *name)
{
	TL_PUSH(c->columns, c->n_columns, c->cap_columns, (struct column){ kind, report, at, base, tl_arena_dup(&c->arena, name->data, name->len) });
}

static void add_differences(struct comparing *c, const char *metric, struct tl_buf *name)
{
	int base = tl_table_column(c->in->tables[0], metric);

	for (size_t r = 1; r < c->in->n; r++) {
		int at = tl_table_column(c->in->tables[r], metric);
		size_t lacks = base < 0 ? 0 : r;
		if (base < 0 || at < 0) {
			if (c->in->tables[lacks]->n_rows && !c->in->sides) {
				c->report->no_metric = metric;
				c->report->without = lacks;
			}
			continue;
		}
		for (int percent = 0; percent < 2; percent++) {
			tl_buf_clear(name);
			tl_buf_addf(name, "%s__%s_%s", metric, c->in->tags[r], percent ? "pct" : "diff");
			add_column(c, percent ? PERCENT : DIFFERENCE, r, (size_t)at, (size_t)base, name);
		}
	}
}

static void add_data(struct comparing *c, size_t report, struct tl_buf *name)
{
	const struct tl_table *t = c->in->tables[report];

	for (size_t i = 0; i < t->n_columns; i++) {
		const char *column = t->columns[i].name;
		bool key = false;
		for (size_t k = 0; k < c->keys.n; k++)
			key |= !strcmp(column, c->keys.items[k]);
		if (key || tl_is_one_of(c->d->dropped, column) || (report && tl_is_one_of(c->d->once, column)))
			continue;
		tl_buf_clear(name);
		tl_buf_addf(name, "%s::%s", c->in->tags[report], column);
		add_column(c, DATA, report, i, 0, name);
	}
}

static void add_verdicts(struct comparing *c, struct tl_buf *name)
{
	static const struct { enum column_kind kind; const char *suffix; } columns[] = {
		{ VERDICT, "verdict" }, { PROBABILITY, "p" }, { ADJUSTED, "p_adjusted" }, { LOW, "low_pct" }, { HIGH, "high_pct" },
	};
	const char *mean = c->spread.mean;

	for (size_t r = 1; r < c->in->n; r++)
		for (size_t i = 0; i < (mean ? sizeof columns / sizeof *columns : 1); i++) {
			tl_buf_clear(name);
			tl_buf_addf(name, "%s__%s_%s", mean ? mean : c->d->metrics[0], c->in->tags[r], columns[i].suffix);
			add_column(c, columns[i].kind, r, 0, 0, name);
		}
}

static void plan_columns(struct comparing *c)
{
	struct tl_buf name = { 0 };

	for (size_t k = 0; k < c->keys.n; k++) {
		tl_buf_clear(&name);
		tl_buf_adds(&name, c->keys.items[k]);
		add_column(c, KEY, 0, k, 0, &name);
	}
	for (const char *const *m = c->d->metrics; *m; m++)
		add_differences(c, *m, &name);
	for (size_t r = 0; r < c->in->n; r++)
		add_data(c, r, &name);
	if (c->judged)
		add_verdicts(c, &name);
	tl_buf_release(&name);
}

/* ---- cells ------------------------------------------------------------------------------- */

static struct tl_cell data_cell(const struct comparing *c, size_t row, size_t report, size_t column)
{
	size_t at = tl_join_row(&c->join, row, report);

	return at == TL_NO_ROW ? tl_cell_null() : tl_table_cell(c->in->tables[report], at, column);
}

static struct tl_cell cell_of(const struct comparing *c, size_t row, const struct column *col)
{
	const struct tl_judged *judged = c->judged ? &c->judged[col->report][row] : NULL;

	switch (col->kind) {
	case KEY: return tl_table_cell(c->join.keys, c->join.key_row[row], col->at);
	case DATA: return data_cell(c, row, col->report, col->at);
	case VERDICT: return tl_cell_str(c->in->tables[0]->strings, tl_verdict_text(judged->verdict));
	case PROBABILITY: return tl_cell_real(judged->p);
	case ADJUSTED: return tl_cell_real(judged->adjusted);
	case LOW: return tl_cell_real(judged->low);
	case HIGH: return tl_cell_real(judged->high);
	default: break;
	}
	struct tl_cell x = data_cell(c, row, col->report, col->at), base = data_cell(c, row, 0, col->base);
	bool percent = col->kind == PERCENT;
	int64_t whole;
	if (x.type == TL_CELL_INT && base.type == TL_CELL_INT && !percent && !__builtin_sub_overflow(x.i, base.i, &whole))
		return tl_cell_int(whole);
	double from = tl_cell_number(base, 1), d = tl_cell_number(x, 1) - from;
	if (!percent)
		return tl_cell_real(d);
	return from == 0 ? tl_cell_null() : tl_cell_real(100 * (d / from));
}

/* ---- sheets of the result ------------------------------------------------------------------ */

enum part { WHOLE, BOTH, ONLY_BASE, ONLY_OTHER };

/* A sheet that is being made: rows of a part, in which `other` is not the baseline. */
struct making {
	const struct comparing *c;
	enum part part;
	size_t other;
	size_t *rows, n;
	int sort, lost; /* column of the report that the rows are sorted by, and in the other one */
};

static bool has_metric(const struct comparing *c, size_t row, size_t report)
{
	int column = tl_table_column(c->in->tables[report], c->d->metrics[0]);

	return column >= 0 ? !tl_cell_is_null(data_cell(c, row, report, (size_t)column))
	                   : tl_join_row(&c->join, row, report) != TL_NO_ROW;
}

static bool row_is_in(const struct making *m, size_t row)
{
	if (m->part == WHOLE) /* what a sheet of findings says of the trace or job has no id */
		return m->c->d->group != TL_COMPARE_FINDINGS || !tl_cell_is_null(cell_of(m->c, row, &m->c->columns[0]));
	bool base = has_metric(m->c, row, 0), other = has_metric(m->c, row, m->other);
	return base == (m->part != ONLY_OTHER) && other == (m->part != ONLY_BASE);
}

static bool column_is_in(const struct making *m, const struct column *col)
{
	bool base = m->part != ONLY_OTHER, other = m->part != ONLY_BASE;

	if (m->part == WHOLE || col->kind == KEY)
		return true;
	if (col->kind == DATA && col->report == 0)
		return base;
	return other && col->report == m->other;
}

/* What rows are sorted by: with verdicts the time that was lost, else the time. A side without the row took none. */
static double weight(const struct making *m, size_t row)
{
	const struct comparing *c = m->c;
	double time = tl_cell_number(data_cell(c, row, m->part == ONLY_OTHER ? m->other : 0, (size_t)m->sort), 1);

	if (!c->judged || m->part == ONLY_BASE || m->part == ONLY_OTHER || m->lost < 0)
		return time;
	double later = tl_cell_number(data_cell(c, row, m->other ? m->other : 1, (size_t)m->lost), 1);
	return isnan(time) && isnan(later) ? NAN : (isnan(later) ? 0 : later) - (isnan(time) ? 0 : time);
}

/* Falling, nulls last. */
static int by_metric(const void *a, const void *b, void *ctx)
{
	double x = weight(ctx, *(const size_t *)a), y = weight(ctx, *(const size_t *)b);

	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return (x < y) - (x > y);
}

static void choose_rows(struct making *m)
{
	const struct comparing *c = m->c;
	size_t report = m->part == ONLY_OTHER ? m->other : 0;

	m->rows = tl_alloc((c->join.n + 1) * sizeof *m->rows);
	for (size_t row = 0; row < c->join.n; row++)
		if (row_is_in(m, row))
			m->rows[m->n++] = row;
	m->sort = c->d->sort ? tl_table_column(c->in->tables[report], c->d->sort) : -1;
	m->lost = c->d->sort ? tl_table_column(c->in->tables[m->other ? m->other : 1], c->d->sort) : -1;
	if (m->sort >= 0)
		tl_merge_sort(m->rows, m->n, sizeof *m->rows, by_metric, m);
}

static struct tl_table *table_of_part(struct making *m)
{
	const struct comparing *c = m->c;
	struct tl_table *t = tl_table_new(c->in->tables[0]->strings, 1, NULL);

	tl_table_reserve(t, m->n);
	t->n_rows = m->n;
	for (size_t i = 0; i < c->n_columns; i++) {
		const struct column *col = &c->columns[i];
		bool any = m->part == WHOLE;
		for (size_t row = 0; row < m->n && !any; row++)
			any = !tl_cell_is_null(cell_of(c, m->rows[row], col));
		if (!any || !column_is_in(m, col))
			continue;
		size_t at = tl_table_add_column(t, col->name);
		for (size_t row = 0; row < m->n; row++)
			tl_table_set(t, row, at, cell_of(c, m->rows[row], col));
	}
	return t;
}

static void add_sheet(const struct comparing *c, enum part part, size_t other, struct tl_compared_list *out)
{
	static const char *const parts[] = { [BOTH] = "intersect", [ONLY_BASE] = "only_baseline", [ONLY_OTHER] = "only_variant" };
	struct making m = { .c = c, .part = part, .other = other };
	struct tl_buf name = { 0 };

	tl_buf_adds(&name, c->d->name);
	if (part != WHOLE)
		tl_buf_addf(&name, "_%s_%s", parts[part], c->in->tags[other]);
	choose_rows(&m);
	TL_PUSH(out->items, out->n, out->cap, (struct tl_compared){ name.data, table_of_part(&m), c->d, c->spread, other, tl_calloc(c->in->n, sizeof(uint32_t)) });
	for (size_t r = 0; r < c->in->n && c->d->group == TL_COMPARE_FINDINGS; r++)
		out->items[out->n - 1].first[r] = tl_first_finding(c->in->tables[r]);
	free(m.rows);
}

static void judge(struct comparing *c)
{
	c->judged = tl_calloc(c->in->n, sizeof *c->judged);
	for (size_t r = 0; r < c->in->n; r++) {
		c->judged[r] = tl_calloc(c->join.n + 1, sizeof **c->judged);
		if (r && c->in->sides)
			judge_runs(c->judged[r], &c->join, c->in->sides, r);
		else if (r)
			judge_rows(c->judged[r], &c->spread, &c->join, c->in->tables, r);
	}
}

enum tl_status tl_compare(const struct tl_comparison *d, const struct tl_compare_input *in, struct tl_compared_list *out,
                          struct tl_compare_report *report, size_t *bad, struct tl_error *err)
{
	struct comparing c = { .d = d, .in = in, .report = report, .spread = in->verdict ? d->spread : (struct tl_spread_columns){ 0 } };

	*report = (struct tl_compare_report){ 0 };
	*bad = in->n;
	if (in->sides)
		c.spread = (struct tl_spread_columns){ .mean = tl_judged_column(d) };
	enum tl_status st = tl_keys_find(&c.keys, d, in->tables, in->n, bad, err);
	if (!st) {
		st = tl_join_tables(&c.join, in->tables, in->n, &c.keys, in->verdict, err);
		report->repeated = c.join.repeated;
	}
	if (!st) {
		if (in->verdict)
			judge(&c);
		plan_columns(&c);
		if (!d->split)
			add_sheet(&c, WHOLE, 0, out);
		for (size_t r = 1; r < in->n && d->split; r++)
			for (enum part part = BOTH; part <= ONLY_OTHER; part++)
				add_sheet(&c, part, r, out);
	}
	for (size_t r = 0; r < in->n && c.judged; r++)
		free(c.judged[r]);
	free(c.judged);
	tl_join_release(&c.join);
	tl_arena_release(&c.arena);
	free(c.keys.items);
	free(c.columns);
	return st;
}

void tl_compared_release(struct tl_compared_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].name);
		free(l->items[i].first);
		tl_table_free(l->items[i].table);
	}
	free(l->items);
	*l = (struct tl_compared_list){ 0 };
}
