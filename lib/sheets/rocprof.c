/* rocprof.c - the sheets of the report of traces without operators.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/rocprof.h"

#include "analysis/args.h"
#include "analysis/device_events.h"
#include "analysis/devices.h"
#include "analysis/spans.h"
#include "analysis/trace_facts.h"
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

enum { PROCESS, DEVICE, KERNELS, COPIES, KERNEL_MS, COPY_MS, BUSY_MS, IDLE_MS, TOTAL_MS, BUSY_SHARE, GPU_BUSY_N_COLUMNS };

static void add_row(const struct tl_trace *t, const struct tl_device *d, const uint32_t *events, size_t n, struct tl_table *table)
{
	struct tl_spans of[TL_GPU_WORKS] = { 0 };
	struct tl_cell c[GPU_BUSY_N_COLUMNS] = { 0 };
	int64_t n_kernels = 0, ticks[TL_TIMES];

	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[events[i]];
		tl_spans_add(&of[e->kind == TL_KIND_KERNEL ? TL_GPU_COMPUTE : TL_GPU_MEMCPY], e->ts, tl_ev_end(e));
		n_kernels += e->kind == TL_KIND_KERNEL;
	}
	tl_gpu_times(of, NULL, ticks);
	c[PROCESS] = d->process;
	c[DEVICE] = d->device;
	c[KERNELS] = tl_cell_int(n_kernels);
	c[COPIES] = tl_cell_int((int64_t)n - n_kernels);
	c[KERNEL_MS] = tl_cell_ms(ticks[TL_TIME_COMPUTATION]);
	c[COPY_MS] = tl_cell_ms(ticks[TL_TIME_MEMCPY]);
	c[BUSY_MS] = tl_cell_ms(ticks[TL_TIME_BUSY]);
	c[IDLE_MS] = tl_cell_ms(ticks[TL_TIME_IDLE]);
	c[TOTAL_MS] = tl_cell_ms(ticks[TL_TIME_TOTAL]);
	if (ticks[TL_TIME_TOTAL])
		c[BUSY_SHARE] = tl_cell_real(tl_trace_us(t, ticks[TL_TIME_BUSY]) / tl_trace_us(t, ticks[TL_TIME_TOTAL]) * 100);
	tl_table_add_row(table, c);
}

/* A row a GPU of a process, by process and number of the GPU. Device events count whether or
 * not they have a call. */
static void gpu_busy(void *ctx, struct tl_sheet_input *in)
{
	static const char *const columns[] = {
		"process", "device", "kernel_count", "memcpy_count", "kernel_time_ms", "memcpy_time_ms", "busy_time_ms", "idle_time_ms",
		"total_time_ms", "Busy (%)", NULL,
	};
	struct tl_trace *t = ((struct tl_rocprof *)ctx)->trace;
	const struct tl_devices *devices = tl_devices_of(t);
	struct tl_split_events by = tl_split_events(devices->of, devices->n, NULL, t->n_events);

	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, columns);
	for (size_t i = 0; i < devices->n; i++)
		if (by.start[i + 1] > by.start[i])
			add_row(t, &devices->items[i], by.items + by.start[i], by.start[i + 1] - by.start[i], in->own_rows);
	tl_split_events_release(&by);
}

/* ---- the events -------------------------------------------------------------------- */

static void add(struct works *d, uint32_t event, int64_t start, int64_t end)
{
	TL_GROW(d->items, d->cap, d->n + 1);
	d->items[d->n++] = (struct work){ event, start, end };
}

/* TraceLens takes a missing start or end for 0, and an end before the start as it stands. */
static void add_as_reference(const struct tl_rocprof *r, struct works *d, uint32_t event, const struct tl_arg *end_arg)
{
	const struct tl_ev *e = &r->trace->events[event];
	int64_t end = 0;

	if (e->flags & TL_EV_HAS_DUR)
		end = tl_ev_end(e);
	else
		tl_arg_get(end_arg, r->trace, event, &end);
	add(d, event, e->flags & TL_EV_HAS_TS ? e->ts : 0, end);
}

/* process: the pid of the only process that counts; 0: all count. */
static void add_events(struct tl_rocprof *r, uint32_t process)
{
	struct tl_arg end = tl_arg_of(r->trace, TL_KEY_END);

	for (uint32_t i = 0; i < r->trace->n_events; i++) {
		const struct tl_ev *e = &r->trace->events[i];
		struct works *d = e->kind == TL_KIND_KERNEL ? &r->kernels : &r->copies;

		if (!tl_kind_is_gpu(e->kind) || (process && r->trace->tracks[e->track].pid != process))
			continue;
		if (r->options.reference)
			add_as_reference(r, d, i, &end);
		else if (tl_gpu_usable(e)) /* of the others the reader or the linker has told */
			add(d, i, e->ts, tl_ev_end(e));
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

struct tl_rocprof *tl_rocprof_new(struct tl_trace *t, const struct tl_rocprof_options *o, struct tl_name_rules *categories)
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

static void add_spans(struct tl_spans *s, const struct works *d)
{
	for (size_t i = 0; i < d->n; i++)
		tl_spans_add(s, d->items[i].start, d->items[i].end);
}

/* Ticks in which any of these events runs. b: more events, or NULL. */
static int64_t busy(const struct works *a, const struct works *b)
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
	int64_t x = ((const struct work *)a)->start, y = ((const struct work *)b)->start;

	(void)unused;
	return x < y ? -1 : x > y;
}

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

static void times_in_life(void *ctx, struct tl_sheet_input *in)
{
	static const char *const columns[] = { "type", "time ms", "percent", NULL };
	struct tl_rocprof *r = ctx;
	struct tl_table *t = in->own_rows = tl_table_new(&r->trace->strings, r->trace->ticks_per_us, columns);
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
		const struct tl_cell c[] = {
			tl_cell_str(t->strings, rows[i].type),
			us.type == TL_CELL_TIME ? tl_cell_ms(us.i) : tl_cell_real(us.d / 1000),
			tl_cell_real(i == 0 ? 100 : share),
		};
		tl_table_add_row(t, c);
	}
}

/* ---- rows of all kernels --------------------------------------------------------------- */

#define DURATION "Kernel duration (µs)"
enum { NAME, DUR, CATEGORY, SHORT, N_COLUMNS };
static const char *const row_columns[] = { "name", DURATION, "category", "short", NULL };

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

static struct tl_table *all_rows(struct tl_rocprof *r)
{
	struct tl_strtab *strings = &r->trace->strings;
	struct tl_table *rows = tl_table_new(strings, ticks_per_us(r), row_columns);
	struct tl_map known = { 0 }; /* name -> string id of its category */

	tl_table_reserve(rows, r->kernels.n);
	for (size_t i = 0; i < r->kernels.n; i++) {
		const struct work *d = &r->kernels.items[i];
		uint32_t name = r->trace->events[d->event].name;
		bool is_new;
		uint32_t *category = tl_map_put(&known, name, &is_new);
		struct tl_cell c[N_COLUMNS];

		if (is_new)
			*category = tl_intern_str(strings, tl_name_rules_find(r->categories, tl_str(strings, name), tl_str_len(strings, name)));
		c[NAME] = tl_name_cell(r->trace, name);
		c[DUR] = duration_cell(r, d);
		c[CATEGORY] = tl_cell_text(*category);
		c[SHORT] = tl_cell_bool(is_short(r, d));
		tl_table_add_row(rows, c);
	}
	tl_map_release(&known);
	return rows;
}

static void kernel_rows(void *ctx, struct tl_sheet_input *in)
{
	struct tl_rocprof *r = ctx;
	int64_t sum = 0;

	for (size_t i = 0; i < r->kernels.n; i++)
		sum = tl_ticks_add(sum, duration(r, &r->kernels.items[i]));
	in->own_rows = all_rows(r);
	in->shares_by_key = r->options.reference;
	in->totals[0] = (double)sum / (double)ticks_per_us(r);
}

/* ---- kernel_summary, kernel_summary_by_category, short_kernels_summary ------------------- */

static const struct tl_column summary_columns[] = {
	{ "name", .kind = TL_KEY },
	{ "Count", .kind = TL_COUNT },
	{ "Mean Kernel Time (µs)", .kind = TL_MEAN, .in = DURATION },
	{ "Median Kernel Time (µs)", .kind = TL_MEDIAN, .in = DURATION },
	{ "Std Kernel Time (µs)", .kind = TL_STD, .in = DURATION },
	{ "Min Kernel Time (µs)", .kind = TL_MIN, .in = DURATION },
	{ "Max Kernel Time (µs)", .kind = TL_MAX, .in = DURATION },
	{ "sum", .kind = TL_SUM, .in = DURATION, .hidden = true },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = "sum", .total = 1 },
	{ "Cumulative Percentage (%)", .kind = TL_CUMULATIVE, .in = "Percentage (%)" },
	{ "Total Kernel Time (ms)", .kind = TL_MS, .in = "sum" },
	{ "Category", .kind = TL_FIRST, .in = "category" },
	{ .name = NULL }
};
static const struct tl_sheet_def summary = {
	.name = "kernel_summary", .rows = row_columns, .columns = summary_columns,
	.keys_ascending = true, .order = { { "sum", true } },
};

static void summary_rows(void *ctx, struct tl_sheet_input *in)
{
	/* TraceLens has another order of columns where it has no rows */
	static const char *const empty[] = {
		"name", "Count", "Mean Kernel Time (µs)", "Median Kernel Time (µs)", "Std Kernel Time (µs)", "Min Kernel Time (µs)",
		"Max Kernel Time (µs)", "Total Kernel Time (ms)", "Percentage (%)", "Cumulative Percentage (%)", "Category", NULL
	};
	struct tl_rocprof *r = ctx;

	in->as_is = !r->kernels.n && r->options.reference;
	if (in->as_is)
		in->own_rows = tl_table_new(&r->trace->strings, 1, empty);
	else
		kernel_rows(r, in);
}

static const struct tl_column category_columns[] = {
	{ "op category", .kind = TL_KEY, .in = "category" },
	{ "Count", .kind = TL_COUNT },
	{ "sum", .kind = TL_SUM, .in = DURATION, .hidden = true },
	{ "total_direct_kernel_time_ms", .kind = TL_MS, .in = "sum" },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = "total_direct_kernel_time_ms" },
	{ "Cumulative Percentage (%)", .kind = TL_CUMULATIVE, .in = "Percentage (%)" },
	{ .name = NULL }
};
static const struct tl_sheet_def by_category = {
	.name = "kernel_summary_by_category", .rows = row_columns, .columns = category_columns,
	.keys_ascending = true, .order = { { "sum", true } },
};

static const struct tl_column short_columns[] = {
	{ "name", .kind = TL_KEY },
	{ "Short Kernel count", .kind = TL_COUNT },
	{ "Short Kernel duration (µs) sum", .kind = TL_SUM, .in = DURATION },
	{ "Short Kernel duration (µs) mean", .kind = TL_MEAN, .in = DURATION },
	{ "Short Kernel duration (µs) percent of total time", .kind = TL_PERCENT, .in = "Short Kernel duration (µs) sum", .total = 1 },
	{ .name = NULL }
};
static const struct tl_sheet_def short_summary = {
	.name = "short_kernels_summary", .rows = row_columns, .columns = short_columns,
	.keys_ascending = true, .order = { { "Short Kernel duration (µs) sum", true } },
};

/* ---- short_kernel_histogram ---------------------------------------------------------------- */

static void histogram(void *ctx, struct tl_sheet_input *in)
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

static const char *const detail_row_columns[] = {
	"name", DURATION, "stream", "dispatch_id", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z",
	"agent_id", "thread_id", NULL
};
enum { D_NAME, D_DUR, D_STREAM, D_DISPATCH, D_GRID, D_BLOCK = D_GRID + 3, D_AGENT = D_BLOCK + 3, D_THREAD, N_DETAILS };
static const struct tl_column detail_columns[] = {
	{ "name", .kind = TL_FIRST }, { DURATION, .kind = TL_FIRST }, { "all else", .kind = TL_REST }, { .name = NULL }
};
static const struct tl_sheet_def details = {
	.name = "kernel_details", .rows = detail_row_columns, .columns = detail_columns,
	.ungrouped = true, .order = { { DURATION, true } },
};

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

static void size_cells(const struct details *d, bool known, const int64_t size[3], struct tl_cell *c)
{
	for (int i = 0; i < 3; i++)
		c[i] = known ? tl_cell_int(size[i]) : d->r->options.reference ? tl_cell_int(1) : tl_cell_null();
}

/* The grid in work-items, the block in work-items. */
static void add_sizes(struct details *d, uint32_t event, struct tl_cell *c)
{
	int64_t grid[3], block[3];
	bool has_block = sizes(d, &d->block, event, block), has_grid = sizes(d, &d->items, event, grid);

	if (!has_grid && has_block && sizes(d, &d->grid, event, grid)) {
		has_grid = true;
		for (int i = 0; i < 3; i++)
			has_grid = has_grid && !__builtin_mul_overflow(grid[i], block[i], &grid[i]);
	}
	size_cells(d, has_grid, grid, c + D_GRID);
	size_cells(d, has_block, block, c + D_BLOCK);
}

static void add_detail(struct details *d, struct tl_table *rows, const struct work *k)
{
	struct tl_cell c[N_DETAILS] = { 0 };
	int64_t unused;

	c[D_NAME] = tl_name_cell(d->r->trace, d->r->trace->events[k->event].name);
	c[D_DUR] = duration_cell(d->r, k);
	c[D_STREAM] = number(d, &d->stream, k->event);
	c[D_DISPATCH] = number(d, &d->dispatch, k->event);
	add_sizes(d, k->event, c);
	c[D_AGENT] = number(d, tl_arg_get(&d->agent, d->r->trace, k->event, &unused) ? &d->agent : &d->device, k->event);
	c[D_THREAD] = number(d, &d->thread, k->event);
	tl_table_add_row(rows, c);
}

static void detail_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_rocprof *r = ctx;
	struct tl_table *rows = in->own_rows = tl_table_new(&r->trace->strings, ticks_per_us(r), detail_row_columns);
	struct details d = { .r = r };
	const struct { struct tl_arg *arg; const char *key; } args[] = {
		{ &d.stream, TL_KEY_STREAM }, { &d.dispatch, TL_KEY_DISPATCH }, { &d.items, TL_KEY_WORK_ITEMS }, { &d.grid, TL_KEY_GRID },
		{ &d.block, TL_KEY_BLOCK }, { &d.agent, TL_KEY_AGENT }, { &d.device, TL_KEY_DEVICE }, { &d.thread, TL_KEY_THREAD },
	};

	for (size_t i = 0; i < sizeof args / sizeof *args; i++)
		*args[i].arg = tl_arg_of(r->trace, args[i].key);
	tl_table_reserve(rows, r->kernels.n);
	for (size_t i = 0; i < r->kernels.n; i++)
		add_detail(&d, rows, &r->kernels.items[i]);
	in->top = &r->options.top;
}

/* ---- sheets ------------------------------------------------------------------------------------ */

static const struct tl_sheet sheets[] = {
	{ "gpu_timeline", "device time of kernels and copies in the life of the process", NULL, 0, 0, NULL, times_in_life, NULL },
	{ "gpu_busy", "busy and idle time of each GPU of each process", NULL, 0, 0, NULL, gpu_busy, NULL },
	{ "kernel_summary", "device time by kernel", "disable_kernel_summary", TL_SHEET_USUAL, 0, &summary, summary_rows, NULL },
	{ "kernel_summary_by_category", "device time by category of kernels", "disable_kernel_summary", 0, 0, &by_category, kernel_rows, NULL },
	{ "kernel_details", "every kernel, the longest first", "kernel_details", 0, 0, &details, detail_rows, NULL },
	{ "short_kernels_summary", "time of short kernels by kernel", "short_kernel_study", 0, 0, &short_summary, kernel_rows, "short" },
	{ "short_kernel_histogram", "how many short kernels take how long", "short_kernel_study", 0, 0, NULL, histogram, NULL },
	{ .name = NULL },
};
const struct tl_sheet_family tl_rocprof_sheets = { "tl-rocprof", sheets };
