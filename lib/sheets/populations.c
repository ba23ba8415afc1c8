/* populations.c - the sheet populations: which device events the sheets of times count, of what time they give shares,
 * and what they leave out.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/populations.h"

#include "work/devices.h"
#include "work/spans.h"
#include "work/trace_facts.h"
#include "sheet/overview.h"
#include "steps/recorded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which sheets there are ------------------------------------------------------------------ */

enum counts { ALL, CHOSEN, OF_OPERATORS, KERNELS };
enum how { EACH, AS_ONE, SUMMED };
enum window { SPAN, LIFE, RECORDED, NONE };

struct population {
	enum tl_populations report;
	const char *sheet;
	enum counts counts;
	enum how how;
	enum window window;
	const char *left_out; /* what it leaves out, if there is any */
	bool of_several;      /* the sheet is there if the trace has several devices */
};

static const char unlinked[] = "launched by no call of the trace";

static const struct population populations[] = {
	{ TL_POPULATIONS_PYTORCH, "gpu_timeline", CHOSEN, AS_ONE, SPAN, unlinked, false },
	{ TL_POPULATIONS_PYTORCH, "gpu_timeline_by_device", CHOSEN, EACH, SPAN, unlinked, true },
	{ TL_POPULATIONS_PYTORCH, "idle_gaps", ALL, EACH, SPAN, "", false },
	{ TL_POPULATIONS_PYTORCH, "idle_summary", ALL, EACH, RECORDED, "unrecorded: the device ran work launched before the recording or left out of a slice", false },
	{ TL_POPULATIONS_PYTORCH, "ops_summary", OF_OPERATORS, SUMMED, NONE, "communication, and what no call of the trace launched", false },
	{ TL_POPULATIONS_PYTORCH, "kernel_summary", KERNELS, SUMMED, NONE, "copies and fills of memory", false },
	{ TL_POPULATIONS_ROCPROF, "gpu_timeline", ALL, AS_ONE, LIFE, "", false },
	{ TL_POPULATIONS_ROCPROF, "gpu_busy", ALL, EACH, SPAN, "", false },
	{ TL_POPULATIONS_ROCPROF, "kernel_summary", KERNELS, SUMMED, NONE, "copies and fills of memory", false },
	{ TL_POPULATIONS_OTHER, "findings", ALL, EACH, RECORDED, "unrecorded: the device ran work launched before the recording or left out of a slice", false },
};

/* ---- what they count --------------------------------------------------------------------------- */

/* Of one device, or of several. */
struct counted { uint64_t events, left_out; int64_t busy, left_out_ticks, window, unrecorded; };

struct maker {
	struct tl_trace *t;
	const struct tl_devices *devices;
	bool *chosen;                 /* by event: of gpu_timeline */
	const struct tl_recorded *recorded;
	int64_t *between;             /* by device: what is unrecorded between its first start and last end; NULL: not known */
	bool has_life;
	struct tl_span life;          /* of all processes */
	uint32_t *events; size_t n;   /* that count */
	struct tl_spans scratch;
	int64_t *busy;                /* by device: of all its events, once asked for */
	struct tl_table *rows;
};

static bool is_counted(const struct maker *m, enum counts counts, uint32_t event)
{
	const struct tl_ev *e = &m->t->events[event];

	switch (counts) {
	case ALL: return true;
	case CHOSEN: return m->chosen[event];
	case OF_OPERATORS: return tl_gpu_linked(e) && !tl_gpu_is_comm(e);
	case KERNELS: return e->kind == TL_KIND_KERNEL;
	}
	return false;
}

/* In which at least one of them runs. */
static int64_t busy(struct maker *m, const uint32_t *events, size_t n)
{
	bool unused;

	return tl_busy_ticks(m->t, events, (uint32_t)n, &m->scratch, &unused);
}

static int64_t busy_of_all(struct maker *m, size_t device)
{
	const struct tl_split_events *by = &m->devices->events;

	if (!m->busy[device])
		m->busy[device] = busy(m, by->items + by->start[device], by->start[device + 1] - by->start[device]);
	return m->busy[device];
}

/* From the first start to the last end of the events that count. */
static int64_t span(const struct maker *m)
{
	struct tl_span s = { INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < m->n; i++) {
		const struct tl_ev *e = &m->t->events[m->events[i]];
		s.start = e->ts < s.start ? e->ts : s.start;
		s.end = tl_ev_end(e) > s.end ? tl_ev_end(e) : s.end;
	}
	return m->n ? tl_ticks_sub(s.end, s.start) : 0;
}

/* Adds the events of a device, those that count to m->events. */
static void count(struct maker *m, const struct population *p, size_t device, struct counted *c)
{
	const struct tl_split_events *by = &m->devices->events;
	const uint32_t *all = by->items + by->start[device];
	size_t n = by->start[device + 1] - by->start[device], first = m->n;

	for (size_t i = 0; i < n; i++)
		if (is_counted(m, p->counts, all[i]))
			m->events[m->n++] = all[i];
	int64_t counted = n == m->n - first ? busy_of_all(m, device) : busy(m, m->events + first, m->n - first);
	c->events += m->n - first;
	c->left_out += n - (m->n - first);
	c->busy = tl_ticks_add(c->busy, counted);
	c->left_out_ticks = tl_ticks_add(c->left_out_ticks, tl_ticks_sub(busy_of_all(m, device), counted));
}

/* ---- rows -------------------------------------------------------------------------------------- */

static void add_row(struct maker *m, const struct population *p, const struct tl_device *d, const struct counted *c)
{
	static const char *const windows[] = { "first start to last end", "life of the processes", "recorded window", "" };
	bool one = p->how == EACH || m->devices->n == 1;
	char how[64];
	snprintf(how, sizeof how, one ? "one device" : p->how == AS_ONE ? "%zu devices as one" : "%zu devices, summed", m->devices->n);
	struct tl_cell row[N_POPULATION] = { [POPULATION_SHEET] = tl_cell_str(m->rows->strings, p->sheet), [POPULATION_HOW] = tl_cell_str(m->rows->strings, how),
		[POPULATION_DEVICE_EVENTS] = tl_cell_int((int64_t)c->events), [POPULATION_BUSY_MS] = tl_cell_ms(c->busy),
		[POPULATION_WINDOW] = tl_cell_str(m->rows->strings, windows[p->window == LIFE && !m->has_life ? SPAN : p->window]),
		[POPULATION_LEFT_OUT_EVENTS] = tl_cell_int((int64_t)c->left_out), [POPULATION_LEFT_OUT_MS] = tl_cell_ms(c->left_out_ticks) };

	if (d)
		tl_device_cells(d, row + POPULATION_RANK);
	if (p->window != NONE)
		row[POPULATION_WINDOW_MS] = tl_cell_ms(c->window);
	if (p->window == SPAN && m->between && d && (p->counts == ALL || !c->left_out)) /* another device may be busy then */
		row[POPULATION_UNRECORDED_MS] = tl_cell_ms(c->unrecorded);
	if (p->window != NONE && c->window > 0)
		row[POPULATION_BUSY] = tl_cell_real(tl_trace_us(m->t, c->busy) / tl_trace_us(m->t, c->window) * 100);
	if (c->left_out || c->left_out_ticks)
		row[POPULATION_LEFT_OUT] = tl_cell_str(m->rows->strings, p->left_out);
	tl_table_add_row(m->rows, row);
}

/* The window of the events that count; of idle_summary also what is busy in it, and what of it is unrecorded. */
static void set_window(struct maker *m, const struct population *p, size_t device, struct counted *c)
{
	c->window = p->window == LIFE && m->has_life ? tl_ticks_sub(m->life.end, m->life.start) : span(m);
	if (p->window == SPAN && m->between)
		c->unrecorded = m->between[device];
	if (p->window != RECORDED)
		return;
	c->window = m->recorded->ticks[device];
	c->left_out_ticks = tl_ticks_sub(tl_ticks_sub(m->recorded->window.end, m->recorded->window.start), c->window);
	c->busy = tl_ticks_sub(c->window, m->recorded->idle[device]);
}

static void add_rows(struct maker *m, const struct population *p)
{
	struct counted all = { 0 };

	m->n = 0;
	for (size_t i = 0; i < m->devices->n; i++) {
		struct counted one = { 0 };
		m->n = p->how == EACH ? 0 : m->n;
		count(m, p, i, p->how == EACH ? &one : &all);
		if (p->how != EACH || !m->n)
			continue;
		set_window(m, p, i, &one);
		add_row(m, p, &m->devices->items[i], &one);
	}
	if (p->how == EACH || !m->n)
		return;
	if (p->how == AS_ONE && m->devices->n > 1)
		all.busy = busy(m, m->events, m->n);
	set_window(m, p, 0, &all);
	add_row(m, p, m->devices->n == 1 ? &m->devices->items[0] : NULL, &all);
}

/* ---- the sheet --------------------------------------------------------------------------------- */

int64_t *tl_unrecorded_between(struct tl_trace *t)
{
	const struct tl_gaps *gaps = &tl_recorded_of(t)->gaps;
	int64_t *between = tl_calloc(tl_devices_of(t)->n + 1, sizeof *between);

	for (size_t i = 0; i < gaps->n; i++)
		if (gaps->items[i].unrecorded && gaps->items[i].where == TL_GAP_BETWEEN)
			between[gaps->items[i].device] += tl_gap_length(&gaps->items[i]);
	return between;
}

struct tl_table *tl_populations(struct tl_trace *t, const struct tl_gpu_select *select, enum tl_populations report)
{
	struct maker m = { .t = t, .devices = tl_devices_of(t), .rows = tl_table_new(&t->strings, t->ticks_per_us, tl_overview_population_rows) };
	size_t n;

	tl_mark_work_once(t);
	m.events = tl_alloc(((size_t)t->n_events + 1) * sizeof *m.events);
	m.busy = tl_calloc(m.devices->n + 1, sizeof *m.busy);
	struct tl_process_facts *processes = tl_trace_processes(t, &n);
	m.has_life = tl_life_of(processes, n, &m.life.start, &m.life.end);
	uint32_t *chosen = tl_gpu_events_by_start(t, &(struct tl_gpu_select){ .include_unlinked = select->include_unlinked }, 0, &n, NULL);
	m.chosen = tl_calloc((size_t)t->n_events + 1, sizeof *m.chosen);
	for (size_t i = 0; i < n; i++)
		m.chosen[chosen[i]] = true;
	free(processes);
	free(chosen);
	m.recorded = tl_recorded_of(t);
	if (report == TL_POPULATIONS_PYTORCH)
		m.between = tl_unrecorded_between(t);
	for (size_t i = 0; i < sizeof populations / sizeof *populations; i++)
		if ((populations[i].report == report ||
		     (populations[i].report == TL_POPULATIONS_OTHER && report != TL_POPULATIONS_PYTORCH)) && (m.devices->n > 1 || !populations[i].of_several))
			add_rows(&m, &populations[i]);
	tl_spans_release(&m.scratch);
	free(m.events);
	free(m.busy);
	free(m.chosen);
	free(m.between);
	return m.rows;
}

/* ---- how busy devices are ------------------------------------------------------------------------ */

const char *const tl_busy_units[TL_BUSY_TIMES] = { "% of the recorded window", "% of the time from its first start to its last end",
	"% of the life of the processes" };

static void add_busy(const struct tl_trace *t, struct tl_busy_time *b, int64_t busy_ticks, int64_t ticks)
{
	double percent = ticks > 0 ? tl_trace_us(t, busy_ticks) / tl_trace_us(t, ticks) * 100 : 0, n = (double)++b->n;

	if (ticks <= 0) {
		b->n--;
		return;
	}
	b->percent += (percent - b->percent) / n;
	b->ms += (tl_trace_us(t, ticks) / 1e3 - b->ms) / n;
	b->least = b->n == 1 || percent < b->least ? percent : b->least;
	b->most = b->n == 1 || percent > b->most ? percent : b->most;
}

struct tl_busy tl_busy_of(struct tl_trace *t)
{
	struct maker m = { .t = t, .devices = tl_devices_of(t), .recorded = tl_recorded_of(t) };
	const struct population all = { .counts = ALL, .how = EACH };
	struct tl_busy b = { 0 };
	size_t n;

	struct tl_process_facts *processes = tl_trace_processes(t, &n);
	m.has_life = tl_life_of(processes, n, &m.life.start, &m.life.end);
	m.events = tl_alloc(((size_t)t->n_events + 1) * sizeof *m.events);
	m.busy = tl_calloc(m.devices->n + 1, sizeof *m.busy);
	for (size_t i = 0; i < m.devices->n; i++) {
		struct counted c = { 0 };
		m.n = 0;
		count(&m, &all, i, &c);
		add_busy(t, &b.times[TL_BUSY_RECORDED], tl_ticks_sub(m.recorded->ticks[i], m.recorded->idle[i]), m.recorded->ticks[i]);
		add_busy(t, &b.times[TL_BUSY_SPAN], c.busy, span(&m));
		if (m.has_life)
			add_busy(t, &b.times[TL_BUSY_LIFE], c.busy, tl_ticks_sub(m.life.end, m.life.start));
	}
	tl_spans_release(&m.scratch);
	free(m.events);
	free(m.busy);
	free(processes);
	return b;
}

bool tl_busy_is_apart(const struct tl_busy *b, unsigned time)
{
	const struct tl_busy_time *window = &b->times[TL_BUSY_RECORDED], *other = &b->times[time];

	return time != TL_BUSY_RECORDED && other->n && (!window->n || fabs(other->ms - window->ms) > window->ms / 20);
}

double tl_populations_unrecorded_ms(const struct tl_table *t)
{
	double sum = 0;

	for (size_t i = 0; i < t->n_rows; i++) {
		double ms = tl_table_number(t, i, POPULATION_UNRECORDED_MS);
		double window = tl_table_number(t, i, POPULATION_WINDOW_MS);
		if (ms >= window * TL_LEAST_UNRECORDED && !strncmp(tl_str(t->strings, tl_table_cell(t, i, POPULATION_SHEET).text), "gpu_timeline", 12))
			sum += ms;
	}
	return sum;
}
