/* phases.c - the phase of each launch and of each device event of a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/phases.h"

#include "work/launchers.h"
#include "work/spans.h"
#include "model/trace.h"

#include <stdlib.h>

enum { KERNEL_THRESHOLD = 10 };

/* ---- launches ----------------------------------------------------------------------------- */

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

	TL_PUSH(l->gpus, l->n_gpus, l->cap_gpus, gpu);
}

/* Adds a launcher with the device events that were added since `first`, if there are any. */
static void add_launcher(struct builder *b, uint32_t event, size_t first)
{
	struct tl_phase_launchers *l = b->out;

	if (l->n_gpus == first)
		return;
	TL_PUSH(l->items, l->n, l->cap, (struct tl_phase_launcher){ event, (uint32_t)(l->n_gpus - first), first });
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
		if (tl_kind_is_launch(events[w.event].kind)) {
			uint32_t call = w.event;
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

static void release_launchers(struct tl_phase_launchers *l)
{
	free(l->items);
	free(l->gpus);
	*l = (struct tl_phase_launchers){ 0 };
}

/* Marks the work of the trace, unless it is marked (device_events.h). TL_ERR_DATA: calls are
 * nested so deeply that the launches have far more device events than the trace. */
static enum tl_status build_launchers(struct tl_phase_launchers *l, struct tl_trace *t, struct tl_error *err)
{
	struct builder b = { .out = l, .t = t, .used = tl_calloc((size_t)t->n_events + 1, sizeof *b.used),
	                     .max_gpus = 16 * (size_t)t->n_events + 1000000,
	                     .passed_over = tl_passed_over(t) };

	*l = (struct tl_phase_launchers){ 0 };
	tl_mark_work_once(t);
	enum tl_status rc = add_all(&b, err);
	free(b.used);
	if (rc)
		release_launchers(l);
	return rc;
}

/* ---- phases ------------------------------------------------------------------------------- */

/* By the step in which an operator or call started. */
static struct tl_phase_label step_label(const struct tl_phases *p, uint32_t event)
{
	uint32_t step = tl_phase_step_at(&p->steps, p->trace, event);

	if (step == TL_NONE)
		return (struct tl_phase_label){ TL_PHASE_UNKNOWN, 0 };
	return (struct tl_phase_label){ p->steps.items[step].phase, p->steps.items[step].confidence };
}

static void read_launches(struct tl_phases *p)
{
	p->launches = tl_calloc(p->launchers.n + 1, sizeof *p->launches);
	for (size_t i = 0; i < p->launchers.n; i++) {
		const struct tl_phase_launcher *l = &p->launchers.items[i];
		struct tl_phase_launch *launch = &p->launches[i];

		launch->op = p->trace->events[l->event].name;
		launch->events = p->launchers.gpus + l->first;
		launch->n = l->n;
		launch->m = tl_phase_m(p->methods, l->event);
		tl_phase_read(p->methods, launch, p->options.threshold);
	}
	tl_phase_count_names(p->methods, p->launches, p->launchers.n);
}

enum tl_status tl_phases_new(struct tl_phases **out, struct tl_trace *t, const struct tl_phases_options *o,
                             struct tl_error *err)
{
	struct tl_phases *p = tl_calloc(1, sizeof *p);

	p->trace = t;
	p->options = *o;
	if (build_launchers(&p->launchers, t, err) != TL_OK) {
		free(p);
		return TL_ERR_DATA;
	}
	struct tl_name_rules *own = p->options.kernels ? NULL : tl_name_rules_new(TL_PHASE_KERNELS);
	tl_phase_steps_find(&p->steps, p->trace, &p->launchers, own ? own : p->options.kernels);
	tl_name_rules_free(own);
	*out = p;
	if (o->steps_only)
		return TL_OK;
	p->methods = tl_phase_methods_new(t);
	p->operators = (struct tl_nearest){ t, tl_nearest_operator, 0, NULL };
	read_launches(p);
	p->labels = tl_alloc((p->launchers.n + 1) * sizeof *p->labels);
	for (size_t i = 0; i < p->launchers.n; i++)
		p->labels[i] = p->options.method == TL_BY_STEPS ? step_label(p, p->launchers.items[i].event)
			: tl_phase_by_method(p->methods, p->options.method, &p->launches[i]);
	return TL_OK;
}

void tl_phases_free(struct tl_phases *p)
{
	if (!p)
		return;
	release_launchers(&p->launchers);
	tl_phase_steps_release(&p->steps);
	tl_phase_methods_free(p->methods);
	tl_nearest_release(&p->operators);
	free(p->launches);
	free(p->labels);
	free(p);
}

struct tl_phase_label tl_phases_of_event(struct tl_phases *p, uint32_t gpu)
{
	const struct tl_ev *events = p->trace->events;

	if (p->options.method == TL_BY_STEPS)
		return step_label(p, events[gpu].parent);
	uint32_t op = tl_nearest(&p->operators, events[gpu].parent);
	struct tl_phase_launch l = { .events = &gpu, .n = 1, .m = -1 };

	if (op != TL_NONE) {
		l.op = events[op].name;
		l.m = tl_phase_m(p->methods, op);
	}
	tl_phase_read(p->methods, &l, KERNEL_THRESHOLD);
	return (struct tl_phase_label){ l.votes.phase, l.votes.confidence };
}

static bool is_of_one_phase(enum tl_phase phase)
{
	return phase == TL_PHASE_PREFILL || phase == TL_PHASE_DECODE;
}

struct tl_phase_doubts tl_phases_doubts(const struct tl_phases *p)
{
	struct tl_phase_doubts doubts = { .no_evidence = p->launchers.n > 0 };
	int64_t all = 0, disputed = 0;

	for (size_t i = 0; i < p->steps.n; i++)
		doubts.no_evidence &= p->steps.items[i].phase == TL_PHASE_UNKNOWN;
	for (size_t i = 0; i < p->launchers.n; i++) {
		const struct tl_phase_launcher *l = &p->launchers.items[i];
		enum tl_phase label = p->labels[i].phase, step = step_label(p, l->event).phase;

		if (!is_of_one_phase(label) || (!is_of_one_phase(step) && step != TL_PHASE_MIXED))
			continue;
		for (uint32_t k = 0; k < l->n; k++) {
			int64_t ticks = p->trace->events[p->launchers.gpus[l->first + k]].dur;
			all = tl_ticks_add(all, ticks);
			if (label != step)
				disputed = tl_ticks_add(disputed, ticks);
		}
	}
	doubts.disputed = all > 0 ? (double)disputed / (double)all : 0;
	return doubts;
}
