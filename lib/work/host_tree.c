/* host_tree.c - events of the host within one another.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/host_tree.h"

#include "work/calls.h"
#include "work/device_events.h"
#include "work/launchers.h"
#include "work/profiler_step.h"
#include "work/spans.h"

#include <stdlib.h>
#include <string.h>

bool tl_host_wants_operator(const struct tl_trace *t, uint32_t event, void *unused)
{
	const struct tl_ev *e = &t->events[event];

	(void)unused;
	return e->kind == TL_KIND_CPU_OP && tl_profiler_step(tl_str(&t->strings, e->name)) < 0;
}

static int64_t end_of(const struct tl_host_node *node)
{
	return tl_ticks_add(node->start, node->ticks);
}

/* The innermost of a node and those around it that runs at a time, after cuts. */
static uint32_t running(const struct tl_host_tree *h, uint32_t node, int64_t time)
{
	while (node != TL_NONE && end_of(&h->nodes[node]) <= time)
		node = h->nodes[node].around;
	return node;
}

/* Adds the nodes of a thread, which are by start. */
static void add_thread(struct tl_host_tree *h, const struct tl_innermost *spans)
{
	uint32_t first = h->n;

	for (size_t i = 0; i < spans->n; i++) {
		const struct tl_nested *s = &spans->spans[i];
		struct tl_host_node *node = &h->nodes[h->n];
		uint32_t around = running(h, s->around == TL_NONE ? TL_NONE : first + s->around, s->start);
		int64_t end = s->end;

		if (around != TL_NONE && end > end_of(&h->nodes[around])) {
			end = end_of(&h->nodes[around]);
			h->n_cut++;
		}
		*node = (struct tl_host_node){ .event = s->event, .around = around, .past = h->n + 1, .last = h->n,
		                               .start = s->start, .ticks = tl_ticks_sub(end, s->start) };
		if (around != TL_NONE) {
			h->nodes[around].within = tl_ticks_add(h->nodes[around].within, node->ticks);
			h->nodes[around].n_within++;
		}
		h->n++;
	}
	for (uint32_t i = h->n; i-- > first;) {
		uint32_t around = h->nodes[i].around;
		if (around != TL_NONE && h->nodes[around].past < h->nodes[i].past)
			h->nodes[around].past = h->nodes[i].past;
	}
}

/* The node in which an event starts, of those of its thread; h->n: none. first: the first node of each thread. */
static uint32_t node_at(const struct tl_host_tree *h, const struct tl_innermosts *spans, const uint32_t *first, uint32_t event)
{
	const struct tl_ev *e = &h->trace->events[event];
	const struct tl_innermost *of;
	const struct tl_nested *s = tl_innermosts_span(spans, e->track, e->ts, &of);
	uint32_t node = s ? running(h, first[of - spans->items] + (uint32_t)(s - of->spans), e->ts) : TL_NONE;

	return node == TL_NONE ? h->n : node;
}

static void add_calls(struct tl_host_tree *h, const struct tl_innermosts *spans, const uint32_t *first, uint32_t *node_of)
{
	struct tl_trace *t = h->trace;
	const struct tl_copies *copies = tl_copies_of(t);

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		node_of[i] = h->n;
		if (!tl_kind_is_launch(e->kind) || !tl_ev_has_span(e) || tl_is_copy(copies, i))
			continue;
		node_of[i] = node_at(h, spans, first, i);
		int64_t *sum = node_of[i] == h->n ? &h->calls_outside : &h->nodes[node_of[i]].calls;
		*sum = tl_ticks_add(*sum, e->dur < 0 ? 0 : e->dur);
		h->n_calls_outside += node_of[i] == h->n;
	}
}

/* Puts the device events behind one another, node by node. */
static void add_work(struct tl_host_tree *h, const uint32_t *node_of)
{
	struct tl_trace *t = h->trace;
	const uint32_t *call_of = tl_calls_of_work(t);
	uint32_t *at = tl_calloc((size_t)h->n + 2, sizeof *at);

	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_gpu_usable(&t->events[i])) {
			at[(call_of[i] == TL_NONE ? h->n : node_of[call_of[i]]) + 1]++;
			h->n_work++;
		}
	for (uint32_t i = 0; i <= h->n; i++)
		at[i + 1] += at[i];
	h->work = tl_alloc(((size_t)h->n_work + 1) * sizeof *h->work);
	h->work_from = tl_alloc(((size_t)h->n + 2) * sizeof *h->work_from);
	memcpy(h->work_from, at, ((size_t)h->n + 2) * sizeof *at);
	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_gpu_usable(&t->events[i]))
			h->work[at[call_of[i] == TL_NONE ? h->n : node_of[call_of[i]]]++] = i;
	h->ticks_before = tl_calloc((size_t)h->n_work + 1, sizeof *h->ticks_before);
	for (uint32_t i = 0; i < h->n_work; i++)
		h->ticks_before[i + 1] = tl_ticks_add(h->ticks_before[i], t->events[h->work[i]].dur);
	free(at);
}

struct tl_host_tree *tl_host_tree_new(struct tl_trace *t, bool (*wants)(const struct tl_trace *, uint32_t event, void *ctx), void *ctx)
{
	struct tl_host_tree *h = tl_calloc(1, sizeof *h);
	const struct tl_copies *copies = tl_copies_of(t);
	struct tl_innermosts spans = { 0 };
	uint32_t *node_of = tl_alloc(((size_t)t->n_events + 1) * sizeof *node_of);
	size_t n = 0;

	h->trace = t;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (!tl_ev_has_span(e) || !wants(t, i, ctx) || tl_is_copy(copies, i))
			continue;
		tl_innermosts_add(&spans, e->track, e->ts, tl_ev_end(e), i);
		n++;
	}
	tl_innermosts_build(&spans);
	h->nodes = tl_alloc((n + 1) * sizeof *h->nodes);
	uint32_t *first = tl_alloc((spans.n + 1) * sizeof *first);
	for (size_t i = 0; i < spans.n; i++) {
		first[i] = h->n;
		add_thread(h, &spans.items[i]);
	}
	add_calls(h, &spans, first, node_of);
	tl_innermosts_release(&spans);
	add_work(h, node_of);
	free(first);
	free(node_of);
	return h;
}

void tl_host_tree_free(struct tl_host_tree *h)
{
	if (!h)
		return;
	free(h->nodes);
	free(h->work);
	free(h->work_from);
	free(h->ticks_before);
	free(h);
}

void tl_host_tree_spans(const struct tl_host_tree *h, struct tl_innermosts *spans)
{
	for (uint32_t i = 0; i < h->n; i++)
		tl_innermosts_add(spans, h->trace->events[h->nodes[i].event].track, h->nodes[i].start, end_of(&h->nodes[i]), i);
	tl_innermosts_build(spans);
}

void tl_host_tree_merge(struct tl_host_tree *h)
{
	const struct tl_ev *events = h->trace->events;
	uint32_t owner = 0; /* of a merged node before this one */

	for (uint32_t i = 1; i < h->n; i++) {
		struct tl_host_node *node = &h->nodes[i];
		uint32_t around = node->around;
		if (around == TL_NONE || h->nodes[around].n_within != 1 || events[around = h->nodes[around].event].name != events[node->event].name ||
		    events[around].kind != TL_KIND_CPU_OP || events[node->event].kind != TL_KIND_CPU_OP)
			continue;
		/* the only node within another one is right behind it */
		owner = h->nodes[i - 1].merged ? owner : i - 1;
		struct tl_host_node *top = &h->nodes[owner];
		node->merged = true;
		top->last = i;
		top->calls = tl_ticks_add(top->calls, node->calls);
		top->within = tl_ticks_add(tl_ticks_sub(top->within, node->ticks), node->within);
	}
}
