/* one_off.c - what a process does once, and which part of the recording is steady.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/one_off.h"

#include "work/calls.h"
#include "work/device_events.h"
#include "work/kept.h"
#include "work/launchers.h"
#include "work/profiler_step.h"
#include "work/queue.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "steps/profiler_time.h"
#include "steps/step_find.h"
#include "table/statistics.h"

#include <stdlib.h>
#include <string.h>

enum {
	LONG_US = 100, LONG_TIMES = 10, SLOW_US = 1000, SLOW_TIMES = 100, /* see one_off.h */
	USUAL_US = 10, USUAL_OF = 8,     /* what is usual of a call that comes less often */
	QUEUE_AHEAD = 500,               /* a launch behind so many may wait for room */
	FIRST_TIMES = 20, FIRST_OF = 3,  /* the first call of an operator, of so many more */
	TRIALS = 3,                      /* kernels that an operator launches to find the fastest */
	WORKERS_US = 1000, WORKERS_TIMES = 3, /* a first batch that takes so long, and so much longer than the others */
	PARTS = 8,                       /* of a trace without steps */
	STEADY_KERNELS = 64
};
static const double cold_share = 0.05, small_share = 0.2, steady_share = 0.25;

/* Calls of one name. */
struct calls { int64_t *ticks; size_t n, cap; int64_t usual; };

struct finder {
	struct tl_trace *t;
	struct tl_waits waits;
	struct tl_name_answers *work, *compile, *first, *kinds;
	const struct tl_profiler_time *profiler;
	struct tl_one_offs *out;
	uint32_t *suspects; size_t n_suspects, cap_suspects; /* calls of LONG_US or more */
	struct TL_KEYED(struct calls) calls; /* by the name of a suspect */
	struct tl_map first_launch; /* process and name of a kernel of a suspect -> 1 + the call that launched it first */
	struct tl_map first_work;   /* process -> 1 + the device event that it launched that starts first */
	struct tl_spans windows;    /* steps, or parts of the trace: sorted, and disjoint but where steps touch */
	struct tl_span device;      /* from the first device event to the last */
};

const char *tl_one_off_name(enum tl_one_off_kind kind)
{
	static const char *const names[TL_ONE_OFF_KINDS] = {
		"compilation", "search for algorithms", "capture of a graph", "start of the loader's workers", "first use of kernels", "first calls of libraries",
		"slow call", "memory allocated once"
	};

	return names[kind];
}

static uint32_t process_of(const struct tl_trace *t, uint32_t event)
{
	return t->tracks[t->events[event].track].pid;
}

/* A name in the process of an event. */
static uint64_t key_of(const struct tl_trace *t, uint32_t event, uint32_t name)
{
	return (uint64_t)process_of(t, event) << 32 | name;
}

static void add_span(struct finder *f, enum tl_one_off_kind kind, uint32_t event, int64_t start, int64_t end)
{
	struct tl_one_offs *out = f->out;

	TL_PUSH(out->items, out->n, out->cap, (struct tl_one_off){ start, end, event, kind, false });
}

static void add(struct finder *f, enum tl_one_off_kind kind, uint32_t event, int64_t start)
{
	add_span(f, kind, event, start, tl_ev_end(&f->t->events[event]));
}

/* ---- told by names ------------------------------------------------------------------------- */

/* Adds the times before a batch in which its thread neither begins nor ends anything for a ms or more: back to its last launch, or until it was
 * active for a ms in all. */
static void add_silence(struct finder *f, uint32_t batch)
{
	const struct tl_trace *t = f->t;
	int64_t start = t->events[batch].ts, least = tl_ticks_of_us(WORKERS_US, t->ticks_per_us), launch = INT64_MIN, active = 0, *signs = NULL;
	size_t n = 0, cap = 0;

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		uint32_t launched = 0;
		if (e->track != t->events[batch].track || !tl_ev_has_span(e) || e->ts > start)
			continue;
		TL_GROW(signs, cap, n + 2);
		signs[n++] = e->ts;
		signs[n++] = tl_ev_end(e) < start ? tl_ev_end(e) : start;
		if (tl_kind_is_launch(e->kind))
			tl_launched_by(f->waits.copies, i, &launched);
		launch = launched && tl_ev_end(e) > launch ? tl_ev_end(e) : launch;
	}
	tl_sort_times(signs, n);
	for (size_t i = n; i-- > 1 && signs[i - 1] >= launch && active < least;) {
		int64_t length = tl_ticks_sub(signs[i], signs[i - 1]);
		if (length >= least)
			add_span(f, TL_ONE_OFF_WORKERS, batch, signs[i - 1], signs[i]);
		else
			active = tl_ticks_add(active, length);
	}
	free(signs);
}

/* A first batch for which the workers start is told from a slow loader: the others do not take as long. The workers start before it, in a
 * time in which the thread tells nothing. */
static void add_workers(struct finder *f, const uint32_t *batches, size_t n)
{
	const struct tl_trace *t = f->t;
	int64_t *others = tl_alloc((n + 1) * sizeof *others);

	for (size_t i = 1; i < n; i++)
		others[i - 1] = t->events[batches[i]].dur;
	int64_t usual = n > 1 ? tl_median_int(others, n - 1, false) : INT64_MAX, least = tl_ticks_of_us(WORKERS_US, t->ticks_per_us);
	free(others);
	if (!n || t->events[batches[0]].dur < least || t->events[batches[0]].dur / WORKERS_TIMES < usual)
		return;
	add_silence(f, batches[0]);
	add(f, TL_ONE_OFF_WORKERS, batches[0], t->events[batches[0]].ts);
}

static void find_named(struct finder *f)
{
	const struct tl_trace *t = f->t;
	uint32_t *batches = NULL;
	size_t n = 0, cap = 0;

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (!tl_ev_has_span(e) || tl_kind_is_gpu(e->kind) || e->kind == TL_KIND_OVERHEAD || tl_is_copy(f->waits.copies, i) ||
		    (e->kind == TL_KIND_PYTHON && e->dur < tl_ticks_of_us(LONG_US, t->ticks_per_us))) /* short frames may be left out */
			continue;
		const char *work = tl_name_answer(f->work, e->name), *compile = tl_name_answer(f->compile, e->name);
		if (!*work && !*compile) /* most names */
			;
		else if (!strcmp(work, "compile") || !strcmp(compile, "compilation"))
			add(f, TL_ONE_OFF_COMPILE, i, e->ts);
		else if (!strcmp(work, "autotune"))
			add(f, TL_ONE_OFF_AUTOTUNE, i, e->ts);
		else if (!strcmp(work, "capture"))
			add(f, TL_ONE_OFF_CAPTURE, i, e->ts);
		else if (!strcmp(work, "loader-start") && e->dur >= tl_ticks_of_us(WORKERS_US, t->ticks_per_us))
			add(f, TL_ONE_OFF_WORKERS, i, e->ts);
		else if (!strcmp(work, "loader-workers")) {
			TL_PUSH(batches, n, cap, i);
		}
		if (!tl_kind_is_launch(e->kind))
			continue;
		enum tl_call_kind kind = tl_call_kind(&f->waits, i);
		if (kind == TL_CALL_ALLOCATES || kind == TL_CALL_FREES)
			add(f, TL_ONE_OFF_ALLOCATOR, i, e->ts);
		if (e->dur >= tl_ticks_of_us(LONG_US, t->ticks_per_us))
			TL_PUSH(f->suspects, f->n_suspects, f->cap_suspects, i);
	}
	add_workers(f, batches, n);
	free(batches);
}

/* ---- algorithms that are tried ----------------------------------------------------------------- */

/* Do device events have the names of so many different products or convolutions? */
static bool are_products(struct finder *f, const uint32_t *events, uint32_t n, size_t least)
{
	struct tl_map names = { 0 };

	for (uint32_t i = 0; i < n && names.count < least; i++) {
		uint32_t name = f->t->events[events[i]].name;
		if (tl_name_is(f->kinds, name, "product") || tl_name_is(f->kinds, name, "convolution"))
			tl_map_put(&names, name, NULL);
	}
	bool enough = names.count >= least;
	tl_map_release(&names);
	return enough;
}

/* An operator that launches several different products, and waits for some of them, tries which is the fastest. */
static void find_trials(struct finder *f)
{
	const struct tl_trace *t = f->t;
	const struct tl_launchers *l = tl_launchers_of(f->t);

	for (uint32_t i = 0; i < l->n; i++) {
		const struct tl_launcher *op = &l->items[i];
		int64_t end = INT64_MIN;
		if (op->n < TRIALS || t->events[op->event].kind != TL_KIND_CPU_OP || !are_products(f, l->direct + op->first, op->n, TRIALS))
			continue;
		for (struct tl_walk w = tl_walk_below(t, op->event); w.event != TL_NONE; tl_walk_on(&w, true)) {
			const struct tl_ev *e = &t->events[w.event];
			bool waits = tl_kind_is_launch(e->kind) && tl_ev_has_span(e) && tl_call_kind(&f->waits, w.event) >= TL_CALL_AWAITS_DEVICE;
			end = waits && tl_ev_end(e) > end ? tl_ev_end(e) : end;
		}
		if (end > t->events[op->event].ts)
			add_span(f, TL_ONE_OFF_AUTOTUNE, op->event, t->events[op->event].ts, end);
	}
}

/* ---- operators that start something up --------------------------------------------------------- */

/* Does an operator spend half of its time in calls that wait, allocate or free? */
static bool is_in_calls(struct finder *f, uint32_t op)
{
	const struct tl_trace *t = f->t;
	int64_t ticks = 0;

	for (struct tl_walk w = tl_walk_below(t, op); w.event != TL_NONE; tl_walk_on(&w, true))
		if (tl_kind_is_launch(t->events[w.event].kind) && tl_call_kind(&f->waits, w.event) >= TL_CALL_ALLOCATES)
			ticks = tl_ticks_add(ticks, t->events[w.event].dur);
	return ticks >= t->events[op].dur / 2;
}

/* Operators of one name and process. */
struct operators { struct calls all; uint32_t first; };

static bool is_operator(const struct tl_trace *t, const struct tl_ev *e)
{
	return e->kind == TL_KIND_CPU_OP && tl_ev_has_span(e) && !tl_is_annotation(t, e);
}

/* Is it told already what an operator does? */
static bool is_known(const struct finder *f, uint32_t op)
{
	bool known = false;

	for (size_t i = 0; i < f->out->n && !known; i++)
		known = f->out->items[i].event == op;
	return known;
}

/* An operator that takes much longer the first time than usually: what it calls starts up. */
static void find_first_operators(struct finder *f)
{
	const struct tl_trace *t = f->t;
	int64_t least = tl_ticks_of_us(SLOW_US, t->ticks_per_us);
	struct TL_KEYED(struct operators) of = { 0 }; /* by process and name, those of which one takes long */

	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].dur >= least && is_operator(t, &t->events[i]))
			(void)TL_ITEM(&of, key_of(t, i, t->events[i].name), NULL);
	for (uint32_t i = 0; of.n && i < t->n_events; i++) {
		struct operators *o = t->events[i].kind == TL_KIND_CPU_OP ? TL_ITEM_FIND(&of, key_of(t, i, t->events[i].name)) : NULL;
		if (!o || !is_operator(t, &t->events[i]))
			continue;
		if (!o->all.n || t->events[i].ts < t->events[o->first].ts)
			o->first = i;
		TL_PUSH(o->all.ticks, o->all.n, o->all.cap, t->events[i].dur);
	}
	for (size_t i = 0; i < of.n; i++) {
		const struct operators *o = &of.items[i];
		const struct tl_ev *e = &t->events[o->first];
		int64_t usual = tl_median_int(o->all.ticks, o->all.n, false);
		if (o->all.n > FIRST_OF && e->dur >= least && e->dur / FIRST_TIMES >= usual && !is_known(f, o->first) && !is_in_calls(f, o->first))
			add_span(f, TL_ONE_OFF_FIRST_CALL, o->first, e->ts, tl_ticks_sub(tl_ev_end(e), usual)); /* around what else is told within it */
		free(o->all.ticks);
	}
	TL_KEYED_RELEASE(&of);
}

/* ---- long calls ------------------------------------------------------------------------------ */

/* What is launched first, of the kernels that suspects launch; and what the process has on a device first. */
static void find_first_launches(struct finder *f)
{
	struct tl_trace *t = f->t;
	const uint32_t *call_of = tl_calls_of_work(t);

	for (size_t i = 0; i < f->n_suspects; i++) {
		uint32_t n;
		const uint32_t *launched = tl_launched_by(f->waits.copies, f->suspects[i], &n);
		for (uint32_t k = 0; k < n; k++)
			if (t->events[launched[k]].kind == TL_KIND_KERNEL)
				tl_map_put(&f->first_launch, key_of(t, f->suspects[i], t->events[launched[k]].name), NULL);
	}
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (!tl_gpu_usable(e) || call_of[i] == TL_NONE)
			continue;
		uint32_t *work = tl_map_put(&f->first_work, process_of(t, call_of[i]), NULL);
		if (!*work || t->events[*work - 1].ts > e->ts)
			*work = i + 1;
		uint32_t *first = tl_map_get(&f->first_launch, key_of(t, call_of[i], e->name));
		if (first && (!*first || t->events[*first - 1].ts > t->events[call_of[i]].ts))
			*first = call_of[i] + 1;
	}
}

/* Does a call launch a kernel that its process never launched before? */
static bool is_first_launch(struct finder *f, uint32_t call)
{
	uint32_t n;
	const uint32_t *launched = tl_launched_by(f->waits.copies, call, &n);

	for (uint32_t k = 0; k < n; k++) {
		const struct tl_ev *e = &f->t->events[launched[k]];
		const uint32_t *first = tl_map_get(&f->first_launch, key_of(f->t, call, e->name));
		if (e->kind == TL_KIND_KERNEL && first && *first == call + 1)
			return true;
	}
	return false;
}

/* How long calls of these names take usually: the median of those that launch nothing for the first time. */
static void find_usual(struct finder *f)
{
	const struct tl_trace *t = f->t;

	for (size_t i = 0; i < f->n_suspects; i++)
		(void)TL_ITEM(&f->calls, t->events[f->suspects[i]].name, NULL);
	for (uint32_t i = 0; f->calls.n && i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		struct calls *c = tl_kind_is_launch(e->kind) && tl_ev_has_span(e) ? TL_ITEM_FIND(&f->calls, e->name) : NULL;
		if (!c || is_first_launch(f, i))
			continue;
		TL_PUSH(c->ticks, c->n, c->cap, e->dur);
	}
	for (size_t i = 0; i < f->calls.n; i++) {
		struct calls *c = &f->calls.items[i];
		c->usual = c->n < USUAL_OF ? tl_ticks_of_us(USUAL_US, t->ticks_per_us) : tl_median_int(c->ticks, c->n, false);
	}
}

/* Had the process nothing on a device yet when the call ended? Nothing can be waited for then, but what was launched before the
 * recording. */
static bool is_before_work(struct finder *f, uint32_t call, enum tl_call_kind kind)
{
	const uint32_t *work = tl_map_get(&f->first_work, process_of(f->t, call));

	return work && *work && tl_ev_end(&f->t->events[call]) <= f->t->events[*work - 1].ts && (kind < TL_CALL_AWAITS_DEVICE || kind == TL_CALL_FREES);
}

/* Is the queue of the call's stream so long that the call may wait for room? */
static bool may_be_blocked(struct finder *f, uint32_t call)
{
	const struct tl_queues *q = tl_queues_of(f->t);
	const struct tl_trace *t = f->t;
	size_t i;

	TL_SEARCH(i, q->n_launches, mid, t->events[q->launches[mid].call].ts < t->events[call].ts);
	for (; i < q->n_launches && t->events[q->launches[i].call].ts == t->events[call].ts; i++)
		if (q->launches[i].call == call && q->launches[i].before >= QUEUE_AHEAD)
			return true;
	return false;
}

static void judge_call(struct finder *f, uint32_t call)
{
	const struct tl_trace *t = f->t;
	const struct tl_ev *e = &t->events[call];
	enum tl_call_kind kind = tl_call_kind(&f->waits, call);
	const struct calls *calls = TL_ITEM_FIND(&f->calls, e->name);
	int64_t usual = calls->usual, start = tl_ticks_add(e->ts, usual);
	uint32_t n;

	if (e->dur / LONG_TIMES < usual)
		return;
	tl_launched_by(f->waits.copies, call, &n);
	size_t loading = tl_innermost_from(&f->profiler->loading, e->ts);
	bool loads = loading < f->profiler->loading.n_segments && f->profiler->loading.segments[loading].start < tl_ev_end(e);
	if (loads || tl_name_is(f->first, e->name, "loads") || (n && kind < TL_CALL_AWAITS_DEVICE && is_first_launch(f, call)))
		add(f, TL_ONE_OFF_FIRST_USE, call, start);
	else if (tl_name_is(f->first, e->name, "once") || is_before_work(f, call, kind))
		add(f, TL_ONE_OFF_FIRST_CALL, call, start);
	else if (n && kind < TL_CALL_AWAITS_DEVICE && e->dur >= tl_ticks_of_us(SLOW_US, t->ticks_per_us) && e->dur / SLOW_TIMES >= usual &&
	         !may_be_blocked(f, call))
		add(f, TL_ONE_OFF_SLOW_CALL, call, start);
}

/* ---- once, or in each step ----------------------------------------------------------------------- */

static void find_windows(struct finder *f)
{
	const struct tl_steps *steps = tl_steps_of(f->t);
	const struct tl_trace *t = f->t;

	f->device = (struct tl_span){ INT64_MAX, INT64_MIN };
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (!tl_gpu_usable(e))
			continue;
		f->device.start = e->ts < f->device.start ? e->ts : f->device.start;
		f->device.end = tl_ev_end(e) > f->device.end ? tl_ev_end(e) : f->device.end;
	}
	for (size_t i = 0; steps->n > 1 && i < steps->n; i++)
		tl_spans_add(&f->windows, steps->items[i].from, steps->items[i].to);
	if (steps->n < 2) {
		/* Of a trace without steps: parts with as many launches each. Time would not do: what is done once may take most of it. */
		size_t n = t->n_launches;
		int64_t *at = tl_alloc((n + 1) * sizeof *at);
		for (size_t i = 0; i < n; i++)
			at[i] = t->events[t->launches[i].runtime].ts;
		tl_sort_times(at, n);
		size_t parts = n < PARTS ? n : PARTS;
		for (size_t i = 0; i < parts; i++)
			tl_spans_add(&f->windows, at[i * n / parts], i + 1 < parts ? at[(i + 1) * n / parts] : INT64_MAX);
		free(at);
	}
}

/* Does it happen in half of the steps, or more? A process that starts up frees nothing: of memory it is enough that it is freed in two. */
static bool is_repeated(struct finder *f, enum tl_one_off_kind kind)
{
	bool *seen = tl_calloc(f->windows.n + 1, sizeof *seen);
	size_t n = 0, frees = 0, last = SIZE_MAX;

	for (size_t i = 0; i < f->out->n; i++) {
		const struct tl_one_off *o = &f->out->items[i];
		size_t at = o->kind == kind ? tl_spans_from(&f->windows, o->start) : f->windows.n;
		if (at == f->windows.n || f->windows.items[at].start > o->start)
			continue;
		n += !seen[at];
		seen[at] = true;
		if (kind == TL_ONE_OFF_ALLOCATOR && at != last && tl_call_kind(&f->waits, o->event) == TL_CALL_FREES) {
			frees++;
			last = at;
		}
	}
	free(seen);
	return f->windows.n && (n * 2 >= f->windows.n || frees > 1);
}

static void settle_kind(struct finder *f, enum tl_one_off_kind kind)
{
	struct tl_one_offs *out = f->out;
	size_t kept = 0;

	if (!is_repeated(f, kind))
		return;
	for (size_t i = 0; i < out->n; i++) {
		out->items[i].repeated |= out->items[i].kind == kind;
		if (out->items[i].kind != kind || kind != TL_ONE_OFF_ALLOCATOR) /* the allocator's time has a name of its own */
			out->items[kept++] = out->items[i];
	}
	out->n = kept;
}

/* ---- the steady part ------------------------------------------------------------------------------ */

/* The longest run of steps that are not cold. */
static bool find_steady_steps(struct finder *f, const struct tl_spans *once, const struct tl_spans *launches)
{
	const struct tl_steps *steps = tl_steps_of(f->t);
	size_t run = 0, longest = 0;
	int64_t first = 0;

	for (size_t i = 0; i < steps->n; i++) {
		const struct tl_step *s = &steps->items[i];
		if (!tl_spans_within(launches, s->from, s->to)) /* a step without work tells nothing */
			continue;
		bool cold = (double)tl_spans_within(once, s->from, s->to) > cold_share * (double)tl_ticks_sub(s->to, s->from);
		run = cold ? 0 : run + 1;
		first = run == 1 ? s->from : first;
		if (run > longest) {
			longest = run;
			f->out->steady = (struct tl_span){ first, s->to };
		}
	}
	return longest > 1;
}

static bool find_steady_end(struct finder *f)
{
	int64_t last = f->device.start;
	size_t kernels = 0;

	for (size_t i = 0; i < f->out->n; i++) {
		const struct tl_one_off *o = &f->out->items[i];
		bool counts = o->kind == TL_ONE_OFF_FIRST_USE || o->kind == TL_ONE_OFF_FIRST_CALL || o->kind == TL_ONE_OFF_COMPILE || o->kind == TL_ONE_OFF_AUTOTUNE;
		last = counts && !o->repeated && o->end > last ? o->end : last;
	}
	for (uint32_t i = 0; i < f->t->n_events; i++)
		kernels += f->t->events[i].kind == TL_KIND_KERNEL && tl_gpu_usable(&f->t->events[i]) && f->t->events[i].ts >= last;
	f->out->steady = (struct tl_span){ last, INT64_MAX };
	return kernels >= STEADY_KERNELS && (double)tl_ticks_sub(f->device.end, last) >= steady_share * (double)tl_ticks_sub(f->device.end, f->device.start);
}

static void find_steady(struct finder *f)
{
	struct tl_spans once = { 0 }, launches = { 0 };
	struct tl_span window = f->device;

	for (size_t i = 0; i < f->out->n; i++) {
		const struct tl_one_off *o = &f->out->items[i];
		if (o->repeated)
			continue;
		tl_spans_add(&once, o->start, o->end);
		window.start = o->start < window.start ? o->start : window.start;
	}
	for (size_t i = 0; i < f->t->n_launches; i++) {
		const struct tl_ev *e = &f->t->events[f->t->launches[i].runtime];
		tl_spans_add(&launches, e->ts, tl_ev_end(e));
	}
	tl_spans_merge(&once);
	tl_spans_merge(&launches);
	f->out->steady = (struct tl_span){ INT64_MIN, INT64_MAX };
	f->out->has_steady = !once.n || find_steady_steps(f, &once, &launches);
	if (!f->out->has_steady) {
		f->out->steady = (struct tl_span){ INT64_MIN, INT64_MAX };
		f->out->has_steady = (double)tl_spans_within(&once, window.start, window.end) < small_share * (double)tl_ticks_sub(window.end, window.start) ||
			find_steady_end(f);
	}
	tl_spans_release(&once);
	tl_spans_release(&launches);
}

/* ---- all -------------------------------------------------------------------------------------------- */

struct kept_one_offs { struct tl_one_offs one_offs; bool found; };

static void release_kept(void *kept)
{
	struct tl_one_offs *o = &((struct kept_one_offs *)kept)->one_offs;

	free(o->items);
	tl_innermosts_release(&o->of_process);
}

static void find(struct finder *f)
{
	find_windows(f);
	find_named(f);
	find_trials(f);
	find_first_operators(f);
	if (f->n_suspects) {
		find_first_launches(f);
		find_usual(f);
	}
	for (size_t i = 0; i < f->n_suspects; i++)
		judge_call(f, f->suspects[i]);
	settle_kind(f, TL_ONE_OFF_COMPILE);
	settle_kind(f, TL_ONE_OFF_AUTOTUNE);
	settle_kind(f, TL_ONE_OFF_ALLOCATOR);
	for (size_t i = 0; i < f->out->n; i++)
		tl_innermosts_add(&f->out->of_process, process_of(f->t, f->out->items[i].event), f->out->items[i].start, f->out->items[i].end, (uint32_t)i);
	tl_innermosts_build(&f->out->of_process);
	find_steady(f);
}

const struct tl_one_offs *tl_one_offs_of(struct tl_trace *t)
{
	struct kept_one_offs *k = tl_trace_keep(t, sizeof *k, release_kept);
	struct finder f = { .t = t, .out = &k->one_offs };

	if (k->found)
		return &k->one_offs;
	f.profiler = tl_profiler_time_of(t);
	tl_waits_init(&f.waits, t);
	f.work = tl_kept_answers(t, TL_HOST_WORK);
	f.compile = tl_kept_answers(t, TL_COMPILE_NAMES);
	f.first = tl_kept_answers(t, TL_FIRST_CALLS);
	f.kinds = tl_kept_answers(t, TL_KERNEL_KINDS);
	find(&f);
	k->found = true;
	for (size_t i = 0; i < f.calls.n; i++)
		free(f.calls.items[i].ticks);
	TL_KEYED_RELEASE(&f.calls);
	free(f.suspects);
	tl_map_release(&f.first_launch);
	tl_map_release(&f.first_work);
	tl_spans_release(&f.windows);
	return &k->one_offs;
}
