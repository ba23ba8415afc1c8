/* phase_steps.c - the steps of a trace whose phase is told.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "phase/phase_steps.h"

#include "analysis/device_events.h"
#include "analysis/event_order.h"
#include "analysis/profiler_step.h"
#include "model/trace_work.h"
#include "phase/phase_cuts.h"
#include "steps/step_roots.h"

#include <stdlib.h>
#include <string.h>

const char *tl_step_evidence_name(unsigned evidence)
{
	static const char *const names[TL_EVIDENCES] = { "", "annotation", "idle", "capture", "diffusion",
		"attention arguments", "tokens and requests", "attention kernels" };

	return evidence < TL_EVIDENCES ? names[evidence] : "";
}

/* ---- which step is where -------------------------------------------------------------- */

static uint64_t thread_key(const struct tl_ev *e)
{
	return (uint64_t)e->track << 1;
}

static uint64_t process_key(const struct tl_trace *t, const struct tl_ev *e)
{
	return (uint64_t)t->tracks[e->track].pid << 1 | 1;
}

static void add_span(struct tl_phase_steps *s, uint64_t key, uint32_t step)
{
	uint32_t *number = tl_map_put(&s->of_thread, key, NULL);

	if (!*number) {
		TL_GROW(s->threads, s->cap_threads, s->n_threads + 1);
		s->threads[s->n_threads++] = (struct tl_innermost){ 0 };
		*number = (uint32_t)s->n_threads;
	}
	tl_innermost_add(&s->threads[*number - 1], s->items[step].start, s->items[step].end, step);
}

uint32_t tl_phase_steps_at(const struct tl_phase_steps *s, const struct tl_trace *t, uint32_t event)
{
	const struct tl_ev *e = &t->events[event];
	const uint32_t *number = tl_map_get(&s->of_thread, thread_key(e));

	if (!number)
		number = tl_map_get(&s->of_thread, process_key(t, e));
	if (s->n == 1 && s->items[0].event == TL_NONE)
		return 0;
	if (!number || !(e->flags & TL_EV_HAS_TS))
		return TL_NONE;
	const struct tl_innermost *m = &s->threads[*number - 1];
	size_t at = tl_innermost_from(m, e->ts);
	bool is_within = at < m->n_segments && m->segments[at].start <= e->ts;
	return is_within ? m->spans[m->segments[at].span].event : TL_NONE;
}

/* ---- candidates ------------------------------------------------------------------------- */

struct events { uint32_t *items; size_t n, cap; };

static void add_event(struct events *list, uint32_t event)
{
	TL_GROW(list->items, list->cap, list->n + 1);
	list->items[list->n++] = event;
}

static const char *name_of(const struct tl_trace *t, uint32_t event)
{
	return tl_str(&t->strings, t->events[event].name);
}

static bool is_capture(const struct tl_trace *t, uint32_t event)
{
	int64_t size;
	const char *mode;

	return t->events[event].kind == TL_KIND_ANNOTATION && tl_capture_text_read(name_of(t, event), &size, &mode);
}

static bool is_profiler_step(const struct tl_trace *t, uint32_t event)
{
	return (t->events[event].kind == TL_KIND_ANNOTATION || t->events[event].kind == TL_KIND_CPU_OP) &&
		tl_profiler_step(name_of(t, event)) >= 0;
}

static void add_all(struct events *list, const struct tl_trace *t, bool (*wanted)(const struct tl_trace *, uint32_t))
{
	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_ev_has_span(&t->events[i]) && wanted(t, i))
			add_event(list, i);
}

static void add_graph_launches(struct events *list, const struct tl_trace *t)
{
	struct tl_name_rules *rules = tl_name_rules_new(TL_LAUNCH_CALLS);

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (tl_kind_is_launch(e->kind) && tl_ev_has_span(e) &&
		    !strcmp(tl_name_rules_find(rules, name_of(t, i), tl_str_len(&t->strings, e->name)), "graph"))
			add_event(list, i);
	}
	tl_name_rules_free(rules);
}

/* Fills either the list of events or the cuts. */
static void find_candidates(struct events *list, struct tl_phase_cuts *cuts, const struct tl_trace *t)
{
	struct tl_step_roots roots;

	tl_step_roots_find(&roots, t, TL_STEP_ALL_FORMATS);
	for (size_t i = 0; i < roots.n; i++)
		if (tl_ev_has_span(&t->events[roots.events[i]]))
			add_event(list, roots.events[i]);
	tl_step_roots_release(&roots);
	add_all(list, t, is_capture);
	if (list->n) {
		tl_sort_by_start(t, list->items, list->n);
		return;
	}
	add_all(list, t, is_profiler_step);
	tl_phase_cuts_find(cuts, t);
	if (cuts->n > list->n) {
		list->n = 0;
		return;
	}
	cuts->n = 0;
	if (!list->n)
		add_graph_launches(list, t);
	tl_sort_by_start(t, list->items, list->n);
}

/* ---- steps ------------------------------------------------------------------------------ */

static void read_text(struct tl_phase_step *step, const char *name)
{
	static const enum tl_phase phases[TL_STEP_PHASES] = {
		TL_PHASE_UNKNOWN, TL_PHASE_PREFILL, TL_PHASE_DECODE, TL_PHASE_MIXED
	};
	struct tl_step_text text;
	int64_t size;
	const char *mode;

	if (tl_capture_text_read(name, &size, &mode))
		step->evidence = TL_EVIDENCE_CAPTURE;
	tl_step_text_read(name, TL_STEP_ALL_FORMATS, &text);
	if (text.kind == TL_STEP_DIFFUSION)
		step->evidence = TL_EVIDENCE_DIFFUSION;
	if (text.kind == TL_STEP_NONE || text.kind == TL_STEP_DIFFUSION)
		return;
	step->phase = phases[tl_step_phase(&text)];
	step->evidence = step->phase == TL_PHASE_UNKNOWN ? TL_EVIDENCE_IDLE : TL_EVIDENCE_ANNOTATION;
	step->confidence = step->phase != TL_PHASE_UNKNOWN;
	if (text.kind == TL_STEP_SGLANG_NATIVE && !strncmp(name, "step[MIXED", 10)) {
		step->phase = TL_PHASE_MIXED; /* the text does not say how many requests are of which phase */
		return;
	}
	step->prefill_requests = text.context.requests;
	step->decode_requests = text.generation.requests;
	step->prefill_tokens = text.context.tokens;
	step->decode_tokens = text.generation.tokens;
}

static void add_step(struct tl_phase_steps *s, const struct tl_trace *t, uint32_t event)
{
	struct tl_phase_step step = { .event = event, .prefill_requests = -1, .decode_requests = -1,
	                              .prefill_tokens = -1, .decode_tokens = -1 };

	if (event != TL_NONE) {
		step.start = t->events[event].ts;
		step.end = tl_ev_end(&t->events[event]);
		read_text(&step, name_of(t, event));
	}
	TL_GROW(s->items, s->cap, s->n + 1);
	s->items[s->n++] = step;
}

/* Adds the last step to those of its thread and to those of its process. */
static void add_spans(struct tl_phase_steps *s, const struct tl_trace *t)
{
	const struct tl_ev *e = &t->events[s->items[s->n - 1].event];

	add_span(s, thread_key(e), (uint32_t)s->n - 1);
	add_span(s, process_key(t, e), (uint32_t)s->n - 1);
}

static void add_cut(struct tl_phase_steps *s, const struct tl_trace *t, const struct tl_phase_cut *cut)
{
	add_step(s, t, cut->sampler);
	struct tl_phase_step *step = &s->items[s->n - 1];
	step->is_cut = true;
	step->start = cut->start;
	step->end = cut->end;
	add_spans(s, t);
}

static void add_whole_trace(struct tl_phase_steps *s, const struct tl_trace *t)
{
	add_step(s, t, TL_NONE);
	s->items[0].start = s->items[0].end = t->first_ts;
	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_ev_has_span(&t->events[i]) && tl_ev_end(&t->events[i]) > s->items[0].end)
			s->items[0].end = tl_ev_end(&t->events[i]);
}

void tl_phase_steps_find(struct tl_phase_steps *s, const struct tl_trace *t)
{
	struct tl_phase_cuts cuts = { 0 };
	struct events list = { 0 };
	int64_t *until = tl_alloc(((size_t)t->n_tracks + 1) * sizeof *until); /* by track: end of its last step */

	*s = (struct tl_phase_steps){ 0 };
	for (size_t i = 0; i <= t->n_tracks; i++)
		until[i] = INT64_MIN;
	find_candidates(&list, &cuts, t);
	for (size_t i = 0; i < list.n; i++) {
		const struct tl_ev *e = &t->events[list.items[i]];
		if (e->ts < until[e->track])
			continue; /* within the step before */
		until[e->track] = tl_ev_end(e);
		add_step(s, t, list.items[i]);
		add_spans(s, t);
	}
	for (size_t i = 0; i < cuts.n; i++)
		add_cut(s, t, &cuts.items[i]);
	tl_phase_cuts_release(&cuts);
	if (!s->n && t->n_events)
		add_whole_trace(s, t);
	for (size_t i = 0; i < s->n_threads; i++)
		tl_innermost_build(&s->threads[i]);
	free(list.items);
	free(until);
}

void tl_phase_steps_release(struct tl_phase_steps *s)
{
	for (size_t i = 0; i < s->n_threads; i++)
		tl_innermost_release(&s->threads[i]);
	free(s->threads);
	tl_map_release(&s->of_thread);
	free(s->items);
	*s = (struct tl_phase_steps){ 0 };
}
