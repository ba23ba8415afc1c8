/* step_roots.c - the annotations of a trace that are steps of a serving engine.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/step_roots.h"

#include "analysis/event_order.h"

#include <stdlib.h>

void tl_step_roots_find(struct tl_step_roots *roots, const struct tl_trace *t, enum tl_step_formats formats)
{
	size_t cap = 0;
	int best = 2;

	*roots = (struct tl_step_roots){ 0 };
	for (uint32_t i = 0; i < t->n_events; i++) {
		struct tl_step_text step;
		if (t->events[i].kind != TL_KIND_ANNOTATION)
			continue;
		tl_step_text_read(tl_str(&t->strings, t->events[i].name), formats, &step);
		if (!step.tier || step.tier > best)
			continue;
		if (step.tier < best) {
			best = step.tier;
			roots->n = 0;
		}
		TL_GROW(roots->events, cap, roots->n + 1);
		roots->events[roots->n++] = i;
	}
	tl_sort_by_start(t, roots->events, roots->n);
}

void tl_step_roots_release(struct tl_step_roots *roots)
{
	free(roots->events);
	*roots = (struct tl_step_roots){ 0 };
}
