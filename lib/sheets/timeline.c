/* timeline.c - the sheets gpu_timeline*: what the time of devices was spent on.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/timeline.h"

#include "analysis/devices.h"
#include "sheets/idle_gaps.h"

#include <stdlib.h>

/* Ticks by purpose, of one set of device events. */
struct purposes {
	int64_t computation, exposed_comm, exposed_memcpy, busy, total;
	int64_t comm, memcpy;
	int64_t idle, micro_idle, macro_idle; /* idle = micro + macro */
};

/* The same, with detect_recompute in two parts: work that is not recomputed, and recomputed
 * work. */
struct block {
	struct purposes parts[2];
	bool any[2]; /* does a part have device events? */
};

struct tl_timeline {
	struct tl_trace *trace;
	struct tl_timeline_options options;
	struct block all;
	struct tl_devices devices;
	struct block *of_device;  /* by number of the device */
};

static int64_t micro_ticks(const struct tl_trace *t, int64_t us)
{
	int64_t ticks;

	if (us < 0)
		return 0;
	return __builtin_mul_overflow(us, t->ticks_per_us, &ticks) ? INT64_MAX : ticks;
}

static void idle_gaps(const struct tl_spans *busy, int64_t micro_ticks, struct purposes *out)
{
	for (size_t i = 1; i < busy->n; i++) {
		int64_t gap = tl_ticks_sub(busy->items[i].start, busy->items[i - 1].end);

		if (gap < micro_ticks)
			out->micro_idle = tl_ticks_add(out->micro_idle, gap);
		else
			out->macro_idle = tl_ticks_add(out->macro_idle, gap);
	}
	out->idle = tl_ticks_add(out->micro_idle, out->macro_idle);
}

static void measure(struct tl_timeline *l, const uint32_t *events, size_t n, struct purposes *out)
{
	const struct tl_trace *t = l->trace;
	struct tl_spans of[TL_GPU_WORKS] = { 0 }, all = { 0 }, part = { 0 }, rest = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[events[i]];

		tl_spans_add(&of[tl_gpu_work(e)], e->ts, tl_ev_end(e));
	}
	for (unsigned w = 0; w < TL_GPU_WORKS; w++) {
		tl_spans_merge(&of[w]);
		for (size_t i = 0; i < of[w].n; i++)
			tl_spans_add(&all, of[w].items[i].start, of[w].items[i].end);
	}
	tl_spans_merge(&all);
	out->computation = tl_spans_length(&of[TL_GPU_COMPUTE]);
	out->comm = tl_spans_length(&of[TL_GPU_COMM]);
	out->memcpy = tl_spans_length(&of[TL_GPU_MEMCPY]);
	tl_spans_subtract(&of[TL_GPU_COMM], &of[TL_GPU_COMPUTE], &part);
	out->exposed_comm = tl_spans_length(&part);
	tl_spans_subtract(&of[TL_GPU_MEMCPY], &of[TL_GPU_COMPUTE], &part);
	tl_spans_subtract(&part, &of[TL_GPU_COMM], &rest);
	out->exposed_memcpy = tl_spans_length(&rest);
	out->busy = tl_spans_length(&all);
	if (all.n)
		out->total = tl_ticks_sub(all.items[all.n - 1].end, all.items[0].start);
	idle_gaps(&all, micro_ticks(t, l->options.micro_idle_us), out);
	for (unsigned w = 0; w < TL_GPU_WORKS; w++)
		tl_spans_release(&of[w]);
	tl_spans_release(&all);
	tl_spans_release(&part);
	tl_spans_release(&rest);
}

/* Measures the events of each device by themselves. */
static void measure_devices(struct tl_timeline *l, const uint32_t *events, size_t n, int part)
{
	struct tl_events_by_device by = tl_devices_split(&l->devices, events, n);

	for (size_t i = 0; i < l->devices.n; i++) {
		size_t n_here = by.start[i + 1] - by.start[i];

		l->of_device[i].any[part] = n_here > 0;
		if (n_here)
			measure(l, by.items + by.start[i], n_here, &l->of_device[i].parts[part]);
	}
	tl_events_by_device_release(&by);
}

enum tl_status tl_timeline_new(struct tl_timeline **out, struct tl_trace *t, const struct tl_timeline_options *o,
                               bool *fell_back, struct tl_error *err)
{
	struct tl_timeline *l = tl_calloc(1, sizeof *l);

	tl_mark_work_once(t);
	l->trace = t;
	l->options = *o;
	tl_devices_find(&l->devices, t);
	l->of_device = tl_calloc(l->devices.n + 1, sizeof *l->of_device);
	*fell_back = false;
	for (int part = 0; part <= o->select.detect_recompute; part++) {
		bool fell;
		size_t n;
		uint32_t *events = tl_gpu_events(t, &o->select, part, &n, &fell);

		*fell_back |= fell;
		l->all.any[part] = n > 0;
		if (n)
			measure(l, events, n, &l->all.parts[part]);
		if (l->devices.n > 1)
			measure_devices(l, events, n, part);
		free(events);
	}
	if (l->devices.n == 1)
		l->of_device[0] = l->all;
	*out = l;
	if (l->all.any[0] || l->all.any[1])
		return TL_OK;
	tl_timeline_free(l);
	return tl_no_gpu_events(t, err);
}

void tl_timeline_free(struct tl_timeline *l)
{
	if (!l)
		return;
	tl_devices_release(&l->devices);
	free(l->of_device);
	free(l);
}

size_t tl_timeline_devices(const struct tl_timeline *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->devices.n; i++)
		n += l->of_device[i].any[0] || l->of_device[i].any[1];
	return n;
}

/* ---- the sheets --------------------------------------------------------------- */

/* Adds the rows of a part; they begin with the cells of the device, if there is one. */
static void add_part(const struct tl_timeline *l, const struct tl_device *d, const struct purposes *p, bool recomputed,
                     struct tl_table *table)
{
	bool micro = l->options.micro_idle_us >= 0;
	const struct { const char *type; int64_t ticks; bool wanted; } rows[] = {
		{ "computation_time", p->computation, true },
		{ "exposed_comm_time", p->exposed_comm, true },
		{ "exposed_memcpy_time", p->exposed_memcpy, true },
		{ "busy_time", p->busy, true },
		{ "idle_time", p->idle, !micro },
		{ "micro_idle_time", p->micro_idle, micro },
		{ "macro_idle_time", p->macro_idle, micro },
		{ "total_time", p->total, true },
		{ "total_comm_time", p->comm, true },
		{ "total_memcpy_time", p->memcpy, true },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!rows[i].wanted)
			continue;
		struct tl_cell c[7] = { 0 };
		size_t n = 0;
		if (d) {
			c[n++] = d->rank;
			c[n++] = d->process;
			c[n++] = d->device;
		}
		c[n++] = tl_cell_text(tl_intern_str(table->strings, rows[i].type));
		c[n++] = tl_cell_ms(rows[i].ticks);
		if (p->total)
			c[n] = tl_cell_real(tl_trace_us(l->trace, rows[i].ticks) / tl_trace_us(l->trace, p->total) * 100);
		c[++n] = tl_cell_bool(recomputed);
		tl_table_add_row(table, c);
	}
}

static void add_block(const struct tl_timeline *l, const struct tl_device *d, const struct block *b, struct tl_table *table)
{
	for (int part = 0; part < 2; part++)
		if (b->any[part])
			add_part(l, d, &b->parts[part], part == 1, table);
}

static struct tl_table *new_table(const struct tl_timeline *l, const char *const *columns)
{
	struct tl_table *table = tl_table_new(&l->trace->strings, l->trace->ticks_per_us, columns);

	if (l->options.select.detect_recompute)
		tl_table_add_column(table, "is_recompute");
	return table;
}

static struct tl_table *make(void *ctx, const struct tl_sheet *s)
{
	static const char *const columns[] = { "type", "time ms", "percent", NULL };
	const struct tl_timeline *l = ctx;
	struct tl_table *table = new_table(l, columns);

	(void)s;
	add_block(l, NULL, &l->all, table);
	return table;
}

static struct tl_table *make_by_device(void *ctx, const struct tl_sheet *s)
{
	static const char *const columns[] = { "rank", "process", "device", "type", "time ms", "percent", NULL };
	const struct tl_timeline *l = ctx;
	struct tl_table *table;

	(void)s;
	if (tl_timeline_devices(l) < 2 && !l->options.one_device)
		return NULL;
	table = new_table(l, columns);
	for (size_t i = 0; i < l->devices.n; i++)
		add_block(l, &l->devices.items[i], &l->of_device[i], table);
	return table;
}

static struct tl_table *make_idle_gaps(void *ctx, const struct tl_sheet *s)
{
	struct tl_timeline *l = ctx;

	(void)s;
	return tl_idle_gaps(l->trace, &l->devices, l->options.top_gaps);
}

static const struct tl_sheet sheets[] = {
	{ "gpu_timeline", "device time by what it was spent on", NULL, TL_SHEET_USUAL | TL_SHEET_LINKED_TIME, 0, NULL, make },
	{ "gpu_timeline_by_device", "the same for each device, if the trace has several", NULL, TL_SHEET_LINKED_TIME, 0, NULL, make_by_device },
	{ "idle_gaps", "the longest idle times of each device, and what the host did", NULL,
	  TL_SHEET_NEEDS_ROWS, 0, &tl_idle_gaps_sheet, make_idle_gaps },
	{ .name = NULL },
};
const struct tl_sheet_family tl_timeline_sheets = { "tl-timeline", sheets };

/* ---- the total ---------------------------------------------------------------- */

double tl_timeline_total_us(const struct tl_trace *t, const struct tl_gpu_select *sel)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	uint32_t *events = NULL;
	size_t n = 0;

	for (int part = 0; part <= sel->detect_recompute && !n; part++) {
		free(events);
		events = tl_gpu_events(t, sel, part, &n, NULL);
	}
	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[events[i]];
		int64_t end = tl_ev_end(e);

		first = e->ts < first ? e->ts : first;
		end = end < e->ts ? e->ts : end;
		last = end > last ? end : last;
	}
	free(events);
	/* TraceLens multiplies the ms of the sheet: the same rounding */
	return n ? tl_trace_us(t, tl_ticks_sub(last, first)) / 1e3 * 1e3 : 0;
}
