/* rocprof.c - the sheets of the report of traces without operators.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/rocprof.h"

#include "work/args.h"
#include "work/device_events.h"
#include "work/devices.h"
#include "work/spans.h"
#include "work/trace_facts.h"
#include "base/merge_sort.h"
#include "model/trace.h"
#include "table/statistics.h"
#include "table/table.h"

#include <stdlib.h>
#include <string.h>

/* A device event. */
struct work { uint32_t event; int64_t start, end; };
struct works { struct work *items; size_t n, cap; };

struct tl_rocprof {
	struct tl_trace *trace;
	struct tl_rocprof_options options;
	struct tl_name_rules *categories;
	struct works kernels, copies; /* copies and sets of memory */
	int64_t begin, end;     /* of all processes together */
	struct tl_rocprof_doubts doubts;
};

/* ---- gpu busy -------------------------------------------------------------------- */

/* A row a GPU of a process, by process and number of the GPU. Device events count whether or not they have a call. */
void tl_rocprof_gpu_busy(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace *t = ((struct tl_rocprof *)ctx)->trace;
	const struct tl_devices *devices = tl_devices_of(t);
	const struct tl_split_events *by = &devices->events;

	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_rocprof_busy_rows);
	for (size_t i = 0; i < devices->n; i++) {
		struct tl_spans of[TL_GPU_WORKS] = { 0 };
		int64_t n = (int64_t)(by->start[i + 1] - by->start[i]), n_kernels = 0, ticks[TL_TIMES];
		for (size_t k = by->start[i]; k < by->start[i + 1]; k++) {
			const struct tl_ev *e = &t->events[by->items[k]];
			tl_spans_add(&of[e->kind == TL_KIND_KERNEL ? TL_GPU_COMPUTE : TL_GPU_MEMCPY], e->ts, tl_ev_end(e));
			n_kernels += e->kind == TL_KIND_KERNEL;
		}
		if (!n)
			continue;
		tl_gpu_times(of, NULL, ticks);
		struct tl_cell c[N_BUSY] = {
			[BUSY_PROCESS] = devices->items[i].process,
			[BUSY_DEVICE] = devices->items[i].device,
			[BUSY_KERNEL_COUNT] = tl_cell_int(n_kernels),
			[BUSY_MEMCPY_COUNT] = tl_cell_int(n - n_kernels),
			[BUSY_KERNEL_TIME_MS] = tl_cell_ms(ticks[TL_TIME_COMPUTATION]),
			[BUSY_MEMCPY_TIME_MS] = tl_cell_ms(ticks[TL_TIME_MEMCPY]),
			[BUSY_BUSY_TIME_MS] = tl_cell_ms(ticks[TL_TIME_BUSY]),
			[BUSY_IDLE_TIME_MS] = tl_cell_ms(ticks[TL_TIME_IDLE]),
			[BUSY_TOTAL_TIME_MS] = tl_cell_ms(ticks[TL_TIME_TOTAL]),
		};
		if (ticks[TL_TIME_TOTAL])
			c[BUSY_BUSY] = tl_cell_real(tl_trace_us(t, ticks[TL_TIME_BUSY]) / tl_trace_us(t, ticks[TL_TIME_TOTAL]) * 100);
		tl_table_add_row(in->own_rows, c);
	}
}

/* ---- the events -------------------------------------------------------------------- */

/* process: the pid of the only process that counts; 0: all count. TraceLens takes a missing start or end for 0, and an
 * end before the start as it stands. */
static void add_events(struct tl_rocprof *r, uint32_t process)
{
	const struct tl_trace *t = r->trace;
	struct tl_arg end_arg = tl_arg_of(t, TL_KEY_END);

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		int64_t end = 0;
		if (!tl_kind_is_gpu(e->kind) || (process && t->tracks[e->track].pid != process))
			continue;
		if (!r->options.reference && !tl_gpu_usable(e)) /* the reader or the linker has told of these */
			continue;
		if (e->flags & TL_EV_HAS_DUR)
			end = tl_ev_end(e);
		else
			tl_arg_get(&end_arg, t, i, &end);
		struct works *to = e->kind == TL_KIND_KERNEL ? &r->kernels : &r->copies;
		TL_PUSH(to->items, to->n, to->cap, (struct work){ i, e->flags & TL_EV_HAS_TS ? e->ts : 0, end });
	}
}

/* From the first start to the last end on a device. */
static void span_of_work(struct tl_rocprof *r)
{
	const struct works *all[] = { &r->kernels, &r->copies };
	bool any = false;

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < all[k]->n; i++, any = true) {
			const struct work *d = &all[k]->items[i];
			r->begin = !any || d->start < r->begin ? d->start : r->begin;
			r->end = !any || d->end > r->end ? d->end : r->end;
		}
}

struct tl_rocprof *tl_rocprof_new(struct tl_trace *t, const struct tl_rocprof_options *o,
                                  struct tl_name_rules *categories)
{
	struct tl_rocprof *r = tl_calloc(1, sizeof *r);
	size_t n;
	struct tl_process_facts *processes = tl_trace_processes(t, &n);

	*r = (struct tl_rocprof){ .trace = t, .options = *o, .categories = categories };
	r->doubts.processes = (uint32_t)n;
	if (o->reference && n > 1)
		n = 1;
	add_events(r, o->reference && n ? processes[0].pid : 0);
	if (!tl_life_of(processes, n, &r->begin, &r->end)) {
		r->doubts.no_life_time = true;
		r->begin = r->end = 0;
		if (!o->reference)
			span_of_work(r);
	}
	r->doubts.kernels = (uint32_t)r->kernels.n;
	free(processes);
	return r;
}

void tl_rocprof_free(struct tl_rocprof *r)
{
	if (!r)
		return;
	free(r->kernels.items);
	free(r->copies.items);
	free(r);
}

struct tl_rocprof_doubts tl_rocprof_doubts(const struct tl_rocprof *r)
{
	return r->doubts;
}

/* ---- gpu_timeline: device time in the life of the process ------------------------------------ */

/* Ticks in which any of these events runs. b: more events, or NULL. */
static int64_t busy(const struct works *a, const struct works *b)
{
	struct tl_spans s = { 0 };

	for (size_t i = 0; i < a->n; i++)
		tl_spans_add(&s, a->items[i].start, a->items[i].end);
	for (size_t i = 0; b && i < b->n; i++)
		tl_spans_add(&s, b->items[i].start, b->items[i].end);
	tl_spans_merge(&s);
	int64_t ticks = tl_spans_length(&s);
	tl_spans_release(&s);
	return ticks;
}

TL_ORDER(by_start, struct work, TL_ASC(x->start))

/* The same in µs as TraceLens reckons: in doubles, with events that end before they start. */
static double busy_as_reference(const struct tl_rocprof *r, const struct works *a, const struct works *b)
{
	size_t n = a->n + (b ? b->n : 0);
	struct work *all = tl_alloc((n + 1) * sizeof *all);
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
static struct tl_cell busy_us(const struct tl_rocprof *r, const struct works *a, const struct works *b)
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

void tl_rocprof_times(void *ctx, struct tl_sheet_input *in)
{
	struct tl_rocprof *r = ctx;
	struct tl_table *t = in->own_rows = tl_table_new(&r->trace->strings, r->trace->ticks_per_us, tl_rocprof_time_rows);
	struct tl_cell total = tl_cell_time(tl_ticks_sub(r->end, r->begin), false), any = busy_us(r, &r->kernels, &r->copies);
	double total_us = tl_cell_number(total, t->ticks_per_us);
	const struct { const char *type; struct tl_cell us; } rows[] = {
		{ "total_time", total }, { "kernel", busy_us(r, &r->kernels, NULL) }, { "memory", busy_us(r, &r->copies, NULL) },
		{ "busy_time", any }, { "idle", idle_us(r, total, any) },
	};

	if (!r->kernels.n && (r->options.reference || !r->copies.n))
		return;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct tl_cell us = rows[i].us;
		double share = total_us > 0 ? tl_cell_number(us, t->ticks_per_us) / total_us * 100 : 0;
		tl_table_add_row(t, (struct tl_cell[N_TIME]){
			[TIME_TYPE] = tl_cell_str(t->strings, rows[i].type),
			[TIME_TIME_MS] = us.type == TL_CELL_TIME ? tl_cell_ms(us.i) : tl_cell_real(us.d / 1000),
			[TIME_PERCENT] = tl_cell_real(i == 0 ? 100 : share) });
	}
}

/* ---- rows of all kernels --------------------------------------------------------------- */

/* The unit of the tables. TraceLens shows ns as if they were µs. */
static int64_t ticks_per_us(const struct tl_rocprof *r)
{
	return r->options.reference ? 1 : r->trace->ticks_per_us;
}

/* In that unit. */
static int64_t duration(const struct tl_rocprof *r, const struct work *d)
{
	int64_t ticks = tl_ticks_sub(d->end, d->start), per_ns = r->trace->ticks_per_us / 1000;

	return r->options.reference && per_ns > 1 ? ticks / per_ns : ticks;
}

static struct tl_cell duration_cell(const struct tl_rocprof *r, const struct work *d)
{
	return tl_cell_time(duration(r, d), r->options.reference);
}

static bool is_short(const struct tl_rocprof *r, const struct work *d)
{
	return duration(r, d) < tl_ticks_of_us(r->options.short_us, ticks_per_us(r));
}

/* The rows of kernel_summary, kernel_summary_by_category and short_kernels_summary. */
void tl_rocprof_kernels(void *ctx, struct tl_sheet_input *in)
{
	/* TraceLens has another order of columns where it has no rows */
	static const char *const empty[] = {
		"name", "Count", "Mean Kernel Time (µs)", "Median Kernel Time (µs)", "Std Kernel Time (µs)", "Min Kernel Time (µs)",
		"Max Kernel Time (µs)", "Total Kernel Time (ms)", "Percentage (%)", "Cumulative Percentage (%)", "Category", NULL
	};
	struct tl_rocprof *r = ctx;
	struct tl_name_answers categories = { .strings = &r->trace->strings, .rules = r->categories };
	int64_t sum = 0;

	in->as_is = !strcmp(in->name, "kernel_summary") && !r->kernels.n && r->options.reference;
	in->own_rows = tl_table_new(&r->trace->strings, ticks_per_us(r), in->as_is ? empty : tl_rocprof_kernel_rows);
	tl_table_reserve(in->own_rows, r->kernels.n);
	TL_EACH(const struct work, d, r->kernels) {
		uint32_t name = r->trace->events[d->event].name;
		sum = tl_ticks_add(sum, duration(r, d));
		tl_table_add_row(in->own_rows, (struct tl_cell[N_KERNEL]){
			[KERNEL_NAME] = tl_name_cell(r->trace, name),
			[KERNEL_KERNEL_DURATION_US] = duration_cell(r, d),
			[KERNEL_CATEGORY] = tl_cell_str(&r->trace->strings, tl_name_answer(&categories, name)),
			[KERNEL_SHORT] = tl_cell_bool(is_short(r, d)) });
	}
	free(categories.known); /* the rules stay */
	in->shares_by_key = r->options.reference;
	in->totals[0] = (double)sum / (double)ticks_per_us(r);
}

/* ---- short_kernel_histogram ---------------------------------------------------------------- */

void tl_rocprof_histogram(void *ctx, struct tl_sheet_input *in)
{
	struct tl_rocprof *r = ctx;
	double *numbers = tl_alloc((r->kernels.n + 1) * sizeof *numbers);
	size_t n = 0;

	for (size_t i = 0; i < r->kernels.n; i++)
		if (is_short(r, &r->kernels.items[i]))
			numbers[n++] = tl_cell_number(duration_cell(r, &r->kernels.items[i]), ticks_per_us(r));
	in->own_rows = tl_histogram(&r->trace->strings, numbers, n, r->options.bins);
	free(numbers);
}

/* ---- kernel_details ------------------------------------------------------------------------- */

struct details {
	const struct tl_rocprof *r;
	struct tl_arg stream, dispatch, items, grid, block, agent, device, thread;
};

/* A number of the sheet; TraceLens shows 0 for one that the trace does not give. */
static struct tl_cell number(struct details *d, const struct tl_arg *arg, uint32_t event)
{
	struct tl_cell c = tl_arg_cell(d->r->trace, arg, event);

	return c.type == TL_CELL_NULL && d->r->options.reference ? tl_cell_int(0) : c;
}

/* The three sizes of a list. False: the event has no such list. */
static bool sizes(struct details *d, const struct tl_arg *arg, uint32_t event, int64_t size[3])
{
	struct tl_value v;

	if (!tl_arg_list(arg, d->r->trace, event, &v) || v.len != 3)
		return false;
	for (int i = 0; i < 3; i++) {
		if (v.items[i].type != TL_V_INT || v.items[i].i < 0 || v.items[i].i > INT64_MAX)
			return false;
		size[i] = (int64_t)v.items[i].i;
	}
	return true;
}

/* The sizes of the grid and of the block, both in work-items; TraceLens shows 1 for those that the trace lacks. */
static void size_cells(struct details *d, uint32_t event, struct tl_cell *grid_cells, struct tl_cell *block_cells)
{
	struct tl_cell otherwise = d->r->options.reference ? tl_cell_int(1) : tl_cell_null();
	int64_t grid[3], block[3];
	bool has_block = sizes(d, &d->block, event, block), has_grid = sizes(d, &d->items, event, grid);

	if (!has_grid && has_block && sizes(d, &d->grid, event, grid)) {
		has_grid = true;
		for (int i = 0; i < 3; i++)
			has_grid = has_grid && !__builtin_mul_overflow(grid[i], block[i], &grid[i]);
	}
	for (int i = 0; i < 3; i++) {
		grid_cells[i] = has_grid ? tl_cell_int(grid[i]) : otherwise;
		block_cells[i] = has_block ? tl_cell_int(block[i]) : otherwise;
	}
}

void tl_rocprof_details(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_rocprof *r = ctx;
	struct tl_trace *t = r->trace;
	struct details d = {
		.r = r,
		.stream = tl_arg_of(t, TL_KEY_STREAM), .dispatch = tl_arg_of(t, TL_KEY_DISPATCH),
		.items = tl_arg_of(t, TL_KEY_WORK_ITEMS), .grid = tl_arg_of(t, TL_KEY_GRID), .block = tl_arg_of(t, TL_KEY_BLOCK),
		.agent = tl_arg_of(t, TL_KEY_AGENT), .device = tl_arg_of(t, TL_KEY_DEVICE), .thread = tl_arg_of(t, TL_KEY_THREAD),
	};
	int64_t unused;

	in->own_rows = tl_table_new(&t->strings, ticks_per_us(r), tl_rocprof_detail_rows);
	tl_table_reserve(in->own_rows, r->kernels.n);
	TL_EACH(const struct work, k, r->kernels) {
		bool has_agent = tl_arg_get(&d.agent, t, k->event, &unused);
		struct tl_cell c[N_DETAIL] = {
			[DETAIL_NAME] = tl_name_cell(t, t->events[k->event].name),
			[DETAIL_KERNEL_DURATION_US] = duration_cell(r, k),
			[DETAIL_STREAM] = number(&d, &d.stream, k->event),
			[DETAIL_DISPATCH_ID] = number(&d, &d.dispatch, k->event),
			[DETAIL_AGENT_ID] = number(&d, has_agent ? &d.agent : &d.device, k->event),
			[DETAIL_THREAD_ID] = number(&d, &d.thread, k->event),
		};
		size_cells(&d, k->event, &c[DETAIL_GRID_X], &c[DETAIL_BLOCK_X]);
		tl_table_add_row(in->own_rows, c);
	}
	in->top = &r->options.top;
}
