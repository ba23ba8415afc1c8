/* copies.c - events that are copies of a graph's capture.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/copies.h"

#include "model/trace.h"

#include <string.h>

/* Asks for an event with a lower number than the first copy. */
static enum tl_nearest_answer is_own(const struct tl_trace *t, uint32_t event, uintptr_t first_uid)
{
	return t->events[event].uid < first_uid ? TL_NEAREST_THIS : TL_NEAREST_ABOVE;
}

static void release_copies(void *copies)
{
	tl_nearest_release(&((struct tl_copies *)copies)->own);
}

struct tl_copies *tl_copies_of(struct tl_trace *t)
{
	struct tl_copies *c = tl_trace_keep(t, sizeof *c, release_copies);
	uint32_t i = 0;

	if (c->trace)
		return c;
	*c = (struct tl_copies){ .trace = t, .any = tl_strtab_find(&t->strings, TL_KEY_CAPTURED, strlen(TL_KEY_CAPTURED)) };
	if (!c->any)
		return c;
	c->mark = tl_arg_of(t, TL_KEY_CAPTURED);
	while (i < t->n_events && !tl_is_copy(c, i))
		i++;
	c->any = i < t->n_events;
	c->first_uid = c->any ? t->events[i].uid : UINT32_MAX;
	c->own = (struct tl_nearest){ t, is_own, c->first_uid, NULL };
	return c;
}

bool tl_is_copy(const struct tl_copies *c, uint32_t event)
{
	int64_t value;

	return c->any && tl_arg_get(&c->mark, c->trace, event, &value);
}

uint32_t tl_launching_call(struct tl_copies *c, uint32_t gpu)
{
	uint32_t call = c->trace->events[gpu].parent;

	return call != TL_NONE && tl_is_copy(c, call) ? tl_nearest(&c->own, call) : call;
}

const uint32_t *tl_launched_by(const struct tl_copies *c, uint32_t call, uint32_t *n)
{
	const uint32_t *launched = tl_trace_launched(c->trace, call, n);
	uint32_t child = c->trace->events[call].first_child;

	if (*n || !c->any || child == TL_NONE || !tl_is_copy(c, child))
		return launched;
	return tl_trace_work(c->trace, call, n);
}
