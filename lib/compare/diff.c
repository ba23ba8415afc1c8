/* diff.c - two traces compared.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/diff.h"

#include "work/calls.h"
#include "work/device_events.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "base/text.h"
#include "model/trace.h"

#include <stdlib.h>

/* A node that is still to be looked at, and the combined one above it, or TL_NONE. */
struct visit { uint32_t node, above; };

struct finder {
	struct tl_diff *diff;
	struct tl_nearest operators[2];
	bool *seen, *counted;       /* by node: it was looked at; its device work has rows */
	struct visit *todo; size_t n_todo, cap_todo;
	struct tl_list work[2];     /* device events of the node at hand */
	struct tl_spans spans;
};

uint32_t tl_diff_name(const struct tl_diff *d, int side, uint32_t event)
{
	const struct tl_trace *t = d->traces[side];
	const struct tl_ev *e = &t->events[event];
	struct tl_strtab *strings = &d->traces[0]->strings;
	struct tl_buf b = { 0 };

	if (tl_str_len(&t->strings, e->name))
		return side ? tl_intern(strings, tl_str(&t->strings, e->name), tl_str_len(&t->strings, e->name)) : e->name;
	tl_buf_addf(&b, "%u", e->uid);
	uint32_t id = tl_intern(strings, b.data, b.len);
	tl_buf_release(&b);
	return id;
}

static bool on_gpu_path(const struct finder *f, int side, uint32_t event)
{
	return event != TL_NONE && tl_side_on_gpu_path(&f->diff->tree->sides[side], event);
}

/* A kernel or a copy; fills have no rows of their own. */
static bool is_kernel(const struct finder *f, int side, uint32_t event)
{
	unsigned kind = f->diff->traces[side]->events[event].kind;

	return kind == TL_KIND_KERNEL || kind == TL_KIND_MEMCPY;
}

/* ---- rows ------------------------------------------------------------------------------ */

/* Appends a name without "(12)". */
static void add_ancestor_name(const struct finder *f, struct tl_buf *b, int side, uint32_t event)
{
	const struct tl_strtab *s = &f->diff->traces[0]->strings;
	uint32_t id = tl_diff_name(f->diff, side, event);
	const char *p = tl_str(s, id), *end = p + tl_str_len(s, id);

	while (p < end) {
		const char *q = p + 1;
		if (*p == '(')
			while (q < end && tl_is_digit(*q))
				q++;
		if (*p == '(' && q > p + 1 && q < end && *q == ')')
			p = q + 1;
		else
			tl_buf_addc(b, *p++);
	}
}

/* side: 0 or 1; 2: of both. */
static uint32_t ancestor_name(const struct finder *f, uint32_t node, int side)
{
	const struct tl_diff_node *n = &f->diff->tree->nodes[node];
	struct tl_buf name = { 0 }, other = { 0 };

	add_ancestor_name(f, &name, side == 2 ? 0 : side, n->of[side == 2 ? 0 : side]);
	if (side == 2) {
		add_ancestor_name(f, &other, 1, n->of[1]);
		if (other.len != name.len || memcmp(tl_buf_text(&other), tl_buf_text(&name), name.len))
			tl_buf_addf(&name, " | %s", tl_buf_text(&other));
	}
	uint32_t id = tl_intern(&f->diff->traces[0]->strings, tl_buf_text(&name), name.len);
	tl_buf_release(&name);
	tl_buf_release(&other);
	return id;
}

static void add_rows(struct finder *f, int side, uint32_t ancestor, uint32_t name)
{
	struct tl_diff *d = f->diff;
	const struct tl_list *events = &f->work[side];
	bool whole;
	int64_t busy = tl_busy_ticks(d->traces[side], events->items, (uint32_t)events->n, &f->spans, &whole);

	for (size_t i = 0; i < events->n; i++) {
		uint32_t op = tl_nearest(&f->operators[side], d->traces[side]->events[events->items[i]].parent);
		if (op == TL_NONE)
			continue;
		TL_PUSH(d->rows, d->n_rows, d->cap_rows, (struct tl_diff_row){ events->items[i], op, ancestor, name, (uint32_t)side, busy, whole });
	}
}

static void add_work(struct finder *f, int side, uint32_t event)
{
	uint32_t n;
	const uint32_t *work = tl_trace_work(f->diff->traces[side], event, &n);

	for (uint32_t i = 0; i < n; i++)
		tl_list_add(&f->work[side], work[i]);
}

/* ---- nodes -------------------------------------------------------------------------------- */

/* Children on the GPU path without a partner: their work belongs to the node. */
static bool find_unmatched(struct finder *f, const struct tl_diff_node *node)
{
	const struct tl_merged *m = f->diff->tree;
	bool any = false;

	for (uint32_t i = 0; i < node->n; i++) {
		uint32_t id = m->children[node->first + i];
		const struct tl_diff_node *child = &m->nodes[id];
		int side = child->of[0] == TL_NONE;
		if (tl_diff_is_combined(child) || !on_gpu_path(f, side, child->of[side]))
			continue;
		f->counted[id] = any = true;
		add_work(f, side, child->of[side]);
		if (is_kernel(f, side, child->of[side]))
			tl_list_add(&f->work[side], child->of[side]);
	}
	return any;
}

static void look_at_pair(struct finder *f, uint32_t id)
{
	const struct tl_diff_node *node = &f->diff->tree->nodes[id];
	bool kernels = is_kernel(f, 0, node->of[0]) && is_kernel(f, 1, node->of[1]);

	f->work[0].n = f->work[1].n = 0;
	if (!on_gpu_path(f, 0, node->of[0]) || !on_gpu_path(f, 1, node->of[1]))
		return;
	if (!find_unmatched(f, node) && !kernels)
		return;
	uint32_t name = ancestor_name(f, id, 2);
	for (int side = 0; side < 2; side++) {
		if (is_kernel(f, side, node->of[side]))
			tl_list_add(&f->work[side], node->of[side]);
		add_rows(f, side, id, name);
	}
}

static void look_at_tree(struct finder *f, uint32_t root)
{
	const struct tl_merged *m = f->diff->tree;

	f->n_todo = 0;
	TL_GROW(f->todo, f->cap_todo, 1);
	f->todo[f->n_todo++] = (struct visit){ root, TL_NONE };
	while (f->n_todo) {
		struct visit v = f->todo[--f->n_todo];
		if (f->seen[v.node])
			continue;
		f->seen[v.node] = true;
		const struct tl_diff_node *node = &m->nodes[v.node];
		int side = node->of[0] == TL_NONE;
		if (tl_diff_is_combined(node)) {
			look_at_pair(f, v.node);
			if (!on_gpu_path(f, 0, node->of[0]) && !on_gpu_path(f, 1, node->of[1]))
				continue;
			TL_GROW(f->todo, f->cap_todo, f->n_todo + node->n);
			for (uint32_t i = node->n; i--;)
				f->todo[f->n_todo++] = (struct visit){ m->children[node->first + i], v.node };
		} else if (!f->counted[v.node] && on_gpu_path(f, side, node->of[side])) {
			f->work[side].n = 0;
			add_work(f, side, node->of[side]);
			add_rows(f, side, v.above, v.above == TL_NONE ? 0 : ancestor_name(f, v.above, side));
		}
	}
}

/* ---- both traces ---------------------------------------------------------------------------- */

static void find_rows(struct tl_diff *d)
{
	struct finder f = { .diff = d };

	f.seen = tl_calloc(d->tree->n_nodes + 1, 1);
	f.counted = tl_calloc(d->tree->n_nodes + 1, 1);
	for (int s = 0; s < 2; s++)
		f.operators[s] = (struct tl_nearest){ d->traces[s], tl_nearest_operator, 0, NULL };
	for (size_t i = 0; i < d->tree->roots.n; i++)
		look_at_tree(&f, d->tree->roots.items[i]);
	for (int s = 0; s < 2; s++) {
		tl_nearest_release(&f.operators[s]);
		free(f.work[s].items);
	}
	tl_spans_release(&f.spans);
	free(f.seen);
	free(f.counted);
	free(f.todo);
}

enum tl_status tl_diff_new(struct tl_diff **out, struct tl_trace *a, struct tl_trace *b, struct tl_error *err)
{
	struct tl_diff *d = tl_calloc(1, sizeof *d);
	enum tl_status s = TL_OK;

	*d = (struct tl_diff){ .traces = { a, b } };
	if (a->ticks_per_us != b->ticks_per_us)
		s = tl_fail(err, TL_ERR_DATA, "the times of the second trace have another unit than those of the first: "
		            "1/%lld and 1/%lld µs", (long long)b->ticks_per_us, (long long)a->ticks_per_us);
	if (s == TL_OK)
		s = tl_merge_trees(&d->tree, a, b, err);
	if (s != TL_OK) {
		tl_diff_free(d);
		d = NULL;
	} else {
		find_rows(d);
	}
	*out = d;
	return s;
}

void tl_diff_free(struct tl_diff *d)
{
	if (!d)
		return;
	tl_merged_free(d->tree);
	free(d->rows);
	free(d);
}

/* ---- lowest common ancestors ------------------------------------------------------------ */

TL_ORDER(by_event_and_node, struct tl_by_event, TL_ASC(x->event) TL_ASC(x->node))

void tl_ancestors_find(struct tl_ancestors *a, const struct tl_diff *d)
{
	*a = (struct tl_ancestors){ .items = tl_calloc(d->tree->n_nodes + 1, sizeof *a->items),
		.by_event = tl_alloc((d->n_rows + 1) * sizeof *a->by_event) };
	for (size_t i = 0; i < d->n_rows; i++) {
		const struct tl_diff_row *r = &d->rows[i];
		if (r->ancestor == TL_NONE) {
			a->some_without = true;
			continue;
		}
		struct tl_ancestor *x = &a->items[r->ancestor];
		if (!x->in[r->side])
			x->busy[r->side] = r->busy;
		if (!r->side) {
			x->name = x->in[0] ? x->name : r->ancestor_name;
			a->by_event[a->n++] = (struct tl_by_event){ r->event, r->ancestor };
		}
		x->in[r->side] = true;
	}
	tl_merge_sort(a->by_event, a->n, sizeof *a->by_event, by_event_and_node, NULL);
}

void tl_ancestors_release(struct tl_ancestors *a)
{
	free(a->items);
	free(a->by_event);
	*a = (struct tl_ancestors){ 0 };
}

void tl_ancestors_of(const struct tl_ancestors *a, uint32_t event, struct tl_list *out)
{
	size_t at;

	TL_SEARCH(at, a->n, mid, a->by_event[mid].event < event);
	for (; at < a->n && a->by_event[at].event == event; at++)
		tl_list_add(out, a->by_event[at].node);
}

/* ---- the merged tree as text --------------------------------------------------------------- */

enum { FULL = 1 << 16 }; /* bytes that are written at once */

struct line { uint32_t node, depth; bool last; };

struct printer {
	const struct tl_diff *diff;
	struct line *todo; size_t n_todo, cap_todo;
	struct tl_buf before;                    /* what lines begin with, at the depth at hand … */
	size_t lengths[TL_TREE_DEPTH + 1];       /* … and how much of it each lesser depth has */
	struct tl_buf text;
};

static void add_name(struct printer *p, int side, uint32_t event)
{
	const struct tl_strtab *s = &p->diff->traces[0]->strings;
	uint32_t id = tl_diff_name(p->diff, side, event);

	tl_buf_add(&p->text, tl_str(s, id), tl_str_len(s, id));
}

static void add_line(struct printer *p, const struct line *l)
{
	const struct tl_diff_node *n = &p->diff->tree->nodes[l->node];

	tl_buf_add(&p->text, tl_buf_text(&p->before), p->lengths[l->depth]);
	tl_buf_adds(&p->text, l->last ? "└── " : "├── ");
	if (!tl_diff_is_combined(n)) {
		int side = n->of[0] == TL_NONE;
		tl_buf_adds(&p->text, side ? "<< trace2: " : ">> trace1: ");
		add_name(p, side, n->of[side]);
	} else if (tl_diff_name(p->diff, 0, n->of[0]) == tl_diff_name(p->diff, 1, n->of[1])) {
		add_name(p, 0, n->of[0]);
	} else {
		tl_buf_adds(&p->text, "combined: ");
		add_name(p, 0, n->of[0]);
		tl_buf_adds(&p->text, " | ");
		add_name(p, 1, n->of[1]);
	}
	tl_buf_addc(&p->text, '\n');
}

/* Puts the children to be printed next: the last of them first. */
static void push_children(struct printer *p, const struct line *l)
{
	const struct tl_merged *m = p->diff->tree;
	const struct tl_diff_node *n = &m->nodes[l->node];
	uint32_t depth = l->depth < TL_TREE_DEPTH ? l->depth + 1 : l->depth;
	bool last = true;

	if (depth > l->depth) {
		p->before.len = p->lengths[l->depth];
		tl_buf_adds(&p->before, l->last ? "    " : "│   ");
		p->lengths[depth] = p->before.len;
	}
	TL_GROW(p->todo, p->cap_todo, p->n_todo + n->n);
	for (int kind = 2; kind >= 0; kind--) /* of trace 2, of trace 1, combined */
		for (uint32_t i = n->n; i--;) {
			uint32_t id = m->children[n->first + i];
			const struct tl_diff_node *child = &m->nodes[id];
			if ((tl_diff_is_combined(child) ? 0 : child->of[0] == TL_NONE ? 2 : 1) != kind)
				continue;
			p->todo[p->n_todo++] = (struct line){ id, depth, last };
			last = false;
		}
}

static enum tl_status flush(struct printer *p, struct tl_output *out, struct tl_error *err)
{
	enum tl_status s = p->text.len ? out->write(out, p->text.data, p->text.len, err) : TL_OK;

	tl_buf_clear(&p->text);
	return s;
}

static bool launches(const struct tl_diff *d, uint32_t id)
{
	const struct tl_diff_node *n = &d->tree->nodes[id];

	for (int s = 0; s < 2; s++)
		if (n->of[s] != TL_NONE && tl_side_on_gpu_path(&d->tree->sides[s], n->of[s]))
			return true;
	return false;
}

enum tl_status tl_tree_text(const struct tl_diff *d, bool prune, struct tl_output *out, struct tl_error *err)
{
	const struct tl_list *roots = &d->tree->roots;
	struct printer *p = tl_calloc(1, sizeof *p);
	enum tl_status s = TL_OK;

	p->diff = d;
	for (size_t i = 0; i < roots->n && s == TL_OK; i++) {
		if (prune && !launches(d, roots->items[i]))
			continue;
		TL_GROW(p->todo, p->cap_todo, 1);
		p->todo[p->n_todo++] = (struct line){ roots->items[i], 0, i + 1 == roots->n };
		while (p->n_todo && s == TL_OK) {
			struct line l = p->todo[--p->n_todo];
			add_line(p, &l);
			push_children(p, &l);
			if (p->text.len >= FULL)
				s = flush(p, out, err);
		}
	}
	if (s == TL_OK)
		s = flush(p, out, err);
	free(p->todo);
	tl_buf_release(&p->before);
	tl_buf_release(&p->text);
	free(p);
	return s;
}
