/* recorded.c - what a recording is about, and when devices were idle in it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/recorded.h"

#include "work/device_events.h"
#include "work/trace_facts.h"
#include "base/text.h"
#include "steps/one_off.h"
#include "steps/step_find.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void extend(struct tl_span *window, int64_t start, int64_t end)
{
	window->start = start < window->start ? start : window->start;
	window->end = end > window->end ? end : window->end;
}

/* When Kineto's own span of the recording ends: threads that go on behind it are none of the recording's matter. INT64_MAX: not told. */
static int64_t profiler_end(const struct tl_trace *t)
{
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == TL_KIND_TRACE && tl_ev_has_span(&t->events[i]) && tl_starts_with(tl_str(&t->strings, t->events[i].name), "PyTorch Profiler"))
			return tl_ev_end(&t->events[i]);
	return INT64_MAX;
}

/* kept: only these events count; NULL: all. */
static struct tl_span find_window(const struct tl_trace *t, const struct tl_steps *steps, const bool *kept)
{
	struct tl_span window = { INT64_MAX, INT64_MIN }, device = window;
	int64_t recorded_until = profiler_end(t);

	for (size_t i = 0; i < steps->n; i++)
		if (!kept || kept[steps->items[i].event])
			extend(&window, steps->items[i].from, steps->items[i].to);
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		bool on_device = tl_kind_is_gpu(e->kind);

		if (!tl_ev_has_span(e) || (kept && !kept[i]))
			continue;
		if (!on_device && e->ts >= recorded_until)
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

static struct tl_span limit(struct tl_span s, struct tl_span to)
{
	s.start = s.start > to.start ? s.start : to.start;
	s.end = s.end < to.end ? s.end : to.end;
	s.end = s.end > s.start ? s.end : s.start;
	return s;
}

static void add_piece(struct tl_gaps *to, struct tl_gap gap, int64_t start, int64_t end, bool unrecorded)
{
	if (start >= end)
		return;
	gap.start = start;
	gap.end = end;
	gap.unrecorded = unrecorded;
	TL_PUSH(to->items, to->n, to->cap, gap);
}

/* told: the member. */
static void cut_gaps(struct tl_gaps *gaps, const struct tl_value *told, size_t n_devices, size_t top)
{
	struct tl_spans *lacks = tl_calloc(n_devices + 1, sizeof *lacks);
	struct tl_gaps pieces = { .idle = gaps->idle };
	size_t first = 0; /* piece of the device */

	for (uint32_t i = 2; i < told->len; i += 3)
		if (told->items[i].i >= 0 && (uint64_t)told->items[i].i < n_devices)
			tl_spans_add(&lacks[told->items[i].i], (int64_t)told->items[i + 1].i, (int64_t)told->items[i + 2].i);
	for (size_t d = 0; d < n_devices; d++)
		tl_spans_merge(&lacks[d]);
	for (size_t i = 0; i < gaps->n; i++) {
		const struct tl_gap *gap = &gaps->items[i];
		const struct tl_spans *s = &lacks[gap->device];
		int64_t at = gap->start;

		for (size_t k = tl_spans_from(s, at); k < s->n && s->items[k].start < gap->end; k++) {
			struct tl_span lack = limit(s->items[k], (struct tl_span){ at, gap->end });
			add_piece(&pieces, *gap, at, lack.start, false);
			add_piece(&pieces, *gap, lack.start, lack.end, true);
			at = lack.end;
		}
		add_piece(&pieces, *gap, at, gap->end, false);
		if (i + 1 == gaps->n || gaps->items[i + 1].device != gap->device) {
			tl_gaps_keep_longest(&pieces, first, top);
			first = pieces.n;
		}
	}
	for (size_t d = 0; d < n_devices; d++)
		tl_spans_release(&lacks[d]);
	free(lacks);
	free(gaps->items);
	*gaps = pieces;
}

/* Is something used for the first time between the launch behind a gap and the gap's end? Then work may have waited for that. */
static bool loads_within(struct tl_trace *t, const struct tl_gap *g)
{
	const struct tl_one_offs *once = tl_one_offs_of(t);

	for (size_t i = 0; i < once->n; i++)
		if ((once->items[i].kind == TL_ONE_OFF_FIRST_USE || once->items[i].kind == TL_ONE_OFF_FIRST_CALL) &&
			once->items[i].start < g->end && once->items[i].end > t->events[g->call].ts)
			return true;
	return false;
}

void tl_recorded_gaps(struct tl_gaps *gaps, struct tl_trace *t, const struct tl_span *window, int64_t top)
{
	struct tl_arena arena = { 0 };
	struct tl_value told;
	bool is_part = read_member(t, &arena, &told);

	tl_gaps_find(gaps, t, tl_devices_of(t), window, is_part ? -1 : top);
	for (size_t i = 0; i < gaps->n; i++)
		if (gaps->items[i].unrecorded && gaps->items[i].call != TL_NONE && loads_within(t, &gaps->items[i]))
			gaps->items[i].unrecorded = false;
	if (is_part)
		cut_gaps(gaps, &told, tl_devices_of(t)->n, top < 0 ? SIZE_MAX : (size_t)top);
	tl_arena_release(&arena);
}

/* What a device ran in the window of a part. */
struct ran { bool is_in; struct tl_spans in, out; }; /* out: what is not in the part, or is unrecorded */

static struct ran *find_ran(struct tl_trace *t, const bool *kept, struct tl_span window)
{
	const struct tl_gaps *gaps = &tl_recorded_of(t)->gaps;
	const struct tl_devices *devices = tl_devices_of(t);
	struct ran *ran = tl_calloc(devices->n + 1, sizeof *ran);

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		struct ran *r = devices->of[i] == TL_NONE ? NULL : &ran[devices->of[i]];

		if (r && e->ts < window.end && tl_ev_end(e) > window.start)
			tl_spans_add(kept[i] ? &r->in : &r->out, e->ts, tl_ev_end(e));
		if (r)
			r->is_in |= kept[i];
	}
	for (size_t i = 0; i < gaps->n; i++)
		if (gaps->items[i].unrecorded)
			tl_spans_add(&ran[gaps->items[i].device].out, gaps->items[i].start, gaps->items[i].end);
	return ran;
}

enum tl_status tl_push_window(struct tl_sink *to, struct tl_trace *t, const bool *kept, struct tl_span time, bool steps, struct tl_error *err)
{
	struct tl_span window = limit(tl_recorded_of(t)->window, time);
	struct tl_spans lacks = { 0 };
	struct tl_buf json = { 0 };
	unsigned place = 0;

	if (steps)
		window = limit(find_window(t, tl_steps_of(t), kept), window);
	struct ran *ran = find_ran(t, kept, window);
	tl_buf_addf(&json, "[%" PRId64 ",%" PRId64, window.start, window.end);
	for (size_t d = 0; d < tl_devices_of(t)->n; d++) {
		tl_spans_merge(&ran[d].in);
		tl_spans_merge(&ran[d].out);
		tl_spans_subtract(&ran[d].out, &ran[d].in, &lacks);
		for (size_t i = tl_spans_from(&lacks, window.start); ran[d].is_in && i < lacks.n && lacks.items[i].start < window.end; i++) {
			struct tl_span s = limit(lacks.items[i], window);
			tl_buf_addf(&json, ",%u,%" PRId64 ",%" PRId64, place, s.start, s.end);
		}
		place += ran[d].is_in;
		tl_spans_release(&ran[d].in);
		tl_spans_release(&ran[d].out);
	}
	tl_buf_addc(&json, ']');
	enum tl_status st = to->ops->meta(to, TL_META_WINDOW, strlen(TL_META_WINDOW), json.data, json.len, err);
	tl_spans_release(&lacks);
	tl_buf_release(&json);
	free(ran);
	return st;
}

const struct tl_recorded *tl_recorded_of(struct tl_trace *t)
{
	struct kept_recording *k = tl_trace_keep(t, sizeof *k, release_kept);

	if (k->found)
		return &k->recorded;
	struct tl_arena arena = { 0 };
	struct tl_value told;
	k->recorded.is_part = read_member(t, &arena, &told);
	k->recorded.window = k->recorded.is_part ? (struct tl_span){ (int64_t)told.items[0].i, (int64_t)told.items[1].i } : find_window(t, tl_steps_of(t), NULL);
	tl_arena_release(&arena);
	tl_recorded_gaps(&k->recorded.gaps, t, &k->recorded.window, -1);
	sum_by_device(&k->recorded, tl_devices_of(t)->n);
	k->found = true;
	return &k->recorded;
}
