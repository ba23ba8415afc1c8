/* sheet.c - a definition applied to raw rows: group, compute columns, sort, shares.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/sheet_family.h"

#include "base/merge_sort.h"
#include "base/number.h"
#include "table/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sheet_column {
	const struct tl_column *def;
	size_t in;       /* the column of the raw rows, or of the sheet, that this one is made from */
	size_t numbers;  /* of a statistic: index in make.numbers */
	size_t call;     /* of TL_CALL: the first column with the same function */
	size_t of;       /* of a share: the column of the sheet that it is of */
	bool whole;      /* all times in the raw column are whole numbers of µs */
	struct tl_cell *coarse; /* by coarse group: the statistic, if it is one of these groups */
};

struct group { const size_t *rows; size_t n, number; };
/* Raw rows, group after group; start: by group, where its rows begin in index, and at n the end. */
struct groups { size_t *index, *start, n; };

/* A sheet that is being made. */
struct make {
	const struct tl_sheet_def *def;
	const struct tl_sheet_input *in;
	const struct tl_table *rows;
	struct sheet_column *columns; size_t n_columns, cap_columns;
	struct tl_numbers *numbers; size_t n_numbers, cap_numbers;
	struct tl_cell (*called)[TL_MAX_CALL_CELLS]; /* by column: what its function said about this group */
	struct groups groups, coarse; /* coarse: none unless a column is a statistic of these */
	uint32_t *coarse_of;    /* by group */
	size_t n_groups;
	struct tl_table *sheet; /* a row for each group, with hidden columns */
	size_t *order;          /* rows of the sheet, sorted */
	struct { size_t column; bool descending; } *by; size_t n_by, cap_by; /* what they are sorted by */
};

static bool is_key(enum tl_column_kind kind)
{
	return kind == TL_KEY || kind == TL_EACH_KEY;
}

static bool is_share(enum tl_column_kind kind)
{
	return kind == TL_SHARE || kind == TL_PERCENT || kind == TL_CUMULATIVE;
}

/* ---- columns that the conditions allow ------------------------------------------------ */

static size_t column_named(const struct tl_table *t, const char *name)
{
	int column = tl_table_column(t, name);

	assert(column >= 0); /* tl_sheet_check has looked for it */
	return (size_t)column;
}

/* Is every cell of a raw column a time of whole µs? Only then does a sheet show the
 * column's times as integers: a pandas column holds integers or reals, not both. */
static bool is_whole(const struct tl_table *t, size_t column)
{
	for (size_t i = 0; i < t->n_rows; i++) {
		struct tl_cell c = tl_table_cell(t, i, column);
		if (c.type != TL_CELL_TIME || !c.whole || c.i % t->ticks_per_us)
			return false;
	}
	return true;
}

/* The index in make.numbers of a raw column. */
static size_t numbers_of(struct make *m, size_t column)
{
	for (size_t i = 0; i < m->n_numbers; i++)
		if (m->numbers[i].column == column)
			return i;
	TL_GROW(m->numbers, m->cap_numbers, m->n_numbers + 1);
	m->numbers[m->n_numbers] = (struct tl_numbers){ .column = column };
	return m->n_numbers++;
}

static struct sheet_column *add_column(struct make *m, const struct tl_column *c, const char *name, size_t in)
{
	TL_GROW(m->columns, m->cap_columns, m->n_columns + 1);
	m->columns[m->n_columns] = (struct sheet_column){ .def = c, .in = in, .call = m->n_columns };
	tl_table_add_column(m->sheet, name);
	return &m->columns[m->n_columns++];
}

/* "ts" becomes ts_ns, ts_ps or, for another clock, ts_ticks. */
static void add_ticks(struct make *m, const struct tl_column *c)
{
	struct tl_buf name = { 0 };

	tl_buf_addf(&name, "%s_%s", c->name, tl_ticks_unit(m->rows->ticks_per_us));
	add_column(m, c, name.data, column_named(m->rows, tl_column_source(c)));
	tl_buf_release(&name);
}

static void add_call(struct make *m, const struct tl_column *c)
{
	struct sheet_column *column = add_column(m, c, c->name, 0);

	for (size_t i = 0; i < m->n_columns; i++)
		if (m->columns[i].def->fn == c->fn) {
			column->call = i;
			return;
		}
}

static void add_raw(struct make *m, const struct tl_column *c)
{
	size_t in = column_named(m->rows, tl_column_source(c));
	struct sheet_column *column = add_column(m, c, c->name, in);

	column->whole = is_whole(m->rows, in);
	if (tl_is_statistic(c->kind) && !c->coarse)
		column->numbers = numbers_of(m, in);
}

/* Is some other column made from the raw column? */
static bool is_used(const struct tl_sheet_def *def, const char *raw)
{
	for (const struct tl_column *c = def->columns; c->name; c++)
		if (!tl_column_is_of_sheet(c->kind) && c->kind != TL_REST && !strcmp(tl_column_source(c), raw))
			return true;
	return false;
}

/* A column for every raw column that TL_EACH_KEY or TL_REST is about. */
static void add_each(struct make *m, const struct tl_column *c)
{
	for (size_t i = 0; i < m->rows->n_columns; i++) {
		const char *raw = m->rows->columns[i].name;
		if (c->kind == TL_REST ? !is_used(m->def, raw) : !strncmp(raw, c->in, strlen(c->in)))
			add_column(m, c, raw, i)->whole = c->kind == TL_REST && is_whole(m->rows, i);
	}
}

static void add_of_sheet(struct make *m, const struct tl_column *c)
{
	size_t in = column_named(m->sheet, tl_column_source(c)), of = c->of ? column_named(m->sheet, c->of) : 0;

	add_column(m, c, c->name, in)->of = of;
}

static void add_columns(struct make *m)
{
	m->sheet = tl_table_new(m->rows->strings, m->rows->ticks_per_us, NULL);
	for (const struct tl_column *c = m->def->columns; c->name; c++) {
		if (c->when & ~m->in->conditions)
			continue;
		if (c->kind == TL_COUNT)
			add_column(m, c, c->name, c->in ? column_named(m->rows, c->in) : 0);
		else if (c->kind == TL_CALL)
			add_call(m, c);
		else if (c->kind == TL_TICKS)
			add_ticks(m, c);
		else if (tl_column_is_of_sheet(c->kind))
			add_of_sheet(m, c);
		else if (c->kind == TL_EACH_KEY || c->kind == TL_REST)
			add_each(m, c);
		else
			add_raw(m, c);
	}
}

/* ---- groups -------------------------------------------------------------------------- */

/* Fills in the raw rows that the sheet is about; returns how many. */
static size_t choose_rows(const struct make *m, size_t *chosen)
{
	size_t where = m->in->where ? column_named(m->rows, m->in->where) : 0, n = 0;

	for (size_t row = 0; row < m->rows->n_rows; row++) {
		bool wanted = !m->in->where || tl_table_cell(m->rows, row, where).i;
		for (size_t k = 0; k < m->n_columns && m->def->drop_null_keys && wanted; k++)
			wanted = !is_key(m->columns[k].def->kind) ||
			         !tl_cell_is_null(tl_table_cell(m->rows, row, m->columns[k].in));
		if (wanted)
			chosen[n++] = row;
	}
	return n;
}

/* of[i]: the group of chosen[i]. */
static size_t number_groups(const struct make *m, bool coarse, const size_t *chosen, size_t n, uint32_t *of)
{
	size_t *keys = tl_alloc((m->n_columns + 1) * sizeof *keys), n_keys = 0;

	for (size_t k = 0; k < m->n_columns; k++)
		if (is_key(m->columns[k].def->kind) && !(coarse && m->columns[k].def->fine))
			keys[n_keys++] = m->columns[k].in;
	if (!m->def->ungrouped)
		n = tl_table_group(m->rows, keys, n_keys, chosen, n, of);
	else
		for (size_t i = 0; i < n; i++)
			of[i] = (uint32_t)i;
	free(keys);
	return n;
}

/* Puts the rows of each group together; groups are in order of first appearance. */
static struct groups put_together(size_t n_groups, const uint32_t *of, const size_t *chosen, size_t n)
{
	struct groups g = { tl_alloc((n + 1) * sizeof *g.index), tl_calloc(n_groups + 2, sizeof *g.start), n_groups };

	for (size_t i = 0; i < n; i++) /* the last of start is used only here */
		g.start[of[i] + 2]++;
	for (size_t k = 2; k < n_groups + 2; k++)
		g.start[k] += g.start[k - 1];
	for (size_t i = 0; i < n; i++) /* start[k + 1] is where the next row of group k goes: in the end, the end of k */
		g.index[g.start[of[i] + 1]++] = chosen[i];
	return g;
}

static struct group group_at(const struct groups *g, size_t number)
{
	return (struct group){ g->index + g->start[number], g->start[number + 1] - g->start[number], number };
}

static void make_groups(struct make *m)
{
	size_t *chosen = tl_alloc((m->rows->n_rows + 1) * sizeof *chosen), n = choose_rows(m, chosen);
	uint32_t *of = tl_alloc((n + 1) * sizeof *of), *coarse = tl_alloc((n + 1) * sizeof *coarse);
	bool any_coarse = false;

	m->n_groups = number_groups(m, false, chosen, n, of);
	m->groups = put_together(m->n_groups, of, chosen, n);
	for (size_t c = 0; c < m->n_columns; c++)
		any_coarse |= m->columns[c].def->coarse;
	if (any_coarse) {
		m->coarse = put_together(number_groups(m, true, chosen, n, coarse), coarse, chosen, n);
		m->coarse_of = tl_alloc((m->n_groups + 1) * sizeof *m->coarse_of);
		for (size_t i = 0; i < n; i++)
			m->coarse_of[of[i]] = coarse[i];
	}
	free(chosen);
	free(coarse);
	free(of);
}

/* ---- cells ------------------------------------------------------------------------------- */

static struct tl_cell first_of(const struct make *m, size_t column, struct group g)
{
	for (size_t i = 0; i < g.n; i++) {
		struct tl_cell c = tl_table_cell(m->rows, g.rows[i], column);
		if (!tl_cell_is_null(c))
			return c;
	}
	return tl_cell_null();
}

static struct tl_cell count_of(const struct make *m, const struct sheet_column *column, struct group g)
{
	size_t n = 0;

	if (!column->def->in)
		return tl_cell_int((int64_t)g.n);
	for (size_t i = 0; i < g.n; i++)
		n += !tl_cell_is_null(tl_table_cell(m->rows, g.rows[i], column->in));
	return tl_cell_int((int64_t)n);
}

static struct tl_cell milliseconds(struct tl_cell us)
{
	if (us.type == TL_CELL_TIME)
		return tl_cell_ms(us.i);
	return us.type == TL_CELL_REAL ? tl_cell_real(us.d / 1000) : tl_cell_null();
}

static struct tl_cell ticks_of(struct tl_cell c)
{
	return c.type == TL_CELL_TIME ? tl_cell_int(c.i) : c;
}

static struct tl_cell call(struct make *m, size_t at, struct group g)
{
	const struct sheet_column *column = &m->columns[at];

	if (column->call == at) {
		memset(m->called[at], 0, sizeof m->called[at]); /* nulls */
		column->def->fn(m->in->ctx, g.rows, g.n, m->called[at]);
	}
	return m->called[column->call][column->def->cell];
}

static struct tl_cell merged(const struct make *m, const struct sheet_column *column, struct group g)
{
	struct tl_moments all = { 0 };

	for (size_t i = 0; i < g.n; i++) {
		double of[TL_MERGED_CELLS];
		for (size_t k = 0; k < TL_MERGED_CELLS; k++)
			of[k] = tl_cell_number(tl_table_cell(m->rows, g.rows[i], column->in + k), 1);
		tl_moments_merge(&all, &(struct tl_moments){ of[TL_MERGED_N], of[TL_MERGED_SUM], of[TL_MERGED_MEAN], of[TL_MERGED_M2] });
	}
	switch (column->def->cell) {
	case TL_MERGED_N: return tl_cell_real(all.n);
	case TL_MERGED_SUM: return tl_cell_real(all.sum);
	case TL_MERGED_MEAN: return all.n > 0 ? tl_cell_real(all.mean) : tl_cell_null();
	case TL_MERGED_M2: return all.n > 0 ? tl_cell_real(all.m2) : tl_cell_null();
	default: return all.n > 1 ? tl_cell_real(sqrt(all.m2 / (all.n - 1))) : tl_cell_null();
	}
}

/* The cell of column `at` for a group; `row` has the cells of the columns before. */
static struct tl_cell cell_of(struct make *m, size_t at, struct group g, const struct tl_cell *row)
{
	const struct sheet_column *column = &m->columns[at];

	if (column->coarse)
		return column->coarse[m->coarse_of[g.number]];
	switch (column->def->kind) {
	case TL_KEY:
	case TL_EACH_KEY: return tl_table_cell(m->rows, g.rows[0], column->in);
	case TL_REST:
	case TL_FIRST: return first_of(m, column->in, g);
	case TL_TICKS: return ticks_of(first_of(m, column->in, g));
	case TL_COUNT: return count_of(m, column, g);
	case TL_CALL: return call(m, at, g);
	case TL_MERGED: return merged(m, column, g);
	case TL_MS: return milliseconds(row[column->in]);
	case TL_SHARE:
	case TL_PERCENT:
	case TL_CUMULATIVE: return tl_cell_null(); /* fill_share() sets it, once the rows are sorted */
	default: return tl_numbers_statistic(&m->numbers[column->numbers], column->def);
	}
}

static struct tl_cell rounded(const struct make *m, struct tl_cell c)
{
	bool is_number = c.type == TL_CELL_REAL || c.type == TL_CELL_TIME;

	return is_number ? tl_cell_real(tl_numpy_round2(tl_cell_number(c, m->rows->ticks_per_us))) : c;
}

static void measure_coarse_groups(struct make *m)
{
	for (size_t c = 0; c < m->n_columns; c++) {
		struct sheet_column *column = &m->columns[c];
		struct tl_numbers numbers = { .column = column->in };
		if (!column->def->coarse)
			continue;
		column->coarse = tl_alloc((m->coarse.n + 1) * sizeof *column->coarse);
		for (size_t i = 0; i < m->coarse.n; i++) {
			struct group g = group_at(&m->coarse, i);
			tl_numbers_take(&numbers, m->rows, g.rows, g.n);
			column->coarse[i] = tl_numbers_statistic(&numbers, column->def);
		}
		tl_numbers_release(&numbers);
	}
}

static void fill_rows(struct make *m)
{
	struct tl_cell *row = tl_alloc((m->n_columns + 1) * sizeof *row);

	m->called = tl_calloc(m->n_columns + 1, sizeof *m->called);
	tl_table_reserve(m->sheet, m->n_groups);
	for (size_t i = 0; i < m->n_groups; i++) {
		struct group g = group_at(&m->groups, i);
		for (size_t k = 0; k < m->n_numbers; k++)
			tl_numbers_take(&m->numbers[k], m->rows, g.rows, g.n);
		for (size_t c = 0; c < m->n_columns; c++) {
			row[c] = cell_of(m, c, g, row);
			if (row[c].type == TL_CELL_TIME)
				row[c].whole = m->columns[c].whole;
			if (m->columns[c].def->rounded)
				row[c] = rounded(m, row[c]);
		}
		tl_table_add_row(m->sheet, row);
	}
	free(row);
}

/* ---- order and shares --------------------------------------------------------------------- */

/* What a cell shows; buf holds TL_DOUBLE_TEXT bytes. */
static const char *shown(const struct tl_table *t, struct tl_cell c, char *buf, size_t *len)
{
	bool text = c.type == TL_CELL_TEXT;

	*len = text ? tl_str_len(t->strings, c.text) : tl_cell_format(buf, c, t->ticks_per_us);
	return text ? tl_str(t->strings, c.text) : buf;
}

static int compare_shown(const struct tl_table *t, struct tl_cell a, struct tl_cell b)
{
	char buf_a[TL_DOUBLE_TEXT], buf_b[TL_DOUBLE_TEXT];
	size_t n, m;
	const char *x = shown(t, a, buf_a, &n), *y = shown(t, b, buf_b, &m);
	int c = memcmp(x, y, n < m ? n : m);

	return c ? c : (n > m) - (n < m);
}

static int compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct make *m = ctx;
	size_t a = *(const size_t *)pa, b = *(const size_t *)pb;

	for (size_t i = 0; i < m->n_by; i++) {
		struct tl_cell x = tl_table_cell(m->sheet, a, m->by[i].column);
		struct tl_cell y = tl_table_cell(m->sheet, b, m->by[i].column);
		int c = i && m->def->ties_as_texts ? compare_shown(m->sheet, x, y) : tl_cell_compare(m->sheet->strings, x, y);
		if (c)
			return m->by[i].descending && !tl_cell_is_null(x) && !tl_cell_is_null(y) ? -c : c;
	}
	return 0;
}

static void add_order(struct make *m, size_t column, bool descending)
{
	TL_GROW(m->by, m->cap_by, m->n_by + 1);
	m->by[m->n_by].column = column;
	m->by[m->n_by++].descending = descending;
}

static void order_by_def(struct make *m)
{
	for (size_t i = 0; i < TL_SHEET_ORDER && m->def->order[i].column; i++) {
		int column = tl_table_column(m->sheet, m->def->order[i].column);
		if (column >= 0) /* else the conditions leave it out */
			add_order(m, (size_t)column, m->def->order[i].descending);
	}
}

static void order_by_keys(struct make *m)
{
	for (size_t k = 0; k < m->n_columns; k++)
		if (is_key(m->columns[k].def->kind))
			add_order(m, k, false);
}

/* Sorts the rows by m->by, and empties that. */
static void sort_rows(struct make *m)
{
	for (size_t i = 0; i < m->n_groups; i++)
		m->order[i] = i;
	tl_merge_sort(m->order, m->n_groups, sizeof *m->order, compare_rows, m);
	m->n_by = 0;
}

static double number_at(const struct make *m, size_t place, size_t column)
{
	return tl_cell_number(tl_table_cell(m->sheet, m->order[place], column), m->sheet->ticks_per_us);
}

static double total_of(const struct make *m, const struct sheet_column *column)
{
	if (column->def->total)
		return m->in->totals[column->def->total - 1];
	double *numbers = tl_alloc((m->n_groups + 1) * sizeof *numbers);
	for (size_t i = 0; i < m->n_groups; i++) {
		double x = number_at(m, i, column->in);
		numbers[i] = isnan(x) ? 0 : x;
	}
	double total = tl_pairwise_sum(numbers, m->n_groups);
	free(numbers);
	return total;
}

/* Fills a column of shares or cumulative sums, in the order of the rows. */
static void fill_share(struct make *m, size_t at)
{
	const struct sheet_column *column = &m->columns[at];
	enum tl_column_kind kind = column->def->kind;
	double total = kind == TL_CUMULATIVE || column->def->of ? 1 : total_of(m, column), sum = 0;

	for (size_t i = 0; i < m->n_groups; i++) {
		double x = number_at(m, i, column->in);
		if (column->def->of)
			total = number_at(m, i, column->of);
		if (isnan(x) || total == 0 || isnan(total))
			continue;
		x = kind == TL_CUMULATIVE ? (sum += x) : kind == TL_PERCENT ? x / total * 100 : x / total;
		tl_table_set(m->sheet, m->order[i], at, tl_cell_real(column->def->rounded ? tl_numpy_round2(x) : x));
	}
}

/* ---- the sheet ------------------------------------------------------------------------------ */

static struct tl_table *visible_columns(const struct make *m)
{
	struct tl_table *out = tl_table_new(m->sheet->strings, m->sheet->ticks_per_us, NULL);

	tl_table_reserve(out, m->n_groups);
	out->n_rows = m->n_groups;
	for (size_t c = 0; c < m->n_columns; c++) {
		if (m->columns[c].def->hidden)
			continue;
		size_t to = tl_table_add_column(out, m->sheet->columns[c].name);
		for (size_t i = 0; i < m->n_groups; i++)
			tl_table_set(out, i, to, tl_table_cell(m->sheet, m->order[i], c));
	}
	return out;
}

static void release(struct make *m)
{
	for (size_t i = 0; i < m->n_numbers; i++)
		tl_numbers_release(&m->numbers[i]);
	for (size_t c = 0; c < m->n_columns; c++)
		free(m->columns[c].coarse);
	free(m->numbers);
	free(m->columns);
	free(m->called);
	free(m->groups.index);
	free(m->groups.start);
	free(m->coarse.index);
	free(m->coarse.start);
	free(m->coarse_of);
	free(m->by);
	free(m->order);
	tl_table_free(m->sheet);
}

struct tl_table *tl_sheet_make(const struct tl_sheet_def *def, const struct tl_sheet_input *in)
{
	struct make m = { .def = def, .in = in, .rows = in->own_rows ? in->own_rows : in->rows };

	add_columns(&m);
	make_groups(&m);
	measure_coarse_groups(&m);
	fill_rows(&m);
	m.order = tl_alloc((m.n_groups + 1) * sizeof *m.order);
	if (!in->shares_by_key)
		order_by_def(&m);
	if (def->keys_ascending || in->shares_by_key)
		order_by_keys(&m);
	sort_rows(&m);
	for (size_t c = 0; c < m.n_columns; c++)
		if (is_share(m.columns[c].def->kind))
			fill_share(&m, c);
	if (in->shares_by_key) {
		order_by_def(&m);
		order_by_keys(&m);
		sort_rows(&m);
	}
	struct tl_table *out = visible_columns(&m);
	if (!out->overflow) /* what a sum stopped at may be in a number of the sheet, or in a column that is hidden */
		out->overflow = m.sheet->overflow ? m.sheet->overflow : m.rows->overflow;
	if (in->top)
		tl_table_head(out, *in->top);
	release(&m);
	tl_table_free(in->own_rows);
	if (in->done)
		in->done(in->ctx);
	return out;
}

/* ---- definitions of sheets -------------------------------------------------------------- */

static const struct tl_column *find_column(const struct tl_column *from, const struct tl_column *past, const char *name)
{
	for (; from < past; from++)
		if (!strcmp(from->name, name))
			return from;
	return NULL;
}

/* The name of what a column is made from, if that does not exist. */
static const char *missing_source(const struct tl_sheet_def *def, const struct tl_column *c)
{
	const char *source = tl_column_source(c);

	if (tl_column_is_of_sheet(c->kind)) { /* it must be there whenever this column is */
		const struct tl_column *in = find_column(def->columns, c, source);
		return !in || in->when & ~c->when ? source : c->of && !find_column(def->columns, c, c->of) ? c->of : NULL;
	}
	if (c->kind == TL_CALL)
		return c->fn && c->cell < TL_MAX_CALL_CELLS ? NULL : source;
	if (c->kind == TL_REST || c->kind == TL_EACH_KEY || (c->kind == TL_COUNT && !c->in))
		return NULL;
	for (const char *const *raw = def->rows; *raw; raw++)
		if (!strcmp(*raw, source))
			return NULL;
	return source;
}

/* Are all raw columns that no other column is made from columns of the sheet, and is this one of them? */
static bool is_of_rest(const struct tl_sheet_def *def, const char *name)
{
	bool rest = false;

	for (const struct tl_column *c = def->columns; c->name; c++)
		rest |= c->kind == TL_REST;
	for (const char *const *raw = def->rows; rest && *raw; raw++)
		if (!strcmp(*raw, name))
			return !is_used(def, name);
	return false;
}

enum tl_status tl_sheet_check(const struct tl_sheet_def *def, struct tl_error *err)
{
	const struct tl_column *c = def->columns;

	for (; c->name; c++) {
		const char *missing = missing_source(def, c);
		if (missing)
			return tl_fail(err, TL_ERR_DATA, "sheet %s, column \"%s\": no column \"%s\" to make it from",
			               def->name, c->name, missing);
		if (find_column(def->columns, c, c->name))
			return tl_fail(err, TL_ERR_DATA, "sheet %s: two columns \"%s\"", def->name, c->name);
	}
	for (size_t i = 0; i < TL_SHEET_ORDER && def->order[i].column; i++)
		if (!find_column(def->columns, c, def->order[i].column) && !is_of_rest(def, def->order[i].column))
			return tl_fail(err, TL_ERR_DATA, "sheet %s: no column \"%s\" to order rows by",
			               def->name, def->order[i].column);
	return TL_OK;
}

struct tl_table *tl_sheet_of(const struct tl_sheet *s, void *filter)
{
	struct tl_sheet_input in = { .name = s->name, .where = s->where, .ctx = filter };

	s->rows(filter, &in);
	if (!in.rows && !in.own_rows)
		return NULL;
	return s->def && !s->def->as_made && !in.as_is ? tl_sheet_make(s->def, &in) : in.own_rows;
}
