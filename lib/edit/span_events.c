/* span_events.c - the events inside spans of threads, and the device work launched there.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "edit/span_events.h"

#include "work/args.h"
#include "work/device_events.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "model/trace.h"

#include <stdlib.h>

/* A correlation as a key: numbers and texts differ. */
struct work { uint64_t key; uint32_t event; };

struct tl_span_index {
	const struct tl_trace *t;
	struct tl_arg correlation;
	uint32_t *by_start; size_t n_by_start; /* events with a span, by thread, then by start */
	struct work *work; size_t n_work;      /* device events and arrows, by key */
	uint32_t *timeless; size_t n_timeless;
};

static uint64_t key_of(const struct tl_arg *a, const struct tl_trace *t, uint32_t event)
{
	int64_t value;
	int type = tl_arg_get(a, t, event, &value);

	return type ? (uint64_t)value << 2 | (uint64_t)type : 0;
}

TL_ORDER(by_key, struct work, TL_ASC(x->key))

static bool on_device(const struct tl_ev *e)
{
	return tl_kind_is_gpu(e->kind) || e->kind == TL_KIND_GPU_ANNOTATION;
}

/* Arrows of launches; those from forward to backward passes count by other numbers. */
static bool is_arrow(const struct tl_ev *e)
{
	return e->kind == TL_KIND_LAUNCH_FLOW || e->kind == TL_KIND_FLOW;
}

struct tl_span_index *tl_span_index_new(const struct tl_trace *t)
{
	struct tl_span_index *x = tl_calloc(1, sizeof *x);
	struct tl_arg flow_id = tl_arg_of_event(t, TL_KEY_FLOW_ID);
	size_t cap_by_start = 0, cap_work = 0, cap_timeless = 0;

	x->t = t;
	x->correlation = tl_arg_of(t, TL_KEY_CORRELATION);
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		uint64_t key = on_device(e) ? key_of(&x->correlation, t, i) : is_arrow(e) ? key_of(&flow_id, t, i) : 0;
		if (key && (e->flags & TL_EV_HAS_TS))
			TL_PUSH(x->work, x->n_work, cap_work, (struct work){ key, i });
		if (tl_ev_has_span(e) && !on_device(e))
			TL_PUSH(x->by_start, x->n_by_start, cap_by_start, i);
		if (e->kind == TL_KIND_META || !(e->flags & TL_EV_HAS_TS))
			TL_PUSH(x->timeless, x->n_timeless, cap_timeless, i);
	}
	tl_sort_by_track(t, x->by_start, x->n_by_start);
	tl_merge_sort(x->work, x->n_work, sizeof *x->work, by_key, NULL);
	return x;
}

void tl_span_index_free(struct tl_span_index *x)
{
	if (!x)
		return;
	free(x->by_start);
	free(x->work);
	free(x->timeless);
	free(x);
}

/* ---- choosing -------------------------------------------------------------------- */

static bool choose(struct tl_span_events *s, uint32_t event)
{
	if (s->chosen[event])
		return false;
	s->chosen[event] = true;
	TL_PUSH(s->items, s->n, s->cap, event);
	return true;
}

struct span { int64_t from, to; };

static bool starts_before(const struct tl_ev *e, uint32_t track, int64_t from)
{
	return e->track < track || (e->track == track && e->ts < from);
}

static void add_track(struct tl_span_events *s, const struct tl_span_index *x, uint32_t track, int64_t from, int64_t to)
{
	size_t i;

	TL_SEARCH(i, x->n_by_start, mid, starts_before(&x->t->events[x->by_start[mid]], track, from));
	for (; i < x->n_by_start; i++) {
		const struct tl_ev *e = &x->t->events[x->by_start[i]];
		if (e->track != track || e->ts > to)
			return;
		if (tl_ev_end(e) <= to)
			choose(s, x->by_start[i]);
	}
}

void tl_span_events_add(struct tl_span_events *s, const struct tl_span_index *x, const uint32_t *tracks, size_t n_tracks,
                        int64_t from, int64_t to)
{
	struct span device = { INT64_MAX, INT64_MIN };
	size_t n_before = s->n;

	if (!s->chosen)
		s->chosen = tl_calloc((size_t)x->t->n_events + 1, sizeof *s->chosen);
	for (size_t i = 0; i < n_tracks; i++)
		add_track(s, x, tracks[i], from, to);
	size_t n_host = s->n;
	tl_sort_numbers(s->items + n_before, n_host - n_before);
	for (size_t i = n_before; i < n_host; i++) {
		uint64_t key = key_of(&x->correlation, x->t, s->items[i]);
		if (key) {
			/* Adds what has the correlation of an event of the host. */
			size_t at;
			TL_SEARCH(at, x->n_work, mid, x->work[mid].key < key);
			for (; at < x->n_work && x->work[at].key == key; at++) {
				const struct tl_ev *e = &x->t->events[x->work[at].event];
				if (choose(s, x->work[at].event) && on_device(e)) {
					s->n_device++;
					s->device_busy = tl_ticks_add(s->device_busy, e->dur);
					if (e->ts < device.from)
						device.from = e->ts;
					if (tl_ev_end(e) > device.to)
						device.to = tl_ev_end(e);
				}
			}
		}
	}
	if (device.from <= device.to)
		s->device_time = tl_ticks_add(s->device_time, tl_ticks_sub(device.to, device.from));
}

void tl_span_events_end(struct tl_span_events *s, const struct tl_span_index *x)
{
	if (!s->chosen)
		s->chosen = tl_calloc((size_t)x->t->n_events + 1, sizeof *s->chosen);
	for (size_t i = 0; i < x->n_timeless; i++)
		choose(s, x->timeless[i]);
	tl_sort_numbers(s->items, s->n);
}

void tl_span_events_clear(struct tl_span_events *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->chosen[s->items[i]] = false;
	s->n = s->n_device = 0;
	s->device_time = s->device_busy = 0;
}

void tl_span_events_release(struct tl_span_events *s)
{
	free(s->items);
	free(s->chosen);
	*s = (struct tl_span_events){ 0 };
}
