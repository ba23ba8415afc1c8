/* path_window.c - the window that a path is of, and the device work in it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "path/graph_parts.h"

#include "analysis/device_events.h"
#include "analysis/launchers.h"
#include "analysis/profiler_step.h"
#include "model/event_order.h"
#include "base/merge_sort.h"
#include "steps/step_find.h"

#include <stdlib.h>

/* A step has a number: that of ProfilerStep#N, which are steps wherever they are, else its place among those that the
 * trace can be split into. */
struct numbered { int64_t number; struct tl_span host; uint32_t event; };

static struct numbered *find_steps(const struct tl_trace *t, size_t *n)
{
	const struct tl_steps *steps = tl_steps_of(t);
	struct numbered *out = NULL;
	uint32_t *marks = NULL;
	size_t cap = 0, n_marks = 0, cap_marks = 0;

	*n = 0;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if ((e->kind != TL_KIND_ANNOTATION && e->kind != TL_KIND_CPU_OP) || !tl_ev_has_span(e) ||
		    tl_profiler_step(tl_str(&t->strings, e->name)) < 0)
			continue;
		TL_GROW(marks, cap_marks, n_marks + 1);
		marks[n_marks++] = i;
	}
	if (n_marks)
		tl_sort_by_start(t, marks, n_marks);
	for (size_t i = 0; i < n_marks; i++) {
		const struct tl_ev *e = &t->events[marks[i]];
		TL_GROW(out, cap, *n + 1);
		out[(*n)++] = (struct numbered){ tl_profiler_step(tl_str(&t->strings, e->name)), { e->ts, tl_ev_end(e) }, marks[i] };
	}
	for (size_t i = 0; !n_marks && i < steps->n && steps->items[i].event != TL_NONE; i++) {
		TL_GROW(out, cap, *n + 1);
		out[(*n)++] = (struct numbered){ (int64_t)i, { steps->items[i].from, steps->items[i].to }, steps->items[i].event };
	}
	free(marks);
	return out;
}

/* The end of the work that calls within a time launched; no earlier than the time's. */
static int64_t launched_until(const struct path_maker *m, const struct tl_span *host)
{
	int64_t end = host->end;

	for (uint32_t i = 0; i < m->t->n_events; i++) {
		const struct tl_ev *e = &m->t->events[i];
		if (m->call_of[i] == TL_NONE || !tl_gpu_usable(e))
			continue;
		int64_t at = m->t->events[m->call_of[i]].ts;
		if (at >= host->start && at <= host->end && tl_ev_end(e) > end)
			end = tl_ev_end(e);
	}
	return end;
}

/* Steps partition time: each begins where what the one before launched has ended. *device_end: the end of what it launched. */
static enum tl_status step_window(struct path_maker *m, struct tl_error *err, int64_t *device_end)
{
	size_t n;
	struct numbered *steps = find_steps(m->t, &n);
	int64_t before = INT64_MIN;

	for (size_t i = 0; i < n && m->step == TL_NONE; i++) {
		int64_t start = steps[i].host.start > before ? steps[i].host.start : before, end = launched_until(m, &steps[i].host);
		before = end;
		if (steps[i].number != m->o->step)
			continue;
		m->step = steps[i].event;
		m->g->window.start = start;
		m->g->host_end = steps[i].host.end > start ? steps[i].host.end : start;
		*device_end = end > start ? end : start;
	}
	int64_t first = n ? steps[0].number : 0, last = n ? steps[n - 1].number : 0;
	free(steps);
	if (m->step != TL_NONE)
		return TL_OK;
	if (!n)
		return tl_fail(err, TL_ERR_DATA, "the trace has no steps, so no step %lld: without --step the path is that of the whole trace",
		               (long long)m->o->step);
	return tl_fail(err, TL_ERR_DATA, "the trace has no step %lld; its steps are %lld to %lld", (long long)m->o->step,
	               (long long)first, (long long)last);
}

static bool is_host(const struct tl_ev *e)
{
	return (e->kind == TL_KIND_CPU_OP || e->kind == TL_KIND_ANNOTATION || e->kind == TL_KIND_PYTHON || tl_kind_is_launch(e->kind)) &&
		tl_ev_has_span(e);
}

/* From the first event to the end of the threads that launch work, of all if none does, and of the work. */
static enum tl_status trace_window(struct path_maker *m, struct tl_error *err)
{
	const struct tl_trace *t = m->t;
	bool *launches = tl_calloc((size_t)t->n_tracks + 1, sizeof *launches), any = false;
	struct tl_copies *copies = tl_copies_of(m->t);
	int64_t start = INT64_MAX, device_end = INT64_MIN, host_end = INT64_MIN;

	for (uint32_t i = 0; i < t->n_events; i++)
		if (m->call_of[i] != TL_NONE && tl_gpu_usable(&t->events[i]))
			any = launches[t->events[m->call_of[i]].track] = true;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		bool work = tl_gpu_usable(e);
		if (!work && (!is_host(e) || tl_is_copy(copies, i)))
			continue;
		start = e->ts < start ? e->ts : start;
		if (work)
			device_end = tl_ev_end(e) > device_end ? tl_ev_end(e) : device_end;
		else if ((!any || launches[e->track]) && tl_ev_end(e) > host_end)
			host_end = tl_ev_end(e);
	}
	free(launches);
	if (start == INT64_MAX)
		return tl_fail(err, TL_ERR_DATA, "the trace has no operators, calls or device events with a start and a duration");
	m->g->host_end = host_end > start ? host_end : start;
	m->g->window = (struct tl_span){ start, m->g->host_end > device_end ? m->g->host_end : device_end };
	return TL_OK;
}

static int by_start_and_end(const void *a, const void *b, void *trace)
{
	const struct tl_ev *events = ((const struct tl_trace *)trace)->events;
	const struct tl_ev *x = &events[((const struct path_work *)a)->event], *y = &events[((const struct path_work *)b)->event];

	return x->ts != y->ts ? (x->ts < y->ts ? -1 : 1) : (x->dur > y->dur) - (x->dur < y->dur);
}

/* The work that runs in the window; of a step not what later ones launched. */
static void find_work(struct path_maker *m, int64_t until)
{
	const struct tl_trace *t = m->t;
	const struct tl_span *w = &m->g->window;

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (!tl_gpu_usable(e) || tl_ev_end(e) > w->end)
			continue;
		if (!m->whole && (tl_ev_end(e) <= w->start || e->ts >= until ||
		                  (m->call_of[i] != TL_NONE && t->events[m->call_of[i]].ts > tl_ev_end(&t->events[m->step]))))
			continue;
		TL_GROW(m->work, m->cap_work, m->n_work + 1);
		m->work[m->n_work++] = (struct path_work){ .event = i, .call = m->call_of[i] };
	}
	if (m->n_work)
		tl_merge_sort(m->work, m->n_work, sizeof *m->work, by_start_and_end, m->t);
	m->g->launches = (uint32_t)m->n_work;
}

enum tl_status tl_path_find_window(struct path_maker *m, struct tl_error *err)
{
	int64_t device_end = INT64_MAX;

	m->call_of = tl_calls_of_work(m->t);
	m->of_call = tl_alloc(((size_t)m->t->n_events + 1) * sizeof *m->of_call);
	for (uint32_t i = 0; i < m->t->n_events; i++)
		m->of_call[i] = TL_NONE;
	enum tl_status status = m->whole ? trace_window(m, err) : step_window(m, err, &device_end);
	if (status != TL_OK)
		return status;
	if (!m->whole)
		m->g->window.end = m->g->host_end > device_end ? m->g->host_end : device_end;
	find_work(m, device_end);
	return TL_OK;
}
