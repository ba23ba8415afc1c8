/* engine.c - the one table engine: group, aggregate, scale, sort, shares,
 * choice of columns.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/cell.h"
#include "value/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_AGGS (sizeof ((struct tl_sheet_def *)0)->aggs / sizeof(struct tl_agg))

/* The numbers of a column in one group, in the order of the rows. */
struct numbers {
	double *v;
	size_t n;
	bool ints;      /* all of them; then sum is exact */
	__int128 sum;
};

struct make {
	const struct tl_sheet_def *def;
	const struct tl_table *rows;
	void *ctx;
	int key_in[TL_SHEET_MAX];        /* columns of rows; optional ones left out */
	const char *key_out[TL_SHEET_MAX];
	size_t n_keys;
	int agg_in[N_AGGS];              /* column of rows, -1 for none */
	const struct tl_agg *agg[N_AGGS];
	size_t n_aggs;

	size_t n_groups;
	size_t *index;                   /* raw rows, group after group */
	size_t *start;                   /* n_groups + 1 places in index */

	struct tl_table *wide;           /* every column, in group order */
	size_t *order;                   /* rows of wide as they come out */

	double *numbers, *sorted;        /* of one group; room to sort them */
	size_t cap_numbers, cap_sorted;
	struct numbers last;             /* asked for last: mean, median … of a */
	const size_t *last_group;        /* column come one after the other */
	int last_col;
	uint32_t *stamp;                 /* by text id: last group it was seen in */
	size_t n_stamps;
};

/* ---- what the definition asks for -------------------------------------------- */

static void resolve(struct make *m)
{
	const struct tl_sheet_def *def = m->def;

	for (size_t i = 0; i < TL_SHEET_MAX && def->keys[i].in; i++) {
		int col = tl_table_column(m->rows, def->keys[i].in);
		if (col < 0)
			continue;
		m->key_in[m->n_keys] = col;
		m->key_out[m->n_keys++] = def->keys[i].out ? def->keys[i].out : def->keys[i].in;
	}
	for (size_t i = 0; i < N_AGGS && def->aggs[i].out; i++) {
		const struct tl_agg *a = &def->aggs[i];
		int col = a->in ? tl_table_column(m->rows, a->in) : -1;
		if (col < 0 && (a->in || (a->kind != TL_AGG_COUNT && a->kind != TL_AGG_CALL)))
			continue;
		m->agg_in[m->n_aggs] = col;
		m->agg[m->n_aggs++] = a;
	}
}

/* ---- groups -------------------------------------------------------------------- */

static struct tl_cell key_cell(const struct make *m, size_t row, size_t key)
{
	return tl_cell_canonical(*tl_table_cell(m->rows, row, (size_t)m->key_in[key]));
}

static bool has_null_key(const struct make *m, size_t row)
{
	for (size_t k = 0; k < m->n_keys; k++)
		if (tl_cell_is_null(key_cell(m, row, k)))
			return true;
	return false;
}

static uint64_t hash_keys(const struct make *m, size_t row)
{
	uint64_t h = 0;
	for (size_t k = 0; k < m->n_keys; k++)
		h = tl_cell_hash(key_cell(m, row, k), h);
	return h;
}

static bool same_keys(const struct make *m, size_t a, size_t b)
{
	for (size_t k = 0; k < m->n_keys; k++)
		if (!tl_cell_equal(key_cell(m, a, k), key_cell(m, b, k)))
			return false;
	return true;
}

/* Hash table of groups, each known by its first row. */
struct slot {
	uint32_t hash, group; /* group + 1, 0 = empty */
};
struct groups {
	struct slot *slots;
	size_t mask;
	size_t *first;        /* row */
	size_t n, cap;
};

static void groups_widen(struct groups *g)
{
	size_t old = g->slots ? g->mask + 1 : 0, size = old ? 2 * old : 64;
	struct slot *before = g->slots;
	g->slots = tl_calloc(size, sizeof *g->slots);
	g->mask = size - 1;
	for (size_t i = 0; i < old; i++) {
		size_t at = before[i].hash & g->mask;
		while (before[i].group && g->slots[at].group)
			at = (at + 1) & g->mask;
		if (before[i].group)
			g->slots[at] = before[i];
	}
	free(before);
}

static uint32_t group_of(const struct make *m, struct groups *g, size_t row)
{
	if (!g->slots || g->n >= (g->mask + 1) / 2)
		groups_widen(g);
	uint32_t hash = (uint32_t)hash_keys(m, row);
	size_t at = hash & g->mask;
	for (; g->slots[at].group; at = (at + 1) & g->mask)
		if (g->slots[at].hash == hash && same_keys(m, g->first[g->slots[at].group - 1], row))
			return g->slots[at].group - 1;
	TL_GROW(g->first, g->cap, g->n + 1);
	g->first[g->n++] = row;
	g->slots[at].hash = hash;
	g->slots[at].group = (uint32_t)g->n;
	return (uint32_t)g->n - 1;
}

#define NO_GROUP UINT32_MAX

/* Puts each group's rows together, groups in order of first appearance. */
static void gather_groups(struct make *m, const uint32_t *group)
{
	size_t n = m->rows->n_rows;

	m->start = tl_calloc(m->n_groups + 2, sizeof *m->start);
	m->index = tl_alloc(n * sizeof *m->index + 1);
	for (size_t i = 0; i < n; i++)
		if (group[i] != NO_GROUP)
			m->start[group[i] + 2]++;
	for (size_t g = 2; g < m->n_groups + 2; g++)
		m->start[g] += m->start[g - 1];
	/* start[g + 1] is where the next row of group g goes, and its end after all */
	for (size_t i = 0; i < n; i++)
		if (group[i] != NO_GROUP)
			m->index[m->start[group[i] + 1]++] = i;
}

static void make_groups(struct make *m)
{
	size_t n = m->rows->n_rows;
	uint32_t *group = tl_alloc(n * sizeof *group + 1);
	struct groups g = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (m->def->drop_null_keys && has_null_key(m, i))
			group[i] = NO_GROUP;
		else if (m->def->no_groups)
			group[i] = (uint32_t)g.n++;
		else
			group[i] = group_of(m, &g, i);
	}
	m->n_groups = g.n;
	free(g.first);
	free(g.slots);
	gather_groups(m, group);
	free(group);
}

static struct tl_group group_at(const struct make *m, size_t g)
{
	return (struct tl_group){ m->rows, m->index + m->start[g], m->start[g + 1] - m->start[g] };
}

/* Puts the groups in ascending order of their keys. */
static void sort_groups(const struct make *m, size_t *groups)
{
	struct tl_sort_key by[TL_SHEET_MAX];
	size_t *first = tl_alloc(m->n_groups * sizeof *first + 1);

	for (size_t g = 0; g < m->n_groups; g++)
		first[g] = m->index[m->start[g]];
	for (size_t k = 0; k < m->n_keys; k++)
		by[k] = (struct tl_sort_key){ (size_t)m->key_in[k], false };
	tl_sort_rows(m->rows, first, groups, m->n_groups, by, m->n_keys);
	free(first);
}

/* ---- aggregates ------------------------------------------------------------------ */

static struct numbers numbers_of(struct make *m, const struct tl_group *g, int col)
{
	if (m->last_group == g->index && m->last_col == col)
		return m->last;
	TL_GROW(m->numbers, m->cap_numbers, g->n + 1);
	struct numbers x = { .v = m->numbers, .ints = true };
	for (size_t i = 0; i < g->n; i++) {
		struct tl_cell c = *tl_table_cell(g->rows, g->index[i], (size_t)col);
		if (c.type == TL_CELL_INT || c.type == TL_CELL_BOOL) {
			x.v[x.n++] = (double)c.i;
			x.sum += c.i;
		} else if (c.type == TL_CELL_REAL && !isnan(c.d)) {
			x.v[x.n++] = c.d;
			x.ints = false;
		}
	}
	m->last = x;
	m->last_group = g->index;
	m->last_col = col;
	return x;
}

static double median_of(struct make *m, const struct numbers *x)
{
	TL_GROW(m->sorted, m->cap_sorted, x->n);
	memcpy(m->sorted, x->v, x->n * sizeof *x->v);
	return tl_median(m->sorted, x->n);
}

static struct tl_cell sum_of(struct make *m, const struct tl_group *g, int col)
{
	struct numbers x = numbers_of(m, g, col);
	if (x.ints && x.n && x.sum >= INT64_MIN && x.sum <= INT64_MAX)
		return tl_cell_int((int64_t)x.sum);
	return tl_cell_real(x.ints ? (double)x.sum : tl_kahan_sum(x.v, x.n));
}

static struct tl_cell statistic_of(struct make *m, const struct tl_group *g, int col, unsigned kind)
{
	struct numbers x = numbers_of(m, g, col);
	if (x.n < (kind == TL_AGG_STD ? 2 : 1))
		return tl_cell_null();
	switch (kind) {
	case TL_AGG_MEAN: return tl_cell_real(tl_kahan_sum(x.v, x.n) / (double)x.n);
	case TL_AGG_MEDIAN: return tl_cell_real(median_of(m, &x));
	default: return tl_cell_real(tl_welford_std(x.v, x.n));
	}
}

static bool is_beyond(const struct tl_strtab *strings, struct tl_cell c, struct tl_cell best, int sign)
{
	if (c.type == TL_CELL_REAL && best.type == TL_CELL_REAL)
		return sign > 0 ? c.d > best.d : c.d < best.d;
	return sign * tl_cell_compare(strings, tl_cell_canonical(c), tl_cell_canonical(best)) > 0;
}

static struct tl_cell extreme_of(const struct tl_group *g, int col, int sign)
{
	struct tl_cell best = tl_cell_null();
	bool reals = false;

	for (size_t i = 0; i < g->n; i++) {
		struct tl_cell c = *tl_table_cell(g->rows, g->index[i], (size_t)col);
		if (tl_cell_is_null(c))
			continue;
		reals |= c.type == TL_CELL_REAL;
		if (best.type == TL_CELL_NULL || is_beyond(g->rows->strings, c, best, sign))
			best = c;
	}
	return reals && best.type == TL_CELL_INT ? tl_cell_real((double)best.i) : best;
}

static struct tl_cell first_of(const struct tl_group *g, int col)
{
	for (size_t i = 0; i < g->n; i++) {
		struct tl_cell c = *tl_table_cell(g->rows, g->index[i], (size_t)col);
		if (!tl_cell_is_null(c))
			return c;
	}
	return tl_cell_null();
}

static int compare_text_ids(const void *ctx, size_t a, size_t b)
{
	return tl_cell_compare(ctx, tl_cell_text((uint32_t)a), tl_cell_text((uint32_t)b));
}

static struct tl_cell distinct_of(struct make *m, const struct tl_group *g, int col, uint32_t mark)
{
	struct tl_strtab *strings = m->rows->strings;
	size_t *ids = NULL, n = 0, cap = 0;
	struct tl_buf text = { 0 };

	for (size_t i = 0; i < g->n; i++) {
		struct tl_cell c = *tl_table_cell(g->rows, g->index[i], (size_t)col);
		if (c.type != TL_CELL_TEXT || c.text >= m->n_stamps || m->stamp[c.text] == mark)
			continue;
		m->stamp[c.text] = mark;
		TL_GROW(ids, cap, n + 1);
		ids[n++] = c.text;
	}
	if (n > 1)
		tl_sort_indexes(ids, n, compare_text_ids, strings);
	tl_buf_addc(&text, '[');
	for (size_t i = 0; i < n; i++) {
		if (i)
			tl_buf_add(&text, ", ", 2);
		tl_repr_text(&text, tl_str(strings, (uint32_t)ids[i]), tl_str_len(strings, (uint32_t)ids[i]));
	}
	tl_buf_addc(&text, ']');
	struct tl_cell c = tl_cell_text(tl_intern(strings, text.data, text.len));
	tl_buf_release(&text);
	free(ids);
	return c;
}

/* mark: a number no other aggregate of this sheet has. */
static struct tl_cell aggregate(struct make *m, size_t agg, const struct tl_group *g, uint32_t mark)
{
	const struct tl_agg *a = m->agg[agg];
	int col = m->agg_in[agg];

	switch (a->kind) {
	case TL_AGG_COUNT: return tl_cell_int((int64_t)g->n);
	case TL_AGG_FIRST: return first_of(g, col);
	case TL_AGG_SUM: return sum_of(m, g, col);
	case TL_AGG_MIN: return extreme_of(g, col, -1);
	case TL_AGG_MAX: return extreme_of(g, col, 1);
	case TL_AGG_DISTINCT: return distinct_of(m, g, col, mark);
	case TL_AGG_CALL: return a->fn(m->ctx, g);
	default: return statistic_of(m, g, col, a->kind);
	}
}

/* ---- the wide table ----------------------------------------------------------------- */

static void want_column(struct tl_table *t, const char *name)
{
	if (name && tl_table_column(t, name) < 0)
		tl_table_add_column(t, name);
}

/* Columns: all raw ones when rows are not grouped, keys, aggregates, scales,
 * shares. Of equal names the first stands. */
static void add_columns(struct make *m)
{
	const struct tl_sheet_def *def = m->def;

	m->wide = tl_table_new(m->rows->strings);
	for (size_t i = 0; def->no_groups && i < m->rows->n_columns; i++)
		want_column(m->wide, m->rows->columns[i]);
	for (size_t i = 0; i < m->n_keys; i++)
		want_column(m->wide, m->key_out[i]);
	for (size_t i = 0; i < m->n_aggs; i++)
		want_column(m->wide, m->agg[i]->out);
	for (size_t i = 0; i < TL_SHEET_MAX && def->scales[i].in; i++)
		if (tl_table_column(m->wide, def->scales[i].in) >= 0)
			want_column(m->wide, def->scales[i].out);
	for (size_t i = 0; i < 4 && def->shares[i].of; i++) {
		if (tl_table_column(m->wide, def->shares[i].of) < 0)
			continue;
		want_column(m->wide, def->shares[i].percent);
		want_column(m->wide, def->shares[i].cumulative);
	}
}

static void fill_rows(struct make *m)
{
	size_t raw = m->def->no_groups ? m->rows->n_columns : 0;
	int key_to[TL_SHEET_MAX], agg_to[N_AGGS];
	size_t *groups = tl_alloc(m->n_groups * sizeof *groups + 1);

	for (size_t k = 0; k < m->n_keys; k++)
		key_to[k] = tl_table_column(m->wide, m->key_out[k]);
	for (size_t a = 0; a < m->n_aggs; a++)
		agg_to[a] = tl_table_column(m->wide, m->agg[a]->out);
	for (size_t g = 0; g < m->n_groups; g++)
		groups[g] = g;
	if (m->def->keys_ascending)
		sort_groups(m, groups);

	for (size_t i = 0; i < m->n_groups; i++) {
		struct tl_group g = group_at(m, groups[i]);
		struct tl_cell *row = tl_table_add_row(m->wide);
		if (!row)
			break; /* a sheet without columns */
		if (raw) /* names of raw rows are distinct, so places agree */
			memcpy(row, tl_table_cell(m->rows, g.index[0], 0), raw * sizeof *row);
		for (size_t k = 0; k < m->n_keys; k++)
			row[key_to[k]] = *tl_table_cell(m->rows, g.index[0], (size_t)m->key_in[k]);
		for (size_t a = 0; a < m->n_aggs; a++)
			row[agg_to[a]] = aggregate(m, a, &g, (uint32_t)(i * m->n_aggs + a + 1));
	}
	free(groups);
}

/* A number as double; NaN for all else. */
static double number(struct tl_cell c)
{
	return c.type == TL_CELL_REAL ? c.d : c.type == TL_CELL_INT || c.type == TL_CELL_BOOL ? (double)c.i : NAN;
}

static struct tl_cell real_or_null(double x)
{
	return isnan(x) ? tl_cell_null() : tl_cell_real(x);
}

static void apply_scales(struct make *m)
{
	for (size_t s = 0; s < TL_SHEET_MAX && m->def->scales[s].in; s++) {
		const struct tl_scale *scale = &m->def->scales[s];
		int in = tl_table_column(m->wide, scale->in), out = tl_table_column(m->wide, scale->out);
		if (in < 0)
			continue;
		for (size_t i = 0; i < m->wide->n_rows; i++) {
			double x = number(*tl_table_cell(m->wide, i, (size_t)in));
			x = scale->divisor == 0 ? NAN : x / scale->divisor * scale->factor;
			*tl_table_cell(m->wide, i, (size_t)out) = real_or_null(x);
		}
	}
}

/* ---- order and shares ------------------------------------------------------------------ */

static void sort_rows(struct make *m)
{
	struct tl_sort_key by[6];
	size_t n = 0;

	m->order = tl_alloc(m->wide->n_rows * sizeof *m->order + 1);
	for (size_t i = 0; i < m->wide->n_rows; i++)
		m->order[i] = i;
	for (size_t i = 0; i < 6 && m->def->order[i].column; i++) {
		int col = tl_table_column(m->wide, m->def->order[i].column);
		if (col >= 0)
			by[n++] = (struct tl_sort_key){ (size_t)col, m->def->order[i].descending };
	}
	tl_sort_rows(m->wide, NULL, m->order, m->wide->n_rows, by, n);
}

static double total_of(struct make *m, size_t col)
{
	size_t n = m->wide->n_rows;
	TL_GROW(m->numbers, m->cap_numbers, n + 1);
	m->last_group = NULL;
	for (size_t i = 0; i < n; i++) {
		double x = number(*tl_table_cell(m->wide, m->order[i], col));
		m->numbers[i] = isnan(x) ? 0 : x;
	}
	return tl_pairwise_sum(m->numbers, n);
}

static void apply_share(struct make *m, const struct tl_share *share)
{
	int of = tl_table_column(m->wide, share->of);
	if (of < 0)
		return;
	int percent = share->percent ? tl_table_column(m->wide, share->percent) : -1;
	int cumulative = share->cumulative ? tl_table_column(m->wide, share->cumulative) : -1;
	double total = share->total_is_sum ? total_of(m, (size_t)of) : share->total;
	double running = 0;

	for (size_t i = 0; i < m->wide->n_rows; i++) {
		size_t row = m->order[i];
		double x = total == 0 ? NAN : number(*tl_table_cell(m->wide, row, (size_t)of)) / total * 100;
		if (percent >= 0)
			*tl_table_cell(m->wide, row, (size_t)percent) = real_or_null(x);
		if (!isnan(x))
			running += x;
		if (cumulative >= 0)
			*tl_table_cell(m->wide, row, (size_t)cumulative) = isnan(x) ? tl_cell_null() : tl_cell_real(running);
	}
}

/* ---- the sheet ------------------------------------------------------------------------------ */

static struct tl_table *choose_columns(const struct make *m)
{
	struct tl_table *out = tl_table_new(m->wide->strings);
	size_t *from = tl_alloc((m->wide->n_columns + sizeof m->def->columns / sizeof(char *)) * sizeof *from);

	for (size_t i = 0; i < sizeof m->def->columns / sizeof(char *) && m->def->columns[i]; i++) {
		int col = tl_table_column(m->wide, m->def->columns[i]);
		if (col >= 0)
			from[tl_table_add_column(out, m->def->columns[i])] = (size_t)col;
	}
	for (size_t i = 0; !m->def->columns[0] && i < m->wide->n_columns; i++)
		from[tl_table_add_column(out, m->wide->columns[i])] = i;
	for (size_t i = 0; i < m->wide->n_rows; i++) {
		struct tl_cell *row = tl_table_add_row(out);
		for (size_t c = 0; c < out->n_columns; c++)
			row[c] = *tl_table_cell(m->wide, m->order[i], from[c]);
	}
	free(from);
	return out;
}

struct tl_table *tl_sheet_make(const struct tl_sheet_def *def, const struct tl_table *rows, void *ctx)
{
	struct make m = { .def = def, .rows = rows, .ctx = ctx };

	resolve(&m);
	make_groups(&m);
	m.n_stamps = (size_t)rows->strings->count + 1;
	m.stamp = tl_calloc(m.n_stamps, sizeof *m.stamp);
	add_columns(&m);
	fill_rows(&m);
	apply_scales(&m);
	sort_rows(&m);
	for (size_t i = 0; i < 4 && def->shares[i].of; i++)
		apply_share(&m, &def->shares[i]);
	struct tl_table *out = choose_columns(&m);

	tl_table_free(m.wide);
	free(m.index);
	free(m.start);
	free(m.order);
	free(m.numbers);
	free(m.sorted);
	free(m.stamp);
	return out;
}
