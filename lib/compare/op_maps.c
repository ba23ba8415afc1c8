/* op_maps.c - which kernels the operators of two traces launched, as JSON, and common names for operators that do the same
 * in both.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/op_maps.h"

#include "base/utf8.h"
#include "compare/side.h"
#include "base/json_writer.h"

#include <stdlib.h>
#include <string.h>

static struct tl_cell cell_at(const struct tl_table *t, size_t row, const char *column)
{
	return tl_table_cell(t, row, (size_t)tl_table_column(t, column));
}

/* Is a row of the second trace? Tables of identical traces have rows of the first one only. */
static int side_of(const struct tl_diff_tables *tables, const struct tl_table *t, size_t row)
{
	return !tables->identical && !strcmp(tl_str(t->strings, cell_at(t, row, "source").text), "trace2");
}

/* ---- lists of texts ------------------------------------------------------------------------ */

static int by_text(const void *a, const void *b, void *ctx)
{
	return tl_cell_compare(ctx, tl_cell_text(*(const uint32_t *)a), tl_cell_text(*(const uint32_t *)b));
}

/* Sorts texts and leaves each in once. */
static void sort_texts(const struct tl_strtab *s, struct tl_list *l)
{
	size_t n = 0;

	if (!l->n)
		return;
	qsort_r(l->items, l->n, sizeof *l->items, by_text, (void *)(uintptr_t)s);
	for (size_t i = 0; i < l->n; i++)
		if (!i || l->items[i] != l->items[i - 1])
			l->items[n++] = l->items[i];
	l->n = n;
}

static void put_list(struct tl_json *w, const struct tl_strtab *s, const char *key, struct tl_list *l)
{
	sort_texts(s, l);
	tl_json_open(w, key, '[');
	for (size_t i = 0; i < l->n; i++)
		tl_json_put_text(w, NULL, tl_str(s, l->items[i]), tl_str_len(s, l->items[i]));
	tl_json_close(w, ']');
}

/* ---- rows by operator ------------------------------------------------------------------------- */

enum { KERNELS, MODULES };

/* An operator of the summary: of each side its kernels and modules. */
struct op { uint32_t name; struct tl_list of[2][2]; };
struct ops { struct op *items; size_t n, cap; struct tl_map known; /* name -> index */ };

/* All operators, in the order in which the summary has them. */
static void find_ops(struct ops *ops, const struct tl_diff_tables *tables)
{
	const struct tl_table *t = tables->summary;
	bool is_new;

	for (size_t i = 0; i < t->n_rows; i++) {
		uint32_t name = cell_at(t, i, "cpu_op_name").text, *at = tl_map_put(&ops->known, name, &is_new);
		if (is_new) {
			*at = (uint32_t)ops->n;
			TL_PUSH(ops->items, ops->n, ops->cap, (struct op){ .name = name });
		}
		struct tl_list *lists = ops->items[*at].of[side_of(tables, t, i)];
		tl_list_add(&lists[KERNELS], cell_at(t, i, "name").text);
		tl_list_add(&lists[MODULES], cell_at(t, i, "nn_module_parent").text);
	}
}

static void ops_release(struct ops *ops)
{
	for (size_t i = 0; i < ops->n; i++)
		for (int k = 0; k < 4; k++)
			free(ops->items[i].of[k / 2][k % 2].items);
	free(ops->items);
	tl_map_release(&ops->known);
}

void tl_op_map_of_trace(struct tl_buf *b, const struct tl_diff_tables *t, int side)
{
	const struct tl_strtab *s = t->summary->strings;
	struct tl_json w = { .to = b };
	struct ops ops = { 0 };
	struct tl_list order = { 0 };

	if (t->identical)
		side = 0;
	find_ops(&ops, t);
	for (size_t i = 0; i < ops.n; i++)
		if (ops.items[i].of[side][KERNELS].n)
			tl_list_add(&order, ops.items[i].name);
	sort_texts(s, &order);
	tl_json_open(&w, NULL, '{');
	for (size_t i = 0; i < order.n; i++) {
		tl_json_key(&w, tl_str(s, order.items[i]), tl_str_len(s, order.items[i]));
		put_list(&w, s, NULL, &ops.items[*tl_map_get(&ops.known, order.items[i])].of[side][KERNELS]);
	}
	tl_json_close(&w, '}');
	ops_release(&ops);
	free(order.items);
}

/* Kernels and modules of one side. */
static void put_side(struct tl_json *w, const struct tl_strtab *s, const char *key, struct op *op, int side)
{
	tl_json_open(w, key, '{');
	put_list(w, s, "kernels", &op->of[side][KERNELS]);
	put_list(w, s, "nn_module_parents", &op->of[side][MODULES]);
	tl_json_close(w, '}');
}

void tl_op_map_of_both(struct tl_buf *b, const struct tl_diff_tables *t)
{
	static const char *const sources[] = { "trace1", "trace2" };
	const struct tl_strtab *s = t->summary->strings;
	struct tl_json w = { .to = b };
	struct ops ops = { 0 };

	find_ops(&ops, t);
	tl_json_open(&w, NULL, '{');
	for (size_t i = 0; i < ops.n; i++) {
		struct op *op = &ops.items[i];
		tl_json_key(&w, tl_str(s, op->name), tl_str_len(s, op->name));
		if (t->identical) {
			put_side(&w, s, NULL, op, 0);
			continue;
		}
		tl_json_open(&w, NULL, '{');
		for (int side = 0; side < 2; side++)
			if (op->of[side][KERNELS].n)
				put_side(&w, s, sources[side], op, side);
		tl_json_close(&w, '}');
	}
	tl_json_close(&w, '}');
	ops_release(&ops);
}

/* ---- common names ------------------------------------------------------------------------------- */

enum { ALIKE = 20 }; /* names with so many equal characters at the beginning are alike */

struct naming {
	struct tl_strtab *strings;
	const struct tl_diff_tables *tables;
	struct tl_map names;    /* operator -> its new name */
	struct tl_map modules;  /* operator -> its module, if it has one only; else 0 */
	struct tl_map visited;  /* operators whose node was looked at */
};

/* ---- two names -------------------------------------------------------------------------------- */

struct text { const char *s; size_t len; };

/* The name behind the last "::". */
static struct text without_namespace(const struct naming *g, uint32_t name)
{
	struct text t = { tl_str(g->strings, name), tl_str_len(g->strings, name) };

	for (size_t i = t.len; i >= 2; i--)
		if (t.s[i - 1] == ':' && t.s[i - 2] == ':')
			return (struct text){ t.s + i, t.len - i };
	return t;
}

static bool contains(struct text a, struct text b)
{
	return !b.len || memmem(a.s, a.len, b.s, b.len);
}

static size_t beginning(struct text t)
{
	size_t at = 0, used;

	for (int n = 0; n < ALIKE && at < t.len; n++, at += used)
		tl_utf8_decode(t.s + at, t.len - at, &used);
	return at;
}

static uint32_t without_blanks(struct tl_strtab *strings, uint32_t id)
{
	const char *s = tl_str(strings, id);
	struct tl_buf b = { 0 };

	for (size_t i = 0, len = tl_str_len(strings, id); i < len; i++)
		if (s[i] != ' ')
			tl_buf_addc(&b, s[i]);
	id = tl_intern(strings, tl_buf_text(&b), b.len);
	tl_buf_release(&b);
	return id;
}

/* A common name of two operators, or 0. */
static uint32_t common_name(struct naming *g, uint32_t a, uint32_t b)
{
	struct text x = without_namespace(g, a), y = without_namespace(g, b);
	const uint32_t *of_a = tl_map_get(&g->modules, a), *of_b = tl_map_get(&g->modules, b);
	size_t n = beginning(x);
	struct tl_buf both = { 0 };

	if (contains(y, x))
		return tl_intern(g->strings, x.s, x.len);
	if (contains(x, y))
		return tl_intern(g->strings, y.s, y.len);
	if (n == beginning(y) && !memcmp(x.s, y.s, n)) {
		tl_buf_add(&both, x.s, x.len);
		tl_buf_addc(&both, '/');
		tl_buf_add(&both, y.s, y.len);
		uint32_t id = tl_intern(g->strings, both.data, both.len);
		tl_buf_release(&both);
		return id;
	}
	if (of_a && of_b && *of_a && *of_a == *of_b)
		return without_blanks(g->strings, *of_a);
	return 0;
}

static bool rename_pair(struct naming *g, uint32_t a, uint32_t b)
{
	uint32_t name = common_name(g, a, b);

	if (!name)
		return false;
	*tl_map_put(&g->names, b, NULL) = name;
	*tl_map_put(&g->names, a, NULL) = name;
	return true;
}

/* ---- the operators of one node ---------------------------------------------------------------------- */

static bool all_visited(const struct naming *g, const struct tl_list ops[2])
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < ops[s].n; i++)
			if (!tl_map_get(&g->visited, ops[s].items[i]))
				return false;
	return true;
}

static void remove_item(struct tl_list *l, size_t at)
{
	l->n--;
	memmove(l->items + at, l->items + at + 1, (l->n - at) * sizeof *l->items);
}

/* Takes operators that both lists have out of them. */
static void remove_common(struct tl_list ops[2])
{
	size_t n = 0;

	for (size_t i = 0; i < ops[0].n; i++) {
		size_t j = 0;
		while (j < ops[1].n && ops[1].items[j] != ops[0].items[i])
			j++;
		if (j < ops[1].n)
			remove_item(&ops[1], j);
		else
			ops[0].items[n++] = ops[0].items[i];
	}
	ops[0].n = n;
}

/* ops: those of each side, which this function may change. */
static void name_ops(struct naming *g, struct tl_list ops[2])
{
	if (!ops[0].n || !ops[1].n || all_visited(g, ops))
		return;
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < ops[s].n; i++)
			tl_map_put(&g->visited, ops[s].items[i], NULL);
	if (ops[0].n == ops[1].n) {
		for (size_t i = 0; i < ops[0].n; i++)
			if (ops[0].items[i] != ops[1].items[i])
				rename_pair(g, ops[0].items[i], ops[1].items[i]);
		return;
	}
	remove_common(ops);
	for (size_t i = 0; i < ops[0].n; i++)
		for (size_t j = 0; j < ops[1].n; j++)
			if (rename_pair(g, ops[0].items[i], ops[1].items[j])) {
				remove_item(&ops[1], j);
				break;
			}
}

/* ---- all nodes ------------------------------------------------------------------------------------------ */

/* The module of each operator in the second trace or, if it is not in that one, in the first. */
static void find_modules(struct naming *g)
{
	const struct tl_table *t = g->tables->stats;
	struct tl_map of_second = { 0 };
	bool is_new;

	for (int pass = 1; pass >= 0; pass--)
		for (size_t i = 0; i < t->n_rows; i++) {
			uint32_t op = cell_at(t, i, "cpu_op_name").text, module = cell_at(t, i, "nn_module_parent").text;
			bool in_second = side_of(g->tables, t, i);
			if (in_second != pass || (!pass && tl_map_get(&of_second, op)))
				continue;
			if (pass)
				tl_map_put(&of_second, op, NULL);
			uint32_t *known = tl_map_put(&g->modules, op, &is_new);
			*known = is_new || *known == module ? module : 0;
		}
	tl_map_release(&of_second);
}

static void add_once(struct tl_list *l, struct tl_map *known, uint64_t key, uint32_t item)
{
	bool is_new;

	tl_map_put(known, key, &is_new);
	if (is_new)
		tl_list_add(l, item);
}

/* The rows of each node stand together, nodes in the order of their first rows. */
static void name_all(struct naming *g)
{
	const struct tl_table *t = g->tables->stats;
	size_t column = (size_t)tl_table_column(t, "lowest_common_ancestor_id");
	uint32_t *of = tl_alloc((t->n_rows + 1) * sizeof *of);
	size_t n = tl_table_group(t, &column, 1, NULL, t->n_rows, of);
	struct tl_list ops[2] = { { 0 }, { 0 } }, *rows = tl_calloc(n + 1, sizeof *rows);

	for (size_t i = 0; i < t->n_rows; i++)
		if (tl_table_cell(t, i, column).type != TL_CELL_NULL)
			tl_list_add(&rows[of[i]], (uint32_t)i);
	for (size_t k = 0; k < n; k++) {
		struct tl_map known = { 0 };
		ops[0].n = ops[1].n = 0;
		for (size_t i = 0; i < rows[k].n; i++) {
			uint32_t op = cell_at(t, rows[k].items[i], "cpu_op_name").text;
			bool in_second = side_of(g->tables, t, rows[k].items[i]);
			add_once(&ops[in_second], &known, (uint64_t)op << 1 | in_second, op);
		}
		name_ops(g, ops);
		tl_map_release(&known);
		free(rows[k].items);
	}
	free(rows);
	free(of);
	free(ops[0].items);
	free(ops[1].items);
}

void tl_op_names_unify(struct tl_diff_tables *tables)
{
	struct naming g = { .strings = tables->stats->strings, .tables = tables };
	struct tl_table *t = tables->summary;
	size_t op = (size_t)tl_table_column(t, "cpu_op_name"), module = (size_t)tl_table_column(t, "nn_module_parent");

	find_modules(&g);
	name_all(&g);
	for (size_t i = 0; i < t->n_rows; i++) {
		const uint32_t *name = tl_map_get(&g.names, tl_table_cell(t, i, op).text);
		if (name)
			tl_table_set(t, i, op, tl_cell_text(*name));
		tl_table_set(t, i, module, tl_cell_text(without_blanks(g.strings, tl_table_cell(t, i, module).text)));
	}
	tl_map_release(&g.names);
	tl_map_release(&g.modules);
	tl_map_release(&g.visited);
}
