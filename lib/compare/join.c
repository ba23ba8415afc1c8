/* join.c - which rows of several tables belong together by their keys: a full outer join.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/join.h"
#include "base/memory.h"
#include "base/merge_sort.h"
#include "base/number.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- keys ---------------------------------------------------------------------------- */

static void add_key(struct tl_keys *keys, const char *name)
{
	TL_GROW(keys->items, keys->cap, keys->n + 1);
	keys->items[keys->n++] = name;
}

static bool all_have(struct tl_table *const *tables, size_t n, const char *column)
{
	for (size_t r = 0; r < n; r++)
		if (tl_table_column(tables[r], column) < 0)
			return false;
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum tl_status tl_keys_find(struct tl_keys *keys, const struct tl_comparison *d, struct tl_table *const *tables, size_t n, size_t *bad,
                            struct tl_error *err)
{
	*keys = (struct tl_keys){ 0 };
	for (const char *const *k = d->keys; *k; k++)
		add_key(keys, *k);
	size_t fixed = keys->n;
	for (size_t i = 0; d->key_prefix && i < tables[0]->n_columns; i++) {
		const char *name = tables[0]->columns[i].name;
		if (tl_starts_with(name, d->key_prefix) && all_have(tables, n, name))
			add_key(keys, name);
	}
	qsort(keys->items + fixed, keys->n - fixed, sizeof *keys->items, by_name);
	for (size_t r = 0; r < n; r++)
		for (size_t k = 0; k < keys->n; k++)
			if (tables[r]->n_rows && tl_table_column(tables[r], keys->items[k]) < 0) {
				*bad = r;
				return tl_fail(err, TL_ERR_DATA, "no column '%s', by which rows are compared", keys->items[k]);
			}
	return TL_OK;
}

static void add_keys(struct tl_table *keys, const struct tl_table *t, const struct tl_keys *o)
{
	struct tl_cell *cells = tl_alloc((o->n + 1) * sizeof *cells);

	for (size_t row = 0; row < t->n_rows; row++) {
		for (size_t k = 0; k < o->n; k++) {
			int column = tl_table_column(t, o->items[k]);
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

struct tl_table *tl_keys_table(const struct tl_keys *keys, struct tl_table *const *tables, size_t n)
{
	struct tl_table *all = tl_table_new(tables[0]->strings, 1, NULL);

	for (size_t k = 0; k < keys->n; k++)
		tl_table_add_column(all, keys->items[k]);
	for (size_t t = 0; t < n; t++)
		add_keys(all, tables[t], keys);
	unify_keys(all);
	return all;
}

/* ---- joining ----------------------------------------------------------------------------- */

#define JOIN_MOST ((size_t)1 << 24)

/* Where a row of `keys` comes from. */
struct origin { size_t table, row, key_row; };

/* The rows of one key: origins from … on, count[t] of table t, beginning at first[t]. */
struct run {
	const struct origin *from;
	size_t *first, *count;
	size_t most; /* the greatest count */
};

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
static size_t run_size(const struct tl_join *j, const struct run *r, bool pair)
{
	size_t n = 1;

	for (size_t t = 0; t < j->n_tables && !pair; t++)
		if (r->count[t] > 1 && __builtin_mul_overflow(n, r->count[t], &n))
			return 0;
	return pair ? r->most : n;
}

static enum tl_status add_run(struct tl_join *j, const struct run *r, bool pair, size_t *cap, struct tl_error *err)
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
			j->rows[j->n * j->n_tables + t] = at < count ? r->from[r->first[t] + at].row : TL_NO_ROW;
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

static enum tl_status add_runs(struct tl_join *j, const struct origin *all, size_t n, bool pair, struct tl_error *err)
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

enum tl_status tl_join_tables(struct tl_join *j, struct tl_table *const *tables, size_t n_tables, const struct tl_keys *keys, bool pair,
                              struct tl_error *err)
{
	size_t n = 0;

	*j = (struct tl_join){ .n_tables = n_tables, .keys = tl_keys_table(keys, tables, n_tables) };
	struct origin *all = tl_alloc((j->keys->n_rows + 1) * sizeof *all);
	for (size_t t = 0; t < n_tables; t++)
		for (size_t row = 0; row < tables[t]->n_rows; row++, n++)
			all[n] = (struct origin){ t, row, n };
	tl_merge_sort(all, n, sizeof *all, by_key, j->keys);
	enum tl_status st = add_runs(j, all, n, pair, err);
	free(all);
	return st;
}

void tl_join_release(struct tl_join *j)
{
	tl_table_free(j->keys);
	free(j->rows);
	free(j->key_row);
}
