/* exposed.c - communication and copies that nothing hides, by what they move.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/args.h"
#include "work/calls.h"
#include "work/device_events.h"
#include "work/kept.h"
#include "work/profiler_step.h"
#include "base/search.h"
#include "base/text.h"
#include "work/name_rules.h"
#include "model/trace.h"
#include "sheet/timeline.h"
#include "sheets/timeline.h"
#include "sheets/window.h"
#include "steps/step_find.h"
#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- both sheets ---------------------------------------------------------------------------------- */

struct maker {
	struct tl_trace *t;
	const struct tl_window *window;
	size_t steps;
	uint32_t *row_of;             /* see tl_row_events */
	struct tl_table *rows;
};

/* The cells of tl_timeline_exposed_measure; timeline.sheet has their numbers. */
enum { GBPS, PER_STEP, MEDIAN, SPREAD, UID, MOVED_SUM, SHORTEST };

void tl_timeline_exposed_measure(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	struct maker *m = ctx;
	double *us = tl_alloc((n + 1) * sizeof *us), sum = 0, most = 0, least = INFINITY, moved = 0;
	bool known = true;
	uint32_t uid = m->t->events[tl_table_cell(m->rows, rows[0], EXPOSED_EVENT).i].uid;

	for (size_t i = 0; i < n; i++) {
		struct tl_cell bytes = tl_table_cell(m->rows, rows[i], EXPOSED_MOVED);
		us[i] = tl_trace_us(m->t, tl_table_cell(m->rows, rows[i], EXPOSED_TIME).i);
		sum += us[i];
		most = us[i] > most ? us[i] : most;
		least = us[i] < least ? us[i] : least;
		known &= bytes.type != TL_CELL_NULL;
		moved += bytes.type == TL_CELL_NULL ? 0 : bytes.d;
		m->row_of[tl_trace_gpu(m->t, (uint32_t)tl_table_cell(m->rows, rows[i], EXPOSED_EVENT).i)] = uid + 1;
	}
	double median = tl_median(us, n);
	cells[GBPS] = known && sum > 0 ? tl_cell_real(moved / sum / 1e3) : tl_cell_null();
	cells[MOVED_SUM] = known ? tl_cell_real(moved) : tl_cell_null();
	cells[PER_STEP] = tl_cell_real((double)n / (double)(m->steps ? m->steps : 1));
	cells[MEDIAN] = tl_cell_real(median);
	cells[SHORTEST] = tl_cell_real(least);
	cells[SPREAD] = median > 0 ? tl_cell_real(most / median) : tl_cell_null();
	cells[UID] = tl_cell_int(uid);
	free(us);
}

static struct maker *new_maker(const struct tl_timeline *l, struct tl_sheet_input *in)
{
	struct tl_trace *t = l->trace;
	struct maker *m = tl_calloc(1, sizeof *m);

	*m = (struct maker){ .t = t, .window = tl_window_of(t), .steps = tl_steps_of(t)->n, .row_of = tl_row_events(t, in->name),
	                     .rows = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_timeline_exposed_rows) };
	in->ctx = m;
	in->done = free;
	return m;
}

/* Adds a row; the caller gives the cells from EXPOSED_NAME to EXPOSED_MOVED. */
static void add_row(struct maker *m, uint32_t event, struct tl_cell *c)
{
	const struct tl_device *d = &m->window->devices->items[m->window->devices->of[event]];

	tl_device_cells(d, c);
	c[EXPOSED_TIME] = tl_cell_time(m->t->events[event].dur, false);
	c[EXPOSED_EXPOSED] = tl_cell_time(tl_fair_time_of(&m->window->fair, m->t, event), false);
	c[EXPOSED_WINDOW] = tl_cell_time(m->window->ticks[m->window->devices->of[event]], false);
	c[EXPOSED_EVENT] = tl_cell_int(event);
	tl_table_add_row(m->rows, c);
}

/* ---- exposed_communication ------------------------------------------------------------------------- */

struct arguments { struct tl_arg collective, size, dtype, in, out; struct tl_name_answers *kernels, *bytes, *types; };

/* The bytes that a rank sends in a ring, as NCCL's tests define the bus bandwidth: a transfer's are all of them; null if that is not
 * known. */
static struct tl_cell bus_bytes(const char *type, double in, double out, struct tl_cell size)
{
	double n = size.type == TL_CELL_INT ? (double)size.i : 0, most = in > out ? in : out;

	if (!*type || !strcmp(type, "alltoallv") || !strcmp(type, "send") || !strcmp(type, "recv") || !strcmp(type, "transfer"))
		return tl_cell_real(most);
	if (n < 2)
		return tl_cell_null();
	return tl_cell_real((!strcmp(type, "allreduce") ? 2 * in : most) * (n - 1) / n);
}

static void add_communication(struct maker *m, struct arguments *a, uint32_t event)
{
	struct tl_trace *t = m->t;
	struct tl_cell c[N_EXPOSED] = { 0 }, in = tl_arg_cell(t, &a->in, event), out = tl_arg_cell(t, &a->out, event);

	c[EXPOSED_NAME] = tl_arg_cell(t, &a->collective, event);
	if (c[EXPOSED_NAME].type != TL_CELL_TEXT) {
		const char *name = tl_name_answer(a->kernels, t->events[event].name);
		c[EXPOSED_NAME] = *name ? tl_cell_str(&t->strings, name) : tl_name_cell(t, t->events[event].name);
	}
	c[EXPOSED_PART] = tl_arg_cell(t, &a->size, event);
	c[EXPOSED_TYPE] = tl_arg_cell(t, &a->dtype, event);
	int item = c[EXPOSED_TYPE].type == TL_CELL_TEXT ? atoi(tl_name_answer(a->bytes, c[EXPOSED_TYPE].text)) : 0;
	if (item && in.type == TL_CELL_INT) {
		double sent = (double)in.i * item, received = out.type == TL_CELL_INT ? (double)out.i * item : sent;
		c[EXPOSED_BYTES] = tl_cell_real(sent > received ? sent : received);
		c[EXPOSED_MOVED] = bus_bytes(tl_name_answer(a->types, c[EXPOSED_NAME].text), sent, received, c[EXPOSED_PART]);
	}
	add_row(m, event, c);
}

/* What the device reaches in all communication whose size is known, if that is at least half of its time. */
static void add_bus(struct maker *m)
{
	size_t n = m->window->devices->n;
	double *bytes = tl_calloc(n + 1, sizeof *bytes), *us = tl_calloc(n + 1, sizeof *us), *all = tl_calloc(n + 1, sizeof *all);

	for (size_t i = 0; i < m->rows->n_rows; i++) {
		struct tl_cell moved = tl_table_cell(m->rows, i, EXPOSED_MOVED);
		uint32_t d = m->window->devices->of[tl_table_cell(m->rows, i, EXPOSED_EVENT).i];
		bytes[d] += moved.type == TL_CELL_NULL ? 0 : moved.d;
		all[d] += tl_trace_us(m->t, tl_table_cell(m->rows, i, EXPOSED_TIME).i);
		us[d] += moved.type == TL_CELL_NULL ? 0 : tl_trace_us(m->t, tl_table_cell(m->rows, i, EXPOSED_TIME).i);
	}
	for (size_t i = 0; i < m->rows->n_rows; i++) {
		uint32_t d = m->window->devices->of[tl_table_cell(m->rows, i, EXPOSED_EVENT).i];
		if (us[d] > 0 && us[d] * 2 >= all[d])
			tl_table_set(m->rows, i, EXPOSED_BUS, tl_cell_real(bytes[d] / us[d] / 1e3));
	}
	free(bytes);
	free(us);
	free(all);
}

/* A step on a device, up to its optimizer: the kernels behind the first collective, all collectives one behind the other, each of
 * which starts when the kernels before it are done, and the time of collectives that nothing hides. */
struct clocks { int64_t kernels, comm, exposed; };

struct step_finder { const struct tl_trace *t; const struct tl_steps *steps; struct tl_copies *copies; struct tl_spans optimizer; };

/* The step in which an event was launched; steps->n: in none, or by the optimizer. */
static size_t step_of(const struct step_finder *s, uint32_t event)
{
	uint32_t call = tl_launching_call(s->copies, event);
	int64_t ts = call == TL_NONE ? INT64_MAX : s->t->events[call].ts;
	size_t i, o = tl_spans_from(&s->optimizer, ts);
	bool optimizes = o < s->optimizer.n && s->optimizer.items[o].start <= ts;

	TL_SEARCH(i, s->steps->n, mid, s->steps->items[mid].to <= ts);
	return !optimizes && i < s->steps->n && s->steps->items[i].from <= ts ? i : s->steps->n;
}

/* What a step would save if only its optimizer waited for communication, as a share of what nothing hides: kernels run one behind the
 * other, and so do collectives. Outside of steps that is not known, and at most all. */
static void add_hide(struct maker *m)
{
	struct step_finder s = { m->t, tl_steps_of(m->t), tl_copies_of(m->t), { 0 } };
	const struct tl_devices *d = m->window->devices;
	struct clocks *all = tl_calloc(d->n * (s.steps->n + 1) + 1, sizeof *all);

	for (uint32_t i = 0; i < m->t->n_events; i++)
		if (tl_is_annotation(m->t, &m->t->events[i]) && tl_starts_with(tl_str(&m->t->strings, m->t->events[i].name), "Optimizer.step"))
			tl_spans_add(&s.optimizer, m->t->events[i].ts, tl_ev_end(&m->t->events[i]));
	tl_spans_merge(&s.optimizer);
	for (size_t i = 0; i < d->n && s.steps->n; i++) {
		for (size_t k = d->events.start[i]; k < d->events.start[i + 1]; k++) {
			uint32_t event = d->events.items[k];
			struct clocks *c = &all[i * (s.steps->n + 1) + step_of(&s, event)];
			int64_t fair = tl_fair_time_of(&m->window->fair, m->t, event);
			if (tl_gpu_work(&m->t->events[event]) == TL_GPU_COMM) {
				c->comm = tl_ticks_add(c->comm > c->kernels ? c->comm : c->kernels, m->t->events[event].dur);
				c->exposed = tl_ticks_add(c->exposed, fair);
			} else if (c->comm) {
				c->kernels = tl_ticks_add(c->kernels, fair);
			}
		}
	}
	for (size_t i = 0; i < m->rows->n_rows; i++) {
		uint32_t event = (uint32_t)tl_table_cell(m->rows, i, EXPOSED_EVENT).i;
		size_t step = step_of(&s, event);
		const struct clocks *c = &all[d->of[event] * (s.steps->n + 1) + step];
		double saved = (double)c->kernels + (double)c->exposed - (double)(c->comm > c->kernels ? c->comm : c->kernels);
		double share = c->exposed > 0 && saved > 0 ? fmin(saved / (double)c->exposed, 1) : 0;
		double exposed = (double)tl_table_cell(m->rows, i, EXPOSED_EXPOSED).i;
		tl_table_set(m->rows, i, EXPOSED_HIDE, tl_cell_time((int64_t)(exposed * (step < s.steps->n ? share : 1)), false));
	}
	tl_spans_release(&s.optimizer);
	free(all);
}

void tl_timeline_exposed_communication(void *ctx, struct tl_sheet_input *in)
{
	struct maker *m = new_maker(ctx, in);
	struct tl_trace *t = m->t;
	struct arguments a = { tl_arg_of(t, TL_KEY_COLLECTIVE), tl_arg_of(t, TL_KEY_GROUP_SIZE), tl_arg_of(t, TL_KEY_DTYPE),
	                       tl_arg_of(t, TL_KEY_IN_NELEMS), tl_arg_of(t, TL_KEY_OUT_NELEMS),
	                       tl_kept_answers(t, TL_KERNEL_COLLECTIVES), tl_kept_answers(t, TL_DTYPE_BYTES), tl_kept_answers(t, TL_COLLECTIVE_TYPES) };

	for (uint32_t i = 0; i < t->n_events; i++)
		if (m->window->devices->of[i] != TL_NONE && tl_gpu_work(&t->events[i]) == TL_GPU_COMM)
			add_communication(m, &a, i);
	if (m->rows->n_rows) {
		add_bus(m);
		add_hide(m);
	}
}

/* ---- exposed_copies ------------------------------------------------------------------------------- */

enum { SMALL_COPY = 65536 }; /* bytes: below, the time of a copy is that of starting it */

void tl_timeline_exposed_copies(void *ctx, struct tl_sheet_input *in)
{
	struct maker *m = new_maker(ctx, in);
	struct tl_trace *t = m->t;
	struct tl_arg bytes = tl_arg_of(t, TL_KEY_BYTES), memory = tl_arg_of(t, TL_KEY_MEMORY);
	struct tl_name_answers *directions = tl_kept_answers(t, TL_MEMCPY_DIRECTIONS);
	uint32_t sizes[] = { tl_intern_str(&t->strings, "64 KiB and more"), tl_intern_str(&t->strings, "below 64 KiB") };

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (m->window->devices->of[i] == TL_NONE || tl_gpu_work(e) != TL_GPU_MEMCPY)
			continue;
		struct tl_cell c[N_EXPOSED] = { 0 };
		const char *direction = tl_name_answer(directions, e->name);
		c[EXPOSED_NAME] = tl_cell_text(*direction ? tl_intern_str(&t->strings, direction) : 0);
		c[EXPOSED_PART] = tl_memory_kinds(t, &memory, i);
		c[EXPOSED_BYTES] = tl_arg_cell(t, &bytes, i);
		if (c[EXPOSED_BYTES].type == TL_CELL_INT) {
			c[EXPOSED_MOVED] = tl_cell_real((double)c[EXPOSED_BYTES].i);
			c[EXPOSED_TYPE] = tl_cell_text(sizes[c[EXPOSED_BYTES].i < SMALL_COPY]);
		}
		add_row(m, i, c);
	}
}
