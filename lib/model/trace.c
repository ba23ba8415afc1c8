/* trace.c - looking things up in a trace held in memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/number.h"
#include "base/search.h"
#include "base/varint.h"
#include "model/trace_index.h"

#include <stdlib.h>

int64_t tl_trace_value(const struct tl_trace *t, const struct tl_ev *e, uint32_t i)
{
	struct tl_bytes b = { t->values + e->values, t->values + t->n_values, false };

	for (uint32_t before = 0; before < i; before++)
		tl_take_varint(&b);
	return t->layouts[e->layout].fields[i].type == TL_FIELD_INT ? tl_take_signed(&b) : (int64_t)tl_take_varint(&b);
}

void tl_trace_values(const struct tl_trace *t, const struct tl_ev *e, int64_t *out)
{
	const struct tl_layout *l = &t->layouts[e->layout];
	struct tl_bytes b = { t->values + e->values, t->values + t->n_values, false };

	for (uint32_t i = 0; i < l->n_fields; i++)
		out[i] = l->fields[i].type == TL_FIELD_INT ? tl_take_signed(&b) : (int64_t)tl_take_varint(&b);
}

int tl_trace_field(const struct tl_trace *t, uint32_t event, uint32_t key, bool top, int64_t *value)
{
	if (!key)
		return 0;
	const struct tl_ev *ev = &t->events[event];
	const struct tl_layout *l = &t->layouts[ev->layout];
	for (uint32_t i = l->n_fields; i-- > 0;) {
		if (l->fields[i].key == key && l->fields[i].top == top) {
			*value = tl_trace_value(t, ev, i);
			return l->fields[i].type;
		}
	}
	return 0;
}

double tl_trace_us(const struct tl_trace *t, int64_t ticks)
{
	return tl_divide(ticks, t->ticks_per_us);
}

uint32_t tl_trace_by_uid(const struct tl_trace *t, uint64_t uid)
{
	const struct tl_trace_index *x = t->index;
	if (!x->sparse)
		return uid < x->by_uid.n ? x->by_uid.of[uid] - 1 : TL_NONE; /* 0 - 1 is TL_NONE */
	size_t at;
	TL_SEARCH(at, t->n_events, mid, t->events[mid].uid < uid);
	return at < t->n_events && t->events[at].uid == uid ? (uint32_t)at : TL_NONE;
}

uint32_t tl_trace_owner(const struct tl_trace *t, uint32_t e)
{
	const uint32_t *other = tl_map_get(&t->index->owner, e);
	return other ? *other - 1 : t->events[e].parent;
}

struct tl_walk tl_walk_below(const struct tl_trace *t, uint32_t top)
{
	return (struct tl_walk){ t, top, t->events[top].first_child, 0 };
}

void tl_walk_on(struct tl_walk *w, bool into)
{
	const struct tl_ev *events = w->t->events;
	if (into && events[w->event].first_child != TL_NONE) {
		w->event = events[w->event].first_child;
		w->depth++;
		return;
	}
	while (w->depth > 0 && events[w->event].next_sibling == TL_NONE) {
		w->event = tl_trace_owner(w->t, w->event);
		w->depth--;
	}
	w->event = events[w->event].next_sibling;
}

static void free_index(struct tl_trace_index *x)
{
	tl_by_id_release(&x->by_uid);
	tl_map_release(&x->owner);
	free(x->extra);
	free(x->launch_start);
	free(x->launch_gpu);
	free(x->launch_number);
	free(x->first);
	free(x->past);
	free(x->work);
	free(x->number);
	free(x->run);
	tl_map_release(&x->lists_of);
	free(x->lists);
	free(x);
}

void tl_trace_free(struct tl_trace *t)
{
	if (!t)
		return;
	free_index(t->index);
	tl_strtab_release(&t->strings);
	free(t->source);
	free(t->events);
	free(t->values);
	free(t->layouts);
	free(t->tracks);
	free(t->launches);
	free(t->meta);
	free(t->roots);
	free(t->bwds);
	free(t->fwd_of);
	tl_arena_release(&t->arena);
	free(t);
}
