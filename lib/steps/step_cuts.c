/* step_cuts.c - steps of a language model that nothing annotates.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/step_cuts.h"

#include "analysis/args.h"
#include "analysis/device_events.h"
#include "analysis/event_order.h"
#include "kernels/name_rules.h"

#include <stdlib.h>

/* The fewest launches of a step. The launch of a graph counts as so many. */
enum { STEP_LAUNCHES = 16 };

struct finder {
	struct tl_steps *out;
	const struct tl_trace *t;
	struct tl_name_answers samplers, calls;
	struct tl_arg dims;
	struct tl_arena arena;
	struct thread { int64_t start; size_t last; uint32_t launches; bool has_step, has_start; } *threads; /* by track */
};

/* Has the first argument as many columns as a vocabulary? */
static bool has_vocabulary(struct finder *f, uint32_t event)
{
	struct tl_value dims;

	tl_arena_clear(&f->arena);
	if (!tl_arg_list(&f->dims, f->t, event, &f->arena, &dims) || !dims.len || dims.items[0].type != TL_V_LIST ||
	    dims.items[0].len < 2)
		return false;
	const struct tl_value *last = &dims.items[0].items[dims.items[0].len - 1];
	return last->type == TL_V_INT && last->i >= TL_VOCABULARY;
}

static bool is_sampler(struct finder *f, uint32_t event)
{
	const struct tl_ev *e = &f->t->events[event];

	return e->kind == TL_KIND_CPU_OP && tl_ev_has_span(e) && *tl_name_answer(&f->samplers, e->name) &&
	       has_vocabulary(f, event);
}

static void end_step(struct finder *f, struct thread *th, uint32_t sampler)
{
	int64_t end = tl_ev_end(&f->t->events[sampler]);

	if (th->launches >= STEP_LAUNCHES || !th->has_step) {
		th->last = f->out->n;
		tl_steps_add(f->out, f->t, sampler)->from = th->start;
		th->has_step = true;
	} else if (end > f->out->items[th->last].to) {
		f->out->items[th->last].to = end;
	}
	if (end > th->start)
		th->start = end;
	th->launches = 0;
}

/* The first step of a thread begins with the first event of it. */
static void begin_thread(struct finder *f, const struct tl_ev *e)
{
	struct thread *th = &f->threads[e->track];

	if (!(e->flags & TL_EV_HAS_TS) || (e->kind != TL_KIND_CPU_OP && !tl_kind_is_launch(e->kind)))
		return;
	if (!th->has_start || e->ts < th->start)
		th->start = e->ts;
	th->has_start = true;
}

/* events: samplers and calls by start. */
static void cut(struct finder *f, const uint32_t *events, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &f->t->events[events[i]];
		struct thread *th = &f->threads[e->track];

		if (e->kind == TL_KIND_CPU_OP)
			end_step(f, th, events[i]);
		else
			th->launches += tl_name_is(&f->calls, e->name, "launch-graph") ? STEP_LAUNCHES : 1;
	}
}

void tl_step_cuts_find(struct tl_steps *steps, const struct tl_trace *t)
{
	struct finder f = { .out = steps, .t = t, .threads = tl_calloc((size_t)t->n_tracks + 1, sizeof *f.threads) };
	uint32_t *events = NULL;
	size_t n = 0, cap = 0;
	bool found = false;

	tl_name_answers_init(&f.samplers, TL_PHASE_SAMPLERS, &t->strings);
	tl_name_answers_init(&f.calls, TL_GRAPH_NAMES, &t->strings);
	tl_arg_init(&f.dims, t, TL_KEY_INPUT_DIMS);
	for (uint32_t i = 0; i < t->n_events; i++) {
		bool samples = is_sampler(&f, i);
		begin_thread(&f, &t->events[i]);
		if (!samples && (!tl_kind_is_launch(t->events[i].kind) || t->events[i].first_child == TL_NONE))
			continue;
		found |= samples;
		TL_GROW(events, cap, n + 1);
		events[n++] = i;
	}
	if (found) {
		tl_sort_by_start(t, events, n);
		cut(&f, events, n);
	}
	tl_name_answers_release(&f.samplers);
	tl_name_answers_release(&f.calls);
	tl_arg_release(&f.dims);
	tl_arena_release(&f.arena);
	free(f.threads);
	free(events);
}
