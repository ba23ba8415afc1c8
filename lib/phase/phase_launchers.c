/* phase_launchers.c - the launches that get a phase.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "phase/phase_launchers.h"

#include "analysis/launchers.h"
#include "model/trace_work.h"

#include <stdlib.h>

struct builder {
	struct tl_phase_launchers *out;
	struct tl_trace *t;
	bool *used;       /* by event: calls that an operator has */
	size_t max_gpus;
	uint32_t passed_over; /* see tl_passed_over */
};

static void add_gpu(struct builder *b, uint32_t gpu)
{
	struct tl_phase_launchers *l = b->out;

	TL_GROW(l->gpus, l->cap_gpus, l->n_gpus + 1);
	l->gpus[l->n_gpus++] = gpu;
}

/* Adds a launcher with the device events that were added since `first`, if there are any. */
static void add_launcher(struct builder *b, uint32_t event, size_t first)
{
	struct tl_phase_launchers *l = b->out;

	if (l->n_gpus == first)
		return;
	TL_GROW(l->items, l->cap, l->n + 1);
	l->items[l->n++] = (struct tl_phase_launcher){ event, (uint32_t)(l->n_gpus - first), first };
}

static void add_call(struct builder *b, uint32_t call)
{
	uint32_t n;
	const uint32_t *gpus = tl_trace_launched(b->t, call, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *e = &b->t->events[gpus[i]];

		if (e->parent != call || !tl_gpu_usable(e) || tl_gpu_is_comm(e))
			continue;
		add_gpu(b, gpus[i]);
		b->used[call] = true;
	}
}

/* All work below an event, of an operator or a call. */
static void add_below(struct builder *b, uint32_t event)
{
	uint32_t n;
	const uint32_t *gpus = tl_trace_work(b->t, event, &n);

	for (uint32_t i = 0; i < n; i++)
		if (tl_gpu_usable(&b->t->events[gpus[i]]))
			add_gpu(b, gpus[i]);
}

/* The calls of an operator are its children; Python frames between them do not count. */
static void add_operator(struct builder *b, uint32_t op)
{
	const struct tl_ev *events = b->t->events;
	size_t first = b->out->n_gpus;

	if (b->passed_over && events[op].name == b->passed_over) {
		uint32_t parent = events[op].parent;
		if (parent != TL_NONE) {
			add_below(b, parent);
			add_launcher(b, parent, first);
		}
		return;
	}
	for (struct tl_walk w = tl_walk_below(b->t, op); w.event != TL_NONE;
	     tl_walk_on(&w, events[w.event].kind == TL_KIND_PYTHON))
		if (tl_kind_is_launch(events[w.event].kind))
			add_call(b, w.event);
	add_launcher(b, op, first);
}

static void add_other_call(struct builder *b, uint32_t call)
{
	struct tl_phase_launchers *l = b->out;
	size_t first = l->n_gpus;

	add_below(b, call);
	if (l->n_gpus == first + 1 && tl_gpu_is_comm(&b->t->events[l->gpus[first]]))
		l->n_gpus = first;
	add_launcher(b, call, first);
}

static enum tl_status add_all(struct builder *b, struct tl_error *err)
{
	const struct tl_ev *events = b->t->events;

	for (int calls = 0; calls < 2; calls++)
		for (uint32_t i = 0; i < b->t->n_events; i++) {
			if (!calls && events[i].kind == TL_KIND_CPU_OP)
				add_operator(b, i);
			else if (calls && tl_kind_is_launch(events[i].kind) && !b->used[i])
				add_other_call(b, i);
			if (b->out->n_gpus > b->max_gpus)
				return tl_fail(err, TL_ERR_DATA, "calls are nested too deeply: their launches have more than %zu "
				               "device events", b->max_gpus);
		}
	return TL_OK;
}

enum tl_status tl_phase_launchers_build(struct tl_phase_launchers *l, struct tl_trace *t, struct tl_error *err)
{
	struct builder b = { .out = l, .t = t, .used = tl_calloc((size_t)t->n_events + 1, sizeof *b.used),
	                     .max_gpus = 16 * (size_t)t->n_events + 1000000,
	                     .passed_over = tl_passed_over(t) };

	*l = (struct tl_phase_launchers){ 0 };
	tl_mark_work_once(t);
	enum tl_status rc = add_all(&b, err);
	free(b.used);
	if (rc)
		tl_phase_launchers_release(l);
	return rc;
}

void tl_phase_launchers_release(struct tl_phase_launchers *l)
{
	free(l->items);
	free(l->gpus);
	*l = (struct tl_phase_launchers){ 0 };
}
