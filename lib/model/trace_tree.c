/* trace_tree.c - link records and tree edits applied to a trace in memory. Every
 * record is checked so that parent chains and child lists stay free of cycles
 * whatever a stream says.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "model/trace_index.h"
#include "model/trace_tree.h"

static void set_owner(struct tl_trace *t, uint32_t e, uint32_t owner)
{
	if (owner != t->events[e].parent || tl_map_get(&t->index->owner, e))
		*tl_map_put(&t->index->owner, e, NULL) = owner + 1;
}

/* ---- child lists ---- */

static void append_child(struct tl_ev *events, uint32_t parent, uint32_t e)
{
	uint32_t first = events[parent].first_child, last = first == TL_NONE ? e : events[first].previous;
	events[e].next_sibling = TL_NONE;
	events[e].previous = last;
	if (first == TL_NONE) {
		events[parent].first_child = e;
	} else {
		events[last].next_sibling = e;
		events[first].previous = e;
	}
}

/* Puts `with` (TL_NONE: nothing) in e's place in the list it stands in. */
static void replace_child(struct tl_trace *t, uint32_t e, uint32_t with)
{
	struct tl_ev *events = t->events, *child = &events[e];
	uint32_t owner = tl_trace_owner(t, e);
	if (owner == TL_NONE)
		return;
	struct tl_ev *parent = &events[owner];
	bool is_first = parent->first_child == e, is_only = child->previous == e;
	uint32_t here = with == TL_NONE ? child->next_sibling : with;
	if (with != TL_NONE) {
		events[with].next_sibling = child->next_sibling;
		events[with].previous = is_only ? with : child->previous;
	}
	if (is_first)
		parent->first_child = here;
	else
		events[child->previous].next_sibling = here;
	/* the event whose `previous` is e: the next one, or the first one if e was the last */
	uint32_t after = child->next_sibling != TL_NONE ? child->next_sibling : parent->first_child;
	if (after != TL_NONE && !is_only)
		events[after].previous = with == TL_NONE ? child->previous : with;
	child->next_sibling = TL_NONE;
}

static enum tl_status bad_link(struct tl_error *err, const struct tl_link *l, const char *why)
{
	return tl_fail(err, TL_ERR_DATA, "link %s %llu %lld: %s", tl_link_name(l->type),
	               (unsigned long long)l->a, (long long)l->b, why);
}

/* Climbing takes long if many edits lie deep in the tree: after so many events, some
 * seconds, further edits are refused. */
#define MAX_CLIMBED (UINT64_C(1) << 28)

/* TL_ERR_DATA with this reason if e is `above` or lies below it, by parents or by child
 * lists. */
static enum tl_status check_not_below(struct tl_trace *t, const struct tl_link *l, uint32_t e, uint32_t above,
                                      const char *why, struct tl_error *err)
{
	uint64_t n = 0;
	for (uint32_t p = e; p != TL_NONE; p = t->events[p].parent, n++)
		if (p == above)
			return bad_link(err, l, why);
	for (uint32_t p = e; p != TL_NONE; p = tl_trace_owner(t, p), n++)
		if (p == above)
			return bad_link(err, l, why);
	t->index->climbed += n;
	return t->index->climbed > MAX_CLIMBED ? bad_link(err, l, "too many edits of a tree that is so deep") : TL_OK;
}

/* A node after an edit, which may have moved the event, or moved its parent below it. */
static enum tl_status add_late_node(struct tl_trace *t, const struct tl_link *l, uint32_t a, uint32_t b,
                                    struct tl_error *err)
{
	const char *why = "an edit before it gave the event another place";
	if (t->events[a].parent != TL_NONE || tl_trace_owner(t, a) != TL_NONE)
		return bad_link(err, l, why);
	enum tl_status status = check_not_below(t, l, b, a, why, err);
	if (status)
		return status;
	t->events[a].parent = b;
	set_owner(t, a, b);
	append_child(t->events, b, a);
	return TL_OK;
}

static enum tl_status add_node(struct tl_trace *t, const struct tl_link *l, uint32_t a, uint32_t b,
                               struct tl_error *err)
{
	struct tl_ev *events = t->events, *e = &events[a];
	if (e->flags & TL_EV_IN_TREE)
		return bad_link(err, l, "the event is in the tree already");
	if (tl_kind_is_gpu(e->kind))
		return bad_link(err, l, "a device event cannot be a host node");
	e->flags |= TL_EV_IN_TREE;
	if (b == TL_NONE)
		return TL_OK;
	if (b == a || !(events[b].flags & TL_EV_IN_TREE) || tl_kind_is_gpu(events[b].kind))
		return bad_link(err, l, "the parent is not in the tree");
	if (t->index->edited)
		return add_late_node(t, l, a, b, err);
	e->parent = b;
	append_child(events, b, a);
	return TL_OK;
}

/* An outermost cpu_op: whatever was outermost below it no longer is. */
static void add_root(struct tl_trace *t, uint32_t a)
{
	if (t->events[a].flags & TL_EV_ROOT)
		return;
	for (struct tl_walk w = tl_walk_below(t, a); w.event != TL_NONE; tl_walk_on(&w, true))
		t->events[w.event].flags &= (uint8_t)~TL_EV_ROOT;
	t->events[a].flags |= TL_EV_ROOT;
	TL_GROW(t->roots, t->cap_roots, t->n_roots + 1);
	t->roots[t->n_roots++] = a;
}

static enum tl_status add_launch(struct tl_trace *t, const struct tl_link *l, uint32_t a,
                                 uint32_t b, struct tl_error *err)
{
	struct tl_ev *g = &t->events[b];
	if (!tl_kind_is_gpu(g->kind) || tl_kind_is_gpu(t->events[a].kind))
		return bad_link(err, l, "not from the host to a device event");
	if (t->n_launches >= UINT32_MAX - 1)
		return bad_link(err, l, "too many launches");
	TL_GROW(t->launches, t->cap_launches, t->n_launches + 1);
	t->launches[t->n_launches++] = (struct tl_launch){ a, b };
	g->flags |= TL_EV_IN_TREE;
	if (g->parent == a && tl_trace_owner(t, b) == a)
		return TL_OK;
	replace_child(t, b, TL_NONE);
	g->parent = a;
	set_owner(t, b, a);
	append_child(t->events, a, b);
	return TL_OK;
}

static enum tl_status move_below(struct tl_trace *t, const struct tl_link *l, uint32_t a,
                                 uint32_t b, struct tl_error *err)
{
	if (tl_kind_is_gpu(t->events[a].kind))
		return bad_link(err, l, "a device event cannot have children");
	enum tl_status status = check_not_below(t, l, a, b, "the event would be below itself", err);
	if (status)
		return status;
	t->index->edited = true;
	replace_child(t, b, TL_NONE);
	if (l->type == TL_LINK_REPARENT)
		t->events[b].parent = a;
	set_owner(t, b, a);
	append_child(t->events, a, b);
	return TL_OK;
}

static enum tl_status replace_node(struct tl_trace *t, const struct tl_link *l, uint32_t a,
                                   uint32_t b, struct tl_error *err)
{
	uint32_t parent = t->events[b].parent, owner = tl_trace_owner(t, b);
	struct tl_ev *e = &t->events[a];
	if (e->parent != TL_NONE || tl_trace_owner(t, a) != TL_NONE || e->first_child != TL_NONE)
		return bad_link(err, l, "the event that replaces another must be a node without relations");
	if (a == b || tl_kind_is_gpu(e->kind))
		return bad_link(err, l, "not a host event");
	t->index->edited = true;
	replace_child(t, b, a);
	e->flags |= TL_EV_IN_TREE;
	e->parent = parent;
	set_owner(t, a, owner);
	*tl_map_put(&t->index->owner, b, NULL) = 0;
	return TL_OK;
}

static enum tl_status add_work(struct tl_trace *t, const struct tl_link *l, uint32_t a,
                               uint32_t b, struct tl_error *err)
{
	struct tl_trace_index *x = t->index;
	if (!tl_kind_is_gpu(t->events[b].kind))
		return bad_link(err, l, "not a device event");
	if (x->n_extra >= UINT32_MAX)
		return bad_link(err, l, "too many");
	TL_GROW(x->extra, x->cap_extra, x->n_extra + 1);
	x->extra[x->n_extra] = (struct trace_extra){ a, b };
	x->n_extra++;
	return TL_OK;
}

static void add_backward(struct tl_trace *t, uint32_t a, uint32_t b)
{
	TL_GROW(t->bwds, t->cap_bwds, t->n_bwds + 1);
	t->bwds[t->n_bwds++] = (struct tl_bwd){ a, b };
}

enum tl_status tl_trace_apply_link(struct tl_trace *t, const struct tl_link *l, struct tl_error *err)
{
	uint32_t a = tl_trace_by_uid(t, l->a), b = l->b == TL_NO_UID ? TL_NONE : tl_trace_by_uid(t, l->b);
	if (a == TL_NONE)
		return TL_OK;
	switch (l->type) {
	case TL_LINK_NODE:
		return add_node(t, l, a, b, err);
	case TL_LINK_ROOT:
		add_root(t, a);
		return TL_OK;
	case TL_LINK_RECOMPUTE:
		t->events[a].flags |= TL_EV_RECOMPUTE;
		return TL_OK;
	}
	if (b == TL_NONE)
		return TL_OK;
	switch (l->type) {
	case TL_LINK_LAUNCH:
		return add_launch(t, l, a, b, err);
	case TL_LINK_BACKWARD:
		add_backward(t, a, b);
		return TL_OK;
	case TL_LINK_ADOPT:
	case TL_LINK_REPARENT:
		return move_below(t, l, a, b, err);
	case TL_LINK_REPLACE:
		return replace_node(t, l, a, b, err);
	case TL_LINK_WORK:
		return add_work(t, l, a, b, err);
	}
	return TL_OK;
}
