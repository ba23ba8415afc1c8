/* step_kernels.c - how kernels fill each device in each step.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/step_kernels.h"

#include "analysis/args.h"
#include "analysis/device_events.h"
#include "analysis/devices.h"
#include "analysis/launchers.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "model/trace.h"
#include "steps/step_find.h"

#include <stdlib.h>

enum { RANK, PROCESS, DEVICE, STEP, START, LENGTH, WINDOW_START, WINDOW, COUNT, KERNEL, UTILISATION, EFFICIENCY, BLOCKS,
	BLOCKS_KNOWN, OCCUPANCY, OCCUPANCY_KNOWN, N_COLUMNS };
static const char *const columns[] = {
	"rank", "process", "device", "step", "start_us", "step_ms", "window_start_us", "window_ms", "kernel_count", "kernel_ms",
	"utilisation_pct", "sm_efficiency_pct", "blocks_per_sm", "blocks_known_pct", "occupancy_pct", "occupancy_known_pct", NULL
};

/* On the host; then from the end of the step before to the end of its last device event. */
struct step { uint32_t name; struct tl_span host, span; };
struct steps { struct step *items; size_t n, cap; };

static void add_step(struct steps *s, uint32_t name, int64_t from, int64_t to)
{
	TL_GROW(s->items, s->cap, s->n + 1);
	s->items[s->n++] = (struct step){ name, { from, to }, { from, to } };
}

/* Those of step_times, else one from the first to the last operator. */
static void find_host_steps(struct steps *s, struct tl_trace *t)
{
	const struct tl_steps *known = tl_steps_of(t);
	struct tl_span all = { INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < known->n; i++)
		add_step(s, t->events[known->items[i].event].name, known->items[i].from, known->items[i].to);
	for (uint32_t i = 0; !s->n && i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (e->kind != TL_KIND_CPU_OP || !tl_ev_has_span(e))
			continue;
		all.start = e->ts < all.start ? e->ts : all.start;
		all.end = tl_ev_end(e) > all.end ? tl_ev_end(e) : all.end;
	}
	if (!s->n && all.start <= all.end)
		add_step(s, tl_intern_str(&t->strings, "0"), all.start, all.end);
}

/* The last step that has begun on the host when a call starts, if that is in it; NULL: none. */
static struct step *step_of(const struct steps *s, int64_t call)
{
	size_t at;

	TL_SEARCH(at, s->n, mid, s->items[mid].host.start <= call);
	return at && call <= s->items[at - 1].host.end ? &s->items[at - 1] : NULL;
}

/* Extends steps to the ends of what they launched, and cuts each to begin where the one before ends. The first one begins when work that
 * was launched before it has ended, if that is before its own work. */
static void settle_steps(struct steps *s, struct tl_trace *t)
{
	const uint32_t *call_of = tl_calls_of_work(t);
	int64_t first = INT64_MAX;

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		struct step *step = tl_gpu_usable(e) && call_of[i] != TL_NONE ? step_of(s, t->events[call_of[i]].ts) : NULL;
		if (!step)
			continue;
		step->span.end = tl_ev_end(e) > step->span.end ? tl_ev_end(e) : step->span.end;
		if (step == s->items && e->ts < first)
			first = e->ts;
	}
	for (uint32_t i = 0; s->n && i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (!tl_gpu_usable(e) || tl_ev_end(e) > first || tl_ev_end(e) <= s->items[0].span.start || first == INT64_MAX)
			continue;
		if (call_of[i] == TL_NONE || !step_of(s, t->events[call_of[i]].ts))
			s->items[0].span.start = tl_ev_end(e);
	}
	for (size_t i = 1; i < s->n; i++) {
		struct tl_span *span = &s->items[i].span;
		span->start = s->items[i - 1].span.end > span->start ? s->items[i - 1].span.end : span->start;
		span->end = span->end > span->start ? span->end : span->start;
	}
}

/* A kernel starts or ends. */
struct turn { int64_t at; double blocks; int starts; };

static int by_time(const void *pa, const void *pb, void *unused)
{
	const struct turn *a = pa, *b = pb;

	(void)unused;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* The time in which kernels run, weighted by how much of the device's units has a block. *busy: not weighted. */
static double filled(struct turn *turns, size_t n, int64_t *busy)
{
	double sum = 0, blocks = 0;
	int64_t running = 0;

	*busy = 0;
	if (n)
		tl_merge_sort(turns, n, sizeof *turns, by_time, NULL);
	for (size_t i = 0; i + 1 < n; i++) {
		int64_t ticks = tl_ticks_sub(turns[i + 1].at, turns[i].at);
		running += turns[i].starts ? 1 : -1;
		blocks = running ? blocks + (turns[i].starts ? turns[i].blocks : -turns[i].blocks) : 0; /* no rest of rounding stays */
		if (running)
			*busy = tl_ticks_add(*busy, ticks);
		sum += (blocks < 1 ? blocks : 1) * (double)ticks;
	}
	return sum;
}

struct maker { struct tl_trace *t; struct tl_arg blocks, occupancy; struct turn *turns; size_t cap; struct tl_table *rows; };
/* A mean by time, of the kernels that have the value. */
struct mean { double sum, ticks; };

static void add_to_mean(struct mean *m, double value, int64_t ticks)
{
	m->sum += value * (double)ticks;
	m->ticks += value > 0 ? (double)ticks : 0;
}

static void mean_cells(struct tl_cell *c, const struct mean *m, double all)
{
	if (m->ticks > 0)
		c[0] = tl_cell_real(m->sum / m->ticks);
	if (all > 0)
		c[1] = tl_cell_real(m->ticks / all * 100);
}

/* kernels: those of the device, by start. */
static void add_row(struct maker *m, const struct tl_device *d, const struct step *s, const uint32_t *kernels, size_t n)
{
	struct mean blocks = { 0 }, occupancy = { 0 };
	int64_t length = tl_ticks_sub(s->span.end, s->span.start), busy;
	double all = 0;
	size_t count = 0;

	for (size_t i = 0; i < n && m->t->events[kernels[i]].ts < s->span.end; i++) {
		const struct tl_ev *e = &m->t->events[kernels[i]];
		int64_t from = e->ts > s->span.start ? e->ts : s->span.start, to = tl_ev_end(e) < s->span.end ? tl_ev_end(e) : s->span.end;
		double b = tl_arg_positive(m->t, &m->blocks, kernels[i]);
		if (to <= from)
			continue;
		TL_GROW(m->turns, m->cap, 2 * count + 2);
		m->turns[2 * count] = (struct turn){ from, b, true };
		m->turns[2 * count++ + 1] = (struct turn){ to, b, false };
		add_to_mean(&blocks, b, tl_ticks_sub(to, from));
		add_to_mean(&occupancy, tl_arg_positive(m->t, &m->occupancy, kernels[i]), tl_ticks_sub(to, from));
		all += (double)tl_ticks_sub(to, from);
	}
	double full = filled(m->turns, 2 * count, &busy);
	struct tl_cell c[N_COLUMNS] = { [RANK] = d->rank, [PROCESS] = d->process, [DEVICE] = d->device, [STEP] = tl_name_cell(m->t, s->name),
		[START] = tl_start_cell(m->t, s->host.start), [LENGTH] = tl_cell_ms(tl_ticks_sub(s->host.end, s->host.start)),
		[WINDOW_START] = tl_start_cell(m->t, s->span.start), [WINDOW] = tl_cell_ms(length), [COUNT] = tl_cell_int((int64_t)count),
		[KERNEL] = tl_cell_ms(busy) };
	if (length > 0)
		c[UTILISATION] = tl_cell_real((double)busy / (double)length * 100);
	if (length > 0 && blocks.ticks > 0)
		c[EFFICIENCY] = tl_cell_real(full / (double)length * 100);
	mean_cells(c + BLOCKS, &blocks, all);
	mean_cells(c + OCCUPANCY, &occupancy, all);
	tl_table_add_row(m->rows, c);
}

/* Kernels that ended before the step are passed over for good, as far as no other one that started before them still runs. */
static void add_device(struct maker *m, const struct tl_device *d, const struct steps *s, uint32_t *kernels, size_t n)
{
	size_t from = 0;

	for (size_t i = 0; i < s->n; i++) {
		while (from < n && tl_ev_end(&m->t->events[kernels[from]]) <= s->items[i].span.start)
			from++;
		add_row(m, d, &s->items[i], kernels + from, n - from);
	}
}

struct tl_table *tl_step_kernels(struct tl_trace *t)
{
	struct maker m = { .t = t, .blocks = tl_arg_of(t, "blocks per SM"), .occupancy = tl_arg_of(t, "est. achieved occupancy %"),
	                   .rows = tl_table_new(&t->strings, t->ticks_per_us, columns) };
	const struct tl_devices *d = tl_devices_of(t);
	struct tl_split_events events = tl_split_events(d->of, d->n, NULL, t->n_events);
	struct steps s = { 0 };

	find_host_steps(&s, t);
	settle_steps(&s, t);
	for (size_t i = 0; i < d->n; i++) {
		uint32_t *kernels = events.items + events.start[i];
		size_t n = 0;
		for (size_t k = events.start[i]; k < events.start[i + 1]; k++)
			if (t->events[events.items[k]].kind == TL_KIND_KERNEL)
				kernels[n++] = events.items[k];
		tl_sort_by_start(t, kernels, n);
		add_device(&m, &d->items[i], &s, kernels, n);
	}
	tl_split_events_release(&events);
	free(s.items);
	free(m.turns);
	return m.rows;
}
