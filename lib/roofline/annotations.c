/* annotations.c - the annotation around an event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "roofline/annotations.h"

#include "analysis/device_events.h"
#include "base/merge_sort.h"
#include "base/search.h"

#include <stdlib.h>

static int by_ts(const void *pa, const void *pb, void *ctx)
{
	const struct tl_annotation *a = pa, *b = pb;

	(void)ctx;
	return a->ts < b->ts ? -1 : a->ts > b->ts;
}

static void make(struct tl_annotations *a, const struct tl_trace *t)
{
	size_t cap = 0;

	a->made = true;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if ((e->kind != TL_KIND_ANNOTATION && e->kind != TL_KIND_GPU_ANNOTATION) || !(e->flags & TL_EV_HAS_TS))
			continue;
		TL_GROW(a->items, cap, a->n + 1);
		a->items[a->n++] = (struct tl_annotation){ e->ts, tl_ev_end(e), 0, i };
	}
	tl_merge_sort(a->items, a->n, sizeof *a->items, by_ts, NULL);
	for (size_t i = 0; i < a->n; i++)
		a->items[i].latest = i && a->items[i - 1].latest > a->items[i].end ? a->items[i - 1].latest : a->items[i].end;
}

const char *tl_annotation_of(struct tl_annotations *a, const struct tl_trace *t, uint32_t event)
{
	const struct tl_ev *e = &t->events[event];
	int64_t end = tl_ev_end(e);
	if (!a->made)
		make(a, t);
	/* `latest` never falls: the first annotation to end after the event is the first whose latest does */
	size_t at;
	TL_SEARCH(at, a->n, mid, a->items[mid].latest <= end);
	if (at == a->n || a->items[at].ts > e->ts)
		return NULL;
	return tl_str(&t->strings, t->events[a->items[at].event].name);
}

void tl_annotations_release(struct tl_annotations *a)
{
	free(a->items);
}
