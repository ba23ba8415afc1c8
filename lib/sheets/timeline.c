/* timeline.c - the sheets gpu_timeline*: what the time of devices was spent on; the total that other sheets refer to.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/timeline.h"

#include "work/device_events.h"
#include "base/number.h"
#include "sheet/timeline.h"

#include <stdlib.h>

/* Ticks by purpose, of one set of device events; idle = micro + macro. */
struct purposes { int64_t ticks[TL_TIMES], micro_idle, macro_idle; };

/* The same, with detect_recompute in two parts: work that is not recomputed, and recomputed
 * work. */
struct tl_device_times {
	struct purposes parts[2];
	bool any[2]; /* does a part have device events? */
};

static void measure(struct tl_timeline *l, const uint32_t *events, size_t n, struct tl_device_times *out, int part)
{
	const struct tl_trace *t = l->trace;
	struct tl_spans of[TL_GPU_WORKS] = { 0 }, all = { 0 };
	int64_t micro = tl_ticks_of_us(l->options.micro_idle_us, t->ticks_per_us);

	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[events[i]];
		tl_spans_add(&of[tl_gpu_work(e)], e->ts, tl_ev_end(e));
	}
	out->any[part] = tl_gpu_times(of, l->options.micro_idle_us < 0 ? NULL : &all, out->parts[part].ticks);
	for (size_t i = 1; i < all.n; i++) {
		int64_t gap = tl_ticks_sub(all.items[i].start, all.items[i - 1].end);
		int64_t *sum = gap < micro ? &out->parts[part].micro_idle : &out->parts[part].macro_idle;
		*sum = tl_ticks_add(*sum, gap);
	}
	tl_spans_release(&all);
}

enum tl_status tl_timeline_new(struct tl_timeline **out, struct tl_trace *t, const struct tl_timeline_options *o,
                               bool *fell_back, struct tl_error *err)
{
	struct tl_timeline *l = tl_calloc(1, sizeof *l);
	struct tl_device_times *all;

	tl_mark_work_once(t);
	*l = (struct tl_timeline){ .trace = t, .options = *o, .devices = tl_devices_of(t) };
	l->times = tl_calloc(l->devices->n + 1, sizeof *l->times);
	all = &l->times[l->devices->n];
	*fell_back = false;
	for (int part = 0; part <= o->select.detect_recompute; part++) {
		bool fell;
		size_t n;
		uint32_t *events = tl_gpu_events_by_start(t, &o->select, part, &n, &fell);

		*fell_back |= fell;
		measure(l, events, n, all, part);
		if (l->devices->n > 1) {
			struct tl_split_events by = tl_split_events(l->devices->of, l->devices->n, events, n);
			for (size_t i = 0; i < l->devices->n; i++)
				measure(l, by.items + by.start[i], by.start[i + 1] - by.start[i], &l->times[i], part);
			tl_split_events_release(&by);
		}
		free(events);
	}
	if (l->devices->n == 1)
		l->times[0] = *all;
	*out = l;
	if (all->any[0] || all->any[1])
		return TL_OK;
	tl_timeline_free(l);
	return tl_no_gpu_events(t, err);
}

void tl_timeline_free(struct tl_timeline *l)
{
	if (!l)
		return;
	free(l->times);
	free(l);
}

size_t tl_timeline_devices(const struct tl_timeline *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->devices->n; i++)
		n += l->times[i].any[0] || l->times[i].any[1];
	return n;
}

/* ---- the sheets --------------------------------------------------------------- */

/* total: of which the row gives the share. */
static void add_time(struct tl_table *rows, const struct tl_device *d, bool recomputed, const char *type, int64_t ticks, int64_t total)
{
	struct tl_cell c[N_TIME] = { [TIME_TYPE] = tl_cell_str(rows->strings, type), [TIME_TIME_MS] = tl_cell_ms(ticks),
	                             [TIME_IS_RECOMPUTE] = tl_cell_bool(recomputed) };

	if (d)
		tl_device_cells(d, c);
	if (total)
		c[TIME_PERCENT] = tl_cell_real(tl_divide(ticks, rows->ticks_per_us) / tl_divide(total, rows->ticks_per_us) * 100);
	tl_table_add_row(rows, c);
}

static void add_times(struct tl_table *rows, const struct tl_timeline *l, const struct tl_device *d, const struct tl_device_times *times)
{
	for (int part = 0; part < 2; part++) {
		const struct purposes *p = &times->parts[part];
		int64_t total = p->ticks[TL_TIME_TOTAL];

		for (size_t i = 0; times->any[part] && i < TL_TIMES; i++) {
			if (i != TL_TIME_IDLE || l->options.micro_idle_us < 0) {
				add_time(rows, d, part, tl_gpu_time_names[i], p->ticks[i], total);
				continue;
			}
			add_time(rows, d, part, "micro_idle_time", p->micro_idle, total);
			add_time(rows, d, part, "macro_idle_time", p->macro_idle, total);
		}
	}
}

static void begin_times(const struct tl_timeline *l, struct tl_sheet_input *in)
{
	in->own_rows = tl_table_new(&l->trace->strings, l->trace->ticks_per_us, tl_timeline_time_rows);
	in->conditions = l->options.select.detect_recompute ? TL_TIMELINE_IF_RECOMPUTE : 0;
}

void tl_timeline_of_all(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_timeline *l = ctx;

	begin_times(l, in);
	add_times(in->own_rows, l, NULL, &l->times[l->devices->n]);
}

void tl_timeline_by_device(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_timeline *l = ctx;

	if (tl_timeline_devices(l) < 2 && !l->options.one_device)
		return;
	begin_times(l, in);
	for (size_t i = 0; i < l->devices->n; i++)
		add_times(in->own_rows, l, &l->devices->items[i], &l->times[i]);
}

/* ---- the total ---------------------------------------------------------------- */

double tl_timeline_total_us(struct tl_trace *t, const struct tl_gpu_select *sel)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	uint32_t *events = NULL;
	size_t n = 0;

	for (int part = 0; part <= sel->detect_recompute && !n; part++) {
		free(events);
		events = tl_gpu_events_by_start(t, sel, part, &n, NULL);
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
