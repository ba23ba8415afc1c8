/* tree_text.c - a merged tree as text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "diff/tree_text.h"

#include <stdlib.h>

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
