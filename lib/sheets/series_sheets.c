/* series_sheets.c - queues, copies, busy devices and memory over time, and what launches take.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/series_sheets.h"

#include "analysis/args.h"
#include "analysis/counters.h"
#include "analysis/device_events.h"
#include "analysis/launchers.h"
#include "analysis/queue.h"
#include "base/merge_sort.h"
#include "sheets/step_kernels.h"
#include "steps/recorded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tl_series_view {
	struct tl_trace *trace;
	struct tl_series_options options;
	struct tl_span recorded;
	int64_t width;        /* of a window, ticks; 0: rows are points */
};

enum tl_status tl_series_new(struct tl_series_view **out, struct tl_trace *t, const struct tl_series_options *o, struct tl_error *err)
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

enum { RANK, PROCESS, DEVICE, TRACK, START, LENGTH, MEAN, LEAST, MOST, N_COLUMNS };
static const char *const queue_columns[] = {
	"rank", "process", "device", "stream", "start_us", "window_us", "length_mean", "length_min", "length_max", NULL
};
static const char *const copy_columns[] = {
	"rank", "process", "device", "direction", "start_us", "window_us", "mean (GB/s)", "min (GB/s)", "max (GB/s)", NULL
};
static const char *const busy_columns[] = { "rank", "process", "device", "work", "start_us", "window_us", "busy_pct", NULL };
static const char *const memory_columns[] = {
	"rank", "process", "device", "memory", "start_us", "window_us", "mean_bytes", "min_bytes", "max_bytes", NULL
};
/* By enum tl_counter_kind; whole: least and most are whole numbers. */
static const struct { const char *sheet, *unit, *const *columns; double scale; bool whole; } kinds[TL_COUNTER_KINDS] = {
	[TL_COUNTER_QUEUE] = { "queue_length", "events", queue_columns, 1, true },
	[TL_COUNTER_COPIES] = { "copy_bandwidth", "GB/s", copy_columns, 1, false },
	[TL_COUNTER_BUSY] = { "busy_share", "percent", busy_columns, 100, false },
	[TL_COUNTER_MEMORY] = { "live_memory", "bytes", memory_columns, 1, true },
};

static struct tl_cell value_cell(unsigned kind, double value)
{
	return kinds[kind].whole ? tl_cell_int(llround(value)) : tl_cell_real(value * kinds[kind].scale);
}

static void name_cells(const struct tl_counter *c, struct tl_cell *cells)
{
	cells[RANK] = c->rank;
	cells[PROCESS] = c->process;
	cells[DEVICE] = c->device;
	cells[TRACK] = c->track;
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

static void add_row(const struct tl_series_view *v, struct tl_table *rows, struct tl_cell *c, unsigned kind, struct tl_span span,
                    struct tl_series_part p)
{
	c[START] = tl_start_cell(v->trace, span.start);
	c[LENGTH] = tl_cell_time(tl_ticks_sub(span.end, span.start), false);
	c[MEAN] = tl_cell_real(p.mean * kinds[kind].scale);
	c[LEAST] = value_cell(kind, p.least);
	c[MOST] = value_cell(kind, p.most);
	tl_table_add_row(rows, c);
}

/* Windows of all tracks begin at the same times, counted from the start of the recorded one. */
static void add_windows(const struct tl_series_view *v, struct tl_table *rows, struct tl_cell *c, unsigned kind, const struct tl_series *s)
{
	struct tl_span all = span_of(v, s, kind);
	int64_t before = tl_ticks_sub(v->recorded.start, all.start), lead = before ? (before - 1) / v->width + 1 : 0, back;
	size_t at = 0;

	if (__builtin_mul_overflow(lead, v->width, &back))
		back = INT64_MAX;
	for (int64_t from = tl_ticks_sub(v->recorded.start, back); from < all.end;) {
		int64_t to = tl_ticks_add(from, v->width);
		struct tl_span span = { from, to < all.end ? to : all.end };
		add_row(v, rows, c, kind, span, tl_series_part(s, span, &at));
		from = to;
	}
}

/* Of several points at one time there is one row each: the queue was as long, if only for no time. */
static void add_points(const struct tl_series_view *v, struct tl_table *rows, struct tl_cell *c, unsigned kind, const struct tl_series *s)
{
	int64_t end = span_of(v, s, kind).end;

	for (size_t i = 0; i < s->n; i++) {
		int64_t next = i + 1 < s->n ? s->items[i + 1].at : end > s->items[i].at ? end : s->items[i].at;
		double value = s->items[i].value;
		add_row(v, rows, c, kind, (struct tl_span){ s->items[i].at, next }, (struct tl_series_part){ value, value, value });
	}
}

/* How many windows the points outside of the recorded one need, at most. */
static bool too_many(const struct tl_series_view *v, const struct tl_series *s, unsigned kind)
{
	struct tl_span all = span_of(v, s, kind);

	return tl_ticks_sub(all.end, all.start) / v->width > 2 * (int64_t)TL_SERIES_WINDOWS;
}

static void series_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_series_view *v = ctx;
	unsigned kind = 0;

	while (strcmp(kinds[kind].sheet, in->name) != 0)
		kind++;
	const struct tl_counters *counters = tl_counters_of(v->trace, (enum tl_counter_kind)kind);
	in->own_rows = tl_table_new(&v->trace->strings, v->trace->ticks_per_us, kinds[kind].columns);
	for (size_t i = 0; i < counters->n; i++) {
		const struct tl_series *s = &counters->items[i].series;
		struct tl_cell c[N_COLUMNS];
		if (!s->n)
			continue;
		name_cells(&counters->items[i], c);
		/* a time that is far off makes no windows up to there, but points */
		(v->width && !too_many(v, s, kind) ? add_windows : add_points)(v, in->own_rows, c, kind, s);
	}
}

/* ---- series_summary ---------------------------------------------------------------------------- */

enum { S_SERIES, S_UNIT, S_NAMES, S_POINTS = S_NAMES + TRACK + 1, S_SPAN, S_MEAN, S_MOST, S_P10, S_P50, S_P90, S_ZERO, S_FULL,
	S_BLOCKED, S_BLOCKED_MS, S_UNKNOWN, S_NO_CALL, S_EVENTS, S_NO_BYTES, S_BYTES, S_BUSY, S_COLUMNS };
static const char *const summary_columns[] = {
	"series", "unit", "rank", "process", "device", "track", "point_count", "span_ms", "time_mean", "greatest", "p10", "p50", "p90",
	"zero_pct", "full_pct", "blocked_count", "blocked_ms", "blocked_unknown_count", "no_call_count", "copy_count", "no_bytes_count",
	"bytes", "busy_ms", NULL
};

/* Shares of windows: a device is busy or not, and only its share of some time is a number. */
static void add_shares(struct tl_series *shares, const struct tl_series_view *v, const struct tl_series *s)
{
	int64_t length = tl_ticks_sub(v->recorded.end, v->recorded.start), width = v->width ? v->width : (length - 1) / 1000 + 1;
	size_t at = 0;

	for (int64_t from = v->recorded.start; from < v->recorded.end; from = tl_ticks_add(from, width)) {
		int64_t to = tl_ticks_add(from, width);
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
		c[S_P10 + i] = value_cell(kind, values[i]);
}

static void queue_cells(const struct tl_series_view *v, const struct tl_counter *counter, double full, struct tl_cell *c)
{
	const struct tl_queues *q = tl_queues_of(v->trace);
	struct tl_queue_blocked b = tl_queue_blocked(q, v->trace, counter->number, v->options.full);

	c[S_FULL] = tl_cell_real(full * 100);
	c[S_BLOCKED] = tl_cell_int(b.calls);
	c[S_BLOCKED_MS] = tl_cell_ms(b.ticks);
	c[S_UNKNOWN] = tl_cell_int(b.unknown);
	c[S_NO_CALL] = tl_cell_int(q->items[counter->number].no_call);
}

/* Copies have a mean and percentiles while they run. */
static void copy_cells(const struct tl_series_view *v, const struct tl_counter *counter, struct tl_cell *c)
{
	int64_t busy = tl_spans_length(&counter->spans);
	struct tl_series running = { 0 };

	c[S_EVENTS] = tl_cell_int(counter->events);
	c[S_NO_BYTES] = tl_cell_int(counter->no_bytes);
	c[S_BYTES] = tl_cell_int(counter->bytes);
	c[S_BUSY] = tl_cell_ms(busy);
	if (busy <= 0)
		return;
	c[S_MEAN] = tl_cell_real((double)counter->bytes / ((double)busy * 1000 / (double)v->trace->ticks_per_us));
	keep_busy(&running, counter);
	percentile_cells(&running, (struct tl_span){ 0, running.items[running.n - 1].at }, TL_COUNTER_COPIES, c);
	tl_series_release(&running);
}

static void add_summary(const struct tl_series_view *v, struct tl_table *rows, const struct tl_counter *counter, unsigned kind)
{
	const struct tl_series *s = &counter->series;
	struct tl_span span = span_of(v, s, kind);
	struct tl_series_shares shares = tl_series_shares(s, span, (double)v->options.full);
	struct tl_series of_windows = { 0 };
	struct tl_cell c[S_COLUMNS] = { [S_SERIES] = tl_cell_str(&v->trace->strings, kinds[kind].sheet),
		[S_UNIT] = tl_cell_str(&v->trace->strings, kinds[kind].unit), [S_POINTS] = tl_cell_int((int64_t)s->n),
		[S_SPAN] = tl_cell_ms(tl_ticks_sub(span.end, span.start)) };
	bool any = span.end > span.start, copies = kind == TL_COUNTER_COPIES;

	name_cells(counter, c + S_NAMES);
	if (kind == TL_COUNTER_BUSY) {
		add_shares(&of_windows, v, s);
		s = &of_windows;
	}
	struct tl_series_part p = tl_series_part(s, span, &(size_t){ 0 });
	if (any && !copies) {
		c[S_MEAN] = tl_cell_real(p.mean * kinds[kind].scale);
		percentile_cells(s, span, kind, c);
	}
	if (any) {
		c[S_MOST] = value_cell(kind, p.most);
		c[S_ZERO] = tl_cell_real(shares.at_zero * 100);
	}
	if (kind == TL_COUNTER_QUEUE)
		queue_cells(v, counter, shares.at_limit, c);
	if (copies)
		copy_cells(v, counter, c);
	tl_table_add_row(rows, c);
	tl_series_release(&of_windows);
}

static void summary_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_series_view *v = ctx;

	in->own_rows = tl_table_new(&v->trace->strings, v->trace->ticks_per_us, summary_columns);
	for (unsigned kind = 0; kind < TL_COUNTER_KINDS; kind++) {
		const struct tl_counters *counters = tl_counters_of(v->trace, (enum tl_counter_kind)kind);
		for (size_t i = 0; i < counters->n; i++)
			add_summary(v, in->own_rows, &counters->items[i], kind);
	}
}

/* ---- launches -------------------------------------------------------------------------------------- */

enum { L_CALL, L_NAME, L_STREAM, L_CORRELATION, L_START, L_CALL_US, L_DEVICE_US, L_DELAY, L_FROM_START, L_SHORTER, L_UID, L_COLUMNS };
static const char *const launch_columns[] = {
	"call", "name", "stream", "correlation", "start_us", "call_us", "device_us", "delay_us", "start_delay_us", "shorter", "UID", NULL
};
static const struct tl_column all_launch_columns[] = {
	{ "call", .kind = TL_FIRST }, { "name", .kind = TL_FIRST }, { "stream", .kind = TL_FIRST }, { "correlation", .kind = TL_FIRST },
	{ "start_us", .kind = TL_FIRST }, { "call_us", .kind = TL_FIRST }, { "device_us", .kind = TL_FIRST },
	{ "delay_us", .kind = TL_FIRST }, { "start_delay_us", .kind = TL_FIRST }, { "UID", .kind = TL_FIRST }, { .name = NULL }
};
static const struct tl_sheet_def launches = {
	.name = "launches", .rows = launch_columns, .columns = all_launch_columns, .ungrouped = true,
};
static const struct tl_column delay_columns[] = {
	{ "name", .kind = TL_KEY },
	{ "call", .kind = TL_KEY },
	{ "Count", .kind = TL_COUNT },
	{ "shorter_count", .kind = TL_COUNT, .in = "shorter" },
	TL_STATISTIC("call_us", TL_MEAN, "_mean", 0, false), TL_STATISTIC("call_us", TL_MEDIAN, "_median", 0, false),
	TL_STATISTIC("call_us", TL_MAX, "_max", 0, false),
	TL_STATISTIC("device_us", TL_MEAN, "_mean", 0, false), TL_STATISTIC("device_us", TL_MEDIAN, "_median", 0, false),
	TL_STATISTIC("delay_us", TL_MEAN, "_mean", 0, false), TL_STATISTIC("delay_us", TL_MEDIAN, "_median", 0, false),
	TL_STATISTIC("delay_us", TL_MAX, "_max", 0, false),
	TL_STATISTIC("start_delay_us", TL_MEDIAN, "_median", 0, false), TL_STATISTIC("start_delay_us", TL_MIN, "_min", 0, false),
	{ "delay_us_sum", .kind = TL_SUM, .in = "delay_us", .hidden = true },
	{ "delay_ms", .kind = TL_MS, .in = "delay_us_sum" },
	{ .name = NULL }
};
static const struct tl_sheet_def launch_delays = {
	.name = "launch_delays", .rows = launch_columns, .columns = delay_columns, .keys_ascending = true,
	.order = { { "delay_us_sum", true } },
};

struct launch { uint32_t call, gpu; };

static int by_call(const void *pa, const void *pb, void *trace)
{
	const struct launch *a = pa, *b = pb;
	const struct tl_ev *events = ((const struct tl_trace *)trace)->events, *x = &events[a->call], *y = &events[b->call];

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	return events[a->gpu].ts < events[b->gpu].ts ? -1 : events[a->gpu].ts > events[b->gpu].ts;
}

static void launch_rows(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace *t = ((const struct tl_series_view *)ctx)->trace;
	struct tl_arg correlation = tl_arg_of(t, TL_KEY_CORRELATION);
	const uint32_t *call_of = tl_calls_of_work(t);
	struct launch *items = NULL;
	size_t n = 0, cap = 0;

	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, launch_columns);
	for (uint32_t i = 0; i < t->n_events; i++) {
		if (call_of[i] == TL_NONE || !tl_gpu_usable(&t->events[i]))
			continue;
		TL_GROW(items, cap, n + 1);
		items[n++] = (struct launch){ call_of[i], i };
	}
	if (n)
		tl_merge_sort(items, n, sizeof *items, by_call, t);
	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *call = &t->events[items[i].call], *e = &t->events[items[i].gpu];
		int64_t delay = tl_ticks_sub(e->ts, tl_ev_end(call));
		tl_table_add_row(in->own_rows, (struct tl_cell[L_COLUMNS]){
			[L_CALL] = tl_name_cell(t, call->name), [L_NAME] = tl_name_cell(t, e->name),
			[L_STREAM] = tl_whole_cell(tl_json_cell(t, t->tracks[e->track].tid)),
			[L_CORRELATION] = tl_arg_cell(t, &correlation, items[i].gpu), [L_START] = tl_start_cell(t, call->ts),
			[L_CALL_US] = tl_duration_cell(call), [L_DEVICE_US] = tl_duration_cell(e),
			[L_DELAY] = tl_cell_time(delay > 0 ? delay : 0, false), [L_FROM_START] = tl_cell_time(tl_ticks_sub(e->ts, call->ts), false),
			[L_SHORTER] = e->dur < call->dur ? tl_cell_bool(true) : tl_cell_null(), [L_UID] = tl_cell_int(e->uid) });
	}
	free(items);
}

static void step_kernel_rows(void *ctx, struct tl_sheet_input *in)
{
	in->own_rows = tl_step_kernels(((const struct tl_series_view *)ctx)->trace);
}

/* ---- list -------------------------------------------------------------------------------------------- */

#define OPTION "series"
#define NEEDS TL_NEEDS_ANNOTATIONS
#define MEMORY (TL_NEEDS_ANNOTATIONS | TL_NEEDS_INSTANTS | TL_NEEDS_FRAMES)

static const struct tl_sheet sheets[] = {
	{ "series_summary", "queues, copies, busy devices and memory over time: means, maxima, percentiles", OPTION,
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_USUAL, MEMORY, NULL, summary_rows, NULL },
	{ "queue_length", "launched work that has not started, of each stream over time", OPTION, TL_SHEET_NEEDS_ROWS, NEEDS, NULL, series_rows, NULL },
	{ "copy_bandwidth", "bytes a second of copies and sets over time", OPTION, TL_SHEET_NEEDS_ROWS, NEEDS, NULL, series_rows, NULL },
	{ "busy_share", "how busy devices are over time", OPTION, TL_SHEET_NEEDS_ROWS, NEEDS, NULL, series_rows, NULL },
	{ "live_memory", "allocated and reserved memory over time", OPTION, TL_SHEET_NEEDS_ROWS, MEMORY, NULL, series_rows, NULL },
	{ "launch_delays", "what launches take, and how long work waits behind them, by kernel", OPTION, TL_SHEET_NEEDS_ROWS, 0, &launch_delays,
	  launch_rows, NULL },
	{ "step_kernels", "how kernels fill each device in each step", OPTION, TL_SHEET_NEEDS_ROWS, NEEDS, NULL, step_kernel_rows, NULL },
	{ "launches", "every launch, with its delay", NULL, TL_SHEET_EXTRA, 0, &launches, launch_rows, NULL },
	{ .name = NULL }
};
const struct tl_sheet_family tl_series_sheets = { "tl-series", sheets };
