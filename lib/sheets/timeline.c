/* timeline.c - the gpu_timeline sheet: what the device's time went to.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/timeline.h"

#include <stdlib.h>
#include <string.h>

static void idle_gaps(const struct tl_spans *busy, int64_t micro_ticks, struct tl_timeline *out)
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

void tl_timeline_measure(const struct tl_trace *t, const uint32_t *events, size_t n,
                         int64_t micro_ticks, struct tl_timeline *out)
{
	struct tl_spans of[TL_GPU_WORKS] = { 0 }, all = { 0 }, part = { 0 }, rest = { 0 };
	struct tl_work_by_name work = { 0 };

	*out = (struct tl_timeline){ 0 };
	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[events[i]];

		tl_spans_add(&of[tl_gpu_work(&work, t, events[i])], e->ts, tl_ev_end(e));
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
	idle_gaps(&all, micro_ticks, out);
	for (unsigned w = 0; w < TL_GPU_WORKS; w++)
		tl_spans_release(&of[w]);
	tl_spans_release(&all);
	tl_spans_release(&part);
	tl_spans_release(&rest);
	tl_work_by_name_release(&work);
}

static void add_row(struct tl_trace *t, struct tl_table *table, const char *type,
                    int64_t ticks, int64_t total, int part)
{
	struct tl_cell *c = tl_table_add_row(table);
	double us = tl_trace_us(t, ticks), total_us = tl_trace_us(t, total);

	c[0] = tl_cell_text(tl_intern_str(&t->strings, type));
	c[1] = tl_cell_real(us / 1e3);
	if (total)
		c[2] = tl_cell_real(us / total_us * 100);
	if (part >= 0)
		c[3] = tl_cell_bool(part == 1);
}

static void add_rows(struct tl_trace *t, struct tl_table *table, const struct tl_timeline *l,
                     bool micro, int part)
{
	const struct { const char *type; int64_t ticks; bool wanted; } rows[] = {
		{ "computation_time", l->computation, true },
		{ "exposed_comm_time", l->exposed_comm, true },
		{ "exposed_memcpy_time", l->exposed_memcpy, true },
		{ "busy_time", l->busy, true },
		{ "idle_time", l->idle, !micro },
		{ "micro_idle_time", l->micro_idle, micro },
		{ "macro_idle_time", l->macro_idle, micro },
		{ "total_time", l->total, true },
		{ "total_comm_time", l->comm, true },
		{ "total_memcpy_time", l->memcpy, true },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].wanted)
			add_row(t, table, rows[i].type, rows[i].ticks, l->total, part);
}

static int64_t micro_ticks(const struct tl_trace *t, int64_t us)
{
	int64_t ticks;

	if (us < 0)
		return 0;
	return __builtin_mul_overflow(us, t->ticks_per_us, &ticks) ? INT64_MAX : ticks;
}

enum tl_status tl_sheet_timeline(struct tl_trace *t, const struct tl_timeline_options *o,
                                 struct tl_table **out, bool *fell_back, struct tl_error *err)
{
	struct tl_table *table = tl_table_new(&t->strings);
	bool any = false;

	tl_table_add_column(table, "type");
	tl_table_add_column(table, "time ms");
	tl_table_add_column(table, "percent");
	if (o->select.detect_recompute)
		tl_table_add_column(table, "is_recompute");
	if (fell_back)
		*fell_back = false;
	for (int part = 0; part <= o->select.detect_recompute; part++) {
		bool fell;
		size_t n;
		uint32_t *events = tl_gpu_events(t, &o->select, part, &n, &fell);
		struct tl_timeline l;

		if (fell_back)
			*fell_back |= fell;
		if (n) {
			tl_timeline_measure(t, events, n, micro_ticks(t, o->micro_idle_us), &l);
			add_rows(t, table, &l, o->micro_idle_us >= 0, o->select.detect_recompute ? part : -1);
			any = true;
		}
		free(events);
	}
	if (any) {
		*out = table;
		return TL_OK;
	}
	tl_table_free(table);
	return tl_no_gpu_events(t, err);
}

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
	/* by way of milliseconds, as the sheet states it */
	return n ? tl_trace_us(t, tl_ticks_sub(last, first)) / 1e3 * 1e3 : 0;
}
