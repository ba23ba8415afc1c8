/* launchers.c - which operator each device event is charged to.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/launchers.h"

#include "work/args.h"
#include "work/calls.h"
#include "base/merge_sort.h"
#include "model/trace.h"

#include <stdlib.h>
#include <string.h>

uint32_t tl_passed_over(const struct tl_trace *t)
{
	return tl_strtab_find(&t->strings, "execute", 7);
}

/* A runtime call around the runtime call ends the search. */
static enum tl_nearest_answer may_launch(const struct tl_trace *t, uint32_t event, uintptr_t passed_over)
{
	const struct tl_ev *e = &t->events[event];

	if (e->kind == TL_KIND_CPU_OP)
		return passed_over && e->name == passed_over ? TL_NEAREST_ABOVE : TL_NEAREST_THIS;
	return e->kind == TL_KIND_PYTHON ? TL_NEAREST_ABOVE : TL_NEAREST_NONE;
}

struct tl_nearest tl_launching_operators(const struct tl_trace *t)
{
	return (struct tl_nearest){ t, may_launch, tl_passed_over(t), NULL };
}

uint32_t tl_launcher_of(struct tl_nearest *operators, uint32_t event)
{
	const struct tl_ev *events = operators->trace->events;
	uint32_t call = events[event].parent, op;

	if (call == TL_NONE || events[call].kind == TL_KIND_CPU_OP) /* an operator that launched without a call */
		return call;
	op = tl_nearest(operators, events[call].parent);
	return op == TL_NONE ? call : op;
}

struct found { uint32_t launcher, gpu; };

/* Finds the launchers, in order of their first device event, and counts the device
 * events of each; *found becomes all pairs of both, in file order. */
static void collect(struct tl_launchers *l, const struct tl_trace *t, struct found **found, size_t *n_found)
{
	struct tl_nearest operators = tl_launching_operators(t);
	size_t cap = 0, cap_found = 0, cap_gpus = 0;

	for (uint32_t i = 0; i < t->n_events; i++) {
		if (!tl_kind_is_gpu(t->events[i].kind))
			continue;
		TL_PUSH(l->gpus, l->n_gpus, cap_gpus, i);
		if (!tl_gpu_usable(&t->events[i]) || tl_gpu_is_comm(&t->events[i]))
			continue;
		uint32_t e = tl_launcher_of(&operators, i);
		if (e == TL_NONE)
			continue;
		if (l->of_event[e] == TL_NONE) {
			TL_GROW(l->items, cap, (size_t)l->n + 1);
			l->items[l->n] = (struct tl_launcher){ .event = e };
			l->of_event[e] = l->n++;
		}
		l->items[l->of_event[e]].n++;
		TL_PUSH(*found, *n_found, cap_found, (struct found){ e, i });
	}
	tl_nearest_release(&operators);
}

TL_ORDER_IN(by_start, struct tl_launcher, struct tl_trace, TL_ASC(ctx->events[x->event].ts))

static void release_launchers(void *launchers)
{
	struct tl_launchers *l = launchers;

	free(l->items);
	free(l->direct);
	free(l->by_ts);
	free(l->of_event);
	free(l->gpus);
}

const struct tl_launchers *tl_launchers_of(struct tl_trace *t)
{
	struct tl_launchers *l = tl_trace_keep(t, sizeof *l, release_launchers);
	struct found *found = NULL;
	size_t n = 0;

	if (l->of_event)
		return l;
	tl_mark_work_once(t);
	l->of_event = tl_alloc(((size_t)t->n_events + 1) * sizeof *l->of_event);
	memset(l->of_event, 0xff, ((size_t)t->n_events + 1) * sizeof *l->of_event);
	collect(l, t, &found, &n);
	/* those with equal starts stay in the order of their first device events */
	uint32_t first = 0;
	tl_merge_sort(l->items, l->n, sizeof *l->items, by_start, (void *)t);
	for (uint32_t i = 0; i < l->n; i++) {
		l->of_event[l->items[i].event] = i;
		l->items[i].first = first;
		first += l->items[i].n;
	}
	l->direct = tl_alloc((n + 1) * sizeof *l->direct);
	for (size_t i = 0; i < n; i++) /* while filling, `first` is the place of the launcher's next event */
		l->direct[l->items[l->of_event[found[i].launcher]].first++] = found[i].gpu;
	for (uint32_t i = 0; i < l->n; i++)
		l->items[i].first -= l->items[i].n;
	free(found);
	l->by_ts = tl_alloc((n + 1) * sizeof *l->by_ts);
	memcpy(l->by_ts, l->direct, n * sizeof *l->by_ts);
	for (uint32_t i = 0; i < l->n; i++)
		tl_sort_by_start(t, l->by_ts + l->items[i].first, l->items[i].n);
	return l;
}

/* ---- launches without an arrow ------------------------------------------------------------------- */

static bool is_lone(const struct tl_ev *e)
{
	return tl_gpu_usable(e) && !tl_gpu_linked(e);
}

struct tl_launch *tl_launches_with_lone(struct tl_trace *t, size_t *n)
{
	size_t cap = t->n_launches + 1, cap_calls = 0;
	struct tl_launch *out = tl_alloc(cap * sizeof *out);
	struct tl_arg correlation = tl_arg_of(t, TL_KEY_CORRELATION);
	struct tl_strtab ids = { 0 };
	uint32_t *calls = NULL; /* [id - 1]: the call; TL_NONE: several */
	uint32_t first = 0;

	*n = t->n_launches;
	if (*n)
		memcpy(out, t->launches, *n * sizeof *out);
	while (first < t->n_events && !is_lone(&t->events[first]))
		first++;
	for (uint32_t i = 0; i < t->n_events && first < t->n_events; i++) {
		bool call = tl_kind_is_launch(t->events[i].kind) && t->events[i].flags & TL_EV_HAS_TS;
		uint32_t known = ids.count, id = call ? tl_cell_id(&ids, tl_arg_cell(t, &correlation, i), true) : 0;
		if (!id)
			continue;
		TL_GROW(calls, cap_calls, id);
		calls[id - 1] = id > known ? i : TL_NONE;
	}
	for (uint32_t i = first; i < t->n_events; i++) {
		uint32_t id = is_lone(&t->events[i]) ? tl_cell_id(&ids, tl_arg_cell(t, &correlation, i), false) : 0;
		if (!id || calls[id - 1] == TL_NONE)
			continue;
		TL_PUSH(out, *n, cap, (struct tl_launch){ calls[id - 1], i });
	}
	tl_strtab_release(&ids);
	free(calls);
	return out;
}

struct kept_calls { uint32_t *of; };

static void release_calls(void *calls)
{
	free(((struct kept_calls *)calls)->of);
}

const uint32_t *tl_calls_of_work(struct tl_trace *t)
{
	struct kept_calls *kept = tl_trace_keep(t, sizeof *kept, release_calls);
	struct tl_copies *copies = tl_copies_of(t);
	struct tl_launch *launches;
	size_t n;

	if (kept->of)
		return kept->of;
	launches = tl_launches_with_lone(t, &n);
	kept->of = tl_alloc(((size_t)t->n_events + 1) * sizeof *kept->of);
	for (uint32_t i = 0; i < t->n_events; i++)
		kept->of[i] = TL_NONE;
	for (size_t i = 0; i < n; i++) {
		uint32_t call = launches[i].runtime;
		if (tl_is_copy(copies, call))
			call = tl_launching_call(copies, launches[i].gpu);
		if (call != TL_NONE && tl_ev_has_span(&t->events[call]))
			kept->of[launches[i].gpu] = call;
	}
	free(launches);
	return kept->of;
}
