/* timeline.c - the sheet gpu_timeline: what the device's time was spent on.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/timeline.h"

#include <stdlib.h>

/* Ticks by purpose, of one set of device events. */
struct purposes {
	int64_t computation, exposed_comm, exposed_memcpy, busy, total;
	int64_t comm, memcpy;
	int64_t idle, micro_idle, macro_idle; /* idle = micro + macro */
};

struct tl_timeline {
	struct tl_trace *trace;
	struct tl_timeline_options options;
	struct purposes parts[2]; /* with detect_recompute: work that is not recomputed, and recomputed work */
	bool any[2];              /* does a part have device events? */
};

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

static void measure(const struct tl_trace *t, const uint32_t *events, size_t n, int64_t micro_ticks,
                    struct purposes *out)
{
	struct tl_spans of[TL_GPU_WORKS] = { 0 }, all = { 0 }, part = { 0 }, rest = { 0 };
	struct tl_work_by_name work = { 0 };

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

static int64_t micro_ticks(const struct tl_trace *t, int64_t us)
{
	int64_t ticks;

	if (us < 0)
		return 0;
	return __builtin_mul_overflow(us, t->ticks_per_us, &ticks) ? INT64_MAX : ticks;
}

enum tl_status tl_timeline_new(struct tl_timeline **out, struct tl_trace *t, const struct tl_timeline_options *o,
                               bool *fell_back, struct tl_error *err)
{
	struct tl_timeline *l = tl_calloc(1, sizeof *l);

	l->trace = t;
	l->options = *o;
	*fell_back = false;
	for (int part = 0; part <= o->select.detect_recompute; part++) {
		bool fell;
		size_t n;
		uint32_t *events = tl_gpu_events(t, &o->select, part, &n, &fell);

		*fell_back |= fell;
		l->any[part] = n > 0;
		if (n)
			measure(t, events, n, micro_ticks(t, o->micro_idle_us), &l->parts[part]);
		free(events);
	}
	*out = l;
	if (l->any[0] || l->any[1])
		return TL_OK;
	tl_timeline_free(l);
	return tl_no_gpu_events(t, err);
}

void tl_timeline_free(struct tl_timeline *l)
{
	free(l);
}

/* ---- the sheet ---------------------------------------------------------------- */

static void add_part(const struct tl_timeline *l, int part, struct tl_table *table)
{
	const struct purposes *p = &l->parts[part];
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
		struct tl_cell c[4] = { 0 };
		c[0] = tl_cell_text(tl_intern_str(table->strings, rows[i].type));
		c[1] = tl_cell_ms(rows[i].ticks);
		if (p->total)
			c[2] = tl_cell_real(tl_trace_us(l->trace, rows[i].ticks) / tl_trace_us(l->trace, p->total) * 100);
		if (l->options.select.detect_recompute)
			c[3] = tl_cell_bool(part == 1);
		tl_table_add_row(table, c);
	}
}

static struct tl_table *make(void *ctx, const struct tl_sheet *s)
{
	static const char *const columns[] = { "type", "time ms", "percent", NULL };
	const struct tl_timeline *l = ctx;
	struct tl_table *table = tl_table_new(&l->trace->strings, l->trace->ticks_per_us, columns);

	(void)s;
	if (l->options.select.detect_recompute)
		tl_table_add_column(table, "is_recompute");
	for (int part = 0; part < 2; part++)
		if (l->any[part])
			add_part(l, part, table);
	return table;
}

static const struct tl_sheet sheets[] = {
	{ "gpu_timeline", "device time by what it was spent on", NULL, TL_SHEET_USUAL | TL_SHEET_LINKED_TIME, 0, NULL, make },
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
