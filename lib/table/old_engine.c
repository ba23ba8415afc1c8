/* old_engine.c - the old table engine: group, aggregate, scale, sort, shares,
 * choice of columns.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/old_engine.h"
#include "table/statistics.h"
#include "json/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_AGGS (sizeof ((struct tl_old_sheet_def *)0)->aggs / sizeof(struct tl_agg))

/* Where the values of a column are. */
struct column {
	const unsigned char *first;      /* NULL: there is no row */
	size_t stride;                   /* in bytes */
	const uint32_t *via;             /* raw row -> shared row; NULL: its own */
	enum { CELLS, INTS, REALS } kind;
	int number;                      /* tells columns apart; -1: there is none */
};

/* The numbers of a column in one group, in the order of the rows. */
struct numbers {
	double *v;
	size_t n;
	bool ints;      /* all of them; then sum is exact */
	bool others;    /* bools or texts are among them */
	__int128 sum;
};

struct make {
	const struct tl_old_sheet_def *def;
	const struct tl_raw *raw;
	void *ctx;
	struct column key_in[TL_SHEET_MAX]; /* optional ones left out */
	const char *key_out[TL_SHEET_MAX];
	size_t n_keys;
	struct column agg_in[N_AGGS];
	int agg_to[N_AGGS];              /* column of wide */
	const struct tl_agg *agg[N_AGGS];
	size_t n_aggs;

	size_t n_groups;
	size_t *index;                   /* raw rows, group after group */
	size_t *start;                   /* n_groups + 1 places in index */

	struct tl_table *wide;           /* every column, in order of first appearance */
	size_t *order;                   /* rows of wide as they come out */

	double *numbers, *sorted;        /* of one group, column after column; room to sort them */
	size_t cap_numbers, cap_sorted;
	uint32_t *stamp;                 /* by text id: last group it was seen in */
	size_t n_stamps;
};

/* ---- what the definition asks for -------------------------------------------- */

static struct column cells_named(const struct tl_table *t, const char *name)
{
	int col = t ? tl_table_column(t, name) : -1;

	if (col < 0)
		return (struct column){ .number = -1 };
	return (struct column){ t->cells ? (const unsigned char *)(t->cells + col) : NULL, t->n_columns * sizeof *t->cells, NULL, CELLS, col };
}

/* Columns are numbered through: numbers, cells of their own, shared ones. */
static struct column column_named(const struct make *m, const char *name)
{
	const struct tl_raw *raw = m->raw;
	int before = (int)raw->n_columns;

	for (size_t i = 0; i < raw->n_columns; i++) {
		const struct tl_raw_column *r = &raw->columns[i];
		if (!strcmp(r->name, name))
			return (struct column){ r->ints ? (const void *)r->ints : r->reals, r->stride, NULL, r->ints ? INTS : REALS, (int)i };
	}
	struct column c = cells_named(raw->own, name);
	if (c.number < 0 && raw->shared) {
		before += raw->own ? (int)raw->own->n_columns : 0;
		c = cells_named(raw->shared, name);
		c.via = raw->of;
	}
	c.number = c.number < 0 ? -1 : before + c.number;
	return c;
}

static inline struct tl_cell cell_at(const struct column *c, size_t row)
{
	const void *p = c->first + (c->via ? c->via[row] : row) * c->stride;
	double d;

	if (c->kind == CELLS)
		return *(const struct tl_cell *)p;
	if (c->kind == INTS)
		return tl_cell_int(*(const int64_t *)p);
	d = *(const double *)p;
	return isnan(d) ? tl_cell_null() : tl_cell_real(d);
}

/* Does anything come of a column of the wide table? */
static bool is_needed(const struct tl_old_sheet_def *def, const char *out)
{
	for (size_t i = 0; i < TL_SHEET_MAX && def->scales[i].in; i++)
		if (!strcmp(def->scales[i].in, out))
			return true;
	for (size_t i = 0; i < TL_SHEET_ORDER && def->order[i].column; i++)
		if (!strcmp(def->order[i].column, out))
			return true;
	for (size_t i = 0; i < TL_SHEET_SHARES && def->shares[i].of; i++)
		if (!strcmp(def->shares[i].of, out))
			return true;
	for (size_t i = 0; i < sizeof def->columns / sizeof *def->columns && def->columns[i]; i++)
		if (*def->columns[i] == *out && !strcmp(def->columns[i], out))
			return true;
	return !def->columns[0];
}

static void resolve(struct make *m)
{
	const struct tl_old_sheet_def *def = m->def;

	for (size_t i = 0; i < TL_SHEET_MAX && def->keys[i].in; i++) {
		struct column c = column_named(m, def->keys[i].in);
		if (c.number < 0)
			continue;
		m->key_in[m->n_keys] = c;
		m->key_out[m->n_keys++] = def->keys[i].out ? def->keys[i].out : def->keys[i].in;
	}
	for (size_t i = 0; i < N_AGGS && def->aggs[i].out; i++) {
		const struct tl_agg *a = &def->aggs[i];
		struct column c = { .number = -1 };
		if (a->in)
			c = column_named(m, a->in);
		if (c.number < 0 && (a->in || (a->kind != TL_AGG_COUNT && a->kind != TL_AGG_CALL)))
			continue;
		if (!is_needed(def, a->out))
			continue;
		m->agg_in[m->n_aggs] = c;
		m->agg[m->n_aggs++] = a;
	}
}

/* ---- groups -------------------------------------------------------------------- */

/* Things to be grouped by the cells of some columns and by a number they have
 * beforehand (seed; NULL: none). */
struct items {
	struct column columns[TL_SHEET_MAX];
	size_t n_columns, n;
	const uint32_t *seed;
};

/* A cell of an item in its canonical form; columns of items are not shared. */
static inline struct tl_cell item_cell(const struct column *c, size_t item)
{
	const struct tl_cell *p;

	if (c->kind != CELLS)
		return tl_cell_canonical(cell_at(c, item));
	p = (const void *)(c->first + item * c->stride);
	return p->type == TL_CELL_REAL ? tl_cell_canonical(*p) : *p;
}

static uint32_t hash_item(const struct items *t, size_t item)
{
	uint64_t h = t->seed ? t->seed[item] : 0;
	for (const struct column *c = t->columns, *end = c + t->n_columns; c < end; c++)
		h = tl_cell_hash(item_cell(c, item), h);
	return (uint32_t)tl_hash_u64(h);
}

static bool same_item(const struct items *t, size_t a, size_t b)
{
	if (t->seed && t->seed[a] != t->seed[b])
		return false;
	for (const struct column *c = t->columns, *end = c + t->n_columns; c < end; c++)
		if (!tl_cell_equal(item_cell(c, a), item_cell(c, b)))
			return false;
	return true;
}

/* Hash table of groups, each known by its first item. */
struct slot {
	uint32_t hash, group; /* group + 1, 0 = empty */
};
struct groups {
	struct slot *slots;
	size_t mask;
	size_t *first;        /* item */
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

static uint32_t group_of(const struct items *t, struct groups *g, size_t item)
{
	if (!g->slots || g->n >= (g->mask + 1) / 2)
		groups_widen(g);
	uint32_t hash = hash_item(t, item);
	size_t at = hash & g->mask;
	for (; g->slots[at].group; at = (at + 1) & g->mask)
		if (g->slots[at].hash == hash && same_item(t, g->first[g->slots[at].group - 1], item))
			return g->slots[at].group - 1;
	TL_GROW(g->first, g->cap, g->n + 1);
	g->first[g->n++] = item;
	g->slots[at].hash = hash;
	g->slots[at].group = (uint32_t)g->n;
	return (uint32_t)g->n - 1;
}

/* Numbers the groups of all items in order of first appearance; returns how
 * many there are. */
static size_t group_items(const struct items *t, uint32_t *group)
{
	struct groups g = { 0 };

	for (size_t i = 0; i < t->n; i++)
		group[i] = group_of(t, &g, i);
	free(g.first);
	free(g.slots);
	return g.n;
}

#define NO_GROUP UINT32_MAX

static bool has_null_key(const struct make *m, size_t row)
{
	for (size_t k = 0; k < m->n_keys; k++)
		if (tl_cell_is_null(cell_at(&m->key_in[k], row)))
			return true;
	return false;
}

/* Numbers groups anew in order of first appearance, without the rows that the
 * sheet leaves out; returns how many are left. */
static size_t renumber(const struct make *m, uint32_t *group, size_t n_before)
{
	uint32_t *to = tl_alloc(n_before * sizeof *to + 1), n = 0;

	memset(to, 0xff, n_before * sizeof *to); /* NO_GROUP */
	for (size_t i = 0; i < m->raw->n_rows; i++) {
		if (m->def->drop_null_keys && has_null_key(m, i)) {
			group[i] = NO_GROUP;
			continue;
		}
		if (to[group[i]] == NO_GROUP)
			to[group[i]] = n++;
		group[i] = to[group[i]];
	}
	free(to);
	return n;
}

/* Groups by equal keys. Keys that rows share are looked at once for each row
 * that is shared, and make one number for what follows. */
static size_t group_rows(const struct make *m, uint32_t *group)
{
	struct items own = { .n = m->raw->n_rows }, shared = { .n = m->raw->shared ? m->raw->shared->n_rows : 0 };
	size_t n = 1;

	for (size_t k = 0; k < m->n_keys; k++) {
		struct items *t = m->key_in[k].via ? &shared : &own;
		t->columns[t->n_columns] = m->key_in[k];
		t->columns[t->n_columns++].via = NULL;
	}
	if (!shared.n_columns) {
		n = group_items(&own, group);
		return m->def->drop_null_keys ? renumber(m, group, n) : n;
	}
	uint32_t *seed = tl_alloc(own.n * sizeof *seed + 1), *of = tl_alloc(shared.n * sizeof *of + 1);
	n = group_items(&shared, of);
	for (size_t i = 0; i < own.n; i++)
		seed[i] = of[m->raw->of[i]];
	own.seed = seed;
	if (own.n_columns)
		n = group_items(&own, group);
	else
		memcpy(group, seed, own.n * sizeof *seed);
	free(seed);
	free(of);
	return renumber(m, group, n);
}

/* Puts each group's rows together, groups in order of first appearance. */
static void gather_groups(struct make *m, const uint32_t *group)
{
	size_t n = m->raw->n_rows;

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
	size_t n = m->raw->n_rows;
	uint32_t *group = tl_alloc(n * sizeof *group + 1);

	if (m->def->no_groups) {
		for (size_t i = 0; i < n; i++)
			group[i] = (uint32_t)i;
		m->n_groups = renumber(m, group, n);
	} else {
		m->n_groups = group_rows(m, group);
	}
	gather_groups(m, group);
	free(group);
}

static struct tl_group group_at(const struct make *m, size_t g)
{
	return (struct tl_group){ m->raw->own, m->index + m->start[g], m->start[g + 1] - m->start[g] };
}

/* ---- numbers --------------------------------------------------------------------- */

static void take_reals(struct numbers *x, const struct tl_group *g, const struct column *c)
{
	for (size_t i = 0; i < g->n; i++) {
		double d = *(const double *)(const void *)(c->first + g->index[i] * c->stride);
		x->v[x->n] = d;
		x->n += !isnan(d);
	}
	x->ints = !x->n;
}

static void take_ints(struct numbers *x, const struct tl_group *g, const struct column *c)
{
	for (size_t i = 0; i < g->n; i++) {
		int64_t v = *(const int64_t *)(const void *)(c->first + g->index[i] * c->stride);
		x->v[i] = (double)v;
		x->sum += v;
	}
	x->n = g->n;
}

static void take_cells(struct numbers *x, const struct tl_group *g, const struct column *c)
{
	for (size_t i = 0; i < g->n; i++) {
		size_t row = c->via ? c->via[g->index[i]] : g->index[i];
		const struct tl_cell *cell = (const void *)(c->first + row * c->stride);
		if (cell->type == TL_CELL_REAL) {
			x->v[x->n] = cell->d;
			bool number = !isnan(cell->d);
			x->n += number;
			x->ints &= !number;
		} else if (cell->type == TL_CELL_INT || cell->type == TL_CELL_BOOL) {
			x->v[x->n++] = (double)cell->i;
			x->sum += cell->i;
			x->others |= cell->type == TL_CELL_BOOL;
		} else if (cell->type == TL_CELL_TEXT) {
			x->others = true;
		}
	}
}

/* room: for as many as the group has rows. */
static struct numbers numbers_of(const struct tl_group *g, const struct column *c, double *room)
{
	struct numbers x = { .v = room, .ints = true };
	if (c->kind == REALS)
		take_reals(&x, g, c);
	else if (c->kind == INTS)
		take_ints(&x, g, c);
	else
		take_cells(&x, g, c);
	return x;
}

static double median_of(struct make *m, const struct numbers *x)
{
	TL_GROW(m->sorted, m->cap_sorted, x->n);
	memcpy(m->sorted, x->v, x->n * sizeof *x->v);
	return tl_median(m->sorted, x->n);
}

static bool is_beyond(const struct tl_strtab *strings, struct tl_cell c, struct tl_cell best, int sign)
{
	if (c.type == TL_CELL_REAL && best.type == TL_CELL_REAL)
		return sign > 0 ? c.d > best.d : c.d < best.d;
	return sign * tl_cell_compare(strings, tl_cell_canonical(c), tl_cell_canonical(best)) > 0;
}

/* Of any cells. */
static struct tl_cell extreme_cell(const struct make *m, const struct tl_group *g, const struct column *c, int sign)
{
	struct tl_cell best = tl_cell_null();
	bool reals = false;

	for (size_t i = 0; i < g->n; i++) {
		struct tl_cell cell = cell_at(c, g->index[i]);
		if (tl_cell_is_null(cell))
			continue;
		reals |= cell.type == TL_CELL_REAL;
		if (best.type == TL_CELL_NULL || is_beyond(m->raw->strings, cell, best, sign))
			best = cell;
	}
	return reals && best.type == TL_CELL_INT ? tl_cell_real((double)best.i) : best;
}

/* A column that some aggregates are statistics of, and what it has in the group
 * at hand. */
struct statistics {
	const struct column *in;
	uint8_t aggs[N_AGGS]; size_t n_aggs;
	bool only_sum;
	struct numbers x;
	struct tl_moments moments; /* with only_sum: kahan alone; not of integers then */
	bool has_moments;
};

/* Numbers are compared as doubles, unless digits could be lost by that. */
static struct tl_cell extreme_of(const struct make *m, const struct statistics *s, const struct tl_group *g, int sign)
{
	const struct numbers *x = &s->x;

	if (!x->n && !x->others)
		return tl_cell_null();
	if (x->others)
		return extreme_cell(m, g, s->in, sign);
	double best = sign > 0 ? s->moments.max : s->moments.min;
	if (!x->ints)
		return tl_cell_real(best);
	return fabs(best) < 0x1p53 ? tl_cell_int((int64_t)best) : extreme_cell(m, g, s->in, sign);
}

static struct tl_cell sum_of(const struct statistics *s)
{
	const struct numbers *x = &s->x;
	if (x->ints && x->n && x->sum >= INT64_MIN && x->sum <= INT64_MAX)
		return tl_cell_int((int64_t)x->sum);
	return tl_cell_real(x->ints ? (double)x->sum : s->moments.kahan);
}

static struct tl_cell statistic(struct make *m, const struct statistics *s, const struct tl_group *g, unsigned kind)
{
	switch (kind) {
	case TL_AGG_SUM: return sum_of(s);
	case TL_AGG_MIN: return extreme_of(m, s, g, -1);
	case TL_AGG_MAX: return extreme_of(m, s, g, 1);
	}
	if (s->x.n < (kind == TL_AGG_STD ? 2 : 1))
		return tl_cell_null();
	switch (kind) {
	case TL_AGG_MEAN: return tl_cell_real(s->moments.kahan / (double)s->x.n);
	case TL_AGG_MEDIAN: return tl_cell_real(median_of(m, &s->x));
	default: return tl_cell_real(s->moments.std);
	}
}

static bool is_statistic(unsigned kind)
{
	return kind == TL_AGG_SUM || kind == TL_AGG_MEAN || kind == TL_AGG_MEDIAN || kind == TL_AGG_STD ||
	       kind == TL_AGG_MIN || kind == TL_AGG_MAX;
}

/* The columns that there are statistics of, each with its aggregates. */
static size_t list_statistics(const struct make *m, struct statistics *list)
{
	size_t n = 0;

	for (size_t a = 0; a < m->n_aggs; a++) {
		struct statistics *s = list;
		if (!is_statistic(m->agg[a]->kind))
			continue;
		while (s < list + n && s->in->number != m->agg_in[a].number)
			s++;
		if (s == list + n) {
			*s = (struct statistics){ .in = &m->agg_in[a], .only_sum = true };
			n++;
		}
		s->aggs[s->n_aggs++] = (uint8_t)a;
		s->only_sum &= m->agg[a]->kind == TL_AGG_SUM;
	}
	return n;
}

/* Sums, deviations and bounds, of several columns at once where they have as
 * many numbers. */
static void find_moments(struct statistics *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct statistics *s = &list[i];
		s->has_moments = !s->x.n || (s->only_sum && s->x.ints);
		if (s->only_sum && !s->has_moments) {
			s->moments.kahan = tl_kahan_sum(s->x.v, s->x.n);
			s->has_moments = true;
		}
	}
	for (size_t i = 0; i < n; i++) {
		struct statistics *same[TL_MOMENT_LANES];
		const double *v[TL_MOMENT_LANES];
		struct tl_moments made[TL_MOMENT_LANES];
		size_t n_same = 0;
		for (size_t k = i; k < n && n_same < TL_MOMENT_LANES; k++)
			if (!list[k].has_moments && list[k].x.n == list[i].x.n)
				same[n_same++] = &list[k];
		if (!n_same)
			continue;
		for (size_t l = 0; l < TL_MOMENT_LANES; l++)
			v[l] = same[l < n_same ? l : 0]->x.v;
		tl_moments(v, list[i].x.n, made);
		for (size_t l = 0; l < n_same; l++) {
			same[l]->moments = made[l];
			same[l]->has_moments = true;
		}
	}
}

/* All statistics of all columns, for every group. */
static void fill_statistics(struct make *m)
{
	struct statistics *list = tl_alloc((m->n_aggs + 1) * sizeof *list);
	size_t n = list_statistics(m, list);

	for (size_t i = 0; n && i < m->wide->n_rows; i++) {
		struct tl_group g = group_at(m, i);
		struct tl_cell *row = tl_table_cell(m->wide, i, 0);
		TL_GROW(m->numbers, m->cap_numbers, n * g.n + 1);
		for (size_t k = 0; k < n; k++)
			list[k].x = numbers_of(&g, list[k].in, m->numbers + k * g.n);
		find_moments(list, n);
		for (size_t k = 0; k < n; k++)
			for (size_t a = 0; a < list[k].n_aggs; a++)
				row[m->agg_to[list[k].aggs[a]]] = statistic(m, &list[k], &g, m->agg[list[k].aggs[a]]->kind);
	}
	free(list);
}

/* ---- other aggregates -------------------------------------------------------------- */


static struct tl_cell first_of(const struct tl_group *g, const struct column *c)
{
	for (size_t i = 0; i < g->n; i++) {
		struct tl_cell cell = cell_at(c, g->index[i]);
		if (!tl_cell_is_null(cell))
			return cell;
	}
	return tl_cell_null();
}

static int compare_text_ids(const void *ctx, size_t a, size_t b)
{
	return tl_cell_compare(ctx, tl_cell_text((uint32_t)a), tl_cell_text((uint32_t)b));
}

static struct tl_cell distinct_of(struct make *m, const struct tl_group *g, const struct column *col, uint32_t mark)
{
	struct tl_strtab *strings = m->raw->strings;
	size_t *ids = NULL, n = 0, cap = 0;
	struct tl_buf text = { 0 };

	for (size_t i = 0; i < g->n; i++) {
		struct tl_cell c = cell_at(col, g->index[i]);
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

	switch (a->kind) {
	case TL_AGG_COUNT: return tl_cell_int((int64_t)g->n);
	case TL_AGG_FIRST: return first_of(g, &m->agg_in[agg]);
	case TL_AGG_DISTINCT: return distinct_of(m, g, &m->agg_in[agg], mark);
	default: return a->fn(m->ctx, g);
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
	const struct tl_old_sheet_def *def = m->def;

	m->wide = tl_table_new(m->raw->strings, 1, NULL);
	for (size_t i = 0; def->no_groups && i < m->raw->own->n_columns; i++)
		want_column(m->wide, m->raw->own->columns[i]);
	for (size_t i = 0; i < m->n_keys; i++)
		want_column(m->wide, m->key_out[i]);
	for (size_t i = 0; i < m->n_aggs; i++)
		want_column(m->wide, m->agg[i]->out);
	for (size_t i = 0; i < TL_SHEET_MAX && def->scales[i].in; i++)
		if (tl_table_column(m->wide, def->scales[i].in) >= 0)
			want_column(m->wide, def->scales[i].out);
	for (size_t i = 0; i < TL_SHEET_SHARES && def->shares[i].of; i++) {
		if (tl_table_column(m->wide, def->shares[i].of) < 0)
			continue;
		want_column(m->wide, def->shares[i].percent);
		want_column(m->wide, def->shares[i].cumulative);
	}
}

/* Keys and all aggregates but statistics, group after group: columns that come
 * from one computation are asked for one after the other. */
static void fill_rows(struct make *m)
{
	size_t raw = m->def->no_groups ? m->raw->own->n_columns : 0;
	int key_to[TL_SHEET_MAX];

	for (size_t k = 0; k < m->n_keys; k++)
		key_to[k] = tl_table_column(m->wide, m->key_out[k]);
	tl_table_reserve(m->wide, m->n_groups);
	for (size_t i = 0; i < m->n_groups; i++) {
		struct tl_group g = group_at(m, i);
		struct tl_cell *row = tl_table_add_row(m->wide);
		if (!row)
			break; /* a sheet without columns */
		if (raw) /* names of raw rows are distinct, so places agree */
			memcpy(row, tl_table_cell(m->raw->own, g.index[0], 0), raw * sizeof *row);
		for (size_t k = 0; k < m->n_keys; k++)
			row[key_to[k]] = cell_at(&m->key_in[k], g.index[0]);
		for (size_t a = 0; a < m->n_aggs; a++)
			if (!is_statistic(m->agg[a]->kind))
				row[m->agg_to[a]] = aggregate(m, a, &g, (uint32_t)(i * m->n_aggs + a + 1));
	}
}

static void fill(struct make *m)
{
	bool distinct = false;

	for (size_t a = 0; a < m->n_aggs; a++) {
		m->agg_to[a] = tl_table_column(m->wide, m->agg[a]->out);
		distinct |= m->agg[a]->kind == TL_AGG_DISTINCT;
	}
	if (distinct) {
		m->n_stamps = (size_t)m->raw->strings->count + 1;
		m->stamp = tl_calloc(m->n_stamps, sizeof *m->stamp);
	}
	fill_rows(m);
	fill_statistics(m);
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

/* Ascending by keys, where the definition says so. */
static size_t key_order(const struct make *m, struct tl_sort_key *by)
{
	for (size_t k = 0; k < m->n_keys && m->def->keys_ascending; k++)
		by[k] = (struct tl_sort_key){ (size_t)tl_table_column(m->wide, m->key_out[k]), false };
	return m->def->keys_ascending ? m->n_keys : 0;
}

static void sort_rows(struct make *m)
{
	struct tl_sort_key by[TL_SHEET_MAX];
	size_t n = key_order(m, by);

	m->order = tl_alloc(m->wide->n_rows * sizeof *m->order + 1);
	for (size_t i = 0; i < m->wide->n_rows; i++)
		m->order[i] = i;
	tl_sort_rows(m->wide, m->order, m->wide->n_rows, by, n);
	n = 0;
	for (size_t i = 0; i < TL_SHEET_ORDER && m->def->order[i].column; i++) {
		int col = tl_table_column(m->wide, m->def->order[i].column);
		if (col >= 0)
			by[n++] = (struct tl_sort_key){ (size_t)col, m->def->order[i].descending };
	}
	tl_sort_rows(m->wide, m->order, m->wide->n_rows, by, n);
}

static double total_of(struct make *m, size_t col)
{
	size_t n = m->wide->n_rows;
	TL_GROW(m->numbers, m->cap_numbers, n + 1);
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
	struct tl_table *out = tl_table_new(m->wide->strings, 1, NULL);
	size_t *from = tl_alloc((m->wide->n_columns + sizeof m->def->columns / sizeof(char *)) * sizeof *from);

	for (size_t i = 0; i < sizeof m->def->columns / sizeof(char *) && m->def->columns[i]; i++) {
		int col = tl_table_column(m->wide, m->def->columns[i]);
		if (col >= 0)
			from[tl_table_add_column(out, m->def->columns[i])] = (size_t)col;
	}
	for (size_t i = 0; !m->def->columns[0] && i < m->wide->n_columns; i++)
		from[tl_table_add_column(out, m->wide->columns[i])] = i;
	tl_table_reserve(out, m->wide->n_rows);
	for (size_t i = 0; i < m->wide->n_rows; i++) {
		const struct tl_cell *wide = tl_table_cell(m->wide, m->order[i], 0);
		struct tl_cell *row = tl_table_add_row(out);
		for (size_t c = 0; c < out->n_columns; c++)
			row[c] = wide[from[c]];
	}
	free(from);
	return out;
}

struct tl_table *tl_old_sheet_make_raw(const struct tl_old_sheet_def *def, const struct tl_raw *raw, void *ctx)
{
	struct make m = { .def = def, .raw = raw, .ctx = ctx };

	resolve(&m);
	make_groups(&m);
	add_columns(&m);
	fill(&m);
	apply_scales(&m);
	sort_rows(&m);
	for (size_t i = 0; i < TL_SHEET_SHARES && def->shares[i].of; i++)
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

struct tl_table *tl_old_sheet_make(const struct tl_old_sheet_def *def, const struct tl_table *rows, void *ctx)
{
	return tl_old_sheet_make_raw(def, &(struct tl_raw){ .strings = rows->strings, .n_rows = rows->n_rows, .own = rows }, ctx);
}

struct running { double sum, lost, mean, squares, min, max; };

/* What makes these sums slow is that each step waits for the one before:
 * several of them go side by side. */
void tl_moments(const double *const a[TL_MOMENT_LANES], size_t n, struct tl_moments out[TL_MOMENT_LANES])
{
	struct running run[TL_MOMENT_LANES];

	for (size_t l = 0; l < TL_MOMENT_LANES; l++)
		run[l] = (struct running){ .min = a[l][0], .max = a[l][0] };
	for (size_t i = 0; i < n; i++) {
		double count = (double)(int64_t)(i + 1);
		for (size_t l = 0; l < TL_MOMENT_LANES; l++) {
			double x = a[l][i], y = x - run[l].lost, t = run[l].sum + y, away = x - run[l].mean;
			run[l].lost = (t - run[l].sum) - y;
			run[l].sum = t;
			run[l].mean += away / count;
			run[l].squares += (x - run[l].mean) * away;
			run[l].min = x < run[l].min ? x : run[l].min;
			run[l].max = x > run[l].max ? x : run[l].max;
		}
	}
	for (size_t l = 0; l < TL_MOMENT_LANES; l++) {
		bool plain = isfinite(run[l].sum) && isfinite(run[l].lost); /* else there was an infinity */
		out[l] = (struct tl_moments){ plain ? run[l].sum : tl_kahan_sum(a[l], n),
			n < 2 ? NAN : sqrt(run[l].squares / (double)(n - 1)), run[l].min, run[l].max };
	}
}
