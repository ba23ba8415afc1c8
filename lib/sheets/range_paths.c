/* range_paths.c - ranges by the ranges around them: time of the host and of the device, and idle time.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "path/pieces.h"
#include "sheets/api.h"
#include "steps/recorded.h"
#include "work/args.h"
#include "work/host_tree.h"
#include "work/range_names.h"

#include <stdlib.h>
#include <string.h>

/* Deeper ranges count as the one around them. */
enum { MAX_DEPTH = 64 };

struct maker {
	struct tl_trace *t;
	struct tl_host_tree *tree;
	uint32_t *paths, *depths; /* by node; the path is a string id */
	int64_t *idle;   /* by node, and one behind for those in none: ticks */
	struct tl_table *rows;
	struct tl_buf text;
};

static bool wants(const struct tl_trace *t, uint32_t event, void *unused)
{
	(void)unused;
	return tl_is_range(t, event) && tl_range_nests(t, event);
}

/* A node is behind the one around it. */
static void find_paths(struct maker *m)
{
	struct tl_strtab *strings = &m->t->strings;

	for (uint32_t i = 0; i < m->tree->n; i++) {
		uint32_t around = m->tree->nodes[i].around, name = tl_range_folded(m->t, m->tree->nodes[i].event);
		m->depths[i] = around == TL_NONE ? 0 : m->depths[around] + 1;
		if (m->depths[i] >= MAX_DEPTH) {
			m->paths[i] = m->paths[around];
			continue;
		}
		tl_buf_clear(&m->text);
		if (around != TL_NONE) {
			tl_buf_add(&m->text, tl_str(strings, m->paths[around]), tl_str_len(strings, m->paths[around]));
			tl_buf_adds(&m->text, " / ");
		}
		tl_buf_add(&m->text, tl_str(strings, name), tl_str_len(strings, name));
		m->paths[i] = tl_intern(strings, m->text.data, m->text.len);
	}
}

static void add_idle(void *maker, const struct tl_idle_piece *p, uint32_t node, int64_t ticks)
{
	int64_t *idle = &((struct maker *)maker)->idle[node];

	if (p->class != TL_IDLE_UNRECORDED)
		*idle = tl_ticks_add(*idle, ticks);
}

static struct tl_cell time_cell(int64_t ticks)
{
	return tl_cell_time(ticks, false);
}

static void add_row(struct maker *m, uint32_t i)
{
	const struct tl_host_tree *tree = m->tree;
	const struct tl_host_node *node = &tree->nodes[i];
	bool deep = m->depths[i] >= MAX_DEPTH;
	struct tl_cell c[N_RANGE_PATH] = {
		[RANGE_PATH_PATH] = tl_cell_text(m->paths[i]),
		[RANGE_PATH_RANGES] = deep ? tl_cell_null() : tl_cell_int(1),
		[RANGE_PATH_HOST_TIME_US] = time_cell(deep ? 0 : node->ticks),
		[RANGE_PATH_HOST_SELF_US] = time_cell(tl_ticks_sub(node->ticks, node->within)),
		[RANGE_PATH_EVENTS] = tl_cell_int(deep ? 0 : tree->work_from[node->past] - tree->work_from[i]),
		[RANGE_PATH_TIME_US] = time_cell(deep ? 0 : tl_host_work_ticks(tree, tree->ticks_before, i, node->past)),
		[RANGE_PATH_OWN_EVENTS] = tl_cell_int(tree->work_from[i + 1] - tree->work_from[i]),
		[RANGE_PATH_OWN_TIME_US] = time_cell(tl_host_work_ticks(tree, tree->ticks_before, i, i + 1)),
		[RANGE_PATH_IDLE_US] = time_cell(m->idle[i]),
	};

	tl_table_add_row(m->rows, c);
}

/* What is in no range, the first row. */
static void add_rest(struct maker *m)
{
	const struct tl_host_tree *tree = m->tree;
	int64_t ticks = tl_host_work_ticks(tree, tree->ticks_before, tree->n, tree->n + 1);
	struct tl_cell events = tl_cell_int(tree->work_from[tree->n + 1] - tree->work_from[tree->n]);
	struct tl_cell c[N_RANGE_PATH] = {
		[RANGE_PATH_PATH] = tl_cell_str(&m->t->strings, "(no range)"), [RANGE_PATH_FIRST] = tl_cell_int(1),
		[RANGE_PATH_EVENTS] = events, [RANGE_PATH_TIME_US] = time_cell(ticks),
		[RANGE_PATH_OWN_EVENTS] = events, [RANGE_PATH_OWN_TIME_US] = time_cell(ticks), [RANGE_PATH_IDLE_US] = time_cell(m->idle[tree->n]),
	};

	tl_table_add_row(m->rows, c);
}

void tl_api_range_paths(void *ctx, struct tl_sheet_input *in)
{
	struct maker m = { .t = tl_api_trace(ctx) };

	m.rows = in->own_rows = tl_table_new(&m.t->strings, m.t->ticks_per_us, tl_api_range_path_rows);
	m.tree = tl_host_tree_new(m.t, wants, NULL);
	size_t n = (size_t)m.tree->n + 1;
	m.paths = tl_alloc(n * sizeof *m.paths);
	m.depths = tl_alloc(n * sizeof *m.depths);
	m.idle = tl_calloc(n, sizeof *m.idle);
	if (m.tree->n) {
		find_paths(&m);
		tl_idle_by_node(m.tree, add_idle, &m);
		add_rest(&m);
	}
	for (uint32_t i = 0; i < m.tree->n; i++)
		add_row(&m, i);
	tl_host_tree_free(m.tree);
	tl_buf_release(&m.text);
	free(m.paths);
	free(m.depths);
	free(m.idle);
}
