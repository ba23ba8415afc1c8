/* compare.c - a sheet of several reports side by side, with differences.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/compare.h"
#include "base/merge_sort.h"
#include "base/number.h"
#include "base/text.h"
#include "compare/comparisons.h"
#include "compare/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a full outer join: which rows of the tables belong together by their keys ------------ */

#define NO_ROW SIZE_MAX
#define JOIN_MOST ((size_t)1 << 24)

struct join {
	size_t n_tables, n;     /* n: joined rows */
	size_t *rows;           /* [joined row * n_tables + table]: a row of the table, or NO_ROW */
	struct tl_table *keys;  /* the key columns of all rows of all tables */
	size_t *key_row;        /* of a joined row: one in `keys` */
	size_t repeated;        /* keys of several joined rows because they stand in several rows of a table */
};

struct join_options {
	const char *const *keys; size_t n_keys; /* names of columns; a table without one has nulls there */
	bool pair; /* rows of one key are joined in their order: the first with the first, and so on.
	              Otherwise each with each, as in SQL */
};

static size_t join_row(const struct join *j, size_t i, size_t table)
{
	return j->rows[i * j->n_tables + table];
}

/* Where a row of `keys` comes from. */
struct origin { size_t table, row, key_row; };

/* The rows of one key: origins from … on, count[t] of table t, beginning at first[t]. */
struct run {
	const struct origin *from;
	size_t *first, *count;
	size_t most; /* the greatest count */
};

static void add_keys(struct tl_table *keys, const struct tl_table *t, const struct join_options *o)
{
	struct tl_cell *cells = tl_alloc((o->n_keys + 1) * sizeof *cells);

	for (size_t row = 0; row < t->n_rows; row++) {
		for (size_t k = 0; k < o->n_keys; k++) {
			int column = tl_table_column(t, o->keys[k]);
			cells[k] = column < 0 ? tl_cell_null() : tl_table_cell(t, row, (size_t)column);
		}
		tl_table_add_row(keys, cells);
	}
	free(cells);
}

static void make_text(struct tl_table *t, size_t column)
{
	char text[TL_DOUBLE_TEXT];

	for (size_t row = 0; row < t->n_rows; row++) {
		struct tl_cell c = tl_table_cell(t, row, column);
		if (c.type == TL_CELL_TEXT || tl_cell_is_null(c))
			continue;
		size_t len = tl_cell_format(text, c, t->ticks_per_us);
		tl_table_set(t, row, column, tl_cell_text(tl_intern(t->strings, text, len)));
	}
}

static void unify_keys(struct tl_table *keys)
{
	for (size_t column = 0; column < keys->n_columns; column++) {
		bool any_text = false;
		for (size_t row = 0; row < keys->n_rows && !any_text; row++)
			any_text = tl_table_cell(keys, row, column).type == TL_CELL_TEXT;
		if (any_text)
			make_text(keys, column);
	}
}

static int by_key(const void *a, const void *b, void *ctx)
{
	const struct tl_table *keys = ctx;
	const struct origin *x = a, *y = b;
	int order = 0;

	for (size_t i = 0; i < keys->n_columns && !order; i++)
		order = tl_cell_compare(keys->strings, tl_table_cell(keys, x->key_row, i), tl_table_cell(keys, y->key_row, i));
	return order;
}

/* How many joined rows a run gives; 0: too many. */
static size_t run_size(const struct join *j, const struct run *r, bool pair)
{
	size_t n = 1;

	for (size_t t = 0; t < j->n_tables && !pair; t++)
		if (r->count[t] > 1 && __builtin_mul_overflow(n, r->count[t], &n))
			return 0;
	return pair ? r->most : n;
}

static enum tl_status add_run(struct join *j, const struct run *r, bool pair, size_t *cap, struct tl_error *err)
{
	size_t n = run_size(j, r, pair);

	if (!n || n > JOIN_MOST || j->n + n > JOIN_MOST)
		return tl_fail(err, TL_ERR_DATA, "rows with equal keys would be joined to more than %zu rows", JOIN_MOST);
	if (j->n + n > *cap) {
		*cap = j->n + n + *cap / 2;
		j->rows = tl_realloc(j->rows, *cap * j->n_tables * sizeof *j->rows);
		j->key_row = tl_realloc(j->key_row, *cap * sizeof *j->key_row);
	}
	j->repeated += n > r->most;
	for (size_t i = 0; i < n; i++, j->n++) {
		size_t rest = i;
		j->key_row[j->n] = r->from->key_row;
		for (size_t t = j->n_tables; t-- > 0;) { /* the last table's row changes first */
			size_t count = r->count[t], at = pair ? i : count ? rest % count : 0;
			rest = count ? rest / count : rest;
			j->rows[j->n * j->n_tables + t] = at < count ? r->from[r->first[t] + at].row : NO_ROW;
		}
	}
	return TL_OK;
}

static size_t find_run(struct run *r, const struct tl_table *keys, const struct origin *all, size_t from, size_t n, size_t n_tables)
{
	size_t end = from;

	memset(r->count, 0, n_tables * sizeof *r->count);
	r->from = all + from;
	r->most = 0;
	for (; end < n && !by_key(all + from, all + end, (void *)keys); end++) {
		size_t t = all[end].table;
		if (!r->count[t]++)
			r->first[t] = end - from;
		r->most = r->count[t] > r->most ? r->count[t] : r->most;
	}
	return end;
}

static enum tl_status add_runs(struct join *j, const struct origin *all, size_t n, bool pair, struct tl_error *err)
{
	struct run r = { .first = tl_calloc(j->n_tables, sizeof *r.first), .count = tl_calloc(j->n_tables, sizeof *r.count) };
	enum tl_status st = TL_OK;
	size_t cap = 0;

	for (size_t at = 0; at < n && !st;) {
		at = find_run(&r, j->keys, all, at, n, j->n_tables);
		st = add_run(j, &r, pair, &cap, err);
	}
	free(r.first);
	free(r.count);
	return st;
}

/* Joins tables that have the same strings. Rows come in the order of their keys, nulls last;
 * those of one key in the order of the tables' rows. Nulls equal each other, and a number is
 * not equal to a text unless a key is text in any of the tables: then all are texts.
 * TL_ERR_DATA if there would be more than JOIN_MOST rows. */
static enum tl_status join_tables(struct join *j, struct tl_table *const *tables, size_t n_tables, const struct join_options *o,
                       struct tl_error *err)
{
	size_t n = 0, at = 0;

	*j = (struct join){ .n_tables = n_tables, .keys = tl_table_new(tables[0]->strings, 1, NULL) };
	for (size_t k = 0; k < o->n_keys; k++)
		tl_table_add_column(j->keys, o->keys[k]);
	for (size_t t = 0; t < n_tables; t++)
		n += tables[t]->n_rows;
	struct origin *all = tl_alloc((n + 1) * sizeof *all);
	for (size_t t = 0; t < n_tables; t++) {
		add_keys(j->keys, tables[t], o);
		for (size_t row = 0; row < tables[t]->n_rows; row++, at++)
			all[at] = (struct origin){ t, row, at };
	}
	unify_keys(j->keys);
	tl_merge_sort(all, n, sizeof *all, by_key, j->keys);
	enum tl_status st = add_runs(j, all, n, o->pair, err);
	free(all);
	return st;
}

static void join_release(struct join *j)
{
	tl_table_free(j->keys);
	free(j->rows);
	free(j->key_row);
}

/* ---- verdict --------------------------------------------------------------------- */

static double number(const struct tl_table *t, size_t row, const char *name)
{
	int column = name ? tl_table_column(t, name) : -1;

	return column < 0 ? NAN : tl_cell_number(tl_table_cell(t, row, (size_t)column), t->ticks_per_us);
}

/* Of each joined row what the table tells; to be freed. */
static struct tl_spread *spreads_of(const struct join *j, struct tl_table *const *tables, size_t table, const struct tl_spread_columns *c)
{
	const struct tl_table *t = tables[table];
	struct tl_spread *out = tl_calloc(j->n + 1, sizeof *out);

	for (size_t i = 0; i < j->n; i++) {
		size_t row = join_row(j, i, table);
		if (row != NO_ROW)
			out[i] = (struct tl_spread){ .n = number(t, row, c->count), .mean = number(t, row, c->mean),
				.std = number(t, row, c->std), .min = number(t, row, c->min), .max = number(t, row, c->max) };
	}
	return out;
}

/* Judges each joined row: table `other` against table 0. out: as many as the join has rows. */
static void judge_rows(struct tl_judged *out, const struct tl_spread_columns *c, const struct join *j, struct tl_table *const *tables,
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
	const char **keys; size_t n_keys, cap_keys;
	struct join join;
	struct tl_judged **judged; /* of each report but the baseline; NULL: no verdicts */
	struct column *columns; size_t n_columns, cap_columns;
};

/* ---- keys ---------------------------------------------------------------------------- */

static void add_key(struct comparing *c, const char *name)
{
	TL_GROW(c->keys, c->cap_keys, c->n_keys + 1);
	c->keys[c->n_keys++] = name;
}

static bool all_have(const struct tl_compare_input *in, const char *column)
{
	for (size_t r = 0; r < in->n; r++)
		if (tl_table_column(in->tables[r], column) < 0)
			return false;
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void find_keys(struct comparing *c)
{
	const struct tl_table *first = c->in->tables[0];

	for (const char *const *k = c->d->keys; *k; k++)
		add_key(c, *k);
	size_t fixed = c->n_keys;
	for (size_t i = 0; c->d->key_prefix && i < first->n_columns; i++) {
		const char *name = first->columns[i].name;
		if (tl_starts_with(name, c->d->key_prefix) && all_have(c->in, name))
			add_key(c, name);
	}
	qsort(c->keys + fixed, c->n_keys - fixed, sizeof *c->keys, by_name);
}

static enum tl_status check_keys(const struct comparing *c, size_t *bad, struct tl_error *err)
{
	for (size_t r = 0; r < c->in->n; r++)
		for (size_t k = 0; k < c->n_keys; k++)
			if (c->in->tables[r]->n_rows && tl_table_column(c->in->tables[r], c->keys[k]) < 0) {
				*bad = r;
				return tl_fail(err, TL_ERR_DATA, "no column '%s', by which rows are compared", c->keys[k]);
			}
	return TL_OK;
}

/* ---- columns --------------------------------------------------------------------------- */

static void add_column(struct comparing *c, enum column_kind kind, size_t report, size_t at, size_t base, const struct tl_buf *name)
{
	TL_GROW(c->columns, c->cap_columns, c->n_columns + 1);
	c->columns[c->n_columns++] = (struct column){ kind, report, at, base, tl_arena_dup(&c->arena, name->data, name->len) };
}

static void add_differences(struct comparing *c, const char *metric, struct tl_buf *name)
{
	int base = tl_table_column(c->in->tables[0], metric);

	for (size_t r = 1; r < c->in->n; r++) {
		int at = tl_table_column(c->in->tables[r], metric);
		size_t lacks = base < 0 ? 0 : r;
		if (base < 0 || at < 0) {
			if (c->in->tables[lacks]->n_rows) {
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
		for (size_t k = 0; k < c->n_keys; k++)
			key |= !strcmp(column, c->keys[k]);
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
	const char *mean = c->d->spread.mean;

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

	for (size_t k = 0; k < c->n_keys; k++) {
		tl_buf_clear(&name);
		tl_buf_adds(&name, c->keys[k]);
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
	size_t at = join_row(&c->join, row, report);

	return at == NO_ROW ? tl_cell_null() : tl_table_cell(c->in->tables[report], at, column);
}

static struct tl_cell difference(struct tl_cell x, struct tl_cell base, bool percent)
{
	int64_t whole;

	if (x.type == TL_CELL_INT && base.type == TL_CELL_INT && !percent && !__builtin_sub_overflow(x.i, base.i, &whole))
		return tl_cell_int(whole);
	double from = tl_cell_number(base, 1), d = tl_cell_number(x, 1) - from;
	if (!percent)
		return tl_cell_real(d);
	return from == 0 ? tl_cell_null() : tl_cell_real(100 * (d / from));
}

static struct tl_cell text_cell(const struct comparing *c, const char *text)
{
	return text ? tl_cell_text(tl_intern_str(c->in->tables[0]->strings, text)) : tl_cell_null();
}

static struct tl_cell cell_of(const struct comparing *c, size_t row, const struct column *col)
{
	const struct tl_judged *judged = c->judged ? &c->judged[col->report][row] : NULL;

	switch (col->kind) {
	case KEY: return tl_table_cell(c->join.keys, c->join.key_row[row], col->at);
	case DATA: return data_cell(c, row, col->report, col->at);
	case VERDICT: return text_cell(c, tl_verdict_text(judged->verdict));
	case PROBABILITY: return tl_cell_real(judged->p);
	case ADJUSTED: return tl_cell_real(judged->adjusted);
	case LOW: return tl_cell_real(judged->low);
	case HIGH: return tl_cell_real(judged->high);
	default: return difference(data_cell(c, row, col->report, col->at), data_cell(c, row, 0, col->base), col->kind == PERCENT);
	}
}

/* ---- sheets of the result ------------------------------------------------------------------ */

enum part { WHOLE, BOTH, ONLY_BASE, ONLY_OTHER };

/* A sheet that is being made: rows of a part, in which `other` is not the baseline. */
struct making {
	const struct comparing *c;
	enum part part;
	size_t other;
	size_t *rows, n;
	int sort; /* column of the report that the rows are sorted by */
};

static bool has_metric(const struct comparing *c, size_t row, size_t report)
{
	int column = tl_table_column(c->in->tables[report], c->d->metrics[0]);

	return column >= 0 ? !tl_cell_is_null(data_cell(c, row, report, (size_t)column))
	                   : join_row(&c->join, row, report) != NO_ROW;
}

static bool row_is_in(const struct making *m, size_t row)
{
	if (m->part == WHOLE)
		return true;
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

/* Falling, nulls last. */
static int by_metric(const void *a, const void *b, void *ctx)
{
	const struct making *m = ctx;
	size_t report = m->part == ONLY_OTHER ? m->other : 0;
	double x = tl_cell_number(data_cell(m->c, *(const size_t *)a, report, (size_t)m->sort), 1);
	double y = tl_cell_number(data_cell(m->c, *(const size_t *)b, report, (size_t)m->sort), 1);

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
	if (m->sort >= 0)
		tl_merge_sort(m->rows, m->n, sizeof *m->rows, by_metric, m);
}

static bool has_values(const struct making *m, const struct column *col)
{
	for (size_t i = 0; i < m->n; i++)
		if (!tl_cell_is_null(cell_of(m->c, m->rows[i], col)))
			return true;
	return false;
}

static struct tl_table *table_of_part(struct making *m)
{
	const struct comparing *c = m->c;
	struct tl_table *t = tl_table_new(c->in->tables[0]->strings, 1, NULL);

	tl_table_reserve(t, m->n);
	t->n_rows = m->n;
	for (size_t i = 0; i < c->n_columns; i++) {
		const struct column *col = &c->columns[i];
		if (!column_is_in(m, col) || (m->part != WHOLE && !has_values(m, col)))
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
	TL_GROW(out->items, out->cap, out->n + 1);
	out->items[out->n++] = (struct tl_compared){ name.data, table_of_part(&m), c->d, other };
	free(m.rows);
}

static void judge(struct comparing *c)
{
	c->judged = tl_calloc(c->in->n, sizeof *c->judged);
	for (size_t r = 0; r < c->in->n; r++) {
		c->judged[r] = tl_calloc(c->join.n + 1, sizeof **c->judged);
		if (r)
			judge_rows(c->judged[r], &c->d->spread, &c->join, c->in->tables, r);
	}
}

static void release(struct comparing *c)
{
	for (size_t r = 0; r < c->in->n && c->judged; r++)
		free(c->judged[r]);
	free(c->judged);
	join_release(&c->join);
	tl_arena_release(&c->arena);
	free(c->keys);
	free(c->columns);
}

static void add_sheets(struct comparing *c, struct tl_compared_list *out)
{
	if (c->in->verdict)
		judge(c);
	plan_columns(c);
	if (!c->d->split)
		add_sheet(c, WHOLE, 0, out);
	for (size_t r = 1; r < c->in->n && c->d->split; r++)
		for (enum part part = BOTH; part <= ONLY_OTHER; part++)
			add_sheet(c, part, r, out);
}

enum tl_status tl_compare(const struct tl_comparison *d, const struct tl_compare_input *in, struct tl_compared_list *out,
                          struct tl_compare_report *report, size_t *bad, struct tl_error *err)
{
	struct comparing c = { .d = d, .in = in, .report = report };

	*report = (struct tl_compare_report){ 0 };
	*bad = in->n;
	for (size_t r = 0; r < in->n; r++)
		report->empty |= d->needs_rows && !in->tables[r]->n_rows;
	if (report->empty)
		return TL_OK;
	find_keys(&c);
	enum tl_status st = check_keys(&c, bad, err);
	if (!st) {
		struct join_options o = { c.keys, c.n_keys, in->verdict };
		st = join_tables(&c.join, in->tables, in->n, &o, err);
		report->repeated = c.join.repeated;
	}
	if (!st)
		add_sheets(&c, out);
	release(&c);
	return st;
}

void tl_compared_release(struct tl_compared_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].name);
		tl_table_free(l->items[i].table);
	}
	free(l->items);
	*l = (struct tl_compared_list){ 0 };
}
