/* series_sheets.c - queues, copies, busy devices and memory over time, what launches take, how kernels fill devices.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/series_sheets.h"

#include "work/args.h"
#include "work/counters.h"
#include "work/device_events.h"
#include "work/devices.h"
#include "work/launchers.h"
#include "work/queue.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "steps/recorded.h"
#include "steps/step_find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tl_series_view {
	struct tl_trace *trace;
	struct tl_series_options options;
	struct tl_span recorded;
	int64_t width;        /* of a window, ticks; 0: rows are points */
};

enum tl_status tl_series_new(struct tl_series_view **out, struct tl_trace *t, const struct tl_series_options *o,
                             struct tl_error *err)
{
	struct tl_span recorded = tl_recorded_of(t)->window;
	int64_t length = tl_ticks_sub(recorded.end, recorded.start), width = (length - 1) / 1000 + 1;
	double ticks = o->window_ms * 1000 * (double)t->ticks_per_us;

	if (o->window_ms >= 0)
		width = ticks >= 0x1p62 ? INT64_MAX / 2 : o->window_ms > 0 && ticks < 1 ? 1 : llround(ticks);
	if (width && length / width >= TL_SERIES_WINDOWS)
		return tl_fail(err, TL_ERR_USAGE, "%lld windows of %g ms: expected at most %d; a window of 0 shows all points",
		               (long long)(length / width), o->window_ms, TL_SERIES_WINDOWS);
	*out = tl_calloc(1, sizeof **out);
	**out = (struct tl_series_view){ t, *o, recorded, width };
	return TL_OK;
}

void tl_series_free(struct tl_series_view *v)
{
	free(v);
}

struct tl_series_doubts tl_series_doubts(const struct tl_series_view *v)
{
	const struct tl_counters *copies = tl_counters_of(v->trace, TL_COUNTER_COPIES);
	const struct tl_queues *queues = tl_queues_of(v->trace);
	struct tl_series_doubts d = { .empty = !queues->n && !copies->n && !tl_counters_of(v->trace, TL_COUNTER_BUSY)->n &&
	                                       !tl_counters_of(v->trace, TL_COUNTER_MEMORY)->n };

	for (size_t i = 0; i < queues->n; i++) {
		d.no_call += queues->items[i].no_call;
		d.early += queues->items[i].early;
		d.earliest = queues->items[i].earliest > d.earliest ? queues->items[i].earliest : d.earliest;
	}
	for (size_t i = 0; i < copies->n; i++) {
		d.no_bytes += copies->items[i].no_bytes;
		d.copies += copies->items[i].no_bytes + copies->items[i].events;
	}
	return d;
}

/* ---- values over time ------------------------------------------------------------------------ */

/* All kinds have rows as those of a queue; of busy devices they end with the mean. */
/* By enum tl_counter_kind; whole: least and most are whole numbers. */
static const struct { const char *sheet, *unit, *const *columns; double scale; bool whole; } kinds[TL_COUNTER_KINDS] = {
	[TL_COUNTER_QUEUE] = { "queue_length", "events", tl_series_queue_rows, 1, true },
	[TL_COUNTER_COPIES] = { "copy_bandwidth", "GB/s", tl_series_copies_rows, 1, false },
	[TL_COUNTER_BUSY] = { "busy_share", "percent", tl_series_busy_rows, 100, false },
	[TL_COUNTER_MEMORY] = { "live_memory", "bytes", tl_series_memory_rows, 1, true },
};

static struct tl_cell value_cell(unsigned kind, double value)
{
	return kinds[kind].whole ? tl_cell_int(llround(value)) : tl_cell_real(value * kinds[kind].scale);
}

/* What rows of a track are about: the recorded window and, but for busy devices, all points. */
static struct tl_span span_of(const struct tl_series_view *v, const struct tl_series *s, unsigned kind)
{
	struct tl_span span = v->recorded;

	if (!s->n || kind == TL_COUNTER_BUSY)
		return span;
	span.start = s->items[0].at < span.start ? s->items[0].at : span.start;
	span.end = s->items[s->n - 1].at > span.end ? s->items[s->n - 1].at : span.end;
	return span;
}

/* The rows of a track. */
struct track {
	const struct tl_series_view *view;
	const struct tl_series *series;
	unsigned kind;
	struct tl_span all; /* what they are about */
	struct tl_table *rows;
	struct tl_cell cells[N_QUEUE];
};

static void add_row(struct track *t, struct tl_span span, struct tl_series_part p)
{
	t->cells[QUEUE_START_US] = tl_start_cell(t->view->trace, span.start);
	t->cells[QUEUE_WINDOW_US] = tl_cell_time(tl_ticks_sub(span.end, span.start), false);
	t->cells[QUEUE_LENGTH_MEAN] = tl_cell_real(p.mean * kinds[t->kind].scale);
	t->cells[QUEUE_LENGTH_MIN] = value_cell(t->kind, p.least);
	t->cells[QUEUE_LENGTH_MAX] = value_cell(t->kind, p.most);
	tl_table_add_row(t->rows, t->cells);
}

/* Windows of all tracks begin at the same times, counted from the start of the recorded one. */
static void add_windows(struct track *t)
{
	int64_t start = t->view->recorded.start, width = t->view->width, before = tl_ticks_sub(start, t->all.start), back;
	size_t at = 0;

	if (__builtin_mul_overflow(before ? (before - 1) / width + 1 : 0, width, &back))
		back = INT64_MAX;
	for (int64_t from = tl_ticks_sub(start, back), to; from < t->all.end; from = to) {
		to = tl_ticks_add(from, width);
		struct tl_span span = { from, to < t->all.end ? to : t->all.end };
		add_row(t, span, tl_series_part(t->series, span, &at));
	}
}

/* Of several points at one time there is one row each: the queue was as long, if only for no time. */
static void add_points(struct track *t)
{
	const struct tl_point *points = t->series->items;

	for (size_t i = 0; i < t->series->n; i++) {
		int64_t at = points[i].at, next = i + 1 < t->series->n ? points[i + 1].at : t->all.end > at ? t->all.end : at;
		double value = points[i].value;
		add_row(t, (struct tl_span){ at, next }, (struct tl_series_part){ value, value, value, 0 });
	}
}

void tl_series_over_time(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_series_view *v = ctx;
	unsigned kind = 0;

	while (strcmp(kinds[kind].sheet, in->name) != 0)
		kind++;
	const struct tl_counters *counters = tl_counters_of(v->trace, (enum tl_counter_kind)kind);
	in->own_rows = tl_table_new(&v->trace->strings, v->trace->ticks_per_us, kinds[kind].columns);
	TL_EACH(const struct tl_counter, c, *counters) {
		struct track t = {
			.view = v, .series = &c->series, .kind = kind, .all = span_of(v, &c->series, kind), .rows = in->own_rows,
			.cells = { [QUEUE_RANK] = c->rank, [QUEUE_PROCESS] = c->process, [QUEUE_DEVICE] = c->device, [QUEUE_STREAM] = c->track },
		};
		/* a time that is far off makes no windows up to there, but points */
		int64_t most = 2 * (int64_t)TL_SERIES_WINDOWS;
		bool windows = v->width && tl_ticks_sub(t.all.end, t.all.start) / v->width <= most;
		if (c->series.n)
			(windows ? add_windows : add_points)(&t);
	}
}

/* ---- series_summary ---------------------------------------------------------------------------- */

/* Shares of windows: a device is busy or not, and only its share of some time is a number. */
static void add_shares(struct tl_series *shares, const struct tl_series_view *v, const struct tl_series *s)
{
	int64_t length = tl_ticks_sub(v->recorded.end, v->recorded.start);
	int64_t width = v->width ? v->width : (length - 1) / 1000 + 1;
	size_t at = 0;

	for (int64_t from = v->recorded.start, to; from < v->recorded.end; from = to) {
		to = tl_ticks_add(from, width);
		struct tl_span span = { from, to < v->recorded.end ? to : v->recorded.end };
		tl_series_add(shares, from, tl_series_part(s, span, &at).mean);
	}
}

/* The times in which copies of a counter run, one behind the other. */
static void keep_busy(struct tl_series *out, const struct tl_counter *c)
{
	int64_t at = 0;

	for (size_t i = 0, k = 0; i + 1 < c->series.n; i++) {
		const struct tl_point *p = &c->series.items[i];
		while (k < c->spans.n && c->spans.items[k].end <= p->at)
			k++;
		if (k < c->spans.n && c->spans.items[k].start <= p->at) {
			tl_series_add(out, at, p->value);
			at = tl_ticks_add(at, tl_ticks_sub(p[1].at, p->at));
		}
	}
	tl_series_add(out, at, 0);
}

static void percentile_cells(const struct tl_series *s, struct tl_span span, unsigned kind, struct tl_cell *c)
{
	static const double shares[] = { 0.1, 0.5, 0.9 };
	double values[3];

	tl_series_percentiles(s, span, shares, 3, values);
	for (unsigned i = 0; i < 3; i++)
		c[SUMMARY_P10 + i] = value_cell(kind, values[i]);
}

static void queue_cells(const struct tl_series_view *v, const struct tl_counter *counter, double full,
                        struct tl_cell *c)
{
	const struct tl_queues *q = tl_queues_of(v->trace);
	struct tl_queue_blocked b = tl_queue_blocked(q, v->trace, counter->number, v->options.full);

	c[SUMMARY_FULL_PCT] = tl_cell_real(full * 100);
	c[SUMMARY_BLOCKED_COUNT] = tl_cell_int(b.calls);
	c[SUMMARY_BLOCKED_MS] = tl_cell_ms(b.ticks);
	c[SUMMARY_BLOCKED_UNKNOWN_COUNT] = tl_cell_int(b.unknown);
	c[SUMMARY_NO_CALL_COUNT] = tl_cell_int(q->items[counter->number].no_call);
}

/* Copies have a mean and percentiles while they run. */
static void copy_cells(const struct tl_series_view *v, const struct tl_counter *counter, struct tl_cell *c)
{
	int64_t busy = tl_spans_length(&counter->spans);
	struct tl_series running = { 0 };

	c[SUMMARY_COPY_COUNT] = tl_cell_int(counter->events);
	c[SUMMARY_NO_BYTES_COUNT] = tl_cell_int(counter->no_bytes);
	c[SUMMARY_BYTES] = tl_cell_int(counter->bytes);
	c[SUMMARY_BUSY_MS] = tl_cell_ms(busy);
	if (busy <= 0)
		return;
	c[SUMMARY_TIME_MEAN] = tl_cell_real((double)counter->bytes / ((double)busy * 1000 / (double)v->trace->ticks_per_us));
	keep_busy(&running, counter);
	percentile_cells(&running, (struct tl_span){ 0, running.items[running.n - 1].at }, TL_COUNTER_COPIES, c);
	tl_series_release(&running);
}

static void add_summary(const struct tl_series_view *v, struct tl_table *rows, const struct tl_counter *counter,
                        unsigned kind)
{
	const struct tl_series *s = &counter->series;
	struct tl_span span = span_of(v, s, kind);
	struct tl_series_shares shares = tl_series_shares(s, span, (double)v->options.full);
	struct tl_series of_windows = { 0 };
	struct tl_cell c[N_SUMMARY] = {
		[SUMMARY_SERIES] = tl_cell_str(&v->trace->strings, kinds[kind].sheet),
		[SUMMARY_UNIT] = tl_cell_str(&v->trace->strings, kinds[kind].unit),
		[SUMMARY_RANK] = counter->rank,
		[SUMMARY_PROCESS] = counter->process,
		[SUMMARY_DEVICE] = counter->device,
		[SUMMARY_TRACK] = counter->track,
		[SUMMARY_POINT_COUNT] = tl_cell_int((int64_t)s->n),
		[SUMMARY_SPAN_MS] = tl_cell_ms(tl_ticks_sub(span.end, span.start)),
	};
	bool any = span.end > span.start, copies = kind == TL_COUNTER_COPIES;

	if (kind == TL_COUNTER_BUSY) {
		add_shares(&of_windows, v, s);
		s = &of_windows;
	}
	struct tl_series_part p = tl_series_part(s, span, &(size_t){ 0 });
	if (any && !copies) {
		c[SUMMARY_TIME_MEAN] = tl_cell_real(p.mean * kinds[kind].scale);
		percentile_cells(s, span, kind, c);
	}
	if (any) {
		c[SUMMARY_GREATEST] = value_cell(kind, p.most);
		c[SUMMARY_ZERO_PCT] = tl_cell_real(shares.at_zero * 100);
	}
	if (kind == TL_COUNTER_QUEUE)
		queue_cells(v, counter, shares.at_limit, c);
	if (copies)
		copy_cells(v, counter, c);
	tl_table_add_row(rows, c);
	tl_series_release(&of_windows);
}

void tl_series_summary(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_series_view *v = ctx;

	in->own_rows = tl_table_new(&v->trace->strings, v->trace->ticks_per_us, tl_series_summary_rows);
	for (unsigned kind = 0; kind < TL_COUNTER_KINDS; kind++) {
		const struct tl_counters *counters = tl_counters_of(v->trace, (enum tl_counter_kind)kind);
		for (size_t i = 0; i < counters->n; i++)
			add_summary(v, in->own_rows, &counters->items[i], kind);
	}
}

/* ---- launches -------------------------------------------------------------------------------------- */

struct launch { uint32_t call, gpu; };

TL_ORDER_IN(by_call, struct launch, struct tl_trace,
	TL_ASC(ctx->events[x->call].ts) TL_ASC(x->call) TL_ASC(ctx->events[x->gpu].ts))

void tl_series_launches(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace *t = ((const struct tl_series_view *)ctx)->trace;
	struct tl_arg correlation = tl_arg_of(t, TL_KEY_CORRELATION);
	const uint32_t *call_of = tl_calls_of_work(t);
	struct launch *items = NULL;
	size_t n = 0, cap = 0;

	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_series_launch_rows);
	for (uint32_t i = 0; i < t->n_events; i++)
		if (call_of[i] != TL_NONE && tl_gpu_usable(&t->events[i]))
			TL_PUSH(items, n, cap, (struct launch){ call_of[i], i });
	tl_merge_sort(items, n, sizeof *items, by_call, t);
	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *call = &t->events[items[i].call], *e = &t->events[items[i].gpu];
		int64_t delay = tl_ticks_sub(e->ts, tl_ev_end(call));
		tl_table_add_row(in->own_rows, (struct tl_cell[N_LAUNCH]){
			[LAUNCH_CALL] = tl_name_cell(t, call->name),
			[LAUNCH_NAME] = tl_name_cell(t, e->name),
			[LAUNCH_STREAM] = tl_whole_cell(tl_json_cell(t, t->tracks[e->track].tid)),
			[LAUNCH_CORRELATION] = tl_arg_cell(t, &correlation, items[i].gpu),
			[LAUNCH_START_US] = tl_start_cell(t, call->ts),
			[LAUNCH_CALL_US] = tl_duration_cell(call),
			[LAUNCH_DEVICE_US] = tl_duration_cell(e),
			[LAUNCH_DELAY_US] = tl_cell_time(delay > 0 ? delay : 0, false),
			[LAUNCH_START_DELAY_US] = e->ts < call->ts ? tl_cell_null() : tl_cell_time(tl_ticks_sub(e->ts, call->ts), false),
			[LAUNCH_SHORTER] = e->dur < call->dur ? tl_cell_bool(true) : tl_cell_null(),
			[LAUNCH_UID] = tl_cell_int(e->uid) });
	}
	free(items);
}

/* ---- step_kernels ------------------------------------------------------------------------------------ */

/* On the host; then from the end of the step before to the end of its last device event. */
struct step { uint32_t name; struct tl_span host, span; };
struct steps { struct step *items; size_t n, cap; };

/* Those of step_times, else one from the first to the last operator. */
static void find_host_steps(struct steps *s, struct tl_trace *t)
{
	const struct tl_steps *known = tl_steps_of(t);
	struct tl_span all = { INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < known->n; i++)
		TL_PUSH(s->items, s->n, s->cap, (struct step){ .name = tl_step_name(t, &known->items[i]),
		                                               .host = { known->items[i].from, known->items[i].to } });
	for (uint32_t i = 0; !s->n && i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (e->kind != TL_KIND_CPU_OP || !tl_ev_has_span(e))
			continue;
		all.start = e->ts < all.start ? e->ts : all.start;
		all.end = tl_ev_end(e) > all.end ? tl_ev_end(e) : all.end;
	}
	if (!s->n && all.start <= all.end)
		TL_PUSH(s->items, s->n, s->cap, (struct step){ .name = tl_intern_str(&t->strings, "0"), .host = all });
	for (size_t i = 0; i < s->n; i++)
		s->items[i].span = s->items[i].host;
}

/* The last step that has begun on the host when a call starts, if that is in it; NULL: none. */
static struct step *step_of(const struct steps *s, int64_t call)
{
	size_t at;

	TL_SEARCH(at, s->n, mid, s->items[mid].host.start <= call);
	return at && call <= s->items[at - 1].host.end ? &s->items[at - 1] : NULL;
}

/* Extends steps to the ends of what they launched, and cuts each to begin where the one before ends. The first one begins
 * when work that was launched before it has ended, if that is before its own work. */
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

TL_ORDER(by_time, struct turn, TL_ASC(x->at))

/* The time in which kernels run, weighted by how much of the device's units has a block. *busy: not weighted. */
static double filled(struct turn *turns, size_t n, int64_t *busy)
{
	double sum = 0, blocks = 0;
	int64_t running = 0;

	*busy = 0;
	tl_merge_sort(turns, n, sizeof *turns, by_time, NULL);
	for (size_t i = 0; i + 1 < n; i++) {
		int64_t ticks = tl_ticks_sub(turns[i + 1].at, turns[i].at);
		running += turns[i].starts ? 1 : -1;
		/* no rest of rounding stays */
		blocks = running ? blocks + (turns[i].starts ? turns[i].blocks : -turns[i].blocks) : 0;
		if (running)
			*busy = tl_ticks_add(*busy, ticks);
		sum += (blocks < 1 ? blocks : 1) * (double)ticks;
	}
	return sum;
}

struct maker {
	struct tl_trace *t;
	struct tl_arg blocks, occupancy;
	struct turn *turns; size_t cap;
	struct tl_table *rows;
};
/* A mean by time, of the kernels that have the value. */
struct mean { double sum, ticks; };

static void add_to_mean(struct mean *m, double value, int64_t ticks)
{
	m->sum += value * (double)ticks;
	m->ticks += value > 0 ? (double)ticks : 0;
}

static void mean_cells(const struct mean *m, double all, struct tl_cell *mean, struct tl_cell *known)
{
	if (m->ticks > 0)
		*mean = tl_cell_real(m->sum / m->ticks);
	if (all > 0)
		*known = tl_cell_real(m->ticks / all * 100);
}

/* kernels: those of the device, by start. */
static void add_step_kernels(struct maker *m, const struct tl_device *d, const struct step *s, const uint32_t *kernels,
                             size_t n)
{
	struct mean blocks = { 0 }, occupancy = { 0 };
	int64_t length = tl_ticks_sub(s->span.end, s->span.start), busy;
	double all = 0;
	size_t n_turns = 0;

	for (size_t i = 0; i < n && m->t->events[kernels[i]].ts < s->span.end; i++) {
		const struct tl_ev *e = &m->t->events[kernels[i]];
		int64_t from = e->ts > s->span.start ? e->ts : s->span.start;
		int64_t to = tl_ev_end(e) < s->span.end ? tl_ev_end(e) : s->span.end;
		double b = tl_arg_positive(m->t, &m->blocks, kernels[i]);
		if (to <= from)
			continue;
		TL_PUSH(m->turns, n_turns, m->cap, (struct turn){ from, b, true });
		TL_PUSH(m->turns, n_turns, m->cap, (struct turn){ to, b, false });
		add_to_mean(&blocks, b, tl_ticks_sub(to, from));
		add_to_mean(&occupancy, tl_arg_positive(m->t, &m->occupancy, kernels[i]), tl_ticks_sub(to, from));
		all += (double)tl_ticks_sub(to, from);
	}
	double full = filled(m->turns, n_turns, &busy);
	struct tl_cell c[N_STEP] = {
		[STEP_RANK] = d->rank,
		[STEP_PROCESS] = d->process,
		[STEP_DEVICE] = d->device,
		[STEP_STEP] = tl_name_cell(m->t, s->name),
		[STEP_START_US] = tl_start_cell(m->t, s->host.start),
		[STEP_STEP_MS] = tl_cell_ms(tl_ticks_sub(s->host.end, s->host.start)),
		[STEP_WINDOW_START_US] = tl_start_cell(m->t, s->span.start),
		[STEP_WINDOW_MS] = tl_cell_ms(length),
		[STEP_KERNEL_COUNT] = tl_cell_int((int64_t)n_turns / 2),
		[STEP_KERNEL_MS] = tl_cell_ms(busy),
	};
	if (length > 0)
		c[STEP_UTILISATION_PCT] = tl_cell_real((double)busy / (double)length * 100);
	if (length > 0 && blocks.ticks > 0)
		c[STEP_SM_EFFICIENCY_PCT] = tl_cell_real(full / (double)length * 100);
	mean_cells(&blocks, all, &c[STEP_BLOCKS_PER_SM], &c[STEP_BLOCKS_KNOWN_PCT]);
	mean_cells(&occupancy, all, &c[STEP_OCCUPANCY_PCT], &c[STEP_OCCUPANCY_KNOWN_PCT]);
	tl_table_add_row(m->rows, c);
}

void tl_series_step_kernels(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace *t = ((const struct tl_series_view *)ctx)->trace;
	struct maker m = {
		.t = t, .blocks = tl_arg_of(t, "blocks per SM"), .occupancy = tl_arg_of(t, "est. achieved occupancy %"),
		.rows = tl_table_new(&t->strings, t->ticks_per_us, tl_series_step_rows),
	};
	const struct tl_devices *d = tl_devices_of(t);
	uint32_t *kernels = tl_alloc((d->n_events + 1) * sizeof *kernels);
	struct steps s = { 0 };

	find_host_steps(&s, t);
	settle_steps(&s, t);
	for (size_t i = 0; i < d->n; i++) {
		size_t n = 0, from = 0;
		for (size_t k = d->events.start[i]; k < d->events.start[i + 1]; k++)
			if (t->events[d->events.items[k]].kind == TL_KIND_KERNEL)
				kernels[n++] = d->events.items[k];
		TL_EACH(const struct step, step, s) {
			/* kernels that ended before the step are passed over for good, unless one that started earlier still runs */
			while (from < n && tl_ev_end(&t->events[kernels[from]]) <= step->span.start)
				from++;
			add_step_kernels(&m, &d->items[i], step, kernels + from, n - from);
		}
	}
	free(kernels);
	free(s.items);
	free(m.turns);
	in->own_rows = m.rows;
}
