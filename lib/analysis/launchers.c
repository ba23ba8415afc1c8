/* launchers.c - which operator each device event is charged to.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/launchers.h"

#include "analysis/event_order.h"

#include <stdlib.h>
#include <string.h>

/* The launcher of a device event, or TL_NONE. */
static uint32_t find_launcher(const struct tl_trace *t, uint32_t execute, uint32_t gpu)
{
	uint32_t call = t->events[gpu].parent, e;

	if (call == TL_NONE)
		return TL_NONE;
	for (e = t->events[call].parent; e != TL_NONE; e = t->events[e].parent) {
		const struct tl_ev *ev = &t->events[e];

		if (ev->kind == TL_KIND_CPU_OP && (!execute || ev->name != execute))
			return e;
		/* a call nested in another ends the search: the call is charged */
		if (ev->kind != TL_KIND_CPU_OP && ev->kind != TL_KIND_PYTHON)
			break;
	}
	return call;
}

struct found { uint32_t launcher, gpu; };

/* Launchers in order of their first device event, each with its count in n. */
static void collect(struct tl_launchers *l, const struct tl_trace *t, struct found **found, size_t *n_found)
{
	uint32_t execute = tl_strtab_find(&t->strings, "execute", 7);
	size_t cap = 0, cap_found = t->n_launches + 1, cap_gpus = t->n_launches + 1; /* about as many as there will be */
	const struct tl_ev *events = t->events;
	const uint32_t n = t->n_events;

	*found = tl_alloc(cap_found * sizeof **found);
	l->gpus = tl_alloc(cap_gpus * sizeof *l->gpus);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t e;

		if (!tl_kind_is_gpu(events[i].kind))
			continue;
		TL_GROW(l->gpus, cap_gpus, (size_t)l->n_gpus + 1);
		l->gpus[l->n_gpus++] = i;
		if (!tl_gpu_usable(&events[i]) || tl_gpu_is_comm(&l->work, t, i) ||
		    (e = find_launcher(t, execute, i)) == TL_NONE)
			continue;
		if (l->of_event[e] == TL_NONE) {
			TL_GROW(l->items, cap, (size_t)l->n + 1);
			l->items[l->n] = (struct tl_launcher){ .event = e };
			l->of_event[e] = l->n++;
		}
		l->items[l->of_event[e]].n++;
		TL_GROW(*found, cap_found, *n_found + 1);
		(*found)[(*n_found)++] = (struct found){ e, i };
	}
}

static void order_launchers(struct tl_launchers *l, const struct tl_trace *t)
{
	struct tl_start *order = tl_alloc(((size_t)l->n + 1) * sizeof *order);
	struct tl_launcher *sorted = tl_alloc(((size_t)l->n + 1) * sizeof *sorted);
	uint32_t first = 0;

	for (uint32_t i = 0; i < l->n; i++)
		order[i] = (struct tl_start){ t->events[l->items[i].event].ts, i };
	tl_sort_starts(order, l->n);
	for (uint32_t i = 0; i < l->n; i++) {
		sorted[i] = l->items[order[i].item];
		sorted[i].first = first;
		first += sorted[i].n;
		l->of_event[sorted[i].event] = i;
	}
	free(order);
	free(l->items);
	l->items = sorted;
}

static void fill_by_ts(struct tl_launchers *l, const struct tl_trace *t, size_t n)
{
	l->by_ts = tl_alloc((n + 1) * sizeof *l->by_ts);
	for (uint32_t i = 0; i < l->n; i++) {
		const struct tl_launcher *item = &l->items[i];
		uint32_t *copy;

		if (item->n == 1) { /* most are */
			l->by_ts[item->first] = l->direct[item->first];
			continue;
		}
		memcpy(l->by_ts + item->first, tl_events_by_start(t, l->direct + item->first, item->n, &copy),
		       item->n * sizeof *l->by_ts);
		free(copy);
	}
}

void tl_launchers_build(struct tl_launchers *l, const struct tl_trace *t)
{
	struct found *found = NULL;
	size_t n = 0;

	*l = (struct tl_launchers){ 0 };
	l->of_event = tl_alloc(((size_t)t->n_events + 1) * sizeof *l->of_event);
	memset(l->of_event, 0xff, ((size_t)t->n_events + 1) * sizeof *l->of_event);
	collect(l, t, &found, &n);
	order_launchers(l, t);
	l->direct = tl_alloc((n + 1) * sizeof *l->direct);
	for (size_t i = 0; i < n; i++) /* first: where the launcher's next one goes */
		l->direct[l->items[l->of_event[found[i].launcher]].first++] = found[i].gpu;
	for (uint32_t i = 0; i < l->n; i++)
		l->items[i].first -= l->items[i].n;
	free(found);
	fill_by_ts(l, t, n);
}

void tl_launchers_release(struct tl_launchers *l)
{
	free(l->items);
	free(l->direct);
	free(l->by_ts);
	free(l->of_event);
	free(l->gpus);
	tl_work_by_name_release(&l->work);
	*l = (struct tl_launchers){ 0 };
}

void tl_launchers_categorise(struct tl_launchers *l, struct tl_trace *t, const struct tl_categories *c)
{
	struct tl_map memo = { 0 };

	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t op = t->events[l->items[i].event].name;
		uint32_t kernel = t->events[l->by_ts[l->items[i].first]].name;
		bool is_new;
		uint32_t *slot = tl_map_put(&memo, (uint64_t)op << 32 | kernel, &is_new);

		if (is_new)
			*slot = tl_intern_str(&t->strings, c->fn(c->ctx, tl_str(&t->strings, op), tl_str(&t->strings, kernel)));
		l->items[i].category = *slot;
	}
	tl_map_release(&memo);
}

int64_t tl_busy_ticks(const struct tl_trace *t, const uint32_t *events, uint32_t n,
                      struct tl_spans *scratch, bool *all_ints)
{
	bool ints = true;

	tl_spans_clear(scratch);
	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[events[i]];

		if (!tl_gpu_usable(e))
			continue;
		ints &= (e->flags & TL_EV_INT_TS) && (e->flags & TL_EV_INT_DUR);
		if (n > 1) {
			tl_spans_add(scratch, e->ts, tl_ev_end(e));
			continue;
		}
		if (all_ints)
			*all_ints = ints;
		return e->dur > 0 ? tl_ticks_sub(tl_ev_end(e), e->ts) : 0;
	}
	if (all_ints)
		*all_ints = ints;
	tl_spans_merge(scratch);
	return tl_spans_length(scratch);
}

/* Lists of fewer events are sorted for themselves. */
enum { LONG_LIST = 64 };

static void rank_events(struct tl_busy *b)
{
	const struct tl_trace *t = b->trace;
	struct tl_start *order = NULL;
	size_t n = 0, cap = 0;

	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_gpu_usable(&t->events[i])) {
			TL_GROW(order, cap, n + 1);
			order[n++] = (struct tl_start){ t->events[i].ts, i };
		}
	tl_sort_starts(order, n);
	b->rank = tl_alloc(((size_t)t->n_events + 1) * sizeof *b->rank);
	memset(b->rank, 0xff, ((size_t)t->n_events + 1) * sizeof *b->rank); /* TL_NONE */
	b->spans = tl_alloc((n + 1) * sizeof *b->spans);
	b->chosen = tl_calloc(n / 64 + 1, sizeof *b->chosen);
	b->fraction = tl_calloc(n / 64 + 1, sizeof *b->fraction);
	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[order[i].item];
		int64_t end = tl_ev_end(e);

		b->rank[order[i].item] = i;
		b->spans[i] = (struct tl_span){ e->ts, end > e->ts ? end : e->ts };
		if (!(e->flags & TL_EV_INT_TS) || !(e->flags & TL_EV_INT_DUR))
			b->fraction[i / 64] |= UINT64_C(1) << (i % 64);
	}
	free(order);
}

/* Length of the union of the chosen spans, from the first word to the last;
 * takes the choice back. */
static int64_t measure_chosen(struct tl_busy *b, uint32_t first, uint32_t last, bool *all_ints)
{
	int64_t sum = 0, start = 0, end = 0;
	bool any = false;

	for (uint32_t w = first; w <= last; w++) {
		for (uint64_t bits = b->chosen[w]; bits; bits &= bits - 1) {
			struct tl_span s = b->spans[w * 64 + (uint32_t)__builtin_ctzll(bits)];

			if (!any || s.start > end) {
				sum = tl_ticks_add(sum, tl_ticks_sub(end, start));
				start = s.start;
				end = s.end;
				any = true;
			} else if (s.end > end) {
				end = s.end;
			}
		}
		*all_ints &= !(b->chosen[w] & b->fraction[w]);
		b->chosen[w] = 0;
	}
	return tl_ticks_add(sum, tl_ticks_sub(end, start));
}

int64_t tl_busy_of(struct tl_busy *b, const uint32_t *events, uint32_t n, bool *all_ints)
{
	uint32_t first = UINT32_MAX, last = 0;

	if (n < LONG_LIST)
		return tl_busy_ticks(b->trace, events, n, &b->scratch, all_ints);
	if (!b->rank)
		rank_events(b);
	*all_ints = true;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t place = b->rank[events[i]], word = place / 64;

		if (place == TL_NONE)
			continue;
		b->chosen[word] |= UINT64_C(1) << (place % 64);
		first = word < first ? word : first;
		last = word > last ? word : last;
	}
	return first > last ? 0 : measure_chosen(b, first, last, all_ints);
}

void tl_busy_release(struct tl_busy *b)
{
	free(b->rank);
	free(b->spans);
	free(b->chosen);
	free(b->fraction);
	tl_spans_release(&b->scratch);
	*b = (struct tl_busy){ 0 };
}
