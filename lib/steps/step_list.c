/* step_list.c - a list of steps, however they were found.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/step_list.h"

#include "work/device_events.h"
#include "base/merge_sort.h"

#include <stdlib.h>

struct tl_step *tl_steps_add(struct tl_steps *steps, const struct tl_trace *t, uint32_t event)
{
	const struct tl_ev *e = &t->events[event];

	TL_GROW(steps->items, steps->cap, steps->n + 1);
	struct tl_step *s = &steps->items[steps->n++];
	*s = (struct tl_step){ .event = event, .marker = event, .from = e->ts, .to = tl_ev_end(e) };
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

bool tl_steps_are_marked(const struct tl_steps *s)
{
	return s->source == TL_STEPS_ENGINE || s->source == TL_STEPS_PROFILER || s->source == TL_STEPS_MARKER || s->source == TL_STEPS_TOLD ||
	       s->source == TL_STEPS_NAMED;
}

TL_ORDER(by_start_longest_first, struct tl_step, TL_ASC(x->from) TL_DESC(x->to))

/* Is a within b? Writers round starts and durations apart, so that an edge may stick out by a µs, but not by half of a. */
static bool is_within(const struct tl_step *a, const struct tl_step *b, int64_t us)
{
	int64_t half = tl_ticks_sub(a->to, a->from) / 2, slack = half < us ? half : us;

	return a->from < b->to && tl_ticks_sub(b->from, a->from) <= slack && tl_ticks_sub(a->to, b->to) <= slack;
}

void tl_steps_settle(struct tl_steps *s, const struct tl_trace *t, bool keep_inner)
{
	size_t *open = tl_calloc((size_t)t->n_tracks + 1, sizeof *open); /* by track: 1 + the innermost step that is open */
	size_t *around = tl_calloc(s->n + 1, sizeof *around), n = 0;     /* by step: 1 + the one that it began in */
	bool *inner = tl_calloc(s->n + 1, sizeof *inner);

	if (s->n)
		tl_merge_sort(s->items, s->n, sizeof *s->items, by_start_longest_first, NULL); /* what is around others comes before them */
	for (size_t i = 0; i < s->n; i++) {
		struct tl_step *step = &s->items[i];
		size_t *at = &open[t->events[step->event].track];
		for (; *at && !is_within(step, &s->items[*at - 1], t->ticks_per_us); *at = around[*at - 1]) {
			struct tl_step *before = &s->items[*at - 1];
			if (is_within(before, step, t->ticks_per_us))
				inner[*at - 1] = true;
			else if (before->to > step->from)
				before->to = step->from;
		}
		inner[i] = *at;
		around[i] = *at;
		*at = i + 1;
	}
	for (size_t i = 0; i < s->n; i++)
		if (keep_inner || !inner[i])
			s->items[n++] = s->items[i];
	s->n = n;
	free(open);
	free(around);
	free(inner);
}
