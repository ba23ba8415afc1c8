/* calls.c - calls of the host: which of them launched what, which are copies, and which wait for the device.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/calls.h"

#include "work/device_events.h"
#include "work/kept.h"
#include "model/trace.h"

#include <stdlib.h>
#include <string.h>

/* ---- the nearest event of a kind at or above another one ---------------------------------- */

/* known: an event or TL_NONE, plus 2; 0: not known yet */
uint32_t tl_nearest(struct tl_nearest *n, uint32_t event)
{
	const struct tl_ev *events = n->trace->events;
	uint32_t at = event, found = TL_NONE;

	if (!n->known)
		n->known = tl_calloc((size_t)n->trace->n_events + 1, sizeof *n->known);
	for (; at != TL_NONE; at = events[at].parent) {
		enum tl_nearest_answer answer;
		if (n->known[at]) {
			found = n->known[at] - 2;
			break;
		}
		answer = n->ask(n->trace, at, n->ctx);
		if (answer == TL_NEAREST_THIS)
			found = at;
		if (answer != TL_NEAREST_ABOVE) {
			n->known[at] = found + 2;
			break;
		}
	}
	for (uint32_t e = event; e != at; e = events[e].parent)
		n->known[e] = found + 2;
	return found;
}

void tl_nearest_release(struct tl_nearest *n)
{
	free(n->known);
	n->known = NULL;
}

enum tl_nearest_answer tl_nearest_operator(const struct tl_trace *t, uint32_t event, uintptr_t unused)
{
	(void)unused;
	return t->events[event].kind == TL_KIND_CPU_OP ? TL_NEAREST_THIS : TL_NEAREST_ABOVE;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Asks for an event with a lower number than the first copy. */
static enum tl_nearest_answer is_own(const struct tl_trace *t, uint32_t event, uintptr_t first_uid)
{
	return t->events[event].uid < first_uid ? TL_NEAREST_THIS : TL_NEAREST_ABOVE;
}

static void release_copies(void *copies)
{
	tl_nearest_release(&((struct tl_copies *)copies)->own);
}

struct tl_copies *tl_copies_of(struct tl_trace *t)
{
	struct tl_copies *c = tl_trace_keep(t, sizeof *c, release_copies);
	uint32_t i = 0;

	if (c->trace)
		return c;
	*c = (struct tl_copies){ .trace = t, .any = tl_strtab_find(&t->strings, TL_KEY_CAPTURED, strlen(TL_KEY_CAPTURED)) };
	if (!c->any)
		return c;
	c->mark = tl_arg_of(t, TL_KEY_CAPTURED);
	while (i < t->n_events && !tl_is_copy(c, i))
		i++;
	c->any = i < t->n_events;
	c->first_uid = c->any ? t->events[i].uid : UINT32_MAX;
	c->own = (struct tl_nearest){ t, is_own, c->first_uid, NULL };
	return c;
}

uint32_t tl_launching_call(struct tl_copies *c, uint32_t gpu)
{
	uint32_t call = c->trace->events[gpu].parent;

	return call != TL_NONE && tl_is_copy(c, call) ? tl_nearest(&c->own, call) : call;
}

const uint32_t *tl_launched_by(const struct tl_copies *c, uint32_t call, uint32_t *n)
{
	const uint32_t *launched = tl_trace_launched(c->trace, call, n);
	uint32_t child = c->trace->events[call].first_child;

	if (*n || !c->any || child == TL_NONE || !tl_is_copy(c, child))
		return launched;
	return tl_trace_work(c->trace, call, n);
}

/* ---- nodes of graphs --------------------------------------------------------------------------------- */

struct tl_graph_nodes tl_graph_nodes_of(struct tl_trace *t)
{
	return (struct tl_graph_nodes){ t, { tl_arg_of(t, "graph node id"), tl_arg_of(t, TL_KEY_NSYS_NODE) }, tl_kept_answers(t, TL_GRAPH_NAMES) };
}

bool tl_is_of_graph(const struct tl_graph_nodes *g, uint32_t event, uint32_t call)
{
	int64_t node = 0;
	enum tl_field_type kineto = tl_arg_get(&g->nodes[0], g->trace, event, &node);

	return (kineto && node) || tl_arg_get(&g->nodes[1], g->trace, event, &node) ||
		(call != TL_NONE && tl_name_is(g->calls, g->trace->events[call].name, "launch-graph"));
}

/* ---- calls in which the host waits for the device -------------------------------------------------------- */

void tl_waits_init(struct tl_waits *w, struct tl_trace *t)
{
	*w = (struct tl_waits){ .trace = t, .copies = tl_copies_of(t), .waiting = tl_kept_answers(t, TL_WAITING_CALLS) };
}

enum tl_call_kind tl_call_kind(struct tl_waits *w, uint32_t call)
{
	static const char *const answers[] = { [TL_CALL_RETURNS] = "", [TL_CALL_RECORDS] = "record", [TL_CALL_STREAM_WAITS] = "order",
		[TL_CALL_ALLOCATES] = "allocate",
		[TL_CALL_AWAITS_DEVICE] = "device", [TL_CALL_AWAITS_STREAM] = "stream", [TL_CALL_AWAITS_EVENT] = "event",
		[TL_CALL_AWAITS_COPY] = "copy", [TL_CALL_FREES] = "free" };
	const struct tl_ev *e = &w->trace->events[call];
	uint32_t n;
	const uint32_t *launched = tl_launched_by(w->copies, call, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *g = &w->trace->events[launched[i]];
		if (g->kind == TL_KIND_MEMCPY && tl_gpu_usable(g) && tl_ev_end(g) <= tl_ev_end(e))
			return TL_CALL_AWAITS_COPY;
	}
	const char *answer = tl_name_answer(w->waiting, e->name);
	enum tl_call_kind kind = TL_CALL_RETURNS;
	while (strcmp(answers[kind], answer))
		kind++;
	return kind;
}
