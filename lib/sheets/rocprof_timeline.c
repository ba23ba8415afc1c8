/* rocprof_timeline.c - the sheet gpu_timeline of traces without operators: device time in the life
 * of the process.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/rocprof_events.h"

#include "analysis/spans.h"
#include "base/merge_sort.h"

#include <stdlib.h>
#include <string.h>

static void add_spans(struct tl_spans *s, const struct tl_rocprof_events *d)
{
	for (size_t i = 0; i < d->n; i++)
		tl_spans_add(s, d->items[i].start, d->items[i].end);
}

/* Ticks in which any of these events runs. b: more events, or NULL. */
static int64_t busy(const struct tl_rocprof_events *a, const struct tl_rocprof_events *b)
{
	struct tl_spans s = { 0 };

	add_spans(&s, a);
	if (b)
		add_spans(&s, b);
	tl_spans_merge(&s);
	int64_t ticks = tl_spans_length(&s);
	tl_spans_release(&s);
	return ticks;
}

static int by_start(const void *a, const void *b, void *unused)
{
	int64_t x = ((const struct tl_rocprof_event *)a)->start, y = ((const struct tl_rocprof_event *)b)->start;

	(void)unused;
	return x < y ? -1 : x > y;
}

/* The same in µs as TraceLens reckons: in doubles, with events that end before they start. */
static double busy_as_reference(const struct tl_rocprof *r, const struct tl_rocprof_events *a, const struct tl_rocprof_events *b)
{
	size_t n = a->n + (b ? b->n : 0);
	struct tl_rocprof_event *all = tl_alloc((n + 1) * sizeof *all);
	double sum = 0, start = 0, end = 0;

	if (a->n)
		memcpy(all, a->items, a->n * sizeof *all);
	if (b && b->n)
		memcpy(all + a->n, b->items, b->n * sizeof *all);
	tl_merge_sort(all, n, sizeof *all, by_start, NULL);
	for (size_t i = 0; i < n; i++) {
		double from = tl_trace_us(r->trace, all[i].start), to = tl_trace_us(r->trace, all[i].end);
		if (!i || from > end) {
			sum += end - start;
			start = from;
			end = to;
		} else if (to > end) {
			end = to;
		}
	}
	free(all);
	return sum + (end - start);
}

/* The time in which any of these events runs, in µs. */
static struct tl_cell busy_us(const struct tl_rocprof *r, const struct tl_rocprof_events *a, const struct tl_rocprof_events *b)
{
	return r->options.reference ? tl_cell_real(busy_as_reference(r, a, b)) : tl_cell_time(busy(a, b), false);
}

static struct tl_cell idle_us(const struct tl_rocprof *r, struct tl_cell total, struct tl_cell busy_time)
{
	double us = tl_cell_number(total, r->trace->ticks_per_us) - tl_cell_number(busy_time, r->trace->ticks_per_us);

	if (us <= 0)
		return tl_cell_time(0, false);
	return r->options.reference ? tl_cell_real(us) : tl_cell_time(tl_ticks_sub(total.i, busy_time.i), false);
}

struct tl_table *tl_rocprof_timeline(void *ctx, const struct tl_sheet *s)
{
	static const char *const columns[] = { "type", "time ms", "percent", NULL };
	struct tl_rocprof *r = ctx;
	struct tl_table *t = tl_table_new(&r->trace->strings, r->trace->ticks_per_us, columns);
	struct tl_cell total = tl_cell_time(tl_ticks_sub(r->end, r->begin), false), any = busy_us(r, &r->kernels, &r->copies);
	double total_us = tl_cell_number(total, t->ticks_per_us);
	const struct { const char *type; struct tl_cell us; } rows[] = {
		{ "total_time", total }, { "kernel", busy_us(r, &r->kernels, NULL) }, { "memory", busy_us(r, &r->copies, NULL) },
		{ "busy_time", any }, { "idle", idle_us(r, total, any) },
	};

	(void)s;
	if (!r->kernels.n && (r->options.reference || !r->copies.n))
		return t;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct tl_cell us = rows[i].us;
		double share = total_us > 0 ? tl_cell_number(us, t->ticks_per_us) / total_us * 100 : 0;
		const struct tl_cell c[] = {
			tl_cell_text(tl_intern_str(t->strings, rows[i].type)),
			us.type == TL_CELL_TIME ? tl_cell_ms(us.i) : tl_cell_real(us.d / 1000),
			tl_cell_real(i == 0 ? 100 : share),
		};
		tl_table_add_row(t, c);
	}
	return t;
}
