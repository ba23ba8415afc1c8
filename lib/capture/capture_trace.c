/* capture_trace.c - the graphs of a capture trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "capture/capture_trace.h"

#include "analysis/device_events.h"
#include "analysis/event_order.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* The time of a capture, in ticks; both ends count. */
struct window { int64_t from, to; };

struct finder {
	struct tl_trace *t;
	struct tl_name_answers *names;
	uint32_t *by_start; uint32_t n; /* events of the tree */
	uint32_t *place;        /* by event: 1 + its index in `walk` or, later, in the graph; 0: not in it */
	uint32_t *stack_order;  /* by event: its place in the trace's roots */
	uint32_t *walk; size_t n_walk, cap_walk; /* events of the graph at hand, breadth first; [0]: TL_NONE */
	uint32_t *above; size_t cap_above;       /* by index in walk: that of the parent; then of the nearest kept one */
	bool *kept; size_t cap_kept;             /* the same: is the event worth a copy? */
	uint64_t n_looked_at;   /* events of all graphs */
};

/* ---- order -------------------------------------------------------------------------- */

static int by_number(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return a < b ? -1 : a > b;
}

static bool is_node(const struct tl_ev *e)
{
	return e->flags & TL_EV_IN_TREE && !tl_kind_is_gpu(e->kind);
}

static void start(struct finder *f, struct tl_capture_trace *c)
{
	struct tl_trace *t = c->trace;
	size_t n = (size_t)t->n_events + 1;

	*f = (struct finder){ .t = t, .names = &c->names, .by_start = tl_alloc(n * sizeof *f->by_start),
		.place = tl_calloc(n, sizeof *f->place), .stack_order = tl_calloc(n, sizeof *f->stack_order) };
	for (uint32_t i = 0; i < t->n_events; i++)
		if (is_node(&t->events[i]))
			f->by_start[f->n++] = i;
	tl_sort_by_start(t, f->by_start, f->n);
	for (size_t i = 0; i < t->n_roots; i++)
		f->stack_order[t->roots[i]] = (uint32_t)i;
}

static void release(struct finder *f)
{
	free(f->by_start);
	free(f->place);
	free(f->stack_order);
	free(f->walk);
	free(f->above);
	free(f->kept);
}

/* ---- what lies in a capture ------------------------------------------------------------ */

static bool lies_in(const struct tl_ev *e, struct window w)
{
	return e->ts >= w.from && tl_ticks_add(e->ts, e->dur) <= w.to;
}

static void walk_on(struct finder *f, uint32_t event, uint32_t parent)
{
	TL_GROW(f->walk, f->cap_walk, f->n_walk + 1);
	TL_GROW(f->above, f->cap_above, f->n_walk + 1);
	f->above[f->n_walk] = parent;
	f->walk[f->n_walk++] = event;
	if (event != TL_NONE)
		f->place[event] = (uint32_t)f->n_walk;
}

/* Puts the outermost events of the capture into the walk, in file order. */
static void find_tops(struct finder *f, struct window w)
{
	const struct tl_ev *events = f->t->events;
	size_t at;

	TL_SEARCH(at, f->n, mid, events[f->by_start[mid]].ts < w.from);
	walk_on(f, TL_NONE, 0);
	for (; at < f->n && events[f->by_start[at]].ts <= w.to; at++, f->n_looked_at++) {
		const struct tl_ev *e = &events[f->by_start[at]];
		if ((e->kind == TL_KIND_CPU_OP || e->kind == TL_KIND_PYTHON) && e->parent != TL_NONE && lies_in(e, w) &&
		    !lies_in(&events[e->parent], w))
			walk_on(f, f->by_start[at], 0);
	}
	qsort(f->walk + 1, f->n_walk - 1, sizeof *f->walk, by_number);
}

static void walk_down(struct finder *f)
{
	for (size_t i = 1; i < f->n_walk; i++, f->n_looked_at++)
		for (uint32_t c = f->t->events[f->walk[i]].first_child; c != TL_NONE; c = f->t->events[c].next_sibling)
			if (is_node(&f->t->events[c]))
				walk_on(f, c, (uint32_t)i);
}

/* ---- a graph of it --------------------------------------------------------------------- */

static bool launches(const struct finder *f, const struct tl_ev *e)
{
	return tl_kind_is_launch(e->kind) && tl_starts_with(tl_name_answer(f->names, e->name), "launch");
}

/* Marks what is worth a copy. Breadth first, children come after their parents. */
static void choose_kept(struct finder *f)
{
	TL_GROW(f->kept, f->cap_kept, f->n_walk);
	memset(f->kept, 0, f->n_walk * sizeof *f->kept);
	f->kept[0] = true;
	for (size_t i = f->n_walk; --i > 0;) {
		const struct tl_ev *e = &f->t->events[f->walk[i]];
		if (launches(f, e) || f->kept[i])
			f->kept[f->above[i]] = f->kept[i] = true;
	}
	for (size_t i = 1; i < f->n_walk; i++) {
		const struct tl_ev *e = &f->t->events[f->walk[i]];
		f->kept[i] |= e->kind == TL_KIND_CPU_OP || tl_name_is(f->names, e->name, "module");
		if (!f->kept[f->above[i]])
			f->above[i] = f->above[f->above[i]];
	}
}

static int in_stack_order(const void *pa, const void *pb, void *ctx)
{
	const struct finder *f = ctx;
	uint32_t a = f->stack_order[*(const uint32_t *)pa], b = f->stack_order[*(const uint32_t *)pb];

	return a < b ? -1 : a > b;
}

/* The walk's events that are kept, as a graph: by start, with numbers. */
static void list_events(struct finder *f, struct tl_capture_graph *g)
{
	uint32_t n = (uint32_t)f->n_walk, *sorted = tl_alloc(n * sizeof *sorted), *at = tl_calloc(n, sizeof *at);

	memcpy(sorted, f->walk, n * sizeof *sorted);
	tl_sort_by_start(f->t, sorted + 1, n - 1);
	g->n_numbers = n;
	g->events = tl_alloc(n * sizeof *g->events);
	g->events[g->n++] = (struct tl_captured){ TL_NONE, 0, 0 };
	for (uint32_t k = 1; k < n; k++) {
		uint32_t walked = f->place[sorted[k]] - 1;
		if (!f->kept[walked])
			continue;
		at[walked] = g->n;
		g->events[g->n++] = (struct tl_captured){ sorted[k], k, f->above[walked] };
	}
	for (uint32_t k = 1; k < g->n; k++)
		g->events[k].parent = at[g->events[k].parent];
	g->tree = tl_alloc(n * sizeof *g->tree);
	for (uint32_t i = 1, m = 0; i < n; i++)
		if (f->kept[i])
			g->tree[m++] = at[i];
	free(sorted);
	free(at);
}

static void list_calls_and_roots(struct finder *f, struct tl_capture_graph *g)
{
	uint32_t *roots = tl_alloc((size_t)g->n * sizeof *roots);

	g->calls = tl_alloc((size_t)g->n * sizeof *g->calls);
	g->roots = tl_alloc((size_t)g->n * sizeof *g->roots);
	for (uint32_t k = 1; k < g->n; k++) {
		const struct tl_ev *e = &f->t->events[g->events[k].event];
		f->place[g->events[k].event] = k;
		if (launches(f, e))
			g->calls[g->n_calls++] = k;
		if (e->flags & TL_EV_ROOT)
			roots[g->n_roots++] = g->events[k].event;
	}
	tl_merge_sort(roots, g->n_roots, sizeof *roots, in_stack_order, f);
	for (uint32_t i = 0; i < g->n_roots; i++)
		g->roots[i] = f->place[roots[i]];
	free(roots);
}

static void add_graph(struct finder *f, struct tl_capture_trace *c, struct window w)
{
	f->n_walk = 0;
	find_tops(f, w);
	for (size_t i = 1; i < f->n_walk; i++) /* sorting moved them */
		f->place[f->walk[i]] = (uint32_t)i + 1;
	walk_down(f);
	choose_kept(f);
	TL_GROW(c->graphs, c->cap, c->n + 1);
	struct tl_capture_graph *g = &c->graphs[c->n++];
	*g = (struct tl_capture_graph){ 0 };
	list_events(f, g);
	list_calls_and_roots(f, g);
	for (size_t i = 1; i < f->n_walk; i++)
		f->place[f->walk[i]] = 0;
}

/* ---- all captures ------------------------------------------------------------------------ */

/* The next call from `from` on that is `what`; n_events: none. */
static uint32_t next_call(const struct finder *f, uint32_t from, const char *what)
{
	for (; from < f->t->n_events; from++) {
		const struct tl_ev *e = &f->t->events[from];
		if (e->kind == TL_KIND_RUNTIME && tl_ev_has_span(e) && tl_name_is(f->names, e->name, what))
			break;
	}
	return from;
}

enum tl_status tl_capture_trace_new(struct tl_capture_trace **out, struct tl_trace *t, struct tl_error *err)
{
	struct tl_capture_trace *c = tl_calloc(1, sizeof *c);
	uint64_t most = 4 * (uint64_t)t->n_events + (1 << 20);
	struct finder f;
	uint32_t begin = 0, end = 0;

	c->trace = t;
	tl_name_answers_init(&c->names, TL_GRAPH_NAMES, &t->strings);
	start(&f, c);
	for (;; begin++, end++) {
		begin = next_call(&f, begin, "begin");
		end = next_call(&f, end, "end");
		if (begin == t->n_events || end == t->n_events || f.n_looked_at > most)
			break;
		add_graph(&f, c, (struct window){ tl_ev_end(&t->events[begin]), t->events[end].ts });
	}
	release(&f);
	*out = c;
	if (f.n_looked_at <= most)
		return TL_OK;
	tl_capture_trace_free(c);
	*out = NULL;
	return tl_fail(err, TL_ERR_DATA, "captures of graphs overlap too much");
}

void tl_capture_trace_free(struct tl_capture_trace *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		free(c->graphs[i].events);
		free(c->graphs[i].tree);
		free(c->graphs[i].calls);
		free(c->graphs[i].roots);
	}
	free(c->graphs);
	tl_name_answers_release(&c->names);
	tl_trace_free(c->trace);
	free(c);
}
