/* doubtful.c - device events and calls whose times cannot be.
 *
 * A word of doubt costs an event its place in every sum, so the rules are for what is out by a second or more, and by more
 * than the recording lasts where an event could be late.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/doubtful.h"

#include "base/merge_sort.h"
#include "base/search.h"
#include "model/fields.h"
#include "work/args.h"
#include "work/device_events.h"

#include <stdlib.h>
#include <string.h>

enum { SECOND_US = 1000000, OVER = 8, TIMES = 100, LEAST_OF_NAME = 3 };

static const char *const words[TL_DOUBTS] = {
	"without a time", "that end before they start", "with a duration that cannot be", "long before or behind the recording", "long before their launch",
};

struct doubts {
	struct tl_trace *t;
	struct tl_doubtful *out;
	int64_t second;
	struct tl_span host; /* from the first start to the last end of calls and operators; empty: there are none */
	uint32_t n_device, n_linked;
	uint32_t *list;      /* events of the device, and calls */
	size_t n, cap;
	bool sorted;         /* the list is by track */
	uint32_t *by_name;   /* the same, those of one name together, the shortest first; NULL: not asked for yet */
	int64_t median;      /* of their starts; INT64_MIN: not known yet */
	uint32_t *found; uint8_t *why;
	size_t n_found, cap_found, cap_why;
};

static bool is_device(const struct tl_ev *e)
{
	return e->kind == TL_KIND_KERNEL || e->kind == TL_KIND_MEMCPY || e->kind == TL_KIND_MEMSET;
}

static bool has_no_time(const struct tl_ev *e)
{
	return !e->ts && !e->dur;
}

static void survey(struct doubts *d)
{
	const struct tl_trace *t = d->t;

	d->host = (struct tl_span){ INT64_MAX, INT64_MIN };
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		bool device = is_device(e), call = tl_kind_is_launch(e->kind);
		if (!tl_ev_has_span(e))
			continue;
		if (device || call)
			TL_PUSH(d->list, d->n, d->cap, i);
		d->n_device += device;
		d->n_linked += device && e->parent != TL_NONE;
		if ((!call && e->kind != TL_KIND_CPU_OP) || has_no_time(e))
			continue;
		d->host.start = e->ts < d->host.start ? e->ts : d->host.start;
		d->host.end = tl_ev_end(e) > d->host.end ? tl_ev_end(e) : d->host.end;
	}
}

static int64_t median_of(int64_t *values, size_t n)
{
	tl_sort_times(values, n);
	return n ? values[n / 2] : 0;
}

/* ---- the rules ---------------------------------------------------------------------------------- */

/* Is 0 a second or more away from half of the starts? */
static bool is_far_from_zero(struct doubts *d)
{
	if (d->median == INT64_MIN) {
		int64_t *starts = tl_alloc((d->n + 1) * sizeof *starts);
		for (size_t i = 0; i < d->n; i++)
			starts[i] = d->t->events[d->list[i]].ts;
		d->median = median_of(starts, d->n);
		free(starts);
	}
	return d->median >= d->second || d->median <= -d->second;
}

static bool is_of_graph(const struct doubts *d, uint32_t event)
{
	struct tl_arg node = tl_arg_of(d->t, "graph node id"), nsys = tl_arg_of(d->t, TL_KEY_NSYS_NODE);
	int64_t value;

	return tl_arg_get(&node, d->t, event, &value) || tl_arg_get(&nsys, d->t, event, &value);
}

/* How many others of its stream begin within it. */
static size_t others_within(struct doubts *d, uint32_t event)
{
	const struct tl_ev *events = d->t->events, *e = &events[event];
	size_t from, to;

	if (!d->sorted)
		tl_sort_by_track(d->t, d->list, d->n);
	d->sorted = true;
	TL_SEARCH(from, d->n, m, events[d->list[m]].track < e->track || (events[d->list[m]].track == e->track && events[d->list[m]].ts <= e->ts));
	TL_SEARCH(to, d->n, m, events[d->list[m]].track < e->track || (events[d->list[m]].track == e->track && events[d->list[m]].ts < tl_ev_end(e)));
	return to > from ? to - from : 0;
}

TL_ORDER_IN(by_name, uint32_t, struct tl_trace, TL_ASC(ctx->events[*x].kind) TL_ASC(ctx->events[*x].name) TL_ASC(ctx->events[*x].dur))

static bool is_far_above_its_name(struct doubts *d, uint32_t event)
{
	const struct tl_ev *events = d->t->events, *e = &events[event], *other;
	size_t from, to;

	if (!d->by_name) {
		d->by_name = memcpy(tl_alloc((d->n + 1) * sizeof *d->by_name), d->list, d->n * sizeof *d->by_name);
		tl_merge_sort(d->by_name, d->n, sizeof *d->by_name, by_name, d->t);
	}
	TL_SEARCH(from, d->n, m, (other = &events[d->by_name[m]])->kind < e->kind || (other->kind == e->kind && other->name < e->name));
	TL_SEARCH(to, d->n, m, (other = &events[d->by_name[m]])->kind < e->kind || (other->kind == e->kind && other->name <= e->name));
	return to - from >= LEAST_OF_NAME && e->dur / TIMES >= events[d->by_name[from + (to - from) / 2]].dur;
}

static bool is_too_long(struct doubts *d, uint32_t event)
{
	const struct tl_ev *e = &d->t->events[event];

	if (e->dur < d->second)
		return false;
	if (d->host.start <= d->host.end && d->n_linked && tl_ticks_sub(e->dur, d->second) > tl_ticks_sub(d->host.end, d->host.start))
		return true;
	return !is_of_graph(d, event) && others_within(d, event) >= OVER && is_far_above_its_name(d, event);
}

/* A device event that a call launched may be late by as much as the recording lasts: the device has much to do. */
static bool is_outside(const struct doubts *d, const struct tl_ev *e)
{
	int64_t late = e->parent == TL_NONE ? 0 : tl_ticks_sub(d->host.end, d->host.start);

	if (d->host.start > d->host.end || d->n_linked * 2 < d->n_device)
		return false;
	return (e->parent == TL_NONE && tl_ticks_sub(d->host.start, e->ts) > d->second) ||
		tl_ticks_sub(tl_ticks_sub(e->ts, d->host.end), late) > d->second;
}

static bool is_before_launch(const struct doubts *d, const struct tl_ev *e)
{
	const struct tl_ev *call = e->parent == TL_NONE ? NULL : &d->t->events[e->parent];

	return call && tl_ev_has_span(call) && !has_no_time(call) && tl_ticks_sub(call->ts, e->ts) > d->second;
}

static enum tl_doubt doubt_of(struct doubts *d, uint32_t event)
{
	const struct tl_ev *e = &d->t->events[event];

	if (!e->ts && (!e->dur || is_device(e)) && is_far_from_zero(d))
		return TL_DOUBT_NO_TIME;
	if (!is_device(e))
		return TL_DOUBTS;
	if (has_no_time(e) && e->parent != TL_NONE && d->host.start > 0)
		return TL_DOUBT_NO_TIME;
	return is_too_long(d, event) ? TL_DOUBT_TOO_LONG : is_outside(d, e) ? TL_DOUBT_OUTSIDE :
	       is_before_launch(d, e) ? TL_DOUBT_BEFORE : TL_DOUBTS;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static void find(struct doubts *d)
{
	uint32_t displaced = 0;

	for (uint32_t i = 0; i < d->t->n_events; i++) {
		const struct tl_ev *e = &d->t->events[i];
		if ((!is_device(e) && !tl_kind_is_launch(e->kind)) || !tl_ev_has_span(e))
			continue;
		enum tl_doubt why = doubt_of(d, i);
		if (why == TL_DOUBTS)
			continue;
		displaced += why == TL_DOUBT_OUTSIDE || why == TL_DOUBT_BEFORE;
		TL_GROW(d->why, d->cap_why, d->n_found + 1);
		d->why[d->n_found] = (uint8_t)why;
		TL_PUSH(d->found, d->n_found, d->cap_found, i);
	}
	/* where most are out of place, the clocks of host and device are */
	size_t kept = 0;
	for (size_t i = 0; i < d->n_found; i++) {
		bool out_of_place = d->why[i] == TL_DOUBT_OUTSIDE || d->why[i] == TL_DOUBT_BEFORE;
		if (out_of_place && displaced > d->n_device / 2)
			continue;
		d->found[kept] = d->found[i];
		d->why[kept++] = d->why[i];
	}
	d->n_found = kept;
}

static void count(struct doubts *d)
{
	struct tl_doubtful *out = d->out;
	struct tl_arg end = tl_arg_of(d->t, TL_KEY_END);
	int64_t value;

	for (size_t i = 0; i < d->n_found; i++) {
		const struct tl_ev *e = &d->t->events[d->found[i]];
		out->n[d->why[i]]++;
		out->first_uid = !out->all++ || e->uid < out->first_uid ? e->uid : out->first_uid;
		out->ticks = tl_ticks_add(out->ticks, e->dur);
	}
	for (uint32_t i = 0; i < d->t->n_events; i++) {
		const struct tl_ev *e = &d->t->events[i];
		if (!is_device(e) || tl_ev_has_span(e) || !tl_arg_get(&end, d->t, i, &value))
			continue;
		out->n[TL_DOUBT_REVERSED]++;
		out->first_uid = !out->all++ || e->uid < out->first_uid ? e->uid : out->first_uid;
	}
}

static void compare_clocks(struct doubts *d)
{
	const struct tl_trace *t = d->t;
	int64_t *early = tl_alloc((d->n + 1) * sizeof *early);

	for (size_t i = 0; i < d->n; i++) {
		const struct tl_ev *e = &t->events[d->list[i]], *call = e->parent == TL_NONE ? NULL : &t->events[e->parent];
		if (!is_device(e) || !tl_ev_has_span(e) || !call || !tl_ev_has_span(call))
			continue;
		d->out->n_launched++;
		if (e->ts < call->ts)
			early[d->out->n_early++] = tl_ticks_sub(call->ts, e->ts);
	}
	d->out->early_median = median_of(early, d->out->n_early);
	d->out->early_most = d->out->n_early ? early[d->out->n_early - 1] : 0;
	free(early);
}

static void release(void *kept)
{
	(void)kept;
}

struct kept { bool done; struct tl_doubtful doubtful; };

void tl_keep_doubtful(struct tl_trace *t)
{
	struct kept *kept = tl_trace_keep(t, sizeof *kept, release);

	kept->done = true;
}

const struct tl_doubtful *tl_leave_out_doubtful(struct tl_trace *t)
{
	struct kept *kept = tl_trace_keep(t, sizeof *kept, release);
	struct doubts d = { .t = t, .out = &kept->doubtful, .second = tl_ticks_of_us(SECOND_US, t->ticks_per_us), .median = INT64_MIN };

	if (kept->done)
		return d.out;
	kept->done = true;
	survey(&d);
	find(&d);
	count(&d);
	tl_trace_leave_out(t, d.found, d.n_found);
	compare_clocks(&d);
	free(d.list);
	free(d.by_name);
	free(d.found);
	free(d.why);
	return d.out;
}

void tl_add_doubts(struct tl_buf *b, const struct tl_doubtful *d)
{
	const char *between = "";

	for (int i = 0; i < TL_DOUBTS; i++)
		if (d->n[i]) {
			tl_buf_addf(b, "%s%u %s", between, (unsigned)d->n[i], words[i]);
			between = ", ";
		}
}
