/* recorded.c - what a recording is about, and when devices were idle in it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/recorded.h"

#include "analysis/device_events.h"
#include "analysis/trace_facts.h"
#include "steps/step_find.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void extend(struct tl_span *window, int64_t start, int64_t end)
{
	window->start = start < window->start ? start : window->start;
	window->end = end > window->end ? end : window->end;
}

/* kept: only these events count; NULL: all. */
static struct tl_span find_window(const struct tl_trace *t, const struct tl_steps *steps, const bool *kept)
{
	struct tl_span window = { INT64_MAX, INT64_MIN }, device = window;

	for (size_t i = 0; i < steps->n; i++)
		if (!kept || kept[steps->items[i].event])
			extend(&window, steps->items[i].from, steps->items[i].to);
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		bool on_device = tl_kind_is_gpu(e->kind);

		if (!tl_ev_has_span(e) || (kept && !kept[i]))
			continue;
		if (on_device ? tl_gpu_linked(e) : !steps->n && (e->kind == TL_KIND_CPU_OP || tl_kind_is_launch(e->kind)))
			extend(&window, e->ts, tl_ev_end(e));
		else if (on_device && tl_ev_end(e) > window.end)
			window.end = tl_ev_end(e);
		if (on_device)
			extend(&device, e->ts, tl_ev_end(e));
	}
	if (window.start == INT64_MAX) /* the trace tells of devices only */
		window = device;
	return window.start > window.end ? (struct tl_span){ 0, 0 } : window;
}

struct kept_recording { bool found; struct tl_recorded recorded; };

static void release_kept(void *kept)
{
	struct tl_recorded *r = &((struct kept_recording *)kept)->recorded;

	tl_gaps_release(&r->gaps);
	free(r->idle);
	free(r->ticks);
}

static void sum_by_device(struct tl_recorded *r, size_t n_devices)
{
	r->idle = tl_alloc((n_devices + 1) * sizeof *r->idle);
	r->ticks = tl_alloc((n_devices + 1) * sizeof *r->ticks);
	for (size_t d = 0; d < n_devices; d++) {
		r->idle[d] = r->gaps.idle[d];
		r->ticks[d] = tl_ticks_sub(r->window.end, r->window.start);
	}
	for (size_t i = 0; i < r->gaps.n; i++) {
		const struct tl_gap *gap = &r->gaps.items[i];
		if (!gap->unrecorded)
			continue;
		r->idle[gap->device] -= tl_gap_length(gap);
		r->ticks[gap->device] -= tl_gap_length(gap);
	}
	for (size_t d = 0; d < n_devices; d++)
		r->all_ticks = tl_ticks_add(r->all_ticks, r->ticks[d]);
}

/* ---- parts of a trace ----------------------------------------------------------------------- */

static bool read_member(const struct tl_trace *t, struct tl_arena *arena, struct tl_value *v)
{
	bool good = tl_trace_member(t, TL_META_WINDOW, arena, v) && v->type == TL_V_LIST && v->len >= 2 && v->len % 3 == 2;

	for (uint32_t i = 0; good && i < v->len; i++)
		good = v->items[i].type == TL_V_INT;
	return good && v->items[0].i <= v->items[1].i;
}

static bool is_told(const struct tl_value *v, const struct tl_gap *gap)
{
	for (uint32_t i = 2; i < v->len; i += 3)
		if (v->items[i].i == gap->device && v->items[i + 1].i <= gap->start && v->items[i + 2].i >= gap->end)
			return true;
	return false;
}

static struct tl_span limit(struct tl_span s, struct tl_span to)
{
	s.start = s.start > to.start ? s.start : to.start;
	s.end = s.end < to.end ? s.end : to.end;
	s.end = s.end > s.start ? s.end : s.start;
	return s;
}

enum tl_status tl_push_window(struct tl_sink *to, struct tl_trace *t, const bool *kept, struct tl_span time, bool steps, struct tl_error *err)
{
	const struct tl_recorded *r = tl_recorded_of(t);
	const struct tl_devices *devices = tl_devices_of(t);
	uint32_t *place = tl_calloc(devices->n + 1, sizeof *place), n = 0; /* by device: from 1 */
	struct tl_span window = limit(r->window, time);
	struct tl_buf json = { 0 };

	if (steps)
		window = limit(find_window(t, tl_steps_of(t), kept), window);
	for (uint32_t i = 0; i < t->n_events; i++)
		if (kept[i] && devices->of[i] != TL_NONE)
			place[devices->of[i]] = 1;
	for (size_t d = 0; d < devices->n; d++)
		place[d] = place[d] ? ++n : 0;
	tl_buf_addf(&json, "[%" PRId64 ",%" PRId64, window.start, window.end);
	for (size_t i = 0; i < r->gaps.n; i++) {
		const struct tl_gap *gap = &r->gaps.items[i];
		if (gap->unrecorded && place[gap->device] && gap->start < window.end && gap->end > window.start)
			tl_buf_addf(&json, ",%u,%" PRId64 ",%" PRId64, (unsigned)place[gap->device] - 1, gap->start, gap->end);
	}
	tl_buf_addc(&json, ']');
	enum tl_status st = to->ops->meta(to, TL_META_WINDOW, strlen(TL_META_WINDOW), json.data, json.len, err);
	tl_buf_release(&json);
	free(place);
	return st;
}

/* ---- the trace ------------------------------------------------------------------------------ */

const struct tl_recorded *tl_recorded_of(struct tl_trace *t)
{
	struct kept_recording *k = tl_trace_keep(t, sizeof *k, release_kept);

	if (k->found)
		return &k->recorded;
	struct tl_arena arena = { 0 };
	struct tl_value told;
	bool is_part = read_member(t, &arena, &told);
	k->recorded.window = is_part ? (struct tl_span){ (int64_t)told.items[0].i, (int64_t)told.items[1].i } : find_window(t, tl_steps_of(t), NULL);
	tl_gaps_find(&k->recorded.gaps, t, tl_devices_of(t), &k->recorded.window, -1);
	for (size_t i = 0; is_part && i < k->recorded.gaps.n; i++)
		k->recorded.gaps.items[i].unrecorded = is_told(&told, &k->recorded.gaps.items[i]);
	tl_arena_release(&arena);
	sum_by_device(&k->recorded, tl_devices_of(t)->n);
	k->found = true;
	return &k->recorded;
}
