/* phases.c - the phase of each launch and of each device event of a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "phase/phases.h"

#include "analysis/spans.h"

#include <stdlib.h>

enum { KERNEL_THRESHOLD = 10 };

/* By the step in which an operator or call started. */
static struct tl_phase_label step_label(const struct tl_phases *p, uint32_t event)
{
	uint32_t step = tl_step_at(&p->steps.index, p->trace, event);

	if (step == TL_NONE)
		return (struct tl_phase_label){ TL_PHASE_UNKNOWN, 0 };
	return (struct tl_phase_label){ p->steps.items[step].phase, p->steps.items[step].confidence };
}

static void find_steps(struct tl_phases *p)
{
	struct tl_name_rules *own = p->options.kernels ? NULL : tl_name_rules_new(TL_PHASE_KERNELS);

	tl_phase_steps_find(&p->steps, p->trace);
	tl_phase_steps_weigh(&p->steps, p->trace, &p->launchers, own ? own : p->options.kernels);
	tl_name_rules_free(own);
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

static void label_launches(struct tl_phases *p)
{
	p->labels = tl_alloc((p->launchers.n + 1) * sizeof *p->labels);
	for (size_t i = 0; i < p->launchers.n; i++)
		p->labels[i] = p->options.method == TL_BY_STEPS ? step_label(p, p->launchers.items[i].event)
			: tl_phase_by_method(p->methods, p->options.method, &p->launches[i]);
}

enum tl_status tl_phases_new(struct tl_phases **out, struct tl_trace *t, const struct tl_phases_options *o,
                             struct tl_error *err)
{
	struct tl_phases *p = tl_calloc(1, sizeof *p);

	p->trace = t;
	p->options = *o;
	if (tl_phase_launchers_build(&p->launchers, t, err) != TL_OK) {
		free(p);
		return TL_ERR_DATA;
	}
	p->methods = tl_phase_methods_new(t);
	p->operators = (struct tl_nearest){ t, tl_nearest_operator, 0, NULL };
	find_steps(p);
	read_launches(p);
	label_launches(p);
	*out = p;
	return TL_OK;
}

void tl_phases_free(struct tl_phases *p)
{
	if (!p)
		return;
	tl_phase_launchers_release(&p->launchers);
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
