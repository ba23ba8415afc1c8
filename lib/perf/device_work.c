/* device_work.c - the device events that belong to an event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/device_work.h"

#include "work/device_events.h"
#include "model/trace.h"

#include <stdlib.h>
#include <string.h>

/* Backward events by forward event, each list in the order of discovery. */
static void index_backward(struct tl_device_work *w)
{
	const struct tl_trace *t = w->trace;
	uint32_t *start;

	if (!t->n_bwds)
		return;
	w->backward_start = start = tl_calloc((size_t)t->n_events + 2, sizeof *start);
	w->backward_events = tl_alloc(t->n_bwds * sizeof *w->backward_events);
	for (size_t i = 0; i < t->n_bwds; i++)
		start[t->bwds[i].fwd + 2]++;
	for (uint32_t i = 0; i < t->n_events; i++)
		start[i + 2] += start[i + 1];
	for (size_t i = 0; i < t->n_bwds; i++) /* start[fwd + 1] is where its next one goes: in the end, their end */
		w->backward_events[start[t->bwds[i].fwd + 1]++] = t->bwds[i].bwd;
}

void tl_device_work_init(struct tl_device_work *w, struct tl_trace *t)
{
	/* enough if the events lie below 64 operators on average */
	*w = (struct tl_device_work){ .trace = t, .max_effort = 64 * (uint64_t)t->n_events + 1000000 };
	index_backward(w);
}

void tl_device_work_release(struct tl_device_work *w)
{
	free(w->backward_start);
	free(w->backward_events);
	free(w->events);
	free(w->stack);
	tl_spans_release(&w->spans);
}

enum tl_status tl_device_work_check(const struct tl_device_work *w, struct tl_error *err)
{
	if (!w->exhausted)
		return TL_OK;
	return tl_fail(err, TL_ERR_DATA, "operators are nested too deeply: "
	               "a device event lies below more than 64 of them on average");
}

static bool count_effort(struct tl_device_work *w, uint64_t n)
{
	w->effort += n;
	w->exhausted |= w->effort > w->max_effort;
	return !w->exhausted;
}

/* ---- work -------------------------------------------------------------------------- */

/* Adds device events behind the n that the work has so far; returns their new number. */
static uint32_t add_events(struct tl_device_work *w, uint32_t n, const uint32_t *events, uint32_t more)
{
	if (!count_effort(w, more))
		return n;
	TL_GROW(w->events, w->cap_events, (size_t)n + more + 1);
	if (more)
		memcpy(w->events + n, events, more * sizeof *events);
	return n + more;
}

static void finish(struct tl_device_work *w, uint32_t n, struct tl_work *out)
{
	tl_sort_by_start(w->trace, w->events, n);
	out->events = w->events;
	out->n = n;
	out->ticks = tl_busy_ticks(w->trace, w->events, n, &w->spans, &out->ints);
}

void tl_work_of(struct tl_device_work *w, const uint32_t *events, uint32_t n, struct tl_work *out)
{
	finish(w, add_events(w, 0, events, n), out);
}

void tl_work_below(struct tl_device_work *w, uint32_t event, struct tl_work *out)
{
	uint32_t n = 0;
	const uint32_t *events = w->exhausted ? NULL : tl_trace_work(w->trace, event, &n);

	tl_work_of(w, events, n, out);
}

/* ---- backward events ----------------------------------------------------------------- */

const uint32_t *tl_backward_events(const struct tl_device_work *w, uint32_t event, uint32_t *n)
{
	*n = w->backward_start ? w->backward_start[event + 1] - w->backward_start[event] : 0;
	return *n ? w->backward_events + w->backward_start[event] : NULL;
}

static size_t push(struct tl_device_work *w, size_t n, uint32_t event)
{
	TL_GROW(w->stack, w->cap_stack, n + 1);
	w->stack[n] = event;
	return n + 1;
}

void tl_work_backward(struct tl_device_work *w, uint32_t event, struct tl_work *out)
{
	const struct tl_ev *events = w->trace->events;
	struct tl_map seen = { 0 };
	uint32_t n = 0, n_backward, n_below;
	size_t todo = w->backward_start ? push(w, 0, event) : 0;

	while (todo && count_effort(w, 1)) {
		uint32_t e = w->stack[--todo];
		const uint32_t *backward = tl_backward_events(w, e, &n_backward);
		for (uint32_t i = 0; i < n_backward; i++) {
			if (!tl_map_add(&seen, backward[i]))
				continue;
			const uint32_t *below = tl_trace_work(w->trace, backward[i], &n_below);
			n = add_events(w, n, below, n_below);
		}
		for (uint32_t c = events[e].first_child; c != TL_NONE; c = events[c].next_sibling)
			if (!tl_kind_is_gpu(events[c].kind))
				todo = push(w, todo, c);
	}
	tl_map_release(&seen);
	finish(w, n, out);
}

uint32_t tl_backward_wrapper(const struct tl_trace *t, uint32_t event)
{
	uint32_t w = t->events[event].parent;

	for (int level = 0; level < 5 && w != TL_NONE; level++, w = t->events[w].parent)
		if (tl_trace_forward(t, w) != TL_NONE)
			return w;
	return TL_NONE;
}

bool tl_backward_of_one(struct tl_device_work *w, uint32_t wrapper)
{
	const struct tl_trace *t = w->trace;
	uint32_t name = t->events[wrapper].name;
	const char *s = tl_str(&t->strings, name), *past = s + tl_str_len(&t->strings, name);
	const char *colon = memmem(s, (size_t)(past - s), ": ", 2);
	uint32_t wanted = colon ? tl_strtab_find(&t->strings, colon + 2, (size_t)(past - colon - 2)) : 0;
	uint32_t found = 0;
	size_t todo = push(w, 0, wrapper);

	while (todo && count_effort(w, 1)) {
		uint32_t e = w->stack[--todo];
		for (uint32_t c = t->events[e].first_child; c != TL_NONE; c = t->events[c].next_sibling) {
			if (t->events[c].kind != TL_KIND_CPU_OP)
				continue;
			found += tl_trace_work_count(w->trace, c) && (!colon || (wanted && t->events[c].name == wanted));
			todo = push(w, todo, c);
		}
	}
	return found == 1;
}
