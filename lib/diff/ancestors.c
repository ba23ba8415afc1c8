/* ancestors.c - the lowest common ancestors of two traces.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "diff/ancestors.h"

#include "base/search.h"

#include <stdlib.h>

static int by_event(const void *pa, const void *pb)
{
	const struct tl_by_event *a = pa, *b = pb;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return a->ancestor < b->ancestor ? -1 : a->ancestor > b->ancestor;
}

/* Notes by node: index in items + 1, and what rows of the second trace say. */
struct places { uint32_t *of_node; int64_t *second; bool *in_second; };

static void look_at_rows(struct tl_ancestors *a, const struct tl_diff *d, struct places *p)
{
	for (size_t i = 0; i < d->n_rows; i++) {
		const struct tl_diff_row *r = &d->rows[i];
		if (r->ancestor == TL_NONE) {
			a->some_without = true;
		} else if (r->side && !p->in_second[r->ancestor]) {
			p->in_second[r->ancestor] = true;
			p->second[r->ancestor] = r->busy;
		} else if (!r->side) {
			p->of_node[r->ancestor] = 1;
			a->n_by_event++;
		}
	}
}

static void add_rows(struct tl_ancestors *a, const struct tl_diff *d, const struct places *p)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_rows; i++) {
		const struct tl_diff_row *r = &d->rows[i];
		if (r->side || r->ancestor == TL_NONE)
			continue;
		uint32_t at = p->of_node[r->ancestor] - 1;
		struct tl_ancestor *x = &a->items[at];
		if (x->node == TL_NONE)
			*x = (struct tl_ancestor){ r->ancestor, r->ancestor_name, { r->busy, p->second[r->ancestor] },
				p->in_second[r->ancestor] };
		a->by_event[n++] = (struct tl_by_event){ r->event, at };
	}
}

void tl_ancestors_find(struct tl_ancestors *a, const struct tl_diff *d)
{
	size_t n_nodes = d->tree->n_nodes;
	struct places p = { tl_calloc(n_nodes + 1, sizeof *p.of_node), tl_calloc(n_nodes + 1, sizeof *p.second),
		tl_calloc(n_nodes + 1, sizeof *p.in_second) };

	*a = (struct tl_ancestors){ 0 };
	look_at_rows(a, d, &p);
	for (size_t i = 0; i < n_nodes; i++)
		if (p.of_node[i])
			p.of_node[i] = ++a->n;
	a->items = tl_alloc(((size_t)a->n + 1) * sizeof *a->items);
	for (uint32_t i = 0; i < a->n; i++)
		a->items[i].node = TL_NONE;
	a->by_event = tl_alloc((a->n_by_event + 1) * sizeof *a->by_event);
	add_rows(a, d, &p);
	qsort(a->by_event, a->n_by_event, sizeof *a->by_event, by_event);
	free(p.of_node);
	free(p.second);
	free(p.in_second);
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

	TL_SEARCH(at, a->n_by_event, mid, a->by_event[mid].event < event);
	for (; at < a->n_by_event && a->by_event[at].event == event; at++)
		tl_list_add(out, a->by_event[at].ancestor);
}
