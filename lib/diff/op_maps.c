/* op_maps.c - which kernels the operators of two traces launched, as JSON.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "diff/op_maps.h"

#include "base/quote.h"
#include "diff/side.h"
#include "json/members.h"

#include <stdlib.h>
#include <string.h>

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

static void add_list(struct tl_buf *b, const struct tl_strtab *s, int indent, struct tl_list *l)
{
	sort_texts(s, l);
	tl_buf_addc(b, '[');
	for (size_t i = 0; i < l->n; i++) {
		tl_buf_addf(b, "%s\n%*s", i ? "," : "", indent + 2, "");
		tl_json_quote(b, tl_str(s, l->items[i]), tl_str_len(s, l->items[i]));
	}
	tl_buf_addf(b, "\n%*s]", indent, "");
}

/* ---- rows by operator ------------------------------------------------------------------------- */

enum { KERNELS, MODULES };

/* An operator of the summary: of each side its kernels and modules. */
struct op { uint32_t name; struct tl_list of[2][2]; };
struct ops { struct op *items; size_t n, cap; };

static uint32_t text_at(const struct tl_table *t, size_t row, const char *column)
{
	int c = tl_table_column(t, column);

	return c < 0 ? 0 : tl_table_cell(t, row, (size_t)c).text;
}

static int side_of(const struct tl_table *t, size_t row)
{
	return strcmp(tl_str(t->strings, text_at(t, row, "source")), "trace1") != 0;
}

/* All operators, in the order in which the summary has them. */
static void find_ops(struct ops *ops, const struct tl_table *t)
{
	struct tl_map known = { 0 };
	bool is_new;

	for (size_t i = 0; i < t->n_rows; i++) {
		uint32_t name = text_at(t, i, "cpu_op_name"), *at = tl_map_put(&known, name, &is_new);
		if (is_new) {
			*at = (uint32_t)ops->n;
			TL_GROW(ops->items, ops->cap, ops->n + 1);
			ops->items[ops->n++] = (struct op){ .name = name };
		}
		struct op *op = &ops->items[*at];
		tl_list_add(&op->of[side_of(t, i)][KERNELS], text_at(t, i, "name"));
		tl_list_add(&op->of[side_of(t, i)][MODULES], text_at(t, i, "nn_module_parent"));
	}
	tl_map_release(&known);
}

static void ops_release(struct ops *ops)
{
	for (size_t i = 0; i < ops->n; i++)
		for (int k = 0; k < 4; k++)
			free(ops->items[i].of[k / 2][k % 2].items);
	free(ops->items);
}

static void add_op(struct tl_buf *b, const struct tl_strtab *s, int indent, const struct op *op)
{
	tl_buf_adds(b, b->data[b->len - 1] == '{' ? "\n" : ",\n");
	tl_buf_addf(b, "%*s", indent, "");
	tl_json_quote(b, tl_str(s, op->name), tl_str_len(s, op->name));
	tl_buf_adds(b, ": ");
}

static void end_object(struct tl_buf *b)
{
	tl_buf_adds(b, b->data[b->len - 1] == '{' ? "}" : "\n}");
}

void tl_op_map_of_trace(struct tl_buf *b, const struct tl_diff_tables *t, int side)
{
	const struct tl_strtab *s = t->summary->strings;
	struct ops ops = { 0 };
	struct tl_list order = { 0 };
	struct tl_map at = { 0 };

	find_ops(&ops, t->summary);
	for (size_t i = 0; i < ops.n; i++) {
		*tl_map_put(&at, ops.items[i].name, NULL) = (uint32_t)i;
		if (ops.items[i].of[side][KERNELS].n)
			tl_list_add(&order, ops.items[i].name);
	}
	sort_texts(s, &order);
	tl_buf_addc(b, '{');
	for (size_t i = 0; i < order.n; i++) {
		struct op *op = &ops.items[*tl_map_get(&at, order.items[i])];
		add_op(b, s, 2, op);
		add_list(b, s, 2, &op->of[side][KERNELS]);
	}
	end_object(b);
	ops_release(&ops);
	free(order.items);
	tl_map_release(&at);
}

/* Kernels and modules of one side. */
static void add_side(struct tl_buf *b, const struct tl_strtab *s, int indent, struct op *op, int side)
{
	tl_buf_addc(b, '{');
	tl_json_member(b, indent + 2, "kernels");
	add_list(b, s, indent + 2, &op->of[side][KERNELS]);
	tl_json_member(b, indent + 2, "nn_module_parents");
	add_list(b, s, indent + 2, &op->of[side][MODULES]);
	tl_buf_addf(b, "\n%*s}", indent, "");
}

void tl_op_map_of_both(struct tl_buf *b, const struct tl_diff_tables *t)
{
	static const char *const sources[] = { "trace1", "trace2" };
	const struct tl_strtab *s = t->summary->strings;
	struct ops ops = { 0 };

	find_ops(&ops, t->summary);
	tl_buf_addc(b, '{');
	for (size_t i = 0; i < ops.n; i++) {
		struct op *op = &ops.items[i];
		add_op(b, s, 2, op);
		if (t->identical) {
			add_side(b, s, 2, op, 0);
			continue;
		}
		tl_buf_addc(b, '{');
		for (int side = 0; side < 2; side++) {
			if (!op->of[side][KERNELS].n)
				continue;
			tl_json_member(b, 4, sources[side]);
			add_side(b, s, 4, op, side);
		}
		tl_buf_adds(b, "\n  }");
	}
	end_object(b);
	ops_release(&ops);
}
