/* step_table.c - the sheet step_times: what each step took, and which one is slow.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/timeline.h"

#include "work/args.h"
#include "work/device_events.h"
#include "work/devices.h"
#include "work/launchers.h"
#include "work/spans.h"
#include "sheet/timeline.h"
#include "steps/recorded.h"
#include "steps/step_find.h"
#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a slow step may be slow in. */
static const struct { unsigned column; const char *name; } parts[] = {
	{ STEP_COMPUTE_MS, "compute" }, { STEP_EXPOSED_COMM_MS, "exposed communication" }, { STEP_EXPOSED_COPY_MS, "exposed copies" }, { STEP_IDLE_MS, "idle" },
};
enum { PARTS = sizeof parts / sizeof *parts };

struct timed {
	const struct tl_step *step;
	uint32_t pid;                    /* of the host process */
	struct tl_spans of[TL_GPU_WORKS]; /* the device work that it launched */
	struct tl_map calls;             /* that launched it */
	int64_t device_first, device_last;
	int64_t of_column[N_STEP];       /* ticks of STEP_PERIOD_MS and of STEP_BUSY_MS to STEP_HEAD_MS; how many STEP_DEVICE_EVENTS */
};

struct maker {
	struct tl_trace *t;
	const struct tl_steps *steps;
	struct timed *items; size_t n;
	struct tl_innermosts running;    /* by process or, where steps are times of devices, by device; event: index in items */
	struct tl_spans busy;            /* all device events, and what is unrecorded, merged */
	struct tl_table *rows;
};

/* The device on which a step is marked: of an annotation, the first of its process. */
static uint32_t device_of(const struct maker *m, uint32_t marker)
{
	const struct tl_devices *d = tl_devices_of(m->t);
	const struct tl_ev *events = m->t->events;
	size_t i = 0;

	if (d->of[marker] != TL_NONE)
		return d->of[marker];
	while (i < d->n_events && m->t->tracks[events[d->by_start[i]].track].pid != m->t->tracks[events[marker].track].pid)
		i++;
	return i < d->n_events ? d->of[d->by_start[i]] : TL_NONE;
}

static void find_steps(struct maker *m)
{
	const struct tl_steps *steps = m->steps;

	m->items = tl_calloc(steps->n + 1, sizeof *m->items);
	for (size_t i = 0; i < steps->n && steps->items[i].event != TL_NONE; i++) {
		const struct tl_step *s = &steps->items[i];
		uint32_t pid = m->t->tracks[m->t->events[s->event].track].pid;

		m->items[m->n++] = (struct timed){ .step = s, .pid = pid, .of_column[STEP_PERIOD_MS] = tl_step_period(m->t, steps, i),
		                                   .device_first = INT64_MAX, .device_last = INT64_MIN };
		if (steps->on_device)
			tl_innermosts_add(&m->running, device_of(m, s->marker), s->device.start, s->device.end, (uint32_t)i);
		else
			tl_innermosts_add(&m->running, pid, s->from, s->to, (uint32_t)i);
	}
	tl_innermosts_build(&m->running);
}

static void add_device_event(struct maker *m, uint32_t gpu, uint32_t call)
{
	const struct tl_ev *e = &m->t->events[gpu], *c = &m->t->events[call];
	uint32_t number = m->steps->on_device ? tl_innermosts_at(&m->running, tl_devices_of(m->t)->of[gpu], e->ts) :
	                                        tl_innermosts_at(&m->running, m->t->tracks[c->track].pid, c->ts);

	if (number == TL_NONE)
		return;
	struct timed *s = &m->items[number];
	tl_spans_add(&s->of[tl_gpu_work(e)], e->ts, tl_ev_end(e));
	tl_map_add(&s->calls, call);
	s->of_column[STEP_DEVICE_EVENTS]++;
	s->device_first = e->ts < s->device_first ? e->ts : s->device_first;
	s->device_last = tl_ev_end(e) > s->device_last ? tl_ev_end(e) : s->device_last;
}

static void add_device_events(struct maker *m)
{
	size_t n;
	struct tl_launch *launches = tl_launches_with_lone(m->t, &n);

	for (size_t i = 0; i < n; i++)
		if (tl_gpu_usable(&m->t->events[launches[i].gpu]) && m->t->events[launches[i].runtime].flags & TL_EV_HAS_TS)
			add_device_event(m, launches[i].gpu, launches[i].runtime);
	const struct tl_devices *d = tl_devices_of(m->t);
	for (size_t i = 0; i < d->n_events; i++)
		tl_spans_add(&m->busy, m->t->events[d->by_start[i]].ts, tl_ev_end(&m->t->events[d->by_start[i]]));
	const struct tl_gaps *gaps = &tl_recorded_of(m->t)->gaps;
	for (size_t i = 0; i < gaps->n; i++)
		if (gaps->items[i].unrecorded)
			tl_spans_add(&m->busy, gaps->items[i].start, gaps->items[i].end);
	tl_spans_merge(&m->busy);
	free(launches);
}

static void measure(struct maker *m, struct timed *s)
{
	struct tl_span recorded = tl_recorded_of(m->t)->window;
	int64_t ticks[TL_TIMES] = { 0 }, from = m->steps->on_device ? s->step->device.start : s->step->from, to = tl_ticks_add(from, s->of_column[STEP_PERIOD_MS]);

	tl_gpu_times(s->of, NULL, ticks);
	s->of_column[STEP_BUSY_MS] = ticks[TL_TIME_BUSY];
	s->of_column[STEP_COMPUTE_MS] = ticks[TL_TIME_COMPUTATION];
	s->of_column[STEP_EXPOSED_COMM_MS] = ticks[TL_TIME_EXPOSED_COMM];
	s->of_column[STEP_EXPOSED_COPY_MS] = ticks[TL_TIME_EXPOSED_MEMCPY];
	from = from > recorded.start ? from : recorded.start; /* of a slice, which steps may reach beyond */
	to = to < recorded.end ? to : recorded.end;
	s->of_column[STEP_IDLE_MS] = to > from ? tl_ticks_sub(tl_ticks_sub(to, from), tl_spans_within(&m->busy, from, to)) : 0;
	s->of_column[STEP_HEAD_MS] = s->of_column[STEP_DEVICE_EVENTS] && s->device_first > from ? tl_ticks_sub(s->device_first, from) : 0;
}

/* ---- which step is slow ------------------------------------------------------------------------ */

/* The median over all steps with an end of how far a column is from a number. */
static double median_distance(const struct maker *m, unsigned column, double from)
{
	double *values = tl_alloc((m->n + 1) * sizeof *values), median;
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		if (!m->items[i].step->open)
			values[n++] = fabs((double)m->items[i].of_column[column] - from);
	median = n ? tl_median(values, n) : 0;
	free(values);
	return median;
}

/* Medians of all steps, and from which period on one is slow: more than three deviations of a normal distribution above the
 * median, told by the median of the distances from the median, but at least 5 %. */
struct usual { double period, slow, device_events, parts[PARTS]; };

static struct usual find_usual(const struct maker *m)
{
	struct usual u = { .period = median_distance(m, STEP_PERIOD_MS, 0), .device_events = median_distance(m, STEP_DEVICE_EVENTS, 0) };
	double deviations = 3 * 1.4826 * median_distance(m, STEP_PERIOD_MS, u.period);

	u.slow = u.period + (deviations > u.period * .05 ? deviations : u.period * .05);
	for (size_t i = 0; i < PARTS; i++)
		u.parts[i] = median_distance(m, parts[i].column, 0);
	return u;
}

/* Says in which part a step exceeds the usual most, and by how much. */
static void tell_part(const struct maker *m, const struct timed *s, const struct usual *u, struct tl_cell *c)
{
	double most = 0;

	for (size_t i = 0; i < PARTS; i++) {
		double excess = (double)s->of_column[parts[i].column] - u->parts[i];

		if (excess <= most)
			continue;
		most = excess;
		c[STEP_SLOW_IN] = tl_cell_str(&m->t->strings, parts[i].name);
		c[STEP_SLOW_IN_MS] = tl_cell_ms((int64_t)excess);
	}
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static void add_step(struct maker *m, size_t i, const struct usual *u)
{
	struct tl_trace *t = m->t;
	const struct timed *s = &m->items[i];
	int64_t n_events = s->of_column[STEP_DEVICE_EVENTS];
	double period = (double)s->of_column[STEP_PERIOD_MS];
	const struct tl_step_text *text = &s->step->text;
	bool empty = text->kind != TL_STEP_NONE && !text->context.requests && !text->generation.requests; /* a server's step without requests */
	bool is_cut = s->step->open || (i && i + 1 == m->n && !empty && (double)n_events < u->device_events / 2), is_slow = i && period > u->slow;
	struct tl_cell c[N_STEP] = { [STEP_PROCESS] = tl_json_cell(t, s->pid), [STEP_STEP] = tl_cell_int(s->step->number),
		[STEP_NAME] = tl_name_cell(t, tl_step_name(t, s->step)),
		[STEP_START_US] = tl_start_cell(t, m->steps->on_device ? s->step->device.start : s->step->from),
		[STEP_PERIOD_MS] = tl_cell_ms(s->of_column[STEP_PERIOD_MS]), [STEP_HOST_MS] = tl_cell_ms(tl_ticks_sub(s->step->to, s->step->from)),
		[STEP_LAUNCHES] = tl_cell_int((int64_t)s->calls.count), [STEP_DEVICE_EVENTS] = tl_cell_int(n_events),
		[STEP_MARK] = tl_cell_str(&t->strings, !i && !s->step->open ? "first" : is_cut ? "cut" : is_slow ? "slow" : NULL) };

	if (n_events) {
		c[STEP_DEVICE_FIRST_US] = tl_start_cell(t, s->device_first);
		c[STEP_DEVICE_LAST_US] = tl_start_cell(t, s->device_last);
	}
	for (unsigned k = STEP_BUSY_MS; k <= STEP_HEAD_MS; k++)
		c[k] = tl_cell_ms(s->of_column[k]);
	if (u->period > 0)
		c[STEP_DEVIATION_PERCENT] = tl_cell_real((period - u->period) / u->period * 100);
	if (is_slow && !is_cut)
		tell_part(m, s, u, c);
	tl_table_add_row(m->rows, c);
}

struct kept_last { bool known; struct tl_last_step last; };

static void release_last(void *kept)
{
	(void)kept;
}

static struct tl_table *make_steps(struct tl_trace *t)
{
	struct maker m = { .t = t, .steps = tl_steps_of(t), .rows = tl_table_new(&t->strings, t->ticks_per_us, tl_timeline_step_rows) };

	tl_mark_work_once(t);
	find_steps(&m);
	if (m.n) {
		add_device_events(&m);
		for (size_t i = 0; i < m.n; i++)
			measure(&m, &m.items[i]);
		struct usual usual = find_usual(&m);
		for (size_t i = 0; i < m.n; i++)
			add_step(&m, i, &usual);
	}
	size_t last = m.n - 1;
	bool is_cut = m.n && !strcmp(tl_table_text(m.rows, last, STEP_MARK, ""), "cut");
	*(struct kept_last *)tl_trace_keep(t, sizeof(struct kept_last), release_last) =
		(struct kept_last){ true, { m.n, is_cut, m.n ? m.items[last].of_column[STEP_DEVICE_EVENTS] : 0 } };
	for (size_t i = 0; i < m.n; i++) {
		for (int w = 0; w < TL_GPU_WORKS; w++)
			tl_spans_release(&m.items[i].of[w]);
		tl_map_release(&m.items[i].calls);
	}
	free(m.items);
	tl_innermosts_release(&m.running);
	tl_spans_release(&m.busy);
	return m.rows;
}

struct tl_last_step tl_last_step_of(struct tl_trace *t)
{
	const struct kept_last *k = tl_trace_keep(t, sizeof *k, release_last);

	if (!k->known)
		tl_table_free(make_steps(t));
	return k->last;
}

void tl_timeline_step_times(void *ctx, struct tl_sheet_input *in)
{
	in->own_rows = make_steps(((const struct tl_timeline *)ctx)->trace);
}
