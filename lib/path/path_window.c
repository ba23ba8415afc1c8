/* path_window.c - the window that a path is of, and the device work in it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "path/graph_parts.h"

#include "analysis/device_events.h"
#include "analysis/launchers.h"
#include "analysis/profiler_step.h"
#include "base/merge_sort.h"
#include "model/trace.h"
#include "steps/step_find.h"

#include <stdlib.h>

/* Those of the profiler, wherever they are, else those that the trace can be split into. */
static void find_steps(struct tl_steps *s, const struct tl_trace *t)
{
	tl_steps_of_profiler(s, t);
	if (!s->n)
		tl_steps_to_split(s, t);
}

/* That of ProfilerStep#N, else the place among the steps. */
static int64_t number_of(const struct tl_trace *t, const struct tl_steps *s, size_t i)
{
	int64_t number = tl_profiler_step(tl_str(&t->strings, t->events[s->items[i].event].name));

	return number < 0 ? (int64_t)i : number;
}

/* The end of the work that calls within a time launched; no earlier than the time's. */
static int64_t launched_until(const struct path_maker *m, const struct tl_step *step)
{
	int64_t end = step->to;

	for (uint32_t i = 0; i < m->t->n_events; i++) {
		const struct tl_ev *e = &m->t->events[i];
		if (m->call_of[i] == TL_NONE || !tl_gpu_usable(e))
			continue;
		int64_t at = m->t->events[m->call_of[i]].ts;
		if (at >= step->from && at <= step->to && tl_ev_end(e) > end)
			end = tl_ev_end(e);
	}
	return end;
}

/* Steps partition time: each begins where what the one before launched has ended. *device_end: the end of what it launched. */
static enum tl_status step_window(struct path_maker *m, struct tl_error *err, int64_t *device_end)
{
	struct tl_steps s;
	int64_t before = INT64_MIN;

	find_steps(&s, m->t);
	for (size_t i = 0; i < s.n && m->step == TL_NONE; i++) {
		const struct tl_step *step = &s.items[i];
		int64_t start = step->from > before ? step->from : before, end = launched_until(m, step);
		before = end;
		if (number_of(m->t, &s, i) != m->o->step)
			continue;
		m->step = step->event;
		m->g->window.start = start;
		m->g->host_end = step->to > start ? step->to : start;
		*device_end = end > start ? end : start;
	}
	size_t n = s.n;
	int64_t first = n ? number_of(m->t, &s, 0) : 0, last = n ? number_of(m->t, &s, n - 1) : 0;
	tl_steps_release(&s);
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

TL_ORDER_IN(by_start_and_end, struct path_work, struct tl_trace,
	TL_ASC(ctx->events[x->event].ts) TL_ASC(ctx->events[x->event].dur))

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
		TL_PUSH(m->work, m->n_work, m->cap_work, (struct path_work){ .event = i, .call = m->call_of[i] });
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
