/* tree_merge.c - two call trees merged into one.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "diff/tree_merge.h"

#include "diff/children.h"

#include <stdlib.h>

/* A node whose children are being merged, and how many of them are. */
struct open_node { uint32_t node, done; };

struct merger {
	struct tl_merged *out;
	struct tl_aligner aligner;
	struct tl_map known;                      /* two events -> their node + 1 */
	struct { uint32_t of[2]; } *pairs; size_t cap_pairs; /* by place in out->children: what is to be merged */
	struct open_node *open; size_t n_open, cap_open;
};

/* Finds the children of a new node and makes room for them. */
static bool open_node(struct merger *g, uint32_t id)
{
	struct tl_merged *m = g->out;
	uint32_t of[2] = { m->nodes[id].of[0], m->nodes[id].of[1] };
	const struct tl_edits *edits = tl_align_children(&g->aligner, of);

	if (m->n_children + edits->n >= TL_NONE)
		return false;
	m->nodes[id] = (struct tl_diff_node){ { of[0], of[1] }, (uint32_t)m->n_children, (uint32_t)edits->n };
	TL_GROW(m->children, m->cap_children, m->n_children + edits->n);
	TL_GROW(g->pairs, g->cap_pairs, m->n_children + edits->n);
	for (size_t i = 0; i < edits->n; i++) {
		struct tl_edit e = edits->items[i];
		g->pairs[m->n_children].of[0] = e.a == TL_NO_ITEM ? TL_NONE : g->aligner.lists[0].items[e.a];
		g->pairs[m->n_children++].of[1] = e.b == TL_NO_ITEM ? TL_NONE : g->aligner.lists[1].items[e.b];
	}
	TL_GROW(g->open, g->cap_open, g->n_open + 1);
	g->open[g->n_open++] = (struct open_node){ id, 0 };
	return true;
}

/* The node of two events, made if need be; false if trees are too large. */
static bool node_of(struct merger *g, uint32_t a, uint32_t b, uint32_t *id)
{
	struct tl_merged *m = g->out;
	bool is_new;
	uint32_t *known = tl_map_put(&g->known, (uint64_t)a << 32 | b, &is_new);

	if (is_new) {
		*known = (uint32_t)m->n_nodes;
		TL_GROW(m->nodes, m->cap_nodes, m->n_nodes + 1);
		m->nodes[m->n_nodes++] = (struct tl_diff_node){ .of = { a, b } };
	}
	*id = *known;
	return !is_new || (m->n_nodes < TL_NONE && open_node(g, *id));
}

static bool merge_root(struct merger *g, uint32_t a, uint32_t b)
{
	uint32_t root, child;

	if (!node_of(g, a, b, &root))
		return false;
	tl_list_add(&g->out->roots, root);
	while (g->n_open) {
		struct open_node *o = &g->open[g->n_open - 1];
		const struct tl_diff_node *node = &g->out->nodes[o->node];
		if (o->done == node->n) {
			g->n_open--;
			continue;
		}
		size_t at = node->first + o->done++;
		if (!node_of(g, g->pairs[at].of[0], g->pairs[at].of[1], &child))
			return false;
		g->out->children[at] = child;
	}
	return true;
}

static bool merge_roots(struct merger *g)
{
	struct tl_list roots[2] = { { 0 }, { 0 } };
	bool fits = true;

	for (int s = 0; s < 2; s++)
		tl_side_roots(&g->out->sides[s], &roots[s]);
	for (size_t i = 0; fits && (i < roots[0].n || i < roots[1].n); i++)
		fits = merge_root(g, i < roots[0].n ? roots[0].items[i] : TL_NONE, i < roots[1].n ? roots[1].items[i] : TL_NONE);
	free(roots[0].items);
	free(roots[1].items);
	return fits;
}

enum tl_status tl_merge_trees(struct tl_merged **out, struct tl_trace *a, struct tl_trace *b, struct tl_error *err)
{
	*out = NULL;
	for (int s = 0; s < 2; s++)
		if (!(s ? b : a)->n_roots)
			return tl_fail(err, TL_ERR_DATA, "the %s trace has no operators: its call tree cannot be compared",
			               s ? "second" : "first");
	struct tl_merged *m = tl_calloc(1, sizeof *m);
	struct merger g = { .out = m };
	tl_side_init(&m->sides[0], a, &m->names);
	tl_side_init(&m->sides[1], b, &m->names);
	tl_aligner_init(&g.aligner, m->sides);
	bool fits = merge_roots(&g);
	m->n_cut = g.aligner.n_cut;
	m->n_left = g.aligner.pairing.n_left;
	tl_aligner_release(&g.aligner);
	tl_map_release(&g.known);
	free(g.pairs);
	free(g.open);
	if (!fits) {
		tl_merged_free(m);
		return tl_fail(err, TL_ERR_DATA, "the call trees are too large to be merged: more than %u nodes", TL_NONE);
	}
	*out = m;
	return TL_OK;
}

void tl_merged_free(struct tl_merged *m)
{
	if (!m)
		return;
	tl_side_release(&m->sides[0]);
	tl_side_release(&m->sides[1]);
	tl_strtab_release(&m->names);
	free(m->nodes);
	free(m->children);
	free(m->roots.items);
	free(m);
}
