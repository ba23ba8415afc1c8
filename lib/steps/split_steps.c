/* split_steps.c - the steps that a trace is split into.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/split_steps.h"

#include "analysis/device_events.h"
#include "analysis/profiler_step.h"
#include "base/merge_sort.h"
#include "steps/step_repeats.h"
#include "steps/step_roots.h"

#include <stdlib.h>

static struct tl_split_step step_of(const struct tl_trace *t, uint32_t event)
{
	const struct tl_ev *e = &t->events[event];
	struct tl_split_step s = { .event = event, .from = e->ts, .to = tl_ev_end(e) };

	tl_step_text_read(tl_str(&t->strings, e->name), TL_STEP_ALL_FORMATS, &s.text);
	if (s.text.kind == TL_STEP_NONE)
		s.text.generation.requests = s.text.generation.tokens = 1;
	return s;
}

static void take_roots(struct tl_split_steps *s, const struct tl_trace *t)
{
	struct tl_step_roots roots;

	tl_step_roots_find(&roots, t, TL_STEP_ALL_FORMATS);
	s->items = tl_alloc((roots.n + 1) * sizeof *s->items);
	for (size_t i = 0; i < roots.n; i++)
		if (tl_ev_has_span(&t->events[roots.events[i]]))
			s->items[s->n++] = step_of(t, roots.events[i]);
	tl_step_roots_release(&roots);
}

static int by_start(const void *pa, const void *pb, void *ctx)
{
	const struct tl_split_step *a = pa, *b = pb;

	(void)ctx;
	return a->from < b->from ? -1 : a->from > b->from;
}

static void take_profiler_steps(struct tl_split_steps *s, const struct tl_trace *t)
{
	size_t cap = 0;

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (e->kind != TL_KIND_ANNOTATION || !tl_ev_has_span(e) || tl_profiler_step(tl_str(&t->strings, e->name)) < 0)
			continue;
		TL_GROW(s->items, cap, s->n + 1);
		s->items[s->n++] = step_of(t, i);
	}
	tl_merge_sort(s->items, s->n, sizeof *s->items, by_start, NULL);
}

static void take_repeats(struct tl_split_steps *s, const struct tl_trace *t)
{
	struct tl_step_repeats repeats;

	tl_step_repeats_find(&repeats, t);
	s->items = tl_alloc((repeats.n + 1) * sizeof *s->items);
	for (s->n = 0; s->n < repeats.n; s->n++) {
		s->items[s->n] = step_of(t, repeats.items[s->n].first);
		s->items[s->n].to = tl_ev_end(&t->events[repeats.items[s->n].last]);
	}
	tl_step_repeats_release(&repeats);
}

void tl_split_steps_find(struct tl_split_steps *steps, const struct tl_trace *t)
{
	struct tl_split_steps profiler = { .source = TL_SPLIT_PROFILER };

	*steps = (struct tl_split_steps){ .source = TL_SPLIT_ENGINE };
	take_roots(steps, t);
	if (steps->n)
		return;
	tl_split_steps_release(steps);
	take_profiler_steps(&profiler, t);
	if (profiler.n < 2) {
		steps->source = TL_SPLIT_REPEATED;
		take_repeats(steps, t);
	}
	if (!steps->n) {
		tl_split_steps_release(steps);
		*steps = profiler;
	} else {
		tl_split_steps_release(&profiler);
	}
	if (!steps->n)
		steps->source = TL_SPLIT_NONE;
}

void tl_split_steps_release(struct tl_split_steps *s)
{
	free(s->items);
	*s = (struct tl_split_steps){ 0 };
}
