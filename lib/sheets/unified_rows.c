/* unified_rows.c - the rows of unified_perf_summary: all device work once, each piece
 * under the operator that says most about it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline_rows.h"

#include "work/calls.h"
#include "base/merge_sort.h"
#include "model/trace.h"
#include "perf/measure.h"

#include <stdlib.h>
#include <string.h>

enum { LAUNCH_LEVELS = 10 };

enum { /* marks of events */
	MODELLED_BELOW = 1, /* an operator below has a model and device work */
	VISITED = 2,
	COVERED = 4,        /* a device event of some row */
};

/* A backward event around others, as the backward pass of a forward event. */
struct wrapper {
	uint32_t forward;              /* TL_NONE: it does not count as one */
	const struct tl_evaluation *x; /* what the forward event's model says about its backward pass */
	struct tl_work work;           /* only ticks and ints stay valid */
};

/* Walks the trees of operators and adds a row for each event under which device work is
 * shown. */
struct finder {
	struct tl_roofline_tools *tools;
	struct tl_measure *m;
	struct tl_unified *out;
	uint8_t *marks;            /* by event */
	struct tl_categories categories;
	struct TL_KEYED(struct wrapper) wrappers; /* by backward event */
	uint32_t *todo; size_t n_todo, cap_todo;
	uint32_t root;             /* of the tree that is walked; TL_NONE: for synthetic rows */
	uint64_t next_uid;
	bool python, stacks;       /* stacks: kernels are shown with their call stacks */
};

static const struct tl_ev *ev(const struct finder *f, uint32_t e)
{
	return &f->m->trace->events[e];
}

/* Is there device work below e? */
static bool has_gpu(struct finder *f, uint32_t e)
{
	return tl_trace_work_count(f->m->trace, e) > 0;
}

/* ---- what operators have below them ------------------------------------------------ */

/* Marks the events above operators that have a model and device work. */
static void mark_modelled(struct finder *f)
{
	const struct tl_trace *t = f->m->trace;

	for (size_t i = 0; i < f->m->n_named; i++) {
		uint32_t e = f->m->named[i];
		if (t->events[e].kind != TL_KIND_CPU_OP || !has_gpu(f, e) || !tl_measure_modelled(f->m, e))
			continue;
		for (uint32_t p = t->events[e].parent; p != TL_NONE && !(f->marks[p] & MODELLED_BELOW); p = t->events[p].parent) {
			f->marks[p] |= MODELLED_BELOW;
			if (t->events[p].kind != TL_KIND_CPU_OP && t->events[p].kind != TL_KIND_PYTHON)
				break;
		}
	}
}

/* Is device work at most so many levels below e, with only runtime calls and Python
 * frames between them? */
static bool launches(struct finder *f, uint32_t e, int levels)
{
	uint32_t n;

	if (!levels)
		return false;
	if (tl_kind_is_launch(ev(f, e)->kind)) {
		tl_trace_launched(f->m->trace, e, &n);
		if (n)
			return true;
	}
	for (uint32_t c = ev(f, e)->first_child; c != TL_NONE; c = ev(f, c)->next_sibling) {
		unsigned kind = ev(f, c)->kind;
		if (tl_kind_is_gpu(kind))
			return true;
		if ((kind == TL_KIND_RUNTIME || kind == TL_KIND_PYTHON) && launches(f, c, levels - 1))
			return true;
	}
	return false;
}

static bool has_comm(struct finder *f, uint32_t e)
{
	uint32_t n;
	const uint32_t *gpu = tl_trace_work(f->m->trace, e, &n);

	for (uint32_t i = 0; i < n; i++)
		if (tl_gpu_is_comm(&f->m->trace->events[gpu[i]]))
			return true;
	return false;
}

/* ---- backward passes of operators that have a model ----------------------------------- */

/* The backward event around e, if e alone does the backward pass of the forward event;
 * else NULL. */
static const struct wrapper *sole_backward(struct finder *f, uint32_t e)
{
	uint32_t w = tl_backward_wrapper(f->m->trace, e);
	bool is_new;

	if (w == TL_NONE)
		return NULL;
	struct wrapper *r = TL_ITEM(&f->wrappers, w, &is_new);
	if (is_new)
		r->forward = TL_NONE;
	if (is_new && tl_measure_stands_for(f->m, w)) {
		uint32_t forward = tl_trace_forward(f->m->trace, w);
		tl_work_backward(&f->m->device_work, forward, &r->work);
		r->x = tl_measure_evaluate(f->m, tl_measure_op(f->m, forward), forward, &r->work, true);
		r->forward = r->x->outcome == TL_PERF_OK ? forward : TL_NONE;
	}
	return r->forward == TL_NONE ? NULL : r;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Puts into row what a model says about e: e's own model, or that of the forward event
 * whose backward pass e does. False: the model wants no row. */
static bool ask_model(struct finder *f, uint32_t e, struct tl_row_about *row, const struct tl_work *work)
{
	const struct tl_evaluation *x;

	if (row->name != ev(f, e)->name || !tl_measure_modelled(f->m, e)) {
		const struct wrapper *w = sole_backward(f, e);
		if (!w)
			return true;
		row->x = w->x;
		row->modelled = true;
		row->category = tl_intern_str(&f->m->trace->strings, tl_measure_op(f->m, w->forward)->backward);
		row->ticks = w->work.ticks;
		row->ints = w->work.ints;
		return true;
	}
	x = tl_measure_evaluate(f->m, tl_measure_op(f->m, e), e, work, false);
	row->modelled = true;
	if (x->outcome == TL_PERF_OK)
		row->x = x;
	if (x->outcome == TL_PERF_FAILED)
		tl_measure_note_failure(f->m, e, x);
	return x->outcome != TL_PERF_DROPPED;
}

/* Adds a row about e with these device events, which stay as long as the trace, under e's name or another. */
static void add_row(struct finder *f, uint32_t e, uint32_t name, const uint32_t *gpu, uint32_t n, int64_t uid)
{
	struct tl_row_about row = { .event = e, .name = name, .uid = uid, .kernels = gpu, .n_kernels = n, .top = f->root,
		.stacks = f->stacks && f->root != TL_NONE };
	struct tl_work work;

	tl_work_of(&f->m->device_work, gpu, n, &work);
	row.ticks = work.ticks;
	row.ints = work.ints;
	if (!ask_model(f, e, &row, &work))
		return;
	if (!row.category)
		row.category = tl_event_category(&f->categories, e, name);
	f->out->has_metrics |= row.x != NULL;
	TL_PUSH(f->out->items, f->out->n, f->out->cap, row);
}

static void collect(struct finder *f, uint32_t e)
{
	uint32_t n;
	const uint32_t *gpu = tl_trace_work(f->m->trace, e, &n);

	for (uint32_t i = 0; i < n; i++)
		f->marks[gpu[i]] |= COVERED;
	add_row(f, e, ev(f, e)->name, gpu, n, ev(f, e)->uid);
}

/* ---- traversal ---------------------------------------------------------------------------------- */

static void push_children(struct finder *f, uint32_t e)
{
	size_t from = f->n_todo, to;

	for (uint32_t c = ev(f, e)->first_child; c != TL_NONE; c = ev(f, c)->next_sibling)
		if (!tl_kind_is_gpu(ev(f, c)->kind))
			TL_PUSH(f->todo, f->n_todo, f->cap_todo, c);
	for (to = f->n_todo; from + 1 < to; from++, to--) { /* the first child on top */
		uint32_t c = f->todo[from];
		f->todo[from] = f->todo[to - 1];
		f->todo[to - 1] = c;
	}
}

static void visit(struct finder *f, uint32_t e)
{
	bool cpu_op = ev(f, e)->kind == TL_KIND_CPU_OP;

	if ((!cpu_op && !f->python) || !has_gpu(f, e))
		return;
	if (tl_measure_modelled(f->m, e)) {
		collect(f, e);
	} else if (sole_backward(f, e)) {
		if (f->marks[e] & MODELLED_BELOW)
			push_children(f, e);
		else
			collect(f, e);
	} else if (!(f->marks[e] & MODELLED_BELOW) && cpu_op && launches(f, e, LAUNCH_LEVELS)) {
		if (!has_comm(f, e))
			collect(f, e);
	} else {
		push_children(f, e);
	}
}

static void traverse(struct finder *f, uint32_t root)
{
	f->root = root;
	f->n_todo = 0;
	TL_PUSH(f->todo, f->n_todo, f->cap_todo, root);
	while (f->n_todo) {
		uint32_t e = f->todo[--f->n_todo];
		if (f->marks[e] & VISITED)
			continue;
		f->marks[e] |= VISITED;
		visit(f, e);
	}
}

static void traverse_all(struct finder *f)
{
	const struct tl_trace *t = f->m->trace;

	for (uint32_t i = 0; f->python && i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (e->kind == TL_KIND_PYTHON && (e->flags & TL_EV_IN_TREE) && e->parent == TL_NONE && has_gpu(f, i))
			traverse(f, i);
	}
	for (size_t i = 0; i < t->n_roots; i++)
		traverse(f, t->roots[i]);
}

/* ---- device work that no row has -------------------------------------------------------------- */

/* A device event that no row shows; parent: the operator or else the runtime call above
 * it. Those without an operator come first, by runtime call. */
struct orphan { uint32_t parent, order; const uint32_t *gpu; };

TL_ORDER(by_order, struct orphan, TL_ASC(x->order))

static void add_name(const struct finder *f, struct tl_buf *text, uint32_t e)
{
	const struct tl_strtab *s = &f->m->trace->strings;

	tl_buf_add(text, tl_str(s, ev(f, e)->name), tl_str_len(s, ev(f, e)->name));
}

static void add_synthetic(struct finder *f, const struct orphan *o)
{
	struct tl_strtab *s = &f->m->trace->strings;
	struct tl_buf text = { 0 };

	add_name(f, &text, o->parent);
	tl_buf_adds(&text, "->");
	add_name(f, &text, *o->gpu);
	tl_buf_adds(&text, " (Synthetic Op)");
	add_row(f, o->parent, tl_intern(s, text.data, text.len), o->gpu, 1, (int64_t)f->next_uid++);
	tl_buf_release(&text);
}

static void add_orphans(struct finder *f)
{
	const struct tl_trace *t = f->m->trace;
	const struct tl_launchers *l = f->tools->launchers;
	struct orphan *orphans = NULL;
	size_t n = 0, cap = 0;
	struct tl_map order = { 0 }; /* runtime call -> its number, by first device event */
	struct tl_nearest operators = { t, tl_nearest_operator, 0, NULL };

	for (uint32_t i = 0; i < l->n_gpus; i++) {
		uint32_t gpu = l->gpus[i], call = t->events[gpu].parent;
		if ((f->marks[gpu] & COVERED) || call == TL_NONE || tl_gpu_is_comm(&t->events[gpu]))
			continue;
		uint32_t op = tl_nearest(&operators, call);
		uint32_t number = op == TL_NONE ? tl_map_number(&order, call, NULL) : UINT32_MAX;
		TL_PUSH(orphans, n, cap, (struct orphan){ op == TL_NONE ? call : op, number, &l->gpus[i] });
	}
	tl_merge_sort(orphans, n, sizeof *orphans, by_order, NULL);
	f->root = TL_NONE;
	for (size_t i = 0; i < n; i++)
		add_synthetic(f, &orphans[i]);
	tl_map_release(&order);
	tl_nearest_release(&operators);
	free(orphans);
}

/* ---- all rows --------------------------------------------------------------------------------- */

void tl_unified_rows(struct tl_unified *out, struct tl_roofline_tools *k)
{
	const struct tl_trace *t = k->measure.trace;
	const struct tl_roofline_options *o = &k->options;
	struct finder f = { .tools = k, .m = &k->measure, .out = out, .next_uid = t->n_source_events, .python = t->python,
		.categories = { k->measure.trace, k->measure.registry, { 0 } },
		.stacks = t->python && (o->call_stack ? o->include_overlap : o->select.detect_recompute) };

	f.marks = tl_calloc((size_t)t->n_events + 1, 1);
	mark_modelled(&f);
	traverse_all(&f);
	add_orphans(&f);
	TL_KEYED_RELEASE(&f.wrappers);
	tl_categories_release(&f.categories);
	free(f.marks);
	free(f.todo);
}
