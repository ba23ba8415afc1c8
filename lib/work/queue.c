/* queue.c - how much work waits on each stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/queue.h"

#include "work/device_events.h"
#include "work/launchers.h"
#include "base/merge_sort.h"
#include "model/trace.h"
#include "table/statistics.h"

#include <stdlib.h>

struct kept_queues { struct tl_queues queues; bool found; };

static void release_kept(void *kept)
{
	struct tl_queues *q = &((struct kept_queues *)kept)->queues;

	for (size_t i = 0; i < q->n; i++)
		tl_series_release(&q->items[i].length);
	free(q->items);
	free(q->launches);
}

/* A queue for each track with device events, in the order of the tracks. Returns the queues by track. */
static uint32_t *number_queues(struct tl_queues *q, const struct tl_trace *t)
{
	uint32_t *of = tl_calloc((size_t)t->n_tracks + 1, sizeof *of), n = 0;

	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_gpu_usable(&t->events[i]))
			of[t->events[i].track] = 1;
	for (uint32_t i = 0; i < t->n_tracks; i++)
		n += of[i];
	q->items = tl_calloc((size_t)n + 1, sizeof *q->items);
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		if (of[i])
			q->items[q->n].track = i;
		of[i] = of[i] ? (uint32_t)q->n++ : TL_NONE;
	}
	return of;
}

TL_ORDER_IN(by_start, struct tl_queue_launch, struct tl_trace,
	TL_ASC(ctx->events[x->call].ts) TL_ASC(x->call) TL_ASC(x->queue))

/* One for each call and queue. */
static void join_launches(struct tl_queues *q, const struct tl_trace *t)
{
	size_t n = 0;

	if (!q->n_launches)
		return;
	tl_merge_sort(q->launches, q->n_launches, sizeof *q->launches, by_start, (void *)t);
	for (size_t i = 1; i < q->n_launches; i++) {
		if (q->launches[i].call == q->launches[n].call && q->launches[i].queue == q->launches[n].queue)
			q->launches[n].n++;
		else
			q->launches[++n] = q->launches[i];
	}
	q->n_launches = n + 1;
}

/* Fills launches; returns the device events that have a call, by start. */
static uint32_t *find_launches(struct tl_queues *q, struct tl_trace *t, const uint32_t *queue_of, size_t *n)
{
	const uint32_t *call_of = tl_calls_of_work(t);
	uint32_t *work = NULL;
	size_t cap = 0;

	*n = 0;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		struct tl_queue *queue = tl_gpu_usable(e) ? &q->items[queue_of[e->track]] : NULL;
		if (!queue)
			continue;
		if (call_of[i] == TL_NONE) {
			queue->no_call++;
			continue;
		}
		int64_t early = tl_ticks_sub(t->events[call_of[i]].ts, e->ts);
		queue->early += early > 0;
		queue->earliest = early > queue->earliest ? early : queue->earliest;
		TL_PUSH(work, *n, cap, i);
	}
	q->launches = tl_alloc((*n + 1) * sizeof *q->launches);
	q->n_launches = *n;
	for (size_t i = 0; i < *n; i++)
		q->launches[i] = (struct tl_queue_launch){ call_of[work[i]], queue_of[t->events[work[i]].track], 1, 0 };
	join_launches(q, t);
	if (*n)
		tl_sort_by_start(t, work, *n);
	return work;
}

const struct tl_queues *tl_queues_of(struct tl_trace *t)
{
	struct kept_queues *k = tl_trace_keep(t, sizeof *k, release_kept);
	struct tl_queues *q = &k->queues;
	size_t n_work, at = 0;

	if (k->found)
		return q;
	uint32_t *queue_of = number_queues(q, t), *work = find_launches(q, t, queue_of, &n_work);
	int32_t *length = tl_calloc(q->n + 1, sizeof *length);
	for (size_t i = 0; i < q->n_launches || at < n_work;) {
		struct tl_queue_launch *l = i < q->n_launches ? &q->launches[i] : NULL;
		const struct tl_ev *e = at < n_work ? &t->events[work[at]] : NULL;
		if (l && (!e || t->events[l->call].ts <= e->ts)) {
			l->before = length[l->queue];
			length[l->queue] += (int32_t)l->n;
			tl_series_add(&q->items[l->queue].length, t->events[l->call].ts, length[l->queue]);
			i++;
		} else {
			uint32_t queue = queue_of[e->track];
			tl_series_add(&q->items[queue].length, e->ts, --length[queue]);
			at++;
		}
	}
	free(length);
	free(queue_of);
	free(work);
	k->found = true;
	return q;
}

/* ---- calls on a full queue ----------------------------------------------------------------- */

/* A launch of a queue, by the name of its call. */
struct named { uint32_t name; bool full; int64_t dur; };

TL_ORDER(by_name, struct named, TL_ASC(x->name) TL_ASC(x->full))

/* Adds the calls of one name, those that do not block first. scratch has room for n numbers. */
static void add_blocked(struct tl_queue_blocked *out, const struct named *calls, size_t n, int64_t *scratch)
{
	size_t shorter = 0;

	for (; shorter < n && !calls[shorter].full; shorter++)
		scratch[shorter] = calls[shorter].dur;
	int64_t usual = tl_median_int(scratch, shorter, true);
	for (size_t i = shorter; i < n; i++) {
		int64_t more = tl_ticks_sub(calls[i].dur, usual);
		out->calls++;
		out->unknown += !shorter;
		out->ticks = tl_ticks_add(out->ticks, more > 0 ? more : 0);
	}
}

struct tl_queue_blocked tl_queue_blocked(const struct tl_queues *q, const struct tl_trace *t, uint32_t queue, int64_t full)
{
	struct named *calls = tl_alloc((q->n_launches + 1) * sizeof *calls);
	int64_t *scratch = tl_alloc((q->n_launches + 1) * sizeof *scratch);
	struct tl_queue_blocked out = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < q->n_launches; i++) {
		const struct tl_queue_launch *l = &q->launches[i];
		const struct tl_ev *e = &t->events[l->call];
		if (l->queue == queue)
			calls[n++] = (struct named){ e->name, l->before >= full, e->dur };
	}
	if (n)
		tl_merge_sort(calls, n, sizeof *calls, by_name, NULL);
	for (size_t i = 0, to; i < n; i = to) {
		for (to = i; to < n && calls[to].name == calls[i].name; to++)
			;
		add_blocked(&out, calls + i, to - i, scratch);
	}
	free(calls);
	free(scratch);
	return out;
}
