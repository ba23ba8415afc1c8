/* health.c - the sheet trace_health: what a trace lacks, and what is doubtful in it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/overview.h"

#include "work/doubtful.h"
#include "work/calls.h"
#include "work/kept.h"
#include "work/launchers.h"
#include "work/profiler_step.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "path/pieces.h"
#include "model/fields.h"
#include "model/trace.h"
#include "perf/measure.h"
#include "sheet/overview.h"
#include "sheets/timeline.h"
#include "steps/one_off.h"
#include "steps/profiler_time.h"
#include "steps/recorded.h"
#include "steps/step_find.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From which share of the window, of the launches or of the kernel time on a check is more than a note. */
static const double some = .01, much = .2, most = .5;
enum { MANY_FRAMES = 20, CLOCK_US = 10 };

struct health {
	struct tl_trace *t;
	const struct tl_overview *overview;
	const struct tl_steps *steps;
	const struct tl_devices *devices;
	struct tl_copies *copies;
	struct tl_span window;
	uint32_t kinds[TL_KIND_COUNT];
	const char *activity; /* tl_device_activity */
	int64_t not_analysed; /* events of devices of which nothing is read */
	struct tl_table *table;
};

enum state { OK, NOTE, WARNING };
static const char *const state_names[] = { "ok", "note", "warning" };

/* The i-th by start. */
static const struct tl_ev *device_event(const struct health *h, size_t i)
{
	return &h->t->events[h->devices->by_start[i]];
}

static double share_of_window(const struct health *h, int64_t ticks)
{
	int64_t window = tl_ticks_sub(h->window.end, h->window.start);

	return window > 0 ? (double)ticks / (double)window : 0;
}

/* ticks: INT64_MIN for a check that is about no time. */
static void __attribute__((format(printf, 7, 8))) add(struct health *h, const char *check, enum state state, struct tl_cell value,
                                                      const char *unit, int64_t ticks, const char *explanation, ...)
{
	char text[600];
	va_list list;

	va_start(list, explanation);
	vsnprintf(text, sizeof text, explanation, list);
	va_end(list);
	struct tl_cell row[N_CHECK] = { [CHECK_CHECK] = tl_cell_str(&h->t->strings, check),
		[CHECK_STATE] = tl_cell_str(&h->t->strings, state_names[state]), [CHECK_VALUE] = value,
		[CHECK_UNIT] = tl_cell_str(&h->t->strings, unit), [CHECK_EXPLANATION] = tl_cell_str(&h->t->strings, text) };
	if (ticks != INT64_MIN) {
		row[CHECK_MS] = tl_cell_ms(ticks);
		row[CHECK_PERCENT_OF_WINDOW] = tl_cell_real(100 * share_of_window(h, ticks));
	}
	tl_table_add_row(h->table, row);
}

static enum state above(double share, double limit)
{
	return share > limit ? WARNING : share > 0 ? NOTE : OK;
}

/* ---- what was recorded ------------------------------------------------------------------------- */

static void add_shapes(struct health *h)
{
	struct tl_arg dims = tl_arg_of(h->t, "Input Dims");
	uint32_t with = 0, n = h->kinds[TL_KIND_CPU_OP];
	bool told_by_hlo = h->t->source && !strcmp(h->t->source, "xplane");

	for (uint32_t i = 0; i < h->t->n_events; i++)
		with += h->t->events[i].kind == TL_KIND_CPU_OP && tl_arg_has(&dims, h->t, i);
	add(h, "shapes", with ? OK : h->activity || (n && !told_by_hlo) ? WARNING : NOTE,
	    n ? tl_cell_real(100.0 * with / n) : tl_cell_null(), "% of operators", INT64_MIN,
	    "%s%s", !n ? "no operators were recorded" : with ? "operators with Input Dims" : "no operator has Input Dims: no rooflines and no shapes",
	    h->activity && !with ? n ? "; record with record_shapes=True" : ": add ProfilerActivity.CPU" : "");
}

/* With the frames that reading left out. How many of these a slice has is not known: they do not count. */
static uint64_t n_frames_of(const struct health *h)
{
	struct tl_arena arena = { 0 };
	struct tl_value slices, n;
	bool counts = tl_trace_member(h->t, TL_META_SHORT_FRAMES, &arena, &n) && n.type == TL_V_INT && n.i > 0 &&
		!tl_trace_member(h->t, TL_META_SLICES, &arena, &slices);

	tl_arena_release(&arena);
	return h->kinds[TL_KIND_PYTHON] + (counts ? (uint64_t)n.i : 0);
}

static void add_recorded(struct health *h, uint64_t n_frames)
{
	uint32_t n = h->kinds[TL_KIND_KERNEL] + h->kinds[TL_KIND_MEMCPY] + h->kinds[TL_KIND_MEMSET];
	bool calls = h->kinds[TL_KIND_RUNTIME] + h->kinds[TL_KIND_DRIVER] > 0;
	struct tl_buf other = { 0 };

	add_shapes(h);
	add(h, "stacks", n_frames ? OK : h->activity ? WARNING : NOTE, tl_cell_int((int64_t)n_frames), "Python frames", INT64_MIN, "%s%s",
	    n_frames ? "Python frames of the host" : "no Python frames: idle time has no source line, and operators have no module",
	    h->activity && !n_frames ? "; record with with_stack=True" : "");
	add(h, "steps", h->steps->n ? OK : NOTE, tl_cell_int((int64_t)h->steps->n), "steps", INT64_MIN, "%s%s",
	    h->steps->n ? "steps that tl-split finds" : "no steps are marked or repeat: the whole recording counts",
	    h->steps->n ? "" : h->activity ? "; call the profiler's step()" : "; mark each with a range");
	int64_t counted = tl_add_not_analysed(&other, h->t, TL_COUNTED);
	tl_buf_clear(&other);
	h->not_analysed = tl_add_not_analysed(&other, h->t, TL_NOT_ANALYSED);
	bool told = h->not_analysed || (calls && tl_work_comes_with_calls(h->t)); /* by the next check, or by `unlaunched` */
	bool add_activity = h->activity && !n && !told;
	add(h, "device-events", n ? OK : told ? NOTE : WARNING, tl_cell_int(n), "device events", INT64_MIN, "%s%s%s%s",
	    n ? "kernels, copies and fills" : "nothing of a device was recorded", n || !h->not_analysed ? "" : " that is analysed",
	    add_activity ? ": add " : "", add_activity ? h->activity : "");
	bool untimed = counted && counted == h->not_analysed && !n;
	if (h->not_analysed)
		add(h, untimed ? "counted" : "not-analysed", n ? NOTE : WARNING, tl_cell_int(h->not_analysed), "events", INT64_MIN, TL_NOT_ANALYSED "%s%s",
		    other.data, untimed ? ", taken in place of their times" : "");
	tl_buf_release(&other);
}

/* ---- launches ------------------------------------------------------------------------------------ */

static void add_stack_cost(struct health *h, uint64_t n_frames)
{
	uint32_t launches = 0, n;

	for (uint32_t i = 0; i < h->t->n_events; i++)
		launches += tl_kind_is_launch(h->t->events[i].kind) && (tl_trace_launched(h->t, i, &n), n > 0);
	double cost = launches ? (double)n_frames / launches : 0;
	add(h, "stack-cost", cost > MANY_FRAMES ? NOTE : OK, launches ? tl_cell_real(cost) : tl_cell_null(), "frames per launch", INT64_MIN, "%s",
	    cost > MANY_FRAMES ? "recording so many Python frames slows the host down: host and idle times are too long" :
	    "Python frames per call that launched work");
}

/* Which device events have a launch, if only by their correlation. The caller frees the list. */
static bool *find_launched(struct tl_trace *t)
{
	bool *launched = tl_calloc((size_t)t->n_events + 1, sizeof *launched);
	size_t n;
	struct tl_launch *launches = tl_launches_with_lone(t, &n);

	for (size_t i = 0; i < n; i++)
		launched[launches[i].gpu] = true;
	for (uint32_t i = 0; i < t->n_events; i++)
		launched[i] |= tl_gpu_linked(&t->events[i]);
	free(launches);
	return launched;
}

static void add_unlinked(struct health *h)
{
	int64_t first_launched = INT64_MAX, last_without = INT64_MIN, ticks = 0;
	bool *launched = find_launched(h->t), no_calls = !h->activity && !h->kinds[TL_KIND_RUNTIME] && !h->kinds[TL_KIND_DRIVER];
	uint32_t n = 0;

	for (size_t i = 0; i < h->devices->n_events; i++) {
		const struct tl_ev *e = device_event(h, i);
		if (launched[h->devices->by_start[i]]) {
			first_launched = e->ts < first_launched ? e->ts : first_launched;
			continue;
		}
		n++;
		ticks = tl_ticks_add(ticks, e->dur);
		last_without = e->ts > last_without ? e->ts : last_without;
	}
	free(launched);
	add(h, "unlinked", n && (!ticks || no_calls) ? NOTE : above(share_of_window(h, ticks), some), tl_cell_int(n), "device events", ticks, "%s",
	    !n ? "all device events have a launch" : no_calls ? "no calls were recorded: which of them launched what is not known" : last_without < first_launched ?
	    "device events without a launch, before all others: the end of work that began before the recording; sheets by operator lack them" :
	    "device events without a launch, some behind others: sheets by operator lack them");
}

static void add_unlaunched(struct health *h)
{
	int64_t tail = h->window.end - tl_ticks_sub(h->window.end, h->window.start) / 100;
	int64_t first = INT64_MAX, *lost = tl_alloc(((size_t)h->t->n_events + 1) * sizeof *lost); /* when those without began */
	uint32_t launches = 0, without = 0, at_tail = 0, at_head = 0, n;
	struct tl_buf says = { 0 };
	struct tl_name_answers *names = tl_kept_answers(h->t, TL_GRAPH_NAMES);

	for (uint32_t i = 0; i < h->t->n_events; i++) {
		const struct tl_ev *e = &h->t->events[i];
		const char *answer = tl_kind_is_launch(e->kind) && !tl_is_copy(h->copies, i) ? tl_name_answer(names, e->name) : "";
		if (strcmp(answer, "launch") != 0 && strcmp(answer, "launch-graph") != 0)
			continue;
		launches++;
		tl_launched_by(h->copies, i, &n);
		if (n)
			first = e->ts < first ? e->ts : first;
		else
			lost[without++] = e->ts;
	}
	for (uint32_t i = 0; i < without; i++) {
		at_head += lost[i] < first;
		at_tail += lost[i] >= tail;
	}
	free(lost);
	if (without)
		tl_buf_addf(&says, "%u of %u launches have no device event", without, launches);
	else
		tl_buf_addf(&says, "all launches have device events (%u)", launches);
	if (without > launches * much)
		tl_buf_adds(&says, h->devices->n_events ? ": the device may have worked where it looks idle" : "");
	if (at_head && without < launches)
		tl_buf_addf(&says, ", the first %u of the recording%s", at_head, at_head < without ? " among them" : "");
	if (at_tail)
		tl_buf_addf(&says, ", %u of them in the last hundredth of the window, whose work came too late", at_tail);
	const struct tl_doubtful *d = tl_leave_out_doubtful(h->t);
	uint32_t left_out = d->all < without - at_tail ? d->all : without - at_tail;
	if (left_out)
		tl_buf_addf(&says, ", that of %u may be left out for times that cannot be", left_out);
	enum state state = above(launches ? (double)(without - at_tail - left_out) / launches : 0, some);
	state = (state == OK && left_out) || (state == WARNING && h->not_analysed) ? NOTE : state;
	add(h, "unlaunched", at_tail && state == OK ? NOTE : state, tl_cell_int(without), "launches", INT64_MIN, "%s", says.data);
	tl_buf_release(&says);
}

/* A device event cannot start before the call that launches it does. */
static void add_clock(struct health *h)
{
	int64_t largest = 0;
	uint32_t n = 0;

	for (size_t i = 0; i < h->t->n_launches; i++) {
		const struct tl_ev *call = &h->t->events[h->t->launches[i].runtime], *gpu = &h->t->events[h->t->launches[i].gpu];
		if (!tl_ev_has_span(call) || !tl_gpu_usable(gpu) || gpu->ts >= call->ts)
			continue;
		int64_t early = tl_ticks_sub(call->ts, gpu->ts);
		largest = early > largest ? early : largest;
		n++;
	}
	add(h, "clock", largest > tl_ticks_of_us(CLOCK_US, h->t->ticks_per_us) ? WARNING : n ? NOTE : OK, tl_cell_int(n), "device events", largest,
	    "%s", n ? "device events that start before their launch begins, ms: by how much at most; the clocks of host and device differ" :
	    "no device event starts before its launch begins");
}

/* Only where steps of one thread overlap by more than a hundredth of the shorter: the first ends where the second begins. */
static void add_steps_overlap(struct health *h)
{
	int64_t all = 0, first_step = -1;
	uint32_t n = 0;
	const struct tl_steps *steps = tl_numbered_steps_of(h->t);

	for (size_t i = 0; i < steps->n && tl_steps_are_marked(steps) && !steps->on_device; i++) {
		const struct tl_ev *e = &h->t->events[steps->items[i].event];
		int64_t over = tl_ticks_sub(tl_ev_end(e), steps->items[i].to), shorter = e->dur;
		for (size_t k = i + 1; over > 0 && k < steps->n && steps->items[k].from <= steps->items[i].to; k++)
			if (steps->items[k].from == steps->items[i].to && h->t->events[steps->items[k].event].track == e->track)
				shorter = h->t->events[steps->items[k].event].dur < shorter ? h->t->events[steps->items[k].event].dur : shorter;
		if (over <= 0 || over <= shorter / 100)
			continue;
		first_step = n++ ? first_step : steps->items[i].number;
		all = tl_ticks_add(all, over);
	}
	if (n)
		add(h, "steps-overlap", NOTE, tl_cell_int(n), "steps", all, "steps that end behind the start of the next one: each ends where that begins; the first is %lld",
		    (long long)first_step);
}

/* Only where there are such events. */
static void add_times(struct health *h)
{
	const struct tl_doubtful *d = tl_leave_out_doubtful(h->t);
	struct tl_buf words = { 0 };

	tl_add_doubts(&words, d);
	if (d->all)
		add(h, "times", WARNING, tl_cell_int(d->all), "events", d->ticks, "device events and calls with times that cannot be, left out of all sheets: "
		    "%s; the first is event %u", words.data, (unsigned)d->first_uid);
	tl_buf_release(&words);
}

/* ---- borders of the recording ---------------------------------------------------------------------- */

static void add_unrecorded(struct health *h)
{
	const struct tl_recorded *recorded = tl_recorded_of(h->t);
	const struct tl_gaps *gaps = &recorded->gaps;
	int64_t all = 0, launched = 0;
	uint32_t n = 0;

	for (size_t i = 0; i < gaps->n; i++) {
		if (!gaps->items[i].unrecorded)
			continue;
		n++;
		all = tl_ticks_add(all, tl_gap_length(&gaps->items[i]));
		if (gaps->items[i].call != TL_NONE && !recorded->is_part) /* those of work without launches are part of what `unlinked` tells */
			launched = tl_ticks_add(launched, tl_gap_length(&gaps->items[i]));
	}
	add(h, "unrecorded", above(share_of_window(h, launched), some) == WARNING ? WARNING : n ? NOTE : OK, tl_cell_int(n), "gaps", all, "%s",
	    n && recorded->is_part ? "times that look idle, but the device ran work that is not in the slice" :
	    n ? "times that look idle, but the device ran work that was launched before the recording" : "no gap hides work from before the recording");
}

/* ---- whose time it is, and whether it comes again ------------------------------------------------------- */

/* Ticks of the idle pieces of a class, of all devices together. */
static int64_t idle_of(const struct health *h, enum tl_idle_class class)
{
	const struct tl_idle_pieces *pieces = tl_idle_pieces_of(h->t);
	int64_t ticks = 0;

	for (size_t i = 0; i < pieces->n; i++)
		ticks += pieces->items[i].class == class ? tl_ticks_sub(pieces->items[i].end, pieces->items[i].start) : 0;
	return ticks;
}

static void add_cold(struct health *h)
{
	const struct tl_one_offs *once = tl_one_offs_of(h->t);
	struct tl_spans spans = { 0 };
	int64_t of_kind[TL_ONE_OFF_KINDS] = { 0 };
	int longest = 0;

	for (size_t i = 0; i < once->n; i++) {
		const struct tl_one_off *o = &once->items[i];
		if (o->repeated)
			continue;
		tl_spans_add(&spans, o->start, o->end);
		of_kind[o->kind] = tl_ticks_add(of_kind[o->kind], tl_ticks_sub(o->end, o->start));
		longest = of_kind[o->kind] > of_kind[longest] ? (int)o->kind : longest;
	}
	tl_spans_merge(&spans);
	int64_t ticks = tl_spans_length(&spans);
	add(h, "cold", once->has_steady ? OK : WARNING, tl_cell_int((int64_t)spans.n), "times", ticks, once->has_steady ? "%s" :
	    "what is done once, most of it %s: no part of the recording is a steady state, and what it tells of the host does not hold for the next run",
	    !once->has_steady ? tl_one_off_name(longest) : spans.n ? "done once, and the rest is a steady state" : "nothing is done once");
	tl_spans_release(&spans);
}

static void add_profiler_time(struct health *h)
{
	const struct tl_profiler_time *p = tl_profiler_time_of(h->t);
	uint32_t longest = TL_NONE;
	int64_t ticks = 0, length = 0;

	for (size_t i = 0; i < p->own.n_segments; i++) {
		int64_t of = tl_ticks_sub(p->own.segments[i].end, p->own.segments[i].start);
		ticks = tl_ticks_add(ticks, of);
		if (of > length) {
			length = of;
			longest = p->own.spans[p->own.segments[i].span].event;
		}
	}
	add(h, "profiler-time", above(share_of_window(h, ticks), some * 5), tl_cell_ms(idle_of(h, TL_IDLE_PROFILER)), "ms in which a device waits", ticks,
	    ticks ? "the profiler's own time, the longest %s: the program does not have it without the profiler" : "%s",
	    ticks ? tl_str(&h->t->strings, h->t->events[longest].name) : "the profiler recorded no time of its own");
}

static void add_server_idle(struct health *h)
{
	int64_t ticks = idle_of(h, TL_IDLE_SERVER);

	add(h, "server-idle", ticks ? NOTE : OK, tl_cell_null(), "", ticks, "%s",
	    ticks ? "the server waited for requests; shares of idle time and of the window leave that out" : "no server waited for requests");
}

/* Does step_times mark the last step as cut? */
static void add_cut_step(struct health *h)
{
	struct tl_last_step last = tl_last_step_of(h->t);

	add(h, "cut-step", last.cut ? WARNING : OK, last.cut ? tl_cell_int(last.device_events) : tl_cell_null(), last.cut ? "device events" : "", INT64_MIN, "%s",
	    last.cut ? "the last step has less than half of the device events of the median step: the recording ended before its work" :
	    last.n_steps < 2 ? "fewer than two steps: nothing to compare the last one with" : "the last step has its device work");
}

static void add_host_ahead(struct health *h)
{
	const struct tl_step *first = h->steps->n ? h->steps->items : NULL, *last = first ? first + (h->steps->n - 1) : NULL;
	int64_t host_end = last ? last->to : INT64_MIN, device_end = INT64_MIN;

	for (uint32_t i = 0; i < h->t->n_events; i++) {
		const struct tl_ev *e = &h->t->events[i];
		if (!tl_ev_has_span(e))
			continue;
		if (tl_kind_is_gpu(e->kind) && tl_ev_end(e) > device_end)
			device_end = tl_ev_end(e);
		else if (!last && e->kind == TL_KIND_CPU_OP && tl_ev_end(e) > host_end)
			host_end = tl_ev_end(e);
	}
	int64_t behind = host_end == INT64_MIN || device_end < host_end ? 0 : tl_ticks_sub(device_end, host_end);
	int64_t period = last ? tl_ticks_sub(last->to, first->from) / (int64_t)h->steps->n : INT64_MAX;
	bool shifted = behind > period;
	add(h, "host-ahead", shifted ? NOTE : OK, tl_cell_null(), "", behind, "%s",
	    shifted ? "the device works longer than a step after the last step: what it does during a step belongs to an earlier one" :
	    "how long the device works after the last step or operator");
}

/* ---- what device events mean ----------------------------------------------------------------------- */

TL_ORDER_IN(by_track, uint32_t, struct tl_ev, TL_ASC(ctx[*x].track))

static void add_overlap(struct health *h)
{
	uint32_t *kernels = tl_alloc((h->devices->n_events + 1) * sizeof *kernels), pairs = 0, track = TL_NONE;
	size_t n = 0;
	int64_t sum = 0, end = INT64_MIN;

	for (size_t i = 0; i < h->devices->n_events; i++)
		if (device_event(h, i)->kind == TL_KIND_KERNEL)
			kernels[n++] = h->devices->by_start[i];
	tl_merge_sort(kernels, n, sizeof *kernels, by_track, h->t->events);
	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &h->t->events[kernels[i]];
		if (e->track != track)
			end = INT64_MIN;
		track = e->track;
		if (e->ts < end) {
			sum = tl_ticks_add(sum, tl_ticks_sub(tl_ev_end(e) < end ? tl_ev_end(e) : end, e->ts));
			pairs++;
		}
		end = tl_ev_end(e) > end ? tl_ev_end(e) : end;
	}
	free(kernels);
	add(h, "overlap-one-stream", above(share_of_window(h, sum), some / 10), tl_cell_int(pairs), "kernels", sum, "%s",
	    pairs ? "kernels that start before the one before them on their stream ends: times of single kernels are too long" :
	    "on each stream one kernel runs at a time");
}

static void add_graphs(struct health *h)
{
	struct tl_name_answers *names = tl_kept_answers(h->t, TL_GRAPH_NAMES);
	int64_t opaque = 0, all = 0;

	for (size_t i = 0; i < h->devices->n_events; i++) {
		const struct tl_ev *e = device_event(h, i);
		if (e->kind != TL_KIND_KERNEL)
			continue;
		const struct tl_ev *call = e->parent == TL_NONE ? NULL : &h->t->events[e->parent];
		all = tl_ticks_add(all, e->dur);
		if (call && tl_kind_is_launch(call->kind) && !tl_is_copy(h->copies, e->parent) && tl_name_is(names, call->name, "launch-graph"))
			opaque = tl_ticks_add(opaque, e->dur);
	}
	double share = all ? (double)opaque / (double)all : 0;
	add(h, "graph-opaque", above(share, much), tl_cell_real(100 * share), "% of kernel time", opaque, "%s",
	    opaque ? "kernels that graphs replay have no operators, shapes or modules" :
	    "no graph replays kernels whose operators are unknown");
}

static void add_unrated(struct health *h)
{
	const struct tl_launchers *l = tl_launchers_of(h->t);
	int64_t unrated = 0, all = 0;
	struct tl_measure m;

	tl_measure_init(&m, h->t, h->overview->registry, NULL);
	for (uint32_t i = 0; i < l->n; i++) {
		bool modelled = h->t->events[l->items[i].event].kind == TL_KIND_CPU_OP && tl_measure_modelled(&m, l->items[i].event);
		for (uint32_t k = 0; k < l->items[i].n; k++) {
			const struct tl_ev *e = &h->t->events[l->direct[l->items[i].first + k]];
			if (e->kind != TL_KIND_KERNEL || !tl_gpu_usable(e) || tl_gpu_is_comm(e))
				continue;
			all = tl_ticks_add(all, e->dur);
			unrated = tl_ticks_add(unrated, modelled ? 0 : e->dur);
		}
	}
	tl_measure_release(&m);
	double share = all ? (double)unrated / (double)all : 0;
	add(h, "unrated", share > most ? NOTE : OK, tl_cell_real(100 * share), "% of kernel time", unrated, "%s",
	    "kernels of operators without a performance model, communication left out: their headroom is not known");
}

/* Communication by one set of rules and not by the other. */
static void add_communication(struct health *h)
{
	struct tl_name_rules *rules[] = { tl_work_rules_new(TL_WORK_REFERENCE), tl_work_rules_new(TL_WORK_TABLE) };
	struct tl_spans spans = { 0 };
	struct tl_map differs = { 0 }; /* by name */
	uint32_t n = 0;

	for (size_t i = 0; i < h->devices->n_events; i++) {
		const struct tl_ev *e = device_event(h, i);
		bool is_new;
		uint32_t *d = tl_map_put(&differs, e->name, &is_new);
		for (int k = 0; k < 2 && is_new; k++)
			*d |= (tl_work_of_name(rules[k], tl_str(&h->t->strings, e->name), tl_str_len(&h->t->strings, e->name)) == TL_GPU_COMM) != tl_gpu_is_comm(e);
		if (*d)
			tl_spans_add(&spans, e->ts, tl_ev_end(e));
		n += *d;
	}
	tl_map_release(&differs);
	tl_spans_merge(&spans);
	int64_t ticks = tl_spans_length(&spans);
	add(h, "communication", share_of_window(h, ticks) > some ? NOTE : OK, tl_cell_int(n), "device events", ticks, "%s",
	    n ? "the rules reference and table of --communication see these differently" : "both rules of --communication agree");
	tl_spans_release(&spans);
	tl_name_rules_free(rules[0]);
	tl_name_rules_free(rules[1]);
}

/* ---- what is said of the recording ------------------------------------------------------------------- */

/* PyTorch's profiler lists its messages by their level. Dropped records make numbers wrong. */
static void add_profiler(struct health *h)
{
	static const char *const levels[] = { "ERROR", "WARNING" };
	struct tl_arena arena = { 0 };
	const char *first = "", *worst = NULL;
	uint32_t n = 0;

	for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
		struct tl_value v;
		if (!tl_trace_member(h->t, levels[l], &arena, &v) || v.type != TL_V_LIST)
			continue;
		for (uint32_t i = 0; i < v.len; i++) {
			if (v.items[i].type != TL_V_TEXT)
				continue;
			first = n++ ? first : v.items[i].text;
			if (!worst && (!l || strcasestr(v.items[i].text, "drop")))
				worst = v.items[i].text;
		}
	}
	add(h, "profiler", worst ? WARNING : n ? NOTE : OK, tl_cell_int(n), "messages", INT64_MIN, n ? "the profiler says: %s" : "%s",
	    worst ? worst : n ? first : "the profiler recorded no warnings");
	tl_arena_release(&arena);
}

static void add_architecture(struct health *h)
{
	const struct tl_arch *arch = h->overview->rated;

	add(h, "architecture", arch ? OK : NOTE, tl_cell_str(&h->t->strings, arch ? arch->name : NULL), "", INT64_MIN, "%s",
	    arch ? "what rooflines are of" : "no architecture: headroom is not known; give --arch");
}

/* A row for each check, always the same ones; the trace's Python frames and annotations must have been kept. */
void tl_overview_health(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_overview *o = ctx;
	struct tl_trace *t = o->trace;

	if (!o->registry)
		return;
	struct health h = { .t = t, .overview = o, .copies = tl_copies_of(t), .steps = tl_steps_of(t), .activity = tl_device_activity(t),
	                    .devices = tl_devices_of(t),
	                    .table = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_overview_check_rows) };
	tl_mark_work_once(t);
	h.window = tl_recorded_of(t)->window;
	for (uint32_t i = 0; i < t->n_events; i++)
		h.kinds[t->events[i].kind] += !tl_is_copy(h.copies, i);
	uint64_t n_frames = n_frames_of(&h);
	if (t->source && tl_starts_with(t->source, "memory ")) { /* nothing of the rest can be in it */
		add(&h, "contents", WARNING, tl_cell_null(), "", INT64_MIN, "a %s, without operators and device work: tl-memory shows it", t->source);
		return;
	}
	add_recorded(&h, n_frames);
	add_stack_cost(&h, n_frames);
	add_unlinked(&h);
	add_unlaunched(&h);
	add_unrecorded(&h);
	add_cold(&h);
	add_profiler_time(&h);
	add_server_idle(&h);
	add_cut_step(&h);
	add_host_ahead(&h);
	add_overlap(&h);
	add_clock(&h);
	add_times(&h);
	add_steps_overlap(&h);
	add_graphs(&h);
	add_unrated(&h);
	add_architecture(&h);
	add_profiler(&h);
	add_communication(&h);
}
