/* step_find.c - the steps of a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/step_find.h"

#include "analysis/device_events.h"
#include "analysis/profiler_step.h"
#include "base/merge_sort.h"
#include "kernels/name_rules.h"
#include "steps/step_cuts.h"
#include "steps/step_repeats.h"

#include <stdlib.h>

struct tl_step *tl_steps_add(struct tl_steps *steps, const struct tl_trace *t, uint32_t event)
{
	const struct tl_ev *e = &t->events[event];

	TL_GROW(steps->items, steps->cap, steps->n + 1);
	struct tl_step *s = &steps->items[steps->n++];
	*s = (struct tl_step){ .event = event, .from = e->ts, .to = tl_ev_end(e) };
	tl_step_text_read(tl_str(&t->strings, e->name), &s->text);
	if (s->text.kind == TL_STEP_NONE)
		s->text.generation.requests = s->text.generation.tokens = 1;
	return s;
}

void tl_steps_release(struct tl_steps *s)
{
	free(s->items);
	*s = (struct tl_steps){ 0 };
}

/* ---- sources ------------------------------------------------------------------------- */

static int by_start(const void *pa, const void *pb, void *ctx)
{
	const struct tl_step *a = pa, *b = pb;

	(void)ctx;
	return a->from < b->from ? -1 : a->from > b->from;
}

/* Drops steps that start within an earlier one of their thread. */
static void drop_inner(struct tl_steps *s, const struct tl_trace *t)
{
	int64_t *until = tl_alloc(((size_t)t->n_tracks + 1) * sizeof *until); /* by track: the end of its last step */
	size_t n = 0;

	for (size_t i = 0; i <= t->n_tracks; i++)
		until[i] = INT64_MIN;
	for (size_t i = 0; i < s->n; i++) {
		uint32_t track = t->events[s->items[i].event].track;
		if (s->items[i].from < until[track])
			continue;
		until[track] = s->items[i].to;
		s->items[n++] = s->items[i];
	}
	s->n = n;
	free(until);
}

/* Adds the events that are steps. Then all steps are by start, and none is within another. */
static void add_events(struct tl_steps *s, const struct tl_trace *t,
                       bool (*is_step)(const struct tl_ev *, const char *name, void *ctx), void *ctx)
{
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (tl_ev_has_span(e) && is_step(e, tl_str(&t->strings, e->name), ctx))
			tl_steps_add(s, t, i);
	}
	tl_merge_sort(s->items, s->n, sizeof *s->items, by_start, NULL);
	drop_inner(s, t);
}

static void add_engine_steps(struct tl_steps *s, const struct tl_trace *t)
{
	int best = 2;

	for (uint32_t i = 0; i < t->n_events; i++) {
		if (t->events[i].kind != TL_KIND_ANNOTATION || !tl_ev_has_span(&t->events[i]))
			continue;
		int tier = tl_steps_add(s, t, i)->text.tier;
		if (!tier || tier > best) {
			s->n--;
		} else if (tier < best) {
			best = tier;
			s->items[0] = s->items[s->n - 1];
			s->n = 1;
		}
	}
	tl_merge_sort(s->items, s->n, sizeof *s->items, by_start, NULL);
}

static bool is_capture(const struct tl_ev *e, const char *name, void *ctx)
{
	const char *mode;
	int64_t size;

	(void)ctx;
	return e->kind == TL_KIND_ANNOTATION && tl_capture_text_read(name, &size, &mode);
}

/* Old profilers write them as operators. */
static bool is_profiler_step(const struct tl_ev *e, const char *name, void *ctx)
{
	(void)ctx;
	return (e->kind == TL_KIND_ANNOTATION || e->kind == TL_KIND_CPU_OP) && tl_profiler_step(name) >= 0;
}

static bool launches_graph(const struct tl_ev *e, const char *name, void *calls)
{
	(void)name;
	return tl_kind_is_launch(e->kind) && tl_name_is(calls, e->name, "launch-graph");
}

static void add_graph_launches(struct tl_steps *s, const struct tl_trace *t)
{
	struct tl_name_answers calls;

	tl_name_answers_init(&calls, TL_GRAPH_NAMES, &t->strings);
	add_events(s, t, launches_graph, &calls);
	tl_name_answers_release(&calls);
}

static void add_whole_trace(struct tl_steps *s, const struct tl_trace *t)
{
	struct tl_step whole = { .event = TL_NONE, .from = t->first_ts, .to = t->first_ts };

	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_ev_has_span(&t->events[i]) && tl_ev_end(&t->events[i]) > whole.to)
			whole.to = tl_ev_end(&t->events[i]);
	TL_GROW(s->items, s->cap, 1);
	s->items[0] = whole;
	s->n = t->n_events > 0;
}

static void add_from(struct tl_steps *s, const struct tl_trace *t)
{
	switch (s->source) {
	case TL_STEPS_ENGINE: add_engine_steps(s, t); break;
	case TL_STEPS_PROFILER: add_events(s, t, is_profiler_step, NULL); break;
	case TL_STEPS_REPEATED: tl_step_repeats_find(s, t); break;
	case TL_STEPS_SAMPLED: tl_step_cuts_find(s, t); break;
	case TL_STEPS_GRAPHS: add_graph_launches(s, t); break;
	case TL_STEPS_WHOLE: add_whole_trace(s, t); break;
	case TL_STEPS_NONE: break;
	}
}

/* Finds the steps from a source; if they are fewer than `least`, there are none. */
static bool take(struct tl_steps *s, const struct tl_trace *t, enum tl_step_source source, size_t least)
{
	*s = (struct tl_steps){ .source = source };
	add_from(s, t);
	if (s->n < least)
		tl_steps_release(s);
	return s->n > 0;
}

/* ---- orders of sources ------------------------------------------------------------------ */

void tl_steps_of_engine(struct tl_steps *s, const struct tl_trace *t)
{
	take(s, t, TL_STEPS_ENGINE, 1);
}

void tl_steps_to_split(struct tl_steps *s, const struct tl_trace *t)
{
	if (!take(s, t, TL_STEPS_ENGINE, 1) && !take(s, t, TL_STEPS_PROFILER, 2) && !take(s, t, TL_STEPS_REPEATED, 1))
		take(s, t, TL_STEPS_PROFILER, 1);
}

void tl_steps_with_phases(struct tl_steps *s, const struct tl_trace *t)
{
	struct tl_steps sampled;

	take(s, t, TL_STEPS_ENGINE, 0);
	add_events(s, t, is_capture, NULL);
	if (s->n)
		return;
	tl_steps_release(s);
	take(s, t, TL_STEPS_PROFILER, 1);
	if (take(&sampled, t, TL_STEPS_SAMPLED, s->n + 1)) {
		tl_steps_release(s);
		*s = sampled;
	} else if (!s->n && !take(s, t, TL_STEPS_GRAPHS, 1)) {
		take(s, t, TL_STEPS_WHOLE, 1);
	}
}
