/* memory_sheets.c - allocations: what was allocated when, by what, and what was alive at the peak.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/memory_sheets.h"

#include "analysis/args.h"
#include "analysis/curve.h"
#include "analysis/spans.h"
#include "base/search.h"
#include "sheets/memory_categories.h"
#include "sheets/memory_snapshot.h"
#include "steps/step_find.h"

#include <stdlib.h>

static const char no_operator[] = "(no operator)";

/* A name, or `without` if it is 0. */
static struct tl_cell name_or(struct tl_trace *t, uint32_t name, const char *without)
{
	return tl_cell_text(name || !without ? name : tl_intern_str(&t->strings, without));
}

static struct tl_cell device_cell(const struct tl_memory_device *d)
{
	return tl_cell_text(d->name);
}

static struct tl_table *new_rows(const struct tl_memory_view *v, const char *const *columns)
{
	return tl_table_new(&v->trace->strings, v->trace->ticks_per_us, columns);
}

/* ---- steps of a device ------------------------------------------------------------------ */

/* The items of a device from the first at a time or later on. */
static uint32_t item_from(const struct tl_memory *m, const struct tl_memory_device *d, int64_t time)
{
	size_t at;

	TL_SEARCH(at, d->n, mid, m->items[d->first + mid].time < time);
	return d->first + (uint32_t)at;
}

/* Is it a step of the device's process? */
static bool is_step_of(const struct tl_trace *t, const struct tl_step *s, const struct tl_memory_device *d)
{
	return s->event != TL_NONE && t->tracks[t->events[s->event].track].pid == d->pid;
}

/* The name of the step in which an event is: of steps within each other the last one that began. */
static struct tl_cell step_of(const struct tl_memory_view *v, const struct tl_memory_event *e)
{
	const struct tl_steps *steps = tl_steps_of(v->trace);

	for (size_t i = steps->n; i-- > 0;) {
		const struct tl_step *s = &steps->items[i];
		if (s->from <= e->time && e->time < s->to && is_step_of(v->trace, s, &v->memory->devices[e->device]))
			return tl_name_cell(v->trace, v->trace->events[s->event].name);
	}
	return tl_cell_null();
}

/* ---- sums ------------------------------------------------------------------------------ */

struct sums { int64_t events, allocations, allocated, released, growth; };

static void add(struct sums *s, int64_t bytes)
{
	s->events++;
	s->allocations += bytes > 0;
	s->growth = tl_ticks_add(s->growth, bytes);
	if (bytes > 0)
		s->allocated = tl_ticks_add(s->allocated, bytes);
	else
		s->released = tl_ticks_sub(s->released, bytes);
}

/* ---- memory_summary ------------------------------------------------------------------------ */

enum { S_PROCESS, S_DEVICE, S_EVENTS, S_ALLOCATIONS, S_ALLOCATED, S_RELEASED, S_START, S_END, S_PEAK, S_PEAK_TIME, S_PEAK_STEP,
	S_PEAK_MODULE, S_PEAK_OPERATOR, S_RESERVED, S_RESERVED_TIME, S_RESERVED_STEP, S_RESERVED_MODULE, S_RESERVED_OPERATOR,
	S_AT_RESERVED, S_FRAGMENTATION, S_OPEN, S_UNKNOWN, S_RELATIVE, S_COLUMNS };
static const char *const summary_columns[] = {
	"process", "device", "event_count", "allocation_count", "allocated_bytes", "released_bytes", "at_start_bytes", "at_end_bytes",
	"peak_allocated_bytes", "peak_allocated_us", "peak_allocated_step", "peak_allocated_module", "peak_allocated_operator",
	"peak_reserved_bytes", "peak_reserved_us", "peak_reserved_step", "peak_reserved_module", "peak_reserved_operator",
	"allocated_then_bytes", "fragmentation_pct", "never_released_count", "allocated_before_count", "relative", NULL
};

/* When and where a peak was: its time, step, module and operator. */
static void place_cells(const struct tl_memory_view *v, const struct tl_memory_event *e, struct tl_cell *cells)
{
	cells[0] = tl_start_cell(v->trace, e->time);
	cells[1] = step_of(v, e);
	cells[2] = tl_cell_text(e->module);
	cells[3] = name_or(v->trace, e->operator, no_operator);
}

static void add_summary(const struct tl_memory_view *v, struct tl_table *rows, const struct tl_memory_device *d)
{
	const struct tl_memory_event *items = v->memory->items, *peak = &items[d->peak], *reserved = &items[d->peak_reserved];
	struct sums s = { 0 };
	int64_t open = 0, unknown = 0;

	for (uint32_t i = d->first; i < d->first + d->n; i++) {
		add(&s, items[i].bytes);
		open += items[i].partner == TL_NONE && items[i].bytes > 0;
		unknown += items[i].partner == TL_NONE && items[i].bytes <= 0;
	}
	struct tl_cell c[S_COLUMNS] = {
		[S_PROCESS] = tl_json_cell(v->trace, d->pid), [S_DEVICE] = device_cell(d), [S_EVENTS] = tl_cell_int(s.events),
		[S_ALLOCATIONS] = tl_cell_int(s.allocations), [S_ALLOCATED] = tl_cell_int(s.allocated), [S_RELEASED] = tl_cell_int(s.released),
		[S_START] = d->relative ? tl_cell_null() : tl_cell_int(tl_memory_at_start(v->memory, d)),
		[S_END] = tl_cell_int(items[d->first + d->n - 1].allocated),
		[S_PEAK] = tl_cell_int(peak->allocated), [S_OPEN] = tl_cell_int(open), [S_UNKNOWN] = tl_cell_int(unknown),
		[S_RELATIVE] = tl_cell_bool(d->relative),
	};
	place_cells(v, peak, &c[S_PEAK_TIME]);
	if (reserved->reserved > 0) {
		c[S_RESERVED] = tl_cell_int(reserved->reserved);
		place_cells(v, reserved, &c[S_RESERVED_TIME]);
	}
	if (reserved->reserved > 0 && !d->relative) {
		c[S_AT_RESERVED] = tl_cell_int(reserved->allocated);
		c[S_FRAGMENTATION] = tl_cell_real(100 * (1 - (double)reserved->allocated / (double)reserved->reserved));
	}
	tl_table_add_row(rows, c);
}

static void summary_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_memory_view *v = ctx;

	in->own_rows = new_rows(v, summary_columns);
	for (uint32_t i = 0; i < v->memory->n_devices; i++)
		add_summary(v, in->own_rows, &v->memory->devices[i]);
}

/* ---- memory_peak ---------------------------------------------------------------------------- */

enum { P_PROCESS, P_DEVICE, P_OPERATOR, P_MODULE, P_BLOCKS, P_BYTES, P_PEAK, P_STACK, P_CATEGORY,
	P_COLUMNS };
static const char *const peak_row_columns[] = {
	"process", "device", "operator", "module", "block", "bytes", "peak", "stack", "category", NULL
};
static const struct tl_column peak_columns[] = {
	{ "process", .kind = TL_KEY },
	{ "device", .kind = TL_KEY },
	{ "operator", .kind = TL_KEY },
	{ "module", .kind = TL_KEY },
	{ "block_count", .kind = TL_COUNT, .in = "block" },
	{ "bytes", .kind = TL_SUM },
	{ "peak", .kind = TL_FIRST, .hidden = true },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = "bytes", .of = "peak" },
	{ "category", .kind = TL_KEY, .when = 2 },
	{ "stack", .kind = TL_KEY, .when = 1 },
	{ .name = NULL }
};
static const struct tl_sheet_def memory_peak = {
	.name = "memory_peak", .rows = peak_row_columns, .columns = peak_columns, .keys_ascending = true,
	.order = { { "process", false }, { "device", false }, { "bytes", true } },
};

static const struct tl_sheet_def memory_at_error = {
	.name = "memory_at_error", .rows = peak_row_columns, .columns = peak_columns, .keys_ascending = true,
	.order = { { "process", false }, { "device", false }, { "bytes", true } },
};

/* What was alive after an item of the device. */
static void add_alive(const struct tl_memory_view *v, struct tl_table *rows, const struct tl_memory_device *d, uint32_t last)
{
	const struct tl_memory *m = v->memory;
	int64_t rest = m->items[last].allocated;
	struct tl_cell c[P_COLUMNS] = { [P_PROCESS] = tl_json_cell(v->trace, d->pid), [P_DEVICE] = device_cell(d),
	                                [P_PEAK] = tl_cell_int(rest) };

	for (uint32_t i = d->first; i <= last; i++) {
		const struct tl_memory_event *e = &m->items[i];
		if (e->bytes <= 0 || (e->partner != TL_NONE && e->partner <= last))
			continue;
		rest = tl_ticks_sub(rest, e->bytes);
		c[P_OPERATOR] = name_or(v->trace, e->operator, no_operator);
		c[P_MODULE] = tl_cell_text(e->module);
		c[P_BLOCKS] = tl_cell_int(1);
		c[P_STACK] = tl_cell_text(e->stack);
		c[P_CATEGORY] = tl_cell_text(e->category);
		c[P_BYTES] = tl_cell_int(e->bytes);
		tl_table_add_row(rows, c);
	}
	if (!rest)
		return;
	c[P_OPERATOR] = name_or(v->trace, 0, "(before the trace)");
	c[P_MODULE] = c[P_BLOCKS] = c[P_STACK] = c[P_CATEGORY] = tl_cell_null();
	c[P_BYTES] = tl_cell_int(rest);
	tl_table_add_row(rows, c);
}

static void peak_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_memory_view *v = ctx;

	in->own_rows = new_rows(v, peak_row_columns);
	in->conditions = v->memory->stacks + 2u * v->memory->categories;
	for (uint32_t i = 0; i < v->memory->n_devices; i++)
		add_alive(v, in->own_rows, &v->memory->devices[i], v->memory->devices[i].peak);
}

/* The last item of a device before the last allocation on it that failed; TL_NONE: none failed, or there is none. */
static uint32_t before_error(const struct tl_memory_view *v, const struct tl_memory_device *d)
{
	struct tl_trace *t = v->trace;
	uint32_t name = tl_strtab_find(&t->strings, TL_MEMORY_OOM, sizeof TL_MEMORY_OOM - 1), found = TL_NONE;
	struct tl_arg id = tl_arg_of(t, "Device Id");
	int64_t device, of_items;

	if (!name || tl_arg_get(&id, t, v->memory->items[d->first].event, &of_items) != TL_FIELD_INT)
		return TL_NONE;
	uint32_t error = TL_NONE;
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].name == name && tl_arg_get(&id, t, i, &device) == TL_FIELD_INT && device == of_items)
			error = i;
	for (uint32_t i = d->first; error != TL_NONE && i < d->first + d->n; i++)
		if (v->memory->items[i].event < error)
			found = i;
	return found;
}

static void at_error_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_memory_view *v = ctx;

	in->own_rows = new_rows(v, peak_row_columns);
	in->conditions = v->memory->stacks + 2u * v->memory->categories;
	for (uint32_t i = 0; i < v->memory->n_devices; i++) {
		uint32_t last = before_error(v, &v->memory->devices[i]);
		if (last != TL_NONE)
			add_alive(v, in->own_rows, &v->memory->devices[i], last);
	}
}

/* ---- memory_ops ------------------------------------------------------------------------------ */

enum { O_PROCESS, O_DEVICE, O_OPERATOR, O_CALLS, O_SELF_INCREASE, O_SELF_ALLOCATIONS, O_SELF_ALLOCATED, O_INCREASE, O_ALLOCATIONS,
	O_ALLOCATED, O_COLUMNS };
static const char *const op_columns[] = {
	"process", "device", "operator", "calls", "self_increase_bytes", "self_allocation_count", "self_allocated_bytes",
	"increase_bytes", "allocation_count", "allocated_bytes", NULL
};
static const struct tl_column ops_columns[] = {
	{ "process", .kind = TL_KEY }, { "device", .kind = TL_KEY }, { "operator", .kind = TL_KEY }, { "calls", .kind = TL_FIRST },
	{ "self_increase_bytes", .kind = TL_FIRST }, { "self_allocation_count", .kind = TL_FIRST },
	{ "self_allocated_bytes", .kind = TL_FIRST }, { "increase_bytes", .kind = TL_FIRST },
	{ "allocation_count", .kind = TL_FIRST }, { "allocated_bytes", .kind = TL_FIRST },
	{ .name = NULL }
};
static const struct tl_sheet_def memory_ops = {
	.name = "memory_ops", .rows = op_columns, .columns = ops_columns, .keys_ascending = true,
	.order = { { "process", false }, { "device", false }, { "self_allocated_bytes", true }, { "allocated_bytes", true } },
};

/* Operators of one name on a device. last: the last event that was added to `all`, so that each counts once. */
struct op { uint32_t device, name, last; struct sums self, all; };
struct ops { struct op *items; size_t n, cap; struct tl_map numbers; };

static struct op *op_of(struct ops *ops, uint32_t device, uint32_t name)
{
	bool is_new;
	uint32_t *number = tl_map_put(&ops->numbers, (uint64_t)device << 32 | name, &is_new);

	if (is_new) {
		TL_GROW(ops->items, ops->cap, ops->n + 1);
		ops->items[ops->n] = (struct op){ .device = device, .name = name, .last = TL_NONE };
		*number = (uint32_t)ops->n++;
	}
	return &ops->items[*number];
}

/* Adds an event to its operator and to each that runs around that. */
static void add_to_ops(struct ops *ops, const struct tl_memory *m, uint32_t item)
{
	const struct tl_memory_event *e = &m->items[item];
	const struct tl_innermost *of;
	const struct tl_nested *s = tl_innermosts_span(&m->spans, tl_memory_thread(m->trace, e->event), e->time, &of);

	struct op *own = op_of(ops, e->device, e->operator);

	add(&own->self, e->bytes);
	for (; s; s = tl_innermost_around(of, s, e->time)) {
		const struct tl_ev *span = &m->trace->events[s->event];
		struct op *op = span->kind == TL_KIND_CPU_OP ? op_of(ops, e->device, span->name) : NULL;
		if (op && op->last != item) {
			op->last = item;
			add(&op->all, e->bytes);
		}
	}
	own = op_of(ops, e->device, e->operator);
	if (own->last != item) /* no operator, or a frame */
		add(&own->all, e->bytes);
}

/* How many operators of each name each process ran. */
static void count_calls(const struct tl_trace *t, struct tl_map *calls)
{
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == TL_KIND_CPU_OP)
			++*tl_map_put(calls, (uint64_t)t->tracks[t->events[i].track].pid << 32 | t->events[i].name, NULL);
}

static void op_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_memory_view *v = ctx;
	struct ops ops = { 0 };
	struct tl_map calls = { 0 };

	in->own_rows = new_rows(v, op_columns);
	count_calls(v->trace, &calls);
	for (uint32_t i = 0; i < v->memory->n; i++)
		add_to_ops(&ops, v->memory, i);
	for (size_t i = 0; i < ops.n; i++) {
		const struct op *op = &ops.items[i];
		const struct tl_memory_device *d = &v->memory->devices[op->device];
		const uint32_t *n = tl_map_get(&calls, (uint64_t)d->pid << 32 | op->name);
		tl_table_add_row(in->own_rows, (struct tl_cell[O_COLUMNS]){
			[O_PROCESS] = tl_json_cell(v->trace, d->pid), [O_DEVICE] = device_cell(d),
			[O_OPERATOR] = name_or(v->trace, op->name, no_operator), [O_CALLS] = op->name && n ? tl_cell_int(*n) : tl_cell_null(),
			[O_SELF_INCREASE] = tl_cell_int(op->self.growth), [O_SELF_ALLOCATIONS] = tl_cell_int(op->self.allocations),
			[O_SELF_ALLOCATED] = tl_cell_int(op->self.allocated), [O_INCREASE] = tl_cell_int(op->all.growth),
			[O_ALLOCATIONS] = tl_cell_int(op->all.allocations), [O_ALLOCATED] = tl_cell_int(op->all.allocated) });
	}
	free(ops.items);
	tl_map_release(&ops.numbers);
	tl_map_release(&calls);
}

/* ---- memory_steps ------------------------------------------------------------------------------ */

enum { T_PROCESS, T_DEVICE, T_STEP, T_START_US, T_MS, T_EVENTS, T_ALLOCATIONS, T_ALLOCATED, T_RELEASED, T_START, T_END, T_GROWTH,
	T_PEAK, T_RESERVED, T_COLUMNS };
static const char *const step_columns[] = {
	"process", "device", "step", "start_us", "step_ms", "event_count", "allocation_count", "allocated_bytes", "released_bytes",
	"at_start_bytes", "at_end_bytes", "increase_bytes", "peak_allocated_bytes", "peak_reserved_bytes", NULL
};

/* The totals of a device before an item. */
static int64_t total_before(const struct tl_memory *m, const struct tl_memory_device *d, uint32_t item)
{
	return item == d->first ? tl_memory_at_start(m, d) : m->items[item - 1].allocated;
}

static void sum_cells(const struct sums *s, struct tl_cell *c)
{
	c[T_EVENTS] = tl_cell_int(s->events);
	c[T_ALLOCATIONS] = tl_cell_int(s->allocations);
	c[T_ALLOCATED] = tl_cell_int(s->allocated);
	c[T_RELEASED] = tl_cell_int(s->released);
	c[T_GROWTH] = tl_cell_int(s->growth);
}

static void add_step(const struct tl_memory_view *v, struct tl_table *rows, const struct tl_memory_device *d, const struct tl_step *s,
                     bool *in_step)
{
	const struct tl_memory *m = v->memory;
	uint32_t from = item_from(m, d, s->from), to = item_from(m, d, s->to);
	int64_t start = total_before(m, d, from), peak = start, reserved = from > d->first ? m->items[from - 1].reserved : 0;
	struct sums sums = { 0 };
	struct tl_cell c[T_COLUMNS] = { [T_PROCESS] = tl_json_cell(v->trace, d->pid), [T_DEVICE] = device_cell(d) };

	for (uint32_t i = from; i < to; i++) {
		const struct tl_memory_event *e = &m->items[i];
		add(&sums, e->bytes);
		in_step[i] = true;
		peak = e->allocated > peak ? e->allocated : peak;
		reserved = e->reserved > reserved ? e->reserved : reserved;
	}
	sum_cells(&sums, c);
	c[T_STEP] = tl_name_cell(v->trace, v->trace->events[s->event].name);
	c[T_START_US] = tl_start_cell(v->trace, s->from);
	c[T_MS] = tl_cell_ms(tl_ticks_sub(s->to, s->from));
	c[T_START] = tl_cell_int(start);
	c[T_END] = tl_cell_int(total_before(m, d, to));
	c[T_PEAK] = tl_cell_int(peak);
	c[T_RESERVED] = reserved > 0 ? tl_cell_int(reserved) : tl_cell_null();
	tl_table_add_row(rows, c);
}

/* What happened outside of all steps, so that sums are those of memory_summary. */
static void add_no_step(const struct tl_memory_view *v, struct tl_table *rows, const struct tl_memory_device *d, const bool *in_step)
{
	struct sums sums = { 0 };
	struct tl_cell c[T_COLUMNS] = { [T_PROCESS] = tl_json_cell(v->trace, d->pid), [T_DEVICE] = device_cell(d),
	                                [T_STEP] = name_or(v->trace, 0, "(no step)") };

	for (uint32_t i = d->first; i < d->first + d->n; i++)
		if (!in_step[i])
			add(&sums, v->memory->items[i].bytes);
	sum_cells(&sums, c);
	if (sums.events)
		tl_table_add_row(rows, c);
}

static void step_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_memory_view *v = ctx;
	const struct tl_steps *steps = tl_steps_of(v->trace);
	bool *in_step = tl_calloc(v->memory->n + 1, sizeof *in_step);

	in->own_rows = new_rows(v, step_columns);
	for (uint32_t i = 0; i < v->memory->n_devices; i++) {
		const struct tl_memory_device *d = &v->memory->devices[i];
		for (size_t k = 0; k < steps->n; k++)
			if (is_step_of(v->trace, &steps->items[k], d))
				add_step(v, in->own_rows, d, &steps->items[k], in_step);
		add_no_step(v, in->own_rows, d, in_step);
	}
	free(in_step);
}

/* ---- memory_curve ------------------------------------------------------------------------------ */

enum { C_PROCESS, C_DEVICE, C_TIME, C_ALLOCATED, C_RESERVED, C_BYTES, C_OPERATOR, C_PARENT, C_COLUMNS };
static const char *const curve_columns[] = {
	"process", "device", "time_us", "allocated_bytes", "reserved_bytes", "bytes", "operator", "parent", NULL
};

static void add_point(const struct tl_memory_view *v, struct tl_table *rows, uint32_t item)
{
	const struct tl_memory_event *e = &v->memory->items[item];
	const struct tl_memory_event *by = e->bytes <= 0 && e->partner != TL_NONE ? &v->memory->items[e->partner] : e;
	const struct tl_memory_device *d = &v->memory->devices[e->device];

	tl_table_add_row(rows, (struct tl_cell[C_COLUMNS]){
		[C_PROCESS] = tl_json_cell(v->trace, d->pid), [C_DEVICE] = device_cell(d), [C_TIME] = tl_start_cell(v->trace, e->time),
		[C_ALLOCATED] = tl_cell_int(e->allocated), [C_RESERVED] = tl_cell_int(e->reserved), [C_BYTES] = tl_cell_int(e->bytes),
		[C_OPERATOR] = name_or(v->trace, by->operator, no_operator), [C_PARENT] = tl_cell_text(by->parent) });
}

static int64_t time_at(const void *items, size_t i)
{
	return ((const struct tl_memory_event *)items)[i].time;
}

static int64_t bytes_at(const void *items, size_t i, size_t k)
{
	const struct tl_memory_event *e = &((const struct tl_memory_event *)items)[i];

	return k ? e->reserved : e->allocated;
}

static void curve_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_memory_view *v = ctx;
	const struct tl_memory *m = v->memory;

	in->own_rows = new_rows(v, curve_columns);
	for (uint32_t i = 0; i < m->n_devices; i++) {
		const struct tl_memory_device *d = &m->devices[i];
		bool *shown = tl_curve_points(&(struct tl_curve){ &m->items[d->first], d->n, 2, time_at, bytes_at }, v->options->curve_points);
		for (uint32_t k = 0; k < d->n; k++)
			if (shown[k])
				add_point(v, in->own_rows, d->first + k);
		free(shown);
	}
}

/* ---- memory_blocks ----------------------------------------------------------------------------- */

enum { B_PROCESS, B_DEVICE, B_OPERATOR, B_PARENT, B_MODULE, B_BYTES, B_ALLOCATED, B_RELEASED, B_TIME, B_STACK, B_COLUMNS };
static const char *const block_columns[] = {
	"process", "device", "operator", "parent", "module", "bytes", "allocated_us", "released_us", "lifetime_us", "stack", NULL
};

/* allocation, release: NULL if it is not in the trace. */
static void add_block(const struct tl_memory_view *v, struct tl_table *rows, const struct tl_memory_event *allocation,
                      const struct tl_memory_event *released)
{
	const struct tl_memory_event *e = allocation ? allocation : released;
	const struct tl_memory_device *d = &v->memory->devices[e->device];
	struct tl_cell c[B_COLUMNS] = {
		[B_PROCESS] = tl_json_cell(v->trace, d->pid), [B_DEVICE] = device_cell(d),
		[B_OPERATOR] = name_or(v->trace, e->operator, no_operator), [B_PARENT] = tl_cell_text(e->parent),
		[B_MODULE] = tl_cell_text(e->module), [B_BYTES] = tl_cell_int(e->bytes > 0 ? e->bytes : tl_ticks_sub(0, e->bytes)),
		[B_STACK] = tl_cell_text(e->stack),
	};

	if (allocation)
		c[B_ALLOCATED] = tl_start_cell(v->trace, allocation->time);
	if (released)
		c[B_RELEASED] = tl_start_cell(v->trace, released->time);
	if (allocation && released)
		c[B_TIME] = tl_cell_time(tl_ticks_sub(released->time, allocation->time), false);
	tl_table_add_row(rows, c);
}

static void block_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_memory_view *v = ctx;
	const struct tl_memory_event *items = v->memory->items;

	in->own_rows = new_rows(v, block_columns);
	for (uint32_t i = 0; i < v->memory->n; i++) {
		const struct tl_memory_event *partner = items[i].partner == TL_NONE ? NULL : &items[items[i].partner];
		if (items[i].bytes > 0)
			add_block(v, in->own_rows, &items[i], partner);
		else if (!partner)
			add_block(v, in->own_rows, NULL, &items[i]);
	}
}

/* ---- sheets ------------------------------------------------------------------------------------- */

#define NEEDS (TL_NEEDS_INSTANTS | TL_NEEDS_ANNOTATIONS | TL_NEEDS_FRAMES)
static const struct tl_sheet sheets[] = {
	{ "memory_summary", "peaks of allocated and reserved memory: when, where, what was there before", "memory",
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_USUAL, NEEDS, NULL, summary_rows, NULL },
	{ "memory_peak", "what was alive at the peak, by operator and module", "memory",
	  TL_SHEET_NEEDS_ROWS, NEEDS, &memory_peak, peak_rows, NULL },
	{ "memory_ops", "allocations and growth by operator", "memory", TL_SHEET_NEEDS_ROWS, NEEDS, &memory_ops, op_rows, NULL },
	{ "memory_steps", "allocations, growth and peaks by step", "memory", TL_SHEET_NEEDS_ROWS, NEEDS, NULL, step_rows, NULL },
	{ "memory_curve", "allocated and reserved memory over time", "memory", TL_SHEET_NEEDS_ROWS, NEEDS, NULL, curve_rows, NULL },
	{ "memory_errors", "allocations that failed, of a snapshot", "memory", TL_SHEET_NEEDS_ROWS, NEEDS, NULL, tl_memory_errors, NULL },
	{ "memory_at_error", "what was alive when the last allocation failed, of a snapshot", "memory",
	  TL_SHEET_NEEDS_ROWS, NEEDS, &memory_at_error, at_error_rows, NULL },
	{ "memory_segments", "what the allocator held at the end, and how much of it was free, of a snapshot", "memory",
	  TL_SHEET_NEEDS_ROWS, TL_NEEDS_INSTANTS, NULL, tl_memory_segments, NULL },
	{ "memory_categories", "memory over time by what it is for, of a timeline of export_memory_timeline", "memory",
	  TL_SHEET_NEEDS_ROWS, TL_NEEDS_INSTANTS, NULL, tl_memory_categories, NULL },
	{ "memory_category_peaks", "what the memory is for: at the peak, and most of each", "memory",
	  TL_SHEET_NEEDS_ROWS, TL_NEEDS_INSTANTS, &tl_memory_category_peaks_def, tl_memory_category_peaks, NULL },
	{ "memory_blocks", "every allocation, with its release", NULL, TL_SHEET_EXTRA, NEEDS, NULL, block_rows, NULL },
	{ .name = NULL },
};
const struct tl_sheet_family tl_memory_sheets = { "tl-memory", sheets };
