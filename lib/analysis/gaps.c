/* gaps.c - the times in which a device did nothing.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/gaps.h"

#include "analysis/copies.h"
#include "analysis/device_events.h"
#include "analysis/event_order.h"
#include "base/merge_sort.h"

#include <stdlib.h>

/* The call that launched a device event, if it has a start and a duration. */
static uint32_t call_of(struct tl_copies *copies, uint32_t gpu)
{
	uint32_t call = tl_launching_call(copies, gpu);
	const struct tl_ev *e = call == TL_NONE ? NULL : &copies->trace->events[call];

	return e && tl_ev_has_span(e) ? call : TL_NONE;
}

static int longest_first(const void *pa, const void *pb, void *ctx)
{
	int64_t a = tl_gap_length(pa), b = tl_gap_length(pb);

	(void)ctx;
	return a > b ? -1 : a < b;
}

/* Keeps the longest of the gaps from `first` on. */
static void keep_longest(struct tl_gaps *g, size_t first, size_t top)
{
	if (g->n > first)
		tl_merge_sort(g->items + first, g->n - first, sizeof *g->items, longest_first, NULL);
	if (g->n - first > top)
		g->n = first + top;
}

/* Adds the `top` longest gaps between n events of a device, which are sorted by start;
 * returns the sum of all its gaps. */
static int64_t find_gaps(struct tl_copies *copies, uint32_t device, const uint32_t *events, size_t n, size_t top,
                         struct tl_gaps *out)
{
	const struct tl_trace *t = copies->trace;
	uint32_t last = n ? events[0] : TL_NONE; /* of the events so far the one that ends last */
	int64_t idle = 0, least = 0;             /* gaps of the length `least` are too short by now */
	size_t first = out->n, enough = top < 100 ? 200 : top * 2;

	for (size_t i = 1; i < n; i++) {
		int64_t from = tl_ev_end(&t->events[last]), start = t->events[events[i]].ts, gap = tl_ticks_sub(start, from);

		if (gap > least && top) {
			TL_GROW(out->items, out->cap, out->n + 1);
			out->items[out->n++] = (struct tl_gap){ .start = from, .end = start, .device = device, .before = last,
			                                     .after = events[i], .call = call_of(copies, events[i]) };
		}
		if (out->n - first == enough) {
			keep_longest(out, first, top);
			least = tl_gap_length(&out->items[out->n - 1]);
		}
		idle = tl_ticks_add(idle, gap > 0 ? gap : 0);
		if (tl_ev_end(&t->events[events[i]]) > from)
			last = events[i];
	}
	keep_longest(out, first, top);
	return idle;
}

void tl_gaps_find(struct tl_gaps *g, struct tl_trace *t, const struct tl_devices *d, int64_t top)
{
	struct tl_events_by_device events = tl_devices_group(d, t);
	size_t most = top < 0 || top > UINT32_MAX ? UINT32_MAX : (size_t)top;
	struct tl_copies copies;

	tl_copies_init(&copies, t);
	*g = (struct tl_gaps){ .idle = tl_calloc(d->n + 1, sizeof *g->idle) };
	for (uint32_t i = 0; i < d->n; i++) {
		uint32_t *first = events.items + events.start[i];
		size_t n = events.start[i + 1] - events.start[i];

		tl_sort_by_start(t, first, n);
		g->idle[i] = find_gaps(&copies, i, first, n, most, g);
	}
	tl_events_by_device_release(&events);
	tl_copies_release(&copies);
}

void tl_gaps_release(struct tl_gaps *g)
{
	free(g->items);
	free(g->idle);
	*g = (struct tl_gaps){ 0 };
}
