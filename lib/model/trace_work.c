/* trace_work.c - a trace in memory: the device events below an event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "model/trace_index.h"

#include "base/merge_sort.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

/* Which device events lie below an event. Launches are kept once, in depth-first order of the
 * tree, so that all work below an event is one range, and memory does not grow with the depth
 * of the tree. Nearly every range is in launch order too. Of one that is not, a sorted copy is
 * made when somebody asks for it.
 *
 *     A                       place    0   1   2
 *     |- call 1 -> k1         work     k1  k2  k3
 *     |- B                    below A  from 0 up to 3
 *     |  `- call 2 -> k2      below B  from 1 up to 2
 *     `- call 3 -> k3
 */

/* ---- numbers by key ---- */

/* The numbers from 0 to n - 1 in the order of their keys: those of key k are
 * items[start[k]] up to start[k + 1]. A number whose key is TL_NONE is left out. */
struct grouped { uint32_t *start, *items; };

static struct grouped group(const struct tl_trace *t, size_t n, size_t n_keys, const bool *marked,
                            uint32_t (*key_of)(const struct tl_trace *, const bool *marked, uint32_t))
{
	struct grouped g = { tl_calloc(n_keys + 2, sizeof *g.start), tl_alloc((n + 1) * sizeof *g.items) };
	for (uint32_t i = 0; i < n; i++) {
		uint32_t key = key_of(t, marked, i);
		if (key != TL_NONE)
			g.start[key + 2]++;
	}
	for (size_t k = 2; k < n_keys + 2; k++)
		g.start[k] += g.start[k - 1];
	for (uint32_t i = 0; i < n; i++) {
		uint32_t key = key_of(t, marked, i);
		if (key != TL_NONE)
			g.items[g.start[key + 1]++] = i;
	}
	return g;
}

/* ---- launches by runtime call ---- */

static uint32_t runtime_of(const struct tl_trace *t, const bool *unused, uint32_t launch)
{
	(void)unused;
	return t->launches[launch].runtime;
}

static void build_launched(const struct tl_trace *t)
{
	struct tl_trace_index *x = t->index;
	struct grouped g = group(t, t->n_launches, t->n_events, NULL, runtime_of);
	x->launch_start = g.start;
	x->launch_number = g.items;
	x->launch_gpu = tl_alloc((t->n_launches + 1) * sizeof *x->launch_gpu);
	for (size_t i = 0; i < t->n_launches; i++)
		x->launch_gpu[i] = t->launches[g.items[i]].gpu;
}

const uint32_t *tl_trace_launched(struct tl_trace *t, uint32_t e, uint32_t *n)
{
	struct tl_trace_index *x = t->index;
	if (!x->launch_start)
		build_launched(t);
	*n = x->launch_start[e + 1] - x->launch_start[e];
	return x->launch_gpu + x->launch_start[e];
}

/* ---- launches in depth-first order of the tree, by parent links ---- */

struct walk {
	const struct tl_trace *t;
	bool *marked; /* events with a launch below: most have none */
	struct grouped children; /* of those */
	uint32_t *stack;
	size_t n, cap;
	uint32_t done; /* launches laid out */
};

static void push(struct walk *w, uint32_t e)
{
	TL_PUSH(w->stack, w->n, w->cap, e);
}

/* An event stays on the stack until all launches below it are laid out. Until then its
 * past[] is TL_NONE, which tells that it was entered. */
static void walk_tree(struct walk *w, uint32_t root)
{
	struct tl_trace_index *x = w->t->index;
	push(w, root);
	while (w->n) {
		uint32_t e = w->stack[w->n - 1];
		if (x->past[e] == TL_NONE) {
			x->past[e] = w->done;
			w->n--;
			continue;
		}
		x->first[e] = w->done;
		for (uint32_t i = x->launch_start[e]; i < x->launch_start[e + 1]; i++, w->done++) {
			x->work[w->done] = x->launch_gpu[i];
			x->number[w->done] = x->launch_number[i];
			bool goes_on = w->done && x->number[w->done - 1] <= x->number[w->done];
			x->run[w->done] = goes_on ? x->run[w->done - 1] : w->done;
		}
		x->past[e] = TL_NONE;
		for (uint32_t i = w->children.start[e + 1]; i-- > w->children.start[e];)
			push(w, w->children.items[i]); /* the first child comes to the top */
	}
}

static void mark(struct walk *w)
{
	const struct tl_trace *t = w->t;
	w->marked = tl_calloc((size_t)t->n_events + 1, sizeof *w->marked);
	for (size_t i = 0; i < t->n_launches; i++)
		for (uint32_t e = t->launches[i].runtime; e != TL_NONE && !w->marked[e]; e = t->events[e].parent)
			w->marked[e] = true;
}

static uint32_t marked_parent(const struct tl_trace *t, const bool *marked, uint32_t e)
{
	return marked[e] ? t->events[e].parent : TL_NONE;
}

static void build_work(const struct tl_trace *t)
{
	struct tl_trace_index *x = t->index;
	size_t n = t->n_events, m = t->n_launches;
	struct walk w = { .t = t };
	if (!x->launch_start)
		build_launched(t);
	x->first = tl_calloc(n + 1, sizeof *x->first);
	x->past = tl_calloc(n + 1, sizeof *x->past);
	x->work = tl_alloc((m + 1) * sizeof *x->work);
	x->number = tl_alloc((m + 1) * sizeof *x->number);
	x->run = tl_alloc((m + 1) * sizeof *x->run);
	mark(&w);
	w.children = group(t, n, n, w.marked, marked_parent);
	for (uint32_t e = 0; e < n; e++)
		if (w.marked[e] && t->events[e].parent == TL_NONE)
			walk_tree(&w, e);
	free(w.marked);
	free(w.children.start);
	free(w.children.items);
	free(w.stack);
}

/* ---- lists of their own ---- */

TL_ORDER(by_event, struct tl_trace_extra, TL_ASC(x->event))

static size_t first_extra(const struct tl_trace_index *x, uint32_t e)
{
	size_t at;

	TL_SEARCH(at, x->n_extra, mid, x->extra[mid].event < e);
	return at;
}

static bool in_launch_order(const struct tl_trace_index *x, uint32_t first, uint32_t past)
{
	return first == past || x->run[past - 1] <= first;
}

static size_t past_extra(const struct tl_trace_index *x, uint32_t e, size_t first)
{
	while (first < x->n_extra && x->extra[first].event == e)
		first++;
	return first;
}

/* A list of its own: in launch order, then the extra work of e. */
static struct tl_trace_list own_list(struct tl_trace *t, uint32_t e)
{
	struct tl_trace_index *x = t->index;
	uint32_t n = x->past[e] - x->first[e];
	size_t from = first_extra(x, e), to = past_extra(x, e, from);
	uint32_t *items = tl_arena_alloc(&t->arena, (n + (to - from) + 1) * sizeof *items);
	memcpy(items, x->number + x->first[e], n * sizeof *items);
	tl_sort_numbers(items, n);
	for (uint32_t i = 0; i < n; i++)
		items[i] = t->launches[items[i]].gpu;
	for (size_t i = from; i < to; i++)
		items[n++] = x->extra[i].gpu;
	return (struct tl_trace_list){ items, n };
}

static struct tl_trace_index *work_index(const struct tl_trace *t)
{
	if (!t->index->first) {
		build_work(t);
		/* Sorts the extra work by event and makes an entry for each such event: it has
		 * a list of its own. The entry holds nothing until the list is made. */
		struct tl_trace_index *x = t->index;
		tl_merge_sort(x->extra, x->n_extra, sizeof *x->extra, by_event, NULL);
		for (size_t i = 0; i < x->n_extra; i++)
			(void)tl_map_put(&x->lists_of, x->extra[i].event, NULL);
	}
	return t->index;
}

uint32_t tl_trace_work_count(const struct tl_trace *t, uint32_t e)
{
	const struct tl_trace_index *x = work_index(t);
	size_t first = first_extra(x, e);
	return x->past[e] - x->first[e] + (uint32_t)(past_extra(x, e, first) - first);
}

const uint32_t *tl_trace_work(struct tl_trace *t, uint32_t e, uint32_t *n)
{
	struct tl_trace_index *x = work_index(t);
	uint32_t first = x->first[e];
	uint32_t *list = x->lists_of.count ? tl_map_get(&x->lists_of, e) : NULL;
	*n = x->past[e] - first;
	if (!list && in_launch_order(x, first, x->past[e]))
		return x->work + first;
	if (!list || !*list) {
		TL_PUSH(x->lists, x->n_lists, x->cap_lists, own_list(t, e));
		list = tl_map_put(&x->lists_of, e, NULL);
		*list = (uint32_t)x->n_lists;
	}
	*n = x->lists[*list - 1].n;
	return x->lists[*list - 1].items;
}
