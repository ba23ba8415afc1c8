/* select.c - which events a rule is about.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "rewrite/select.h"

#include "base/merge_sort.h"

#include <stdlib.h>
#include <string.h>

/* ---- gates ---- */

static bool in_tree_somewhere(struct tl_editor *w, const struct tl_pattern *p)
{
	const struct tl_trace *t = w->trace;
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].flags & TL_EV_IN_TREE && tl_editor_name_is(w, p, t->events[i].name))
			return true;
	return false;
}

static bool some_kernel(struct tl_editor *w, const struct tl_pattern *p)
{
	const struct tl_trace *t = w->trace;
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == TL_KIND_KERNEL && tl_editor_name_is(w, p, t->events[i].name))
			return true;
	return false;
}

bool tl_select_gates_hold(struct tl_editor *w, const struct rule *r)
{
	for (const struct tl_pattern *p = r->if_op; p; p = p->next)
		if (!in_tree_somewhere(w, p))
			return false;
	for (const struct tl_pattern *p = r->unless_op; p; p = p->next)
		if (in_tree_somewhere(w, p))
			return false;
	for (const struct tl_pattern *p = r->if_kernel; p; p = p->next)
		if (!some_kernel(w, p))
			return false;
	return true;
}

/* ---- selection ---- */

/* ranks: by name, from 1 in the order in which names first appear. */
struct order { const struct tl_trace *trace; struct tl_by_id ranks; };

static int by_rank(const void *a, const void *b, void *order)
{
	const struct order *o = order;
	uint32_t x = o->ranks.of[o->trace->events[*(const uint32_t *)a].name];
	uint32_t y = o->ranks.of[o->trace->events[*(const uint32_t *)b].name];
	return x < y ? -1 : x > y;
}

/* Process and thread ids: numbers by value, before texts. */
static int compare_ids(const struct tl_trace *t, uint32_t a, uint32_t b)
{
	if (a == b)
		return 0;
	const char *x = tl_str(&t->strings, a), *y = tl_str(&t->strings, b);
	char *end_x, *end_y;
	long long m = strtoll(x, &end_x, 10), n = strtoll(y, &end_y, 10);
	bool number_x = *x && !*end_x, number_y = *y && !*end_y;
	if (number_x && number_y)
		return m < n ? -1 : m > n;
	if (number_x != number_y)
		return number_x ? -1 : 1;
	return strcmp(x, y);
}

static int by_thread(const void *a, const void *b, void *order)
{
	const struct tl_trace *t = ((const struct order *)order)->trace;
	const struct tl_ev *e = &t->events[*(const uint32_t *)a], *f = &t->events[*(const uint32_t *)b];
	int c = compare_ids(t, t->tracks[e->track].pid, t->tracks[f->track].pid);
	if (!c)
		c = compare_ids(t, t->tracks[e->track].tid, t->tracks[f->track].tid);
	if (!c)
		c = e->ts < f->ts ? -1 : e->ts > f->ts;
	return c;
}

static bool concerns(struct tl_editor *w, const struct rule *r, const struct tl_ev *e)
{
	return (!r->frames || e->kind == TL_KIND_PYTHON) && tl_editor_any(w, r->ops, e->name);
}

/* Events by name, in the order in which the names first appear on the stacks. */
uint32_t *tl_select_events(struct tl_editor *w, const struct rule *r, size_t *n)
{
	struct order o = { .trace = w->trace };
	uint32_t *found = tl_alloc((w->n_nodes + 1) * sizeof *found), n_names = 0;
	*n = 0;
	for (size_t i = 0; i < w->n_nodes; i++) {
		uint32_t e = tl_trace_by_uid(w->trace, w->nodes[i]);
		if (e == TL_NONE || !concerns(w, r, &w->trace->events[e]))
			continue;
		uint32_t *rank = tl_by_id(&o.ranks, w->trace->events[e].name);
		if (!*rank)
			*rank = ++n_names;
		found[(*n)++] = e;
	}
	tl_merge_sort(found, *n, sizeof *found, by_rank, &o);
	if (r->by_thread)
		tl_merge_sort(found, *n, sizeof *found, by_thread, &o);
	tl_by_id_release(&o.ranks);
	return found;
}

uint32_t tl_select_above(struct tl_editor *w, const struct tl_pattern *p, uint32_t event)
{
	uint32_t e = w->trace->events[event].parent;
	for (; e != TL_NONE && !tl_editor_name_is(w, p, w->trace->events[e].name); w->steps++)
		e = w->trace->events[e].parent;
	return e;
}

uint32_t tl_select_below(struct tl_editor *w, const struct tl_pattern *p, uint32_t event)
{
	struct tl_walk at = tl_walk_below(w->trace, event);
	for (; at.event != TL_NONE && !tl_editor_name_is(w, p, w->trace->events[at.event].name); w->steps++)
		tl_walk_on(&at, true);
	return at.event;
}
