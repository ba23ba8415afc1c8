/* step_index.c - which step runs on a thread when.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/step_index.h"

#include <stdlib.h>

static uint64_t thread_key(const struct tl_ev *e)
{
	return (uint64_t)e->track << 1;
}

static uint64_t process_key(const struct tl_trace *t, const struct tl_ev *e)
{
	return (uint64_t)t->tracks[e->track].pid << 1 | 1;
}

static void add(struct tl_step_index *x, uint64_t key, const struct tl_step *s, uint32_t step)
{
	uint32_t *number = tl_map_put(&x->number, key, NULL);

	if (!*number) {
		TL_GROW(x->threads, x->cap_threads, x->n_threads + 1);
		x->threads[x->n_threads++] = (struct tl_innermost){ 0 };
		*number = (uint32_t)x->n_threads;
	}
	tl_innermost_add(&x->threads[*number - 1], s->from, s->to, step);
}

void tl_step_index_build(struct tl_step_index *x, const struct tl_trace *t, const struct tl_steps *steps)
{
	*x = (struct tl_step_index){ .is_whole = steps->source == TL_STEPS_WHOLE };
	for (uint32_t i = 0; i < steps->n && !x->is_whole; i++) {
		const struct tl_ev *e = &t->events[steps->items[i].event];
		add(x, thread_key(e), &steps->items[i], i);
		add(x, process_key(t, e), &steps->items[i], i);
	}
	for (size_t i = 0; i < x->n_threads; i++)
		tl_innermost_build(&x->threads[i]);
}

uint32_t tl_step_at(const struct tl_step_index *x, const struct tl_trace *t, uint32_t event)
{
	if (event == TL_NONE)
		return TL_NONE;
	if (x->is_whole)
		return 0;
	const struct tl_ev *e = &t->events[event];
	const uint32_t *number = tl_map_get(&x->number, thread_key(e));
	if (!number)
		number = tl_map_get(&x->number, process_key(t, e));
	if (!number || !(e->flags & TL_EV_HAS_TS))
		return TL_NONE;
	const struct tl_innermost *m = &x->threads[*number - 1];
	size_t at = tl_innermost_from(m, e->ts);
	bool is_within = at < m->n_segments && m->segments[at].start <= e->ts;
	return is_within ? m->spans[m->segments[at].span].event : TL_NONE;
}

void tl_step_index_release(struct tl_step_index *x)
{
	for (size_t i = 0; i < x->n_threads; i++)
		tl_innermost_release(&x->threads[i]);
	free(x->threads);
	tl_map_release(&x->number);
	*x = (struct tl_step_index){ 0 };
}
