/* tree_merge.c - two call trees merged into one.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/tree_merge.h"
#include "model/trace.h"

#include <stdlib.h>
#include <string.h>

/* ---- children -------------------------------------------------------------------- */

struct tl_aligner {
	struct tl_side *sides; /* two */
	struct tl_list lists[2]; /* the events that the edits are about */
	uint32_t n_cut;          /* how often lists were so long that tl_edit_script cut them */
	struct tl_pairing pairing;
	/* private: room to work in */
	struct tl_edits edits;
};

static bool is_match(const struct tl_edit *e)
{
	return e->a != TL_NO_ITEM && e->b != TL_NO_ITEM;
}

/* ---- which children ------------------------------------------------------------------- */

/* Appends to a list the children that are not on the GPU path, but have the name of one in `gpu` of the
 * other event that has none of this name in `own`: the last such child of each name. */
static void add_missing(struct tl_aligner *g, int s, uint32_t event, const struct tl_list *gpu, const struct tl_list *own,
                        struct tl_list *out)
{
	struct tl_list all = { 0 };
	struct tl_map last = { 0 };

	tl_side_children(&g->sides[s], event, false, &all);
	if (all.n > own->n) {
		for (size_t i = 0; i < all.n; i++)
			*tl_map_put(&last, tl_side_name(&g->sides[s], all.items[i], false), NULL) = all.items[i];
		for (size_t i = 0; i < own->n; i++)
			*tl_map_put(&last, tl_side_name(&g->sides[s], own->items[i], false), NULL) = TL_NONE;
		for (size_t i = 0; i < gpu->n; i++) {
			uint32_t *event_of = tl_map_get(&last, tl_side_name(&g->sides[1 - s], gpu->items[i], false));
			if (!event_of || *event_of == TL_NONE)
				continue;
			tl_list_add(out, *event_of);
			*event_of = TL_NONE;
		}
	}
	tl_map_release(&last);
	free(all.items);
}

static void find_children(struct tl_aligner *g, const uint32_t of[2])
{
	struct tl_list missing[2] = { { 0 }, { 0 } };

	for (int s = 0; s < 2; s++) {
		g->lists[s].n = 0;
		if (of[s] != TL_NONE)
			tl_side_children(&g->sides[s], of[s], true, &g->lists[s]);
	}
	for (int s = 0; s < 2; s++)
		if (of[s] != TL_NONE && g->lists[1 - s].n)
			add_missing(g, s, of[s], &g->lists[1 - s], &g->lists[s], &missing[s]);
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < missing[s].n; i++)
			tl_list_add(&g->lists[s], missing[s].items[i]);
		tl_sort_by_start(g->sides[s].trace, g->lists[s].items, g->lists[s].n);
		free(missing[s].items);
	}
}

/* Step 1 of tree_merge.h. */
static void follow_single(struct tl_aligner *g, uint32_t of[2])
{
	int s = g->lists[0].n == 1 ? 0 : 1;
	bool branches;

	if (g->lists[0].n == g->lists[1].n || g->lists[s].n != 1)
		return;
	uint32_t end = tl_side_end(&g->sides[s], g->lists[s].items[0], &branches);
	struct tl_list below = { 0 };
	if (branches)
		tl_side_children(&g->sides[s], end, true, &below);
	if (below.n) {
		of[s] = end;
		free(g->lists[s].items);
		g->lists[s] = below;
	} else {
		free(below.items);
	}
}

/* ---- alignment ------------------------------------------------------------------------- */

/* Appends edits by name. */
static void align_by_name(struct tl_aligner *g, const struct tl_list lists[2], bool loose, struct tl_edits *out)
{
	struct tl_edits edits = { 0 };
	uint32_t *names[2];

	for (int s = 0; s < 2; s++) {
		names[s] = tl_alloc((lists[s].n + 1) * sizeof *names[s]);
		for (size_t i = 0; i < lists[s].n; i++)
			names[s][i] = tl_side_name(&g->sides[s], lists[s].items[i], loose);
	}
	if (!tl_edit_script(names[0], lists[0].n, names[1], lists[1].n, &edits))
		g->n_cut++;
	tl_pair_again(&g->pairing, lists, &edits);
	for (size_t i = 0; i < edits.n; i++)
		tl_edits_add(out, edits.items[i].a, edits.items[i].b);
	free(edits.items);
	free(names[0]);
	free(names[1]);
}

static bool has_call(const struct tl_aligner *g, const struct tl_list lists[2])
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < lists[s].n; i++)
			if (tl_side_is_call(&g->sides[s], lists[s].items[i]))
				return true;
	return false;
}

/* Step 2 of tree_merge.h. */
static void align_lists(struct tl_aligner *g, const struct tl_list lists[2], struct tl_edits *out)
{
	if (lists[0].n != lists[1].n || has_call(g, lists)) {
		align_by_name(g, lists, false, out);
		return;
	}
	for (uint32_t i = 0; i < lists[0].n; i++)
		tl_edits_add(out, i, i);
}

/* ---- children without a partner ------------------------------------------------------------ */

/* Those of both lists, and where they stand in these. */
struct rest { struct tl_list events[2], at[2]; };

static void rest_release(struct rest *r)
{
	for (int s = 0; s < 2; s++) {
		free(r->events[s].items);
		free(r->at[s].items);
	}
}

static void rest_add(struct rest *r, const struct tl_list lists[2], int s, uint32_t at)
{
	tl_list_add(&r->at[s], at);
	tl_list_add(&r->events[s], lists[s].items[at]);
}

/* What edits of the lists delete and insert. */
static void find_rest(struct rest *r, const struct tl_list lists[2], const struct tl_edits *edits)
{
	*r = (struct rest){ 0 };
	for (size_t i = 0; i < edits->n; i++) {
		const struct tl_edit *e = &edits->items[i];
		if (!is_match(e))
			rest_add(r, lists, e->a == TL_NO_ITEM, e->a == TL_NO_ITEM ? e->b : e->a);
	}
}

/* Appends edits of what is left over, with places in the whole lists. */
static void add_placed(struct tl_edits *out, const struct tl_edits *edits, const struct rest *r)
{
	for (size_t i = 0; i < edits->n; i++) {
		struct tl_edit e = edits->items[i];
		tl_edits_add(out, e.a == TL_NO_ITEM ? e.a : r->at[0].items[e.a], e.b == TL_NO_ITEM ? e.b : r->at[1].items[e.b]);
	}
}

static void keep_matches(struct tl_edits *edits)
{
	size_t n = 0;

	for (size_t i = 0; i < edits->n; i++)
		if (is_match(&edits->items[i]))
			edits->items[n++] = edits->items[i];
	edits->n = n;
}

/* ---- step 3 of tree_merge.h: wrappers ----------------------------------------------------------- */

/* A child without a partner that may be a wrapper. */
struct wrapper { uint32_t event, at, name, list; struct tl_list below; bool gives_way; };
struct wrappers { struct wrapper *items; size_t n; };

static bool may_wrap(const struct tl_side *s, uint32_t event)
{
	return s->trace->events[event].kind != TL_KIND_KERNEL && !tl_side_is_call(s, event);
}

/* lists: a list of names -> its number. */
static struct wrappers find_wrappers(struct tl_side *s, const struct tl_list *events, const struct tl_list *at, struct tl_strtab *lists)
{
	struct wrappers w = { tl_calloc(events->n + 1, sizeof *w.items), 0 };
	struct tl_list names = { 0 };

	for (size_t i = 0; i < events->n; i++) {
		uint32_t event = events->items[i];
		if (!may_wrap(s, event))
			continue;
		struct wrapper *x = &w.items[w.n++];
		x->event = event;
		x->at = at->items[i];
		x->name = tl_side_name(s, event, false);
		tl_side_children(s, event, true, &x->below);
		names.n = 0;
		for (size_t k = 0; k < x->below.n; k++)
			tl_list_add(&names, tl_side_name(s, x->below.items[k], false));
		if (names.n)
			x->list = tl_intern(lists, (const char *)names.items, names.n * sizeof *names.items);
	}
	free(names.items);
	return w;
}

static bool has_text(const struct tl_side *s, uint32_t name)
{
	return tl_str_len(s->names, name) > 0;
}

/* Marks the wrappers of one side that give way because of those of the other. */
static bool mark_wrappers(struct tl_side *s, struct wrappers *w, const struct wrappers *others)
{
	struct tl_map names = { 0 }, lists = { 0 };
	bool any = false;

	for (size_t i = 0; i < others->n; i++) {
		tl_map_put(&names, others->items[i].name, NULL);
		tl_map_put(&lists, others->items[i].list, NULL);
	}
	for (size_t i = 0; i < w->n; i++) {
		struct wrapper *x = &w->items[i];
		x->gives_way = x->list && tl_map_get(&lists, x->list);
		for (size_t k = 0; k < x->below.n && !x->gives_way; k++) {
			uint32_t name = tl_side_name(s, x->below.items[k], false);
			x->gives_way = has_text(s, name) && tl_map_get(&names, name);
		}
		any |= x->gives_way;
	}
	tl_map_release(&names);
	tl_map_release(&lists);
	return any;
}

/* The list with the children of wrappers that give way instead of these; wrappers are in any order. */
static void replace_wrappers(struct tl_side *s, struct tl_list *list, const struct wrappers *w)
{
	struct tl_list out = { 0 };
	const struct wrapper **at = tl_calloc(list->n + 1, sizeof *at);

	for (size_t i = 0; i < w->n; i++)
		if (w->items[i].gives_way)
			at[w->items[i].at] = &w->items[i];
	for (size_t i = 0; i < list->n; i++) {
		if (!at[i])
			tl_list_add(&out, list->items[i]);
		for (size_t k = 0; at[i] && k < at[i]->below.n; k++)
			tl_list_add(&out, at[i]->below.items[k]);
	}
	tl_sort_by_start(s->trace, out.items, out.n);
	free(at);
	free(list->items);
	*list = out;
}

static void wrappers_release(struct wrappers *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->items[i].below.items);
	free(w->items);
}

/* After the lists changed: matches keep their events, pairs[2 * i] and the next; all else is aligned again. */
static void align_around(struct tl_aligner *g, const uint32_t *pairs, size_t n_pairs)
{
	struct rest r = { 0 };
	struct tl_map at[2] = { { 0 }, { 0 } };
	bool *taken[2];

	g->edits.n = 0;
	for (int s = 0; s < 2; s++) {
		taken[s] = tl_calloc(g->lists[s].n + 1, 1);
		for (uint32_t i = 0; i < g->lists[s].n; i++)
			*tl_map_put(&at[s], g->lists[s].items[i], NULL) = i;
	}
	for (size_t i = 0; i < n_pairs; i++) {
		const uint32_t *a = tl_map_get(&at[0], pairs[2 * i]), *b = tl_map_get(&at[1], pairs[2 * i + 1]);
		if (!a || !b)
			continue;
		tl_edits_add(&g->edits, *a, *b);
		taken[0][*a] = taken[1][*b] = true;
	}
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < g->lists[s].n; i++)
			if (!taken[s][i])
				rest_add(&r, g->lists, s, i);
	struct tl_edits edits = { 0 };
	align_lists(g, r.events, &edits);
	add_placed(&g->edits, &edits, &r);
	free(edits.items);
	rest_release(&r);
	for (int s = 0; s < 2; s++) {
		tl_map_release(&at[s]);
		free(taken[s]);
	}
}

static void unwrap(struct tl_aligner *g, const struct rest *r)
{
	struct tl_strtab lists = { 0 };
	struct wrappers w[2];

	for (int s = 0; s < 2; s++)
		w[s] = find_wrappers(&g->sides[s], &r->events[s], &r->at[s], &lists);
	bool first = mark_wrappers(&g->sides[0], &w[0], &w[1]), second = mark_wrappers(&g->sides[1], &w[1], &w[0]);
	if (first || second) {
		uint32_t *pairs = tl_alloc((2 * g->edits.n + 1) * sizeof *pairs);
		size_t n = 0;
		keep_matches(&g->edits);
		for (; n < g->edits.n; n++) {
			pairs[2 * n] = g->lists[0].items[g->edits.items[n].a];
			pairs[2 * n + 1] = g->lists[1].items[g->edits.items[n].b];
		}
		for (int s = 0; s < 2; s++)
			replace_wrappers(&g->sides[s], &g->lists[s], &w[s]);
		align_around(g, pairs, n);
		free(pairs);
	}
	wrappers_release(&w[0]);
	wrappers_release(&w[1]);
	tl_strtab_release(&lists);
}

/* ---- step 4 of tree_merge.h: ends of chains --------------------------------------------------------- */

/* Aligns by loose names what the edits delete and insert, and puts the result in their place. */
static void align_loosely(struct tl_aligner *g, const struct rest *r, struct tl_edits *edits)
{
	struct rest left;

	find_rest(&left, r->events, edits);
	if (left.at[0].n && left.at[1].n) {
		struct tl_edits loose = { 0 };
		align_by_name(g, left.events, true, &loose);
		keep_matches(edits);
		add_placed(edits, &loose, &left);
		free(loose.items);
	}
	rest_release(&left);
}

static void follow_rest(struct tl_aligner *g, struct rest *r)
{
	struct tl_edits edits = { 0 };
	bool branches;

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < r->events[s].n; i++)
			r->events[s].items[i] = tl_side_end(&g->sides[s], r->events[s].items[i], &branches);
	align_by_name(g, r->events, false, &edits);
	align_loosely(g, r, &edits);
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < r->at[s].n; i++)
			g->lists[s].items[r->at[s].items[i]] = r->events[s].items[i];
	keep_matches(&g->edits);
	add_placed(&g->edits, &edits, r);
	free(edits.items);
}

/* ---- all steps ----------------------------------------------------------------------------------- */

/* Aligns the children of two events, one of which may be TL_NONE. of: an event becomes the one
 * whose children are taken instead. The result, and the lists, are valid until the next call. */
static const struct tl_edits *align_children(struct tl_aligner *g, uint32_t of[2])
{
	find_children(g, of);
	follow_single(g, of);
	g->edits.n = 0;
	align_lists(g, g->lists, &g->edits);
	for (int step = 3; step <= 4; step++) {
		struct rest r;
		find_rest(&r, g->lists, &g->edits);
		if (r.at[0].n && r.at[1].n && step == 3)
			unwrap(g, &r);
		else if (r.at[0].n && r.at[1].n)
			follow_rest(g, &r);
		rest_release(&r);
	}
	return &g->edits;
}

/* ---- tree merge ------------------------------------------------------------------ */

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
	const struct tl_edits *edits = align_children(&g->aligner, of);

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
	TL_PUSH(g->open, g->n_open, g->cap_open, (struct open_node){ id, 0 });
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
		TL_PUSH(m->nodes, m->n_nodes, m->cap_nodes, (struct tl_diff_node){ .of = { a, b } });
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
	g.aligner = (struct tl_aligner){ .sides = m->sides, .pairing = { .sides = { &m->sides[0], &m->sides[1] } } };
	bool fits = merge_roots(&g);
	m->n_cut = g.aligner.n_cut;
	m->n_left = g.aligner.pairing.n_left;
	free(g.aligner.lists[0].items);
	free(g.aligner.lists[1].items);
	free(g.aligner.edits.items);
	tl_pairing_release(&g.aligner.pairing);
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
