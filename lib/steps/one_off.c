/* one_off.c - what a process does once, and which part of the recording is steady.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/one_off.h"

#include "analysis/device_events.h"
#include "analysis/launchers.h"
#include "analysis/queue.h"
#include "analysis/waits.h"
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
	WORKERS_US = 1000, WORKERS_TIMES = 3, /* a first batch that takes so long, and so much longer than the others */
	PARTS = 8,                       /* a trace without steps is looked at in so many parts of equal length */
	STEADY_KERNELS = 64
};
static const double cold_share = 0.05, small_share = 0.2, steady_share = 0.25;

/* Calls of one name. */
struct calls { int64_t *ticks; size_t n, cap; int64_t usual; };

struct finder {
	struct tl_trace *t;
	struct tl_waits waits;
	struct tl_name_answers work, compile, first;
	const struct tl_profiler_time *profiler;
	struct tl_one_offs *out;
	uint32_t *suspects; size_t n_suspects, cap_suspects; /* calls of LONG_US or more */
	struct tl_map number; struct calls *calls; size_t n_calls, cap_calls; /* name of a suspect -> 1 + index */
	struct tl_map first_launch; /* process and name of a kernel of a suspect -> 1 + the call that launched it first */
	struct tl_map first_work;   /* process -> 1 + the device event that it launched that starts first */
	struct tl_spans windows;    /* steps, or parts of the trace: sorted, and disjoint but where steps touch */
	struct tl_span device;      /* from the first device event to the last */
};

const char *tl_one_off_name(enum tl_one_off_kind kind)
{
	static const char *const names[TL_ONE_OFF_KINDS] = {
		"compilation", "search for algorithms", "capture of a graph", "start of the loader's workers", "first use of kernels and libraries",
		"slow call", "memory allocated once"
	};

	return names[kind];
}

static uint32_t process_of(const struct tl_trace *t, uint32_t event)
{
	return t->tracks[t->events[event].track].pid;
}

static void add(struct finder *f, enum tl_one_off_kind kind, uint32_t event, int64_t start)
{
	struct tl_one_offs *out = f->out;

	TL_GROW(out->items, out->cap, out->n + 1);
	out->items[out->n++] = (struct tl_one_off){ start, tl_ev_end(&f->t->events[event]), event, kind, false };
}

/* ---- told by names ------------------------------------------------------------------------- */

/* A first batch for which the workers start is told from a slow loader: the others do not take as long. */
static void add_workers(struct finder *f, const uint32_t *batches, size_t n)
{
	const struct tl_trace *t = f->t;
	int64_t *others = tl_alloc((n + 1) * sizeof *others);

	for (size_t i = 1; i < n; i++)
		others[i - 1] = t->events[batches[i]].dur;
	int64_t usual = n > 1 ? tl_median_int(others, n - 1, false) : 0, least = tl_ticks_of_us(WORKERS_US, t->ticks_per_us);
	if (n && t->events[batches[0]].dur >= least && t->events[batches[0]].dur / WORKERS_TIMES >= usual)
		add(f, TL_ONE_OFF_WORKERS, batches[0], t->events[batches[0]].ts);
	free(others);
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
		const char *work = tl_name_answer(&f->work, e->name);
		if (!strcmp(work, "compile") || tl_name_is(&f->compile, e->name, "compilation"))
			add(f, TL_ONE_OFF_COMPILE, i, e->ts);
		else if (!strcmp(work, "autotune"))
			add(f, TL_ONE_OFF_AUTOTUNE, i, e->ts);
		else if (!strcmp(work, "capture"))
			add(f, TL_ONE_OFF_CAPTURE, i, e->ts);
		else if (!strcmp(work, "loader-start") && e->dur >= tl_ticks_of_us(WORKERS_US, t->ticks_per_us))
			add(f, TL_ONE_OFF_WORKERS, i, e->ts);
		else if (!strcmp(work, "loader-workers")) {
			TL_GROW(batches, cap, n + 1);
			batches[n++] = i;
		}
		if (!tl_kind_is_launch(e->kind))
			continue;
		enum tl_call_kind kind = tl_call_kind(&f->waits, i);
		if (kind == TL_CALL_ALLOCATES || kind == TL_CALL_FREES)
			add(f, TL_ONE_OFF_ALLOCATOR, i, e->ts);
		if (e->dur >= tl_ticks_of_us(LONG_US, t->ticks_per_us)) {
			TL_GROW(f->suspects, f->cap_suspects, f->n_suspects + 1);
			f->suspects[f->n_suspects++] = i;
		}
	}
	add_workers(f, batches, n);
	free(batches);
}

/* ---- long calls ------------------------------------------------------------------------------ */

static uint64_t kernel_key(const struct tl_trace *t, uint32_t call, uint32_t name)
{
	return (uint64_t)process_of(t, call) << 32 | name;
}

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
				tl_map_put(&f->first_launch, kernel_key(t, f->suspects[i], t->events[launched[k]].name), NULL);
	}
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (!tl_gpu_usable(e) || call_of[i] == TL_NONE)
			continue;
		uint32_t *work = tl_map_put(&f->first_work, process_of(t, call_of[i]), NULL);
		if (!*work || t->events[*work - 1].ts > e->ts)
			*work = i + 1;
		uint32_t *first = tl_map_get(&f->first_launch, kernel_key(t, call_of[i], e->name));
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
		const uint32_t *first = tl_map_get(&f->first_launch, kernel_key(f->t, call, e->name));
		if (e->kind == TL_KIND_KERNEL && first && *first == call + 1)
			return true;
	}
	return false;
}

/* How long calls of these names take usually: the median of those that launch nothing for the first time. */
static void find_usual(struct finder *f)
{
	const struct tl_trace *t = f->t;

	for (size_t i = 0; i < f->n_suspects; i++) {
		uint32_t *number = tl_map_put(&f->number, t->events[f->suspects[i]].name, NULL);
		if (*number)
			continue;
		TL_GROW(f->calls, f->cap_calls, f->n_calls + 1);
		f->calls[f->n_calls++] = (struct calls){ 0 };
		*number = (uint32_t)f->n_calls;
	}
	for (uint32_t i = 0; f->n_calls && i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		const uint32_t *number = tl_kind_is_launch(e->kind) && tl_ev_has_span(e) ? tl_map_get(&f->number, e->name) : NULL;
		if (!number || is_first_launch(f, i))
			continue;
		struct calls *c = &f->calls[*number - 1];
		TL_GROW(c->ticks, c->cap, c->n + 1);
		c->ticks[c->n++] = e->dur;
	}
	for (size_t i = 0; i < f->n_calls; i++)
		f->calls[i].usual = f->calls[i].n < USUAL_OF ? tl_ticks_of_us(USUAL_US, t->ticks_per_us) : tl_median_int(f->calls[i].ticks, f->calls[i].n, false);
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
	int64_t usual = f->calls[*tl_map_get(&f->number, e->name) - 1].usual, start = tl_ticks_add(e->ts, usual);
	uint32_t n;

	if (e->dur / LONG_TIMES < usual)
		return;
	tl_launched_by(f->waits.copies, call, &n);
	size_t loading = tl_innermost_from(&f->profiler->loading, e->ts);
	bool loads = loading < f->profiler->loading.n_segments && f->profiler->loading.segments[loading].start < tl_ev_end(e);
	if (loads || tl_name_is(&f->first, e->name, "once") || is_before_work(f, call, kind) ||
	    (n && kind < TL_CALL_AWAITS_DEVICE && is_first_launch(f, call)))
		add(f, TL_ONE_OFF_FIRST_USE, call, start);
	else if (n && kind < TL_CALL_AWAITS_DEVICE && e->dur >= tl_ticks_of_us(SLOW_US, t->ticks_per_us) && e->dur / SLOW_TIMES >= usual &&
	         !may_be_blocked(f, call))
		add(f, TL_ONE_OFF_SLOW_CALL, call, start);
}

/* ---- once, or in each step ----------------------------------------------------------------------- */

static void find_windows(struct finder *f)
{
	const struct tl_steps *steps = tl_steps_of(f->t);
	const struct tl_trace *t = f->t;
	struct tl_span all = { INT64_MAX, INT64_MIN };

	f->device = all;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		struct tl_span *of = tl_gpu_usable(e) ? &f->device : tl_kind_is_launch(e->kind) && tl_ev_has_span(e) ? &all : NULL;
		if (of) {
			of->start = e->ts < of->start ? e->ts : of->start;
			of->end = tl_ev_end(e) > of->end ? tl_ev_end(e) : of->end;
		}
	}
	for (size_t i = 0; steps->n > 1 && i < steps->n; i++)
		tl_spans_add(&f->windows, steps->items[i].from, steps->items[i].to);
	for (int i = 0; steps->n < 2 && all.start < all.end && i < PARTS; i++) {
		int64_t part = tl_ticks_sub(all.end, all.start) / PARTS;
		tl_spans_add(&f->windows, tl_ticks_add(all.start, part * i), tl_ticks_add(all.start, part * (i + 1)));
	}
}

/* Does it happen in half of the steps, or more? */
static bool is_repeated(const struct finder *f, enum tl_one_off_kind kind)
{
	bool *seen = tl_calloc(f->windows.n + 1, sizeof *seen);
	size_t n = 0;

	for (size_t i = 0; i < f->out->n; i++) {
		const struct tl_one_off *o = &f->out->items[i];
		size_t at = o->kind == kind ? tl_spans_from(&f->windows, o->start) : f->windows.n;
		if (at == f->windows.n || f->windows.items[at].start > o->start || seen[at])
			continue;
		seen[at] = true;
		n++;
	}
	free(seen);
	return f->windows.n && n * 2 >= f->windows.n;
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
static bool find_steady_steps(struct finder *f, const struct tl_spans *once)
{
	const struct tl_steps *steps = tl_steps_of(f->t);
	size_t run = 0, longest = 0;

	for (size_t i = 0; i < steps->n; i++) {
		const struct tl_step *s = &steps->items[i];
		bool cold = (double)tl_spans_within(once, s->from, s->to) > cold_share * (double)tl_ticks_sub(s->to, s->from);
		run = cold ? 0 : run + 1;
		if (run > longest) {
			longest = run;
			f->out->steady = (struct tl_span){ steps->items[i + 1 - run].from, s->to };
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
		bool counts = o->kind == TL_ONE_OFF_FIRST_USE || o->kind == TL_ONE_OFF_COMPILE || o->kind == TL_ONE_OFF_AUTOTUNE;
		last = counts && !o->repeated && o->end > last ? o->end : last;
	}
	for (uint32_t i = 0; i < f->t->n_events; i++)
		kernels += f->t->events[i].kind == TL_KIND_KERNEL && tl_gpu_usable(&f->t->events[i]) && f->t->events[i].ts >= last;
	f->out->steady = (struct tl_span){ last, INT64_MAX };
	return kernels >= STEADY_KERNELS && (double)tl_ticks_sub(f->device.end, last) >= steady_share * (double)tl_ticks_sub(f->device.end, f->device.start);
}

static void find_steady(struct finder *f)
{
	struct tl_spans once = { 0 };
	struct tl_span window = f->device;

	for (size_t i = 0; i < f->out->n; i++) {
		const struct tl_one_off *o = &f->out->items[i];
		if (o->repeated)
			continue;
		tl_spans_add(&once, o->start, o->end);
		window.start = o->start < window.start ? o->start : window.start;
	}
	tl_spans_merge(&once);
	f->out->steady = (struct tl_span){ INT64_MIN, INT64_MAX };
	f->out->has_steady = !once.n || find_steady_steps(f, &once);
	if (!f->out->has_steady) {
		f->out->steady = (struct tl_span){ INT64_MIN, INT64_MAX };
		f->out->has_steady = (double)tl_spans_within(&once, window.start, window.end) < small_share * (double)tl_ticks_sub(window.end, window.start) ||
			find_steady_end(f);
	}
	tl_spans_release(&once);
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
	tl_name_answers_init(&f.work, TL_HOST_WORK, &t->strings);
	tl_name_answers_init(&f.compile, TL_COMPILE_NAMES, &t->strings);
	tl_name_answers_init(&f.first, TL_FIRST_CALLS, &t->strings);
	find(&f);
	k->found = true;
	tl_waits_release(&f.waits);
	tl_name_answers_release(&f.work);
	tl_name_answers_release(&f.compile);
	tl_name_answers_release(&f.first);
	for (size_t i = 0; i < f.n_calls; i++)
		free(f.calls[i].ticks);
	free(f.calls);
	free(f.suspects);
	tl_map_release(&f.number);
	tl_map_release(&f.first_launch);
	tl_map_release(&f.first_work);
	tl_spans_release(&f.windows);
	return &k->one_offs;
}
