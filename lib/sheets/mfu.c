/* mfu.c - the sheet mfu: how much of what the GPU could do in its time were operations of the model.
 *
 * Model FLOPs utilization (MFU) and hardware FLOPs utilization (HFU) are those of "PaLM: Scaling Language Modeling with Pathways"
 * (arXiv:2204.02311, section 4.1 and appendix B) and of "Reducing Activation Recomputation in Large Transformer Models"
 * (arXiv:2205.05198, section 5):
 *   MFU = operations without those done again / (time x peak), HFU = all operations / (time x peak).
 * Operations are those of matrix units: products of matrices, convolutions, attention. If they have several precisions,
 *   peak = operations / sum over precisions p of operations(p) / peak(p).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline_rows.h"

#include "work/devices.h"
#include "work/profiler_step.h"
#include "work/spans.h"
#include "base/text.h"
#include "model/trace.h"
#include "steps/phases.h"
#include "steps/recorded.h"
#include "steps/step_find.h"

#include <stdlib.h>

/* ---- what rows are of ------------------------------------------------------------------- */

enum kind { ALL, PHASE, STEP, REGION, KINDS };
static const char *const kind_names[KINDS] = { "all", "phase", "step", "region" };
static const char *const of_training[] = { "forward", "backward", "optimizer" };

/* Operations of matrix units, in 10^9. */
struct operations { double gflops, us; /* at the peak of their precisions */ bool no_peak; };

struct part {
	enum kind kind;
	uint32_t name;                  /* string id */
	int64_t count, tokens;          /* -1: not known */
	int64_t time, kernel, modelled; /* ticks */
	uint32_t devices, device;       /* on how many it has kernels; 1 + the last of them */
	uint64_t found;                 /* the last search that found it */
	struct operations once, again;
	double vector;                  /* 10^9 operations of other units */
};

enum { KNOWN = 1, BACKWARD = 2, OPTIMIZER = 4 }; /* what names of host events say */

struct maker {
	const struct tl_unified *rows;
	struct tl_trace *t;
	const struct tl_arch *arch;
	const struct tl_devices *devices;
	const struct tl_steps *steps;
	struct tl_phases *phases;       /* NULL: of training, or not known */
	bool trains;
	struct tl_name_rules *rules;
	uint8_t *says;                  /* by string id */
	struct tl_nearest backward;
	struct tl_innermosts running, ranges; /* steps by process, event: number; annotations by thread, event: that */
	struct tl_map counts;           /* name of an annotation -> how many */
	bool *modelled;                 /* by device event */
	struct TL_KEYED(struct part) parts; /* by kind, and string id or number of the step; the first is ALL */
	size_t *of, n_of, cap_of;       /* the parts of an event: indexes */
	uint64_t searches;
};

static unsigned says(struct maker *m, uint32_t name)
{
	static const char *const answers[] = { "backward", "optimizer", NULL };

	if (!m->says[name]) {
		uint64_t all = tl_name_rules_all(m->rules, tl_str(&m->t->strings, name), tl_str_len(&m->t->strings, name), answers);
		m->says[name] = (uint8_t)(KNOWN | (all & 1 ? BACKWARD : 0) | (all & 2 ? OPTIMIZER : 0));
	}
	return m->says[name];
}

static enum tl_nearest_answer ask_backward(const struct tl_trace *t, uint32_t event, uintptr_t maker)
{
	return says((struct maker *)maker, t->events[event].name) & BACKWARD || tl_trace_forward(t, event) != TL_NONE ?
		TL_NEAREST_THIS : TL_NEAREST_ABOVE;
}

/* Annotations that are steps are no regions. */
static void find_ranges(struct maker *m)
{
	struct tl_map steps = { 0 };

	for (size_t i = 0; i < m->steps->n; i++)
		tl_map_add(&steps, m->steps->items[i].event);
	for (uint32_t i = 0; i < m->t->n_events; i++) {
		const struct tl_ev *e = &m->t->events[i];
		bool range = tl_is_annotation(m->t, e);
		if ((range || e->kind == TL_KIND_CPU_OP) && says(m, e->name) != KNOWN)
			m->trains = true;
		if (!range || !tl_ev_has_span(e) || tl_map_get(&steps, i))
			continue;
		tl_innermosts_add(&m->ranges, e->track, e->ts, tl_ev_end(e), i);
		++*tl_map_put(&m->counts, e->name, NULL);
	}
	tl_innermosts_build(&m->ranges);
	tl_map_release(&steps);
}

static int64_t tokens_of(const struct tl_phase_step *s)
{
	return s->prefill_tokens < 0 || s->decode_tokens < 0 ? -1 : tl_ticks_add(s->prefill_tokens, s->decode_tokens);
}

/* id: of a step its number, else a string id. */
static struct part *part_of(struct maker *m, enum kind kind, uint32_t id)
{
	bool is_new;
	struct part *p = TL_ITEM(&m->parts, tl_key_of_two(kind, id), &is_new);

	if (is_new)
		*p = (struct part){ .kind = kind, .name = kind == STEP ? tl_step_name(m->t, &m->steps->items[id]) : id,
			.count = kind == STEP ? 1 : -1, .tokens = -1 };
	return p;
}

/* NULL: nothing is of it. */
static struct part *known_part(const struct maker *m, enum kind kind, uint32_t id)
{
	return TL_ITEM_FIND(&m->parts, tl_key_of_two(kind, id));
}

static void add_part(struct maker *m, enum kind kind, uint32_t id)
{
	struct part *p = part_of(m, kind, id);

	if (p->found == m->searches) /* annotations of one name within each other */
		return;
	p->found = m->searches;
	TL_PUSH(m->of, m->n_of, m->cap_of, (size_t)(p - m->parts.items));
}

static uint32_t phase_id(struct maker *m, const char *phase)
{
	return tl_intern_str(&m->t->strings, phase);
}

static const char *phase_of(struct maker *m, uint32_t host, bool optimizer)
{
	if (m->trains)
		return of_training[optimizer ? 2 : tl_nearest(&m->backward, host) != TL_NONE];
	uint32_t step = m->phases ? tl_phase_step_at(&m->phases->steps, m->t, host) : TL_NONE;
	enum tl_phase phase = step == TL_NONE ? TL_PHASE_UNKNOWN : m->phases->steps.items[step].phase;
	return phase == TL_PHASE_UNKNOWN ? NULL : tl_phase_name(phase);
}

/* Fills m->of with the parts in which a host event started; TL_NONE: an event that is not known. */
static void find_parts(struct maker *m, uint32_t host)
{
	const struct tl_ev *e = host == TL_NONE ? NULL : &m->t->events[host];
	const struct tl_innermost *of;
	bool optimizer = false;

	m->n_of = 0;
	m->searches++;
	TL_PUSH(m->of, m->n_of, m->cap_of, 0);
	if (!e || !(e->flags & TL_EV_HAS_TS))
		return;
	uint32_t step = tl_innermosts_at(&m->running, m->t->tracks[e->track].pid, e->ts);
	if (step != TL_NONE)
		add_part(m, STEP, step);
	for (const struct tl_nested *s = tl_innermosts_span(&m->ranges, e->track, e->ts, &of); s; s = tl_innermost_around(of, s, e->ts)) {
		uint32_t name = m->t->events[s->event].name;
		optimizer |= (says(m, name) & OPTIMIZER) != 0;
		add_part(m, REGION, name);
	}
	const char *phase = phase_of(m, host, optimizer);
	if (phase)
		add_part(m, PHASE, phase_id(m, phase));
}

/* ---- kernels ------------------------------------------------------------------------------ */

static void mark_modelled(struct maker *m)
{
	for (size_t i = 0; i < m->rows->n; i++) {
		const struct tl_row_about *row = &m->rows->items[i];
		for (uint32_t k = 0; row->x && k < row->n_kernels; k++)
			m->modelled[row->kernels[k]] = true;
	}
}

/* The times of which the recording does not know what the device did. */
static void find_unknown(const struct maker *m, uint32_t device, struct tl_spans *out)
{
	const struct tl_gaps *gaps = &tl_recorded_of(m->t)->gaps;

	tl_spans_clear(out);
	for (size_t i = 0; i < gaps->n; i++)
		if (gaps->items[i].device == device && gaps->items[i].unrecorded)
			tl_spans_add(out, gaps->items[i].start, gaps->items[i].end);
	tl_spans_merge(out);
}

/* A phase or region has the time by which its kernels bring the end of the device's computations forward: that of the
 * kernel, and the time without computation before it. So all of them have the time from the first to the last kernel. */
static void add_kernels(struct maker *m, uint32_t device, const uint32_t *kernels, size_t n, const struct tl_spans *unknown)
{
	int64_t end = n ? m->t->events[kernels[0]].ts : 0;

	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &m->t->events[kernels[i]];
		int64_t to = tl_ev_end(e) > end ? tl_ev_end(e) : end;
		int64_t step = tl_ticks_sub(tl_ticks_sub(to, end), tl_spans_within(unknown, end, to));
		end = to;
		find_parts(m, e->parent);
		for (size_t k = 0; k < m->n_of; k++) {
			struct part *p = &m->parts.items[m->of[k]];
			p->devices += p->device != device + 1;
			p->device = device + 1;
			p->time = tl_ticks_add(p->time, step);
			p->kernel = tl_ticks_add(p->kernel, e->dur);
			p->modelled = tl_ticks_add(p->modelled, m->modelled[kernels[i]] ? e->dur : 0);
		}
	}
}

static void add_all_kernels(struct maker *m)
{
	uint32_t *kernels = tl_alloc(((size_t)m->t->n_events + 1) * sizeof *kernels);
	struct tl_spans unknown = { 0 };
	size_t n = 0;

	for (uint32_t i = 0; i < m->t->n_events; i++)
		if (m->t->events[i].kind == TL_KIND_KERNEL && tl_gpu_usable(&m->t->events[i]) && tl_gpu_work(&m->t->events[i]) == TL_GPU_COMPUTE)
			kernels[n++] = i;
	tl_sort_by_start(m->t, kernels, n);
	struct tl_split_events on = tl_split_events(m->devices->of, m->devices->n, kernels, n);
	for (uint32_t d = 0; d < m->devices->n; d++) {
		find_unknown(m, d, &unknown);
		add_kernels(m, d, on.items + on.start[d], on.start[d + 1] - on.start[d], &unknown);
	}
	tl_spans_release(&unknown);
	tl_split_events_release(&on);
	free(kernels);
}

/* ---- operations ------------------------------------------------------------------------------ */

static void add_operations(struct maker *m, struct operations *o, const struct tl_evaluation *x)
{
	double peak = m->arch ? tl_arch_peak(m->arch, tl_str(&m->t->strings, x->spec)) : 0;

	o->gflops += x->gflops;
	if (peak > 0)
		o->us += x->gflops * 1e3 / peak;
	else
		o->no_peak = true;
}

static void add_row(struct maker *m, const struct tl_row_about *row)
{
	const struct tl_evaluation *x = row->x;

	if (!x || !(x->gflops > 0))
		return;
	bool matrix = tl_starts_with(tl_str(&m->t->strings, x->spec), "matrix_");
	find_parts(m, row->event);
	for (size_t i = 0; i < m->n_of; i++) {
		struct part *p = &m->parts.items[m->of[i]];
		if (matrix)
			add_operations(m, m->t->events[row->event].flags & TL_EV_RECOMPUTE ? &p->again : &p->once, x);
		else
			p->vector += x->gflops;
	}
}

/* ---- times, tokens --------------------------------------------------------------------------- */

static int64_t times(int64_t ticks, uint32_t n)
{
	return ticks > INT64_MAX / (n + 1) ? INT64_MAX : ticks * n;
}

static void add_tokens(struct part *p, int64_t tokens)
{
	bool none = p->count < 1;

	p->count = none ? 1 : p->count + 1;
	p->tokens = none ? tokens : tokens < 0 || p->tokens < 0 ? -1 : tl_ticks_add(p->tokens, tokens);
}

static void find_tokens(struct maker *m)
{
	struct tl_map step_of = { 0 }; /* event -> number of the step */

	for (size_t i = 0; i < m->steps->n; i++)
		*tl_map_put(&step_of, m->steps->items[i].event, NULL) = (uint32_t)i;
	for (size_t i = 0; m->phases && i < m->phases->steps.n; i++) {
		const struct tl_phase_step *s = &m->phases->steps.items[i];
		const uint32_t *step = tl_map_get(&step_of, s->event);
		if (s->phase == TL_PHASE_UNKNOWN)
			continue;
		struct part *of_step = step ? known_part(m, STEP, *step) : NULL, *of_phase = known_part(m, PHASE, phase_id(m, tl_phase_name(s->phase)));
		if (of_step)
			of_step->tokens = tokens_of(s);
		if (of_phase)
			add_tokens(of_phase, tokens_of(s));
		add_tokens(m->parts.items, tokens_of(s));
	}
	tl_map_release(&step_of);
}

static void settle(struct maker *m)
{
	struct part *all = m->parts.items;

	find_tokens(m);
	all->count = -1;
	all->time = tl_recorded_of(m->t)->all_ticks;
	TL_EACH(struct part, p, m->parts)
		if (p->kind == REGION)
			p->count = *tl_map_get(&m->counts, p->name);
	for (uint32_t i = 0; i < m->steps->n; i++) {
		struct part *p = known_part(m, STEP, i);
		if (p)
			p->time = times(tl_step_period(m->t, m->steps, i), p->devices);
	}
}

/* ---- rows --------------------------------------------------------------------------------------- */

static void add_part_row(const struct maker *m, const struct part *p, struct tl_table *out)
{
	struct tl_cell c[N_MFU] = { [MFU_KIND] = tl_cell_str(&m->t->strings, kind_names[p->kind]),
		[MFU_TIME_MS] = tl_cell_ms(p->time), [MFU_KERNEL_MS] = tl_cell_ms(p->kernel) };
	double us = tl_trace_us(m->t, p->time);

	if (p->kind != ALL)
		c[MFU_NAME] = tl_name_cell(m->t, p->name);
	if (p->count >= 0)
		c[MFU_COUNT] = tl_cell_int(p->count);
	if (p->kernel > 0)
		c[MFU_COVERAGE_PCT] = tl_cell_real((double)p->modelled / (double)p->kernel * 100);
	if (p->once.gflops > 0)
		c[MFU_MODEL_GFLOPS] = tl_cell_real(p->once.gflops);
	if (p->again.gflops > 0)
		c[MFU_RECOMPUTE_GFLOPS] = tl_cell_real(p->again.gflops);
	if (p->vector > 0)
		c[MFU_VECTOR_GFLOPS] = tl_cell_real(p->vector);
	/* operations / (time x peak) is the time that they need at the peak, divided by the time */
	double gflops = p->once.gflops + p->again.gflops, at_peak = p->once.us + p->again.us;
	if (gflops > 0 && !p->once.no_peak && !p->again.no_peak) {
		c[MFU_PEAK_TFLOPS] = tl_cell_real(gflops * 1e3 / at_peak);
		if (us > 0 && p->once.gflops > 0)
			c[MFU_MFU_PCT] = tl_cell_real(p->once.us / us * 100);
		if (us > 0)
			c[MFU_HFU_PCT] = tl_cell_real(at_peak / us * 100);
	}
	if (p->tokens >= 0) {
		c[MFU_TOKENS] = tl_cell_int(p->tokens);
		if (us > 0)
			c[MFU_TOKENS_PER_S] = tl_cell_real((double)p->tokens / us * 1e6);
		if (p->tokens && p->once.gflops > 0)
			c[MFU_GFLOPS_PER_TOKEN] = tl_cell_real(p->once.gflops / (double)p->tokens);
	}
	tl_table_add_row(out, c);
}

/* ---- the sheet ------------------------------------------------------------------------------------ */

static enum tl_status make(struct maker *m, struct tl_error *err)
{
	const struct tl_phases_options by_steps = { .method = TL_BY_STEPS, .steps_only = true };
	enum tl_status s = TL_OK;

	for (size_t i = 0; i < m->steps->n; i++) {
		const struct tl_step *step = &m->steps->items[i];
		if (step->event != TL_NONE)
			tl_innermosts_add(&m->running, m->t->tracks[m->t->events[step->event].track].pid, step->from, step->to, (uint32_t)i);
	}
	tl_innermosts_build(&m->running);
	find_ranges(m);
	if (!m->trains)
		s = tl_phases_new(&m->phases, m->t, &by_steps, err);
	if (s)
		return s;
	part_of(m, ALL, 0);
	mark_modelled(m);
	add_all_kernels(m);
	for (size_t i = 0; i < m->rows->n; i++)
		add_row(m, &m->rows->items[i]);
	settle(m);
	return TL_OK;
}

enum tl_status tl_mfu_make(struct tl_table **out, struct tl_roofline_tools *k, const struct tl_unified *rows, struct tl_error *err)
{
	struct tl_trace *t = k->measure.trace;
	const struct tl_roofline_options *o = &k->options;
	struct maker m = { .rows = rows, .t = t, .arch = o->rated, .devices = tl_devices_of(t), .steps = tl_steps_of(t),
		.rules = tl_name_rules_new(TL_HOST_NAMES) };

	*out = NULL;
	if (!o->even_empty && (!o->rated || !rows->has_metrics)) {
		tl_name_rules_free(m.rules);
		return TL_OK;
	}
	m.says = tl_calloc((size_t)t->strings.count + 1, 1);
	m.modelled = tl_calloc((size_t)t->n_events + 1, sizeof *m.modelled);
	m.backward = (struct tl_nearest){ t, ask_backward, (uintptr_t)&m, NULL };
	enum tl_status s = make(&m, err);
	if (!s && (o->even_empty || m.parts.n > 1)) {
		struct tl_table *raw = tl_table_new(&t->strings, t->ticks_per_us, tl_roofline_mfu_rows);
		for (enum kind kind = 0; kind < KINDS; kind++)
			for (size_t i = 0; i < m.parts.n; i++)
				if (m.parts.items[i].kind == kind)
					add_part_row(&m, &m.parts.items[i], raw);
		*out = tl_sheet_make(&tl_roofline_mfu_sheet, &(struct tl_sheet_input){ .own_rows = raw, .top = &o->top });
	}
	tl_phases_free(m.phases);
	tl_name_rules_free(m.rules);
	tl_nearest_release(&m.backward);
	tl_innermosts_release(&m.running);
	tl_innermosts_release(&m.ranges);
	tl_map_release(&m.counts);
	TL_KEYED_RELEASE(&m.parts);
	free(m.modelled);
	free(m.says);
	free(m.of);
	return s;
}
