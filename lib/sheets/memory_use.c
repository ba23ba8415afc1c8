/* memory_use.c - the sheets of tl-memory: what was allocated when, by what, and what was alive at the peak; what only a
 * snapshot of PyTorch's allocator or a timeline of export_memory_timeline tells.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/memory_use.h"

#include "work/args.h"
#include "work/series.h"
#include "work/spans.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "steps/step_find.h"

#include <stdlib.h>
#include <string.h>

static const char no_operator[] = "(no operator)";

/* The operator's name, or `without` if there is none. */
static struct tl_cell name_or(struct tl_trace *t, uint32_t name, const char *without)
{
	return tl_cell_text(name ? name : tl_intern_str(&t->strings, without));
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

/* When and where a peak was: its time, step, module and operator. Of steps within each other the last one that began counts. */
static void place_cells(const struct tl_memory_view *v, const struct tl_memory_event *e, struct tl_cell *cells)
{
	const struct tl_steps *steps = tl_steps_of(v->trace);

	cells[0] = tl_start_cell(v->trace, e->time);
	for (size_t i = steps->n; i-- > 0 && cells[1].type == TL_CELL_NULL;) {
		const struct tl_step *s = &steps->items[i];
		if (s->from <= e->time && e->time < s->to && is_step_of(v->trace, s, &v->memory->devices[e->device]))
			cells[1] = tl_name_cell(v->trace, tl_step_name(v->trace, s));
	}
	cells[2] = tl_cell_text(e->module);
	cells[3] = name_or(v->trace, e->operator, no_operator);
}

void tl_memory_summary(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_memory_view *v = ctx;
	const struct tl_memory *m = v->memory;
	const struct tl_memory_event *items = m->items;

	in->own_rows = new_rows(v, tl_memory_summary_rows);
	TL_EACH_OF(const struct tl_memory_device, d, m->devices, m->n_devices) {
		const struct tl_memory_event *peak = &items[d->peak], *reserved = &items[d->peak_reserved];
		struct sums s = { 0 };
		int64_t open = 0, unknown = 0;
		for (uint32_t i = d->first; i < d->first + d->n; i++) {
			add(&s, items[i].bytes);
			open += items[i].partner == TL_NONE && items[i].bytes > 0;
			unknown += items[i].partner == TL_NONE && items[i].bytes <= 0;
		}
		struct tl_cell c[N_SUMMARY] = {
			[SUMMARY_PROCESS] = tl_json_cell(v->trace, d->pid),
			[SUMMARY_DEVICE] = tl_cell_text(d->name),
			[SUMMARY_EVENT_COUNT] = tl_cell_int(s.events),
			[SUMMARY_ALLOCATION_COUNT] = tl_cell_int(s.allocations),
			[SUMMARY_ALLOCATED_BYTES] = tl_cell_int(s.allocated),
			[SUMMARY_RELEASED_BYTES] = tl_cell_int(s.released),
			[SUMMARY_AT_START_BYTES] = d->relative ? tl_cell_null() : tl_cell_int(tl_memory_at_start(m, d)),
			[SUMMARY_AT_END_BYTES] = tl_cell_int(items[d->first + d->n - 1].allocated),
			[SUMMARY_PEAK_ALLOCATED_BYTES] = tl_cell_int(peak->allocated),
			[SUMMARY_NEVER_RELEASED_COUNT] = tl_cell_int(open),
			[SUMMARY_ALLOCATED_BEFORE_COUNT] = tl_cell_int(unknown),
			[SUMMARY_RELATIVE] = tl_cell_bool(d->relative),
		};
		place_cells(v, peak, &c[SUMMARY_PEAK_ALLOCATED_US]);
		if (reserved->reserved > 0) {
			c[SUMMARY_PEAK_RESERVED_BYTES] = tl_cell_int(reserved->reserved);
			place_cells(v, reserved, &c[SUMMARY_PEAK_RESERVED_US]);
		}
		if (reserved->reserved > 0 && !d->relative) {
			c[SUMMARY_ALLOCATED_THEN_BYTES] = tl_cell_int(reserved->allocated);
			c[SUMMARY_FRAGMENTATION_PCT] = tl_cell_real(100 * (1 - (double)reserved->allocated / (double)reserved->reserved));
		}
		tl_table_add_row(in->own_rows, c);
	}
}

/* ---- memory_peak ---------------------------------------------------------------------------- */

/* What was alive after an item of the device. */
static void add_alive(const struct tl_memory_view *v, struct tl_table *rows, const struct tl_memory_device *d,
                      uint32_t last)
{
	const struct tl_memory *m = v->memory;
	int64_t rest = m->items[last].allocated;
	struct tl_cell c[N_ALIVE] = { [ALIVE_PROCESS] = tl_json_cell(v->trace, d->pid), [ALIVE_DEVICE] = tl_cell_text(d->name),
	                              [ALIVE_PEAK] = tl_cell_int(rest) };

	for (uint32_t i = tl_memory_alive(m, d->first, last); i <= last; i = tl_memory_alive(m, i + 1, last)) {
		const struct tl_memory_event *e = &m->items[i];
		rest = tl_ticks_sub(rest, e->bytes);
		c[ALIVE_OPERATOR] = name_or(v->trace, e->operator, no_operator);
		c[ALIVE_MODULE] = tl_cell_text(e->module);
		c[ALIVE_BLOCK] = tl_cell_int(1);
		c[ALIVE_STACK] = tl_cell_text(e->stack);
		c[ALIVE_CATEGORY] = tl_cell_text(e->category);
		c[ALIVE_BYTES] = tl_cell_int(e->bytes);
		tl_table_add_row(rows, c);
	}
	if (!rest)
		return;
	c[ALIVE_OPERATOR] = name_or(v->trace, 0, "(before the trace)");
	c[ALIVE_MODULE] = c[ALIVE_BLOCK] = c[ALIVE_STACK] = c[ALIVE_CATEGORY] = tl_cell_null();
	c[ALIVE_BYTES] = tl_cell_int(rest);
	tl_table_add_row(rows, c);
}

/* The last item of a device before the last allocation on it that failed; TL_NONE: none failed, or there is none. */
static uint32_t before_error(const struct tl_memory_view *v, const struct tl_memory_device *d)
{
	struct tl_trace *t = v->trace;
	uint32_t name = tl_strtab_find(&t->strings, TL_MEMORY_OOM, strlen(TL_MEMORY_OOM)), error = TL_NONE, found = TL_NONE;
	struct tl_arg id = tl_arg_of(t, "Device Id");
	int64_t device, of_items;

	if (!name || tl_arg_get(&id, t, v->memory->items[d->first].event, &of_items) != TL_FIELD_INT)
		return TL_NONE;
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].name == name && tl_arg_get(&id, t, i, &device) == TL_FIELD_INT && device == of_items)
			error = i;
	for (uint32_t i = d->first; error != TL_NONE && i < d->first + d->n; i++)
		if (v->memory->items[i].event < error)
			found = i;
	return found;
}

static void alive_rows(const struct tl_memory_view *v, struct tl_sheet_input *in, bool at_error)
{
	const struct tl_memory *m = v->memory;

	in->own_rows = new_rows(v, tl_memory_alive_rows);
	in->conditions = (m->stacks ? TL_MEMORY_IF_STACKS : 0) | (m->categories ? TL_MEMORY_IF_CATEGORIES : 0);
	TL_EACH_OF(const struct tl_memory_device, d, m->devices, m->n_devices) {
		uint32_t last = at_error ? before_error(v, d) : d->peak;
		if (last != TL_NONE)
			add_alive(v, in->own_rows, d, last);
	}
}

void tl_memory_peak(void *ctx, struct tl_sheet_input *in)
{
	alive_rows(ctx, in, false);
}

void tl_memory_at_error(void *ctx, struct tl_sheet_input *in)
{
	alive_rows(ctx, in, true);
}

/* ---- memory_ops ------------------------------------------------------------------------------ */

/* Operators of one name on a device. last: the last event that was added to `all`, so that each counts once. */
struct op { uint32_t device, name, last; struct sums self, all; };
struct ops TL_KEYED(struct op);

static struct op *op_of(struct ops *ops, uint32_t device, uint32_t name)
{
	bool is_new;
	struct op *op = TL_ITEM(ops, tl_key_of_two(device, name), &is_new);

	if (is_new)
		*op = (struct op){ .device = device, .name = name, .last = TL_NONE };
	return op;
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

void tl_memory_ops(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_memory_view *v = ctx;
	const struct tl_trace *t = v->trace;
	struct ops ops = { 0 };
	struct tl_map calls = { 0 }; /* of the operators of a name in a process */

	in->own_rows = new_rows(v, tl_memory_operator_rows);
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == TL_KIND_CPU_OP)
			++*tl_map_put(&calls, tl_key_of_two(t->tracks[t->events[i].track].pid, t->events[i].name), NULL);
	for (uint32_t i = 0; i < v->memory->n; i++)
		add_to_ops(&ops, v->memory, i);
	TL_EACH(const struct op, op, ops) {
		const struct tl_memory_device *d = &v->memory->devices[op->device];
		const uint32_t *n = tl_map_get(&calls, tl_key_of_two(d->pid, op->name));
		tl_table_add_row(in->own_rows, (struct tl_cell[N_OPERATOR]){
			[OPERATOR_PROCESS] = tl_json_cell(v->trace, d->pid),
			[OPERATOR_DEVICE] = tl_cell_text(d->name),
			[OPERATOR_OPERATOR] = name_or(v->trace, op->name, no_operator),
			[OPERATOR_CALLS] = op->name && n ? tl_cell_int(*n) : tl_cell_null(),
			[OPERATOR_SELF_INCREASE_BYTES] = tl_cell_int(op->self.growth),
			[OPERATOR_SELF_ALLOCATION_COUNT] = tl_cell_int(op->self.allocations),
			[OPERATOR_SELF_ALLOCATED_BYTES] = tl_cell_int(op->self.allocated),
			[OPERATOR_INCREASE_BYTES] = tl_cell_int(op->all.growth),
			[OPERATOR_ALLOCATION_COUNT] = tl_cell_int(op->all.allocations),
			[OPERATOR_ALLOCATED_BYTES] = tl_cell_int(op->all.allocated) });
	}
	TL_KEYED_RELEASE(&ops);
	tl_map_release(&calls);
}

/* ---- memory_steps ------------------------------------------------------------------------------ */

/* The totals of a device before an item. */
static int64_t total_before(const struct tl_memory *m, const struct tl_memory_device *d, uint32_t item)
{
	return item == d->first ? tl_memory_at_start(m, d) : m->items[item - 1].allocated;
}

/* A row for a step, or for what happened outside of all steps, so that sums are those of memory_summary. */
static struct tl_cell *step_cells(const struct tl_memory_view *v, const struct tl_memory_device *d, struct tl_cell name,
                                  const struct sums *s, struct tl_cell c[N_STEP])
{
	memset(c, 0, N_STEP * sizeof *c);
	c[STEP_PROCESS] = tl_json_cell(v->trace, d->pid);
	c[STEP_DEVICE] = tl_cell_text(d->name);
	c[STEP_STEP] = name;
	c[STEP_EVENT_COUNT] = tl_cell_int(s->events);
	c[STEP_ALLOCATION_COUNT] = tl_cell_int(s->allocations);
	c[STEP_ALLOCATED_BYTES] = tl_cell_int(s->allocated);
	c[STEP_RELEASED_BYTES] = tl_cell_int(s->released);
	c[STEP_INCREASE_BYTES] = tl_cell_int(s->growth);
	return c;
}

static void add_step(const struct tl_memory_view *v, struct tl_table *rows, const struct tl_memory_device *d,
                     const struct tl_step *s, bool *in_step)
{
	const struct tl_memory *m = v->memory;
	uint32_t from = item_from(m, d, s->from), to = item_from(m, d, s->to);
	int64_t start = total_before(m, d, from), peak = start;
	int64_t reserved = from > d->first ? m->items[from - 1].reserved : 0;
	struct sums sums = { 0 };
	struct tl_cell c[N_STEP];

	for (uint32_t i = from; i < to; i++) {
		const struct tl_memory_event *e = &m->items[i];
		add(&sums, e->bytes);
		in_step[i] = true;
		peak = e->allocated > peak ? e->allocated : peak;
		reserved = e->reserved > reserved ? e->reserved : reserved;
	}
	step_cells(v, d, tl_name_cell(v->trace, tl_step_name(v->trace, s)), &sums, c);
	c[STEP_START_US] = tl_start_cell(v->trace, s->from);
	c[STEP_STEP_MS] = tl_cell_ms(tl_ticks_sub(s->to, s->from));
	c[STEP_AT_START_BYTES] = tl_cell_int(start);
	c[STEP_AT_END_BYTES] = tl_cell_int(total_before(m, d, to));
	c[STEP_PEAK_ALLOCATED_BYTES] = tl_cell_int(peak);
	c[STEP_PEAK_RESERVED_BYTES] = reserved > 0 ? tl_cell_int(reserved) : tl_cell_null();
	tl_table_add_row(rows, c);
}

void tl_memory_steps(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_memory_view *v = ctx;
	const struct tl_memory *m = v->memory;
	const struct tl_steps *steps = tl_steps_of(v->trace);
	bool *in_step = tl_calloc(m->n + 1, sizeof *in_step);

	in->own_rows = new_rows(v, tl_memory_step_rows);
	TL_EACH_OF(const struct tl_memory_device, d, m->devices, m->n_devices) {
		struct sums outside = { 0 };
		struct tl_cell c[N_STEP];
		for (size_t k = 0; k < steps->n; k++)
			if (is_step_of(v->trace, &steps->items[k], d))
				add_step(v, in->own_rows, d, &steps->items[k], in_step);
		for (uint32_t i = d->first; i < d->first + d->n; i++)
			if (!in_step[i])
				add(&outside, m->items[i].bytes);
		if (outside.events)
			tl_table_add_row(in->own_rows, step_cells(v, d, name_or(v->trace, 0, "(no step)"), &outside, c));
	}
	free(in_step);
}

/* ---- memory_curve ------------------------------------------------------------------------------ */

static int64_t event_time(const void *items, size_t i)
{
	return ((const struct tl_memory_event *)items)[i].time;
}

static int64_t event_bytes(const void *items, size_t i, size_t k)
{
	const struct tl_memory_event *e = &((const struct tl_memory_event *)items)[i];

	return k ? e->reserved : e->allocated;
}

void tl_memory_curve(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_memory_view *v = ctx;
	const struct tl_memory *m = v->memory;

	in->own_rows = new_rows(v, tl_memory_curve_rows);
	TL_EACH_OF(const struct tl_memory_device, d, m->devices, m->n_devices) {
		const struct tl_memory_event *items = &m->items[d->first];
		struct tl_curve curve = { items, d->n, 2, event_time, event_bytes };
		bool *shown = tl_curve_points(&curve, v->options->curve_points);
		for (uint32_t i = 0; i < d->n; i++) {
			const struct tl_memory_event *e = &items[i];
			const struct tl_memory_event *by = e->bytes <= 0 && e->partner != TL_NONE ? &m->items[e->partner] : e;
			if (shown[i])
				tl_table_add_row(in->own_rows, (struct tl_cell[N_CURVE]){
					[CURVE_PROCESS] = tl_json_cell(v->trace, d->pid),
					[CURVE_DEVICE] = tl_cell_text(d->name),
					[CURVE_TIME_US] = tl_start_cell(v->trace, e->time),
					[CURVE_ALLOCATED_BYTES] = tl_cell_int(e->allocated),
					[CURVE_RESERVED_BYTES] = tl_cell_int(e->reserved),
					[CURVE_BYTES] = tl_cell_int(e->bytes),
					[CURVE_OPERATOR] = name_or(v->trace, by->operator, no_operator),
					[CURVE_PARENT] = tl_cell_text(by->parent) });
		}
		free(shown);
	}
}

/* ---- memory_blocks ----------------------------------------------------------------------------- */

void tl_memory_blocks(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_memory_view *v = ctx;
	const struct tl_memory_event *items = v->memory->items;

	in->own_rows = new_rows(v, tl_memory_block_rows);
	TL_EACH_OF(const struct tl_memory_event, e, items, v->memory->n) {
		const struct tl_memory_device *d = &v->memory->devices[e->device];
		bool allocates = e->bytes > 0, has_partner = e->partner != TL_NONE;
		if (!allocates && has_partner)
			continue;
		struct tl_cell at = tl_start_cell(v->trace, e->time), c[N_BLOCK] = {
			[BLOCK_PROCESS] = tl_json_cell(v->trace, d->pid),
			[BLOCK_DEVICE] = tl_cell_text(d->name),
			[BLOCK_OPERATOR] = name_or(v->trace, e->operator, no_operator),
			[BLOCK_PARENT] = tl_cell_text(e->parent),
			[BLOCK_MODULE] = tl_cell_text(e->module),
			[BLOCK_BYTES] = tl_cell_int(allocates ? e->bytes : tl_ticks_sub(0, e->bytes)),
			[BLOCK_STACK] = tl_cell_text(e->stack),
		};
		c[allocates ? BLOCK_ALLOCATED_US : BLOCK_RELEASED_US] = at;
		if (has_partner) {
			c[BLOCK_RELEASED_US] = tl_start_cell(v->trace, items[e->partner].time);
			c[BLOCK_LIFETIME_US] = tl_cell_time(tl_ticks_sub(items[e->partner].time, e->time), false);
		}
		tl_table_add_row(in->own_rows, c);
	}
}

/* ---- snapshots: memory_errors, memory_segments --------------------------------------------------- */

/* A row for each instant of a name: its arguments, and its time where a key is "". */
static struct tl_table *rows_of_instants(const struct tl_memory_view *v, const char *name, const char *const *columns,
                                         const char *const *keys, size_t n)
{
	struct tl_trace *t = v->trace;
	struct tl_table *rows = new_rows(v, columns);
	uint32_t id = tl_strtab_find(&t->strings, name, strlen(name));
	struct tl_arg args[N_SEGMENT];
	struct tl_cell c[N_SEGMENT] = { 0 };

	for (size_t k = 0; k < n; k++)
		args[k] = tl_arg_of(t, keys[k]);
	for (uint32_t i = 0; id && i < t->n_events; i++) {
		if (t->events[i].name != id || t->events[i].kind != TL_KIND_INSTANT)
			continue;
		for (size_t k = 0; k < n; k++)
			c[k] = *keys[k] ? tl_arg_cell(t, &args[k], i) : tl_start_cell(t, t->events[i].ts);
		tl_table_add_row(rows, c);
	}
	return rows;
}

void tl_memory_errors(void *ctx, struct tl_sheet_input *in)
{
	static const char *const keys[N_ERROR] = {
		"Device Id", "", "Bytes", "Device Free", "Total Allocated", "Total Reserved", TL_KEY_FRAME, TL_KEY_STACK
	};

	in->own_rows = rows_of_instants(ctx, TL_MEMORY_OOM, tl_memory_error_rows, keys, N_ERROR);
}

void tl_memory_segments(void *ctx, struct tl_sheet_input *in)
{
	static const char *const keys[SEGMENT_FRAGMENTATION_PCT] = {
		"Device Id", "Addr", TL_KEY_STREAM, "Segment Type", "Bytes", "Total Active", "Total Allocated", "Blocks",
		"Free Blocks", "Free", "Largest Free"
	};
	size_t n_keys = SEGMENT_FRAGMENTATION_PCT;
	struct tl_table *rows = rows_of_instants(ctx, TL_MEMORY_SEGMENT, tl_memory_segment_rows, keys, n_keys);

	for (size_t i = 0; i < rows->n_rows; i++) {
		struct tl_cell total = tl_table_cell(rows, i, SEGMENT_TOTAL_BYTES);
		struct tl_cell active = tl_table_cell(rows, i, SEGMENT_ACTIVE_BYTES);
		if (total.type == TL_CELL_INT && active.type == TL_CELL_INT && total.i > 0)
			tl_table_set(rows, i, SEGMENT_FRAGMENTATION_PCT, tl_cell_real(100 * (1 - (double)active.i / (double)total.i)));
	}
	in->own_rows = rows;
}

/* ---- timelines: memory by what it is for ---------------------------------------------------- */

enum { N_CATEGORIES = 8, TOTAL = N_CATEGORIES, N_VALUES };
static const char *const categories[N_VALUES] = { TL_MEMORY_CATEGORIES, "(all)" };

/* Bytes of each category, and of all, from a time on; has_time: of what was there before it is not told. */
struct point { bool has_time; int64_t time; int64_t bytes[N_VALUES]; };
struct points { struct point *items; size_t n, cap; size_t peaks[N_VALUES]; };

/* What was there before the first time comes first. */
TL_ORDER(by_time, struct point, TL_ASC(x->has_time) TL_ASC(x->time))

/* The category of an event; unknown: one with another name. */
static size_t category_of(struct tl_trace *t, const struct tl_arg *category, uint32_t event)
{
	int64_t text = 0;
	bool has_text = tl_arg_get(category, t, event, &text) == TL_FIELD_STRING;
	const char *name = has_text ? tl_str(&t->strings, (uint32_t)text) : "";
	size_t k = 0;

	while (k < N_CATEGORIES - 1 && strcmp(name, categories[k]))
		k++;
	return k;
}

/* The changes, added up: one point for each time. */
static struct points points_of(struct tl_trace *t)
{
	uint32_t name = tl_strtab_find(&t->strings, TL_MEMORY_CATEGORY, strlen(TL_MEMORY_CATEGORY));
	struct tl_arg bytes = tl_arg_of(t, "Bytes"), category = tl_arg_of(t, TL_KEY_CATEGORY);
	struct points p = { 0 };
	size_t n = 0;
	int64_t change;

	for (uint32_t i = 0; name && i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (e->name != name || e->kind != TL_KIND_INSTANT || tl_arg_get(&bytes, t, i, &change) != TL_FIELD_INT)
			continue;
		bool has_time = (e->flags & TL_EV_HAS_TS) != 0;
		TL_GROW(p.items, p.cap, p.n + 1);
		p.items[p.n] = (struct point){ .has_time = has_time, .time = has_time ? e->ts : 0 };
		p.items[p.n].bytes[category_of(t, &category, i)] = change;
		p.items[p.n++].bytes[TOTAL] = change;
	}
	tl_merge_sort(p.items, p.n, sizeof *p.items, by_time, NULL);
	for (size_t i = 0; i < p.n; i++) {
		struct point sum = p.items[i];
		for (size_t k = 0; i && k < N_VALUES; k++)
			sum.bytes[k] = tl_ticks_add(p.items[n - 1].bytes[k], sum.bytes[k]);
		n -= i && !by_time(&p.items[n - 1], &sum, NULL);
		p.items[n++] = sum;
	}
	p.n = n;
	for (size_t i = 0; i < p.n; i++)
		for (size_t k = 0; k < N_VALUES; k++)
			p.peaks[k] = p.items[i].bytes[k] > p.items[p.peaks[k]].bytes[k] ? i : p.peaks[k];
	return p;
}

/* From the first change, whose time what was there before has, too. Absolute times of 19 digits would lose some as
 * cells. */
static struct tl_cell time_cell(const struct points *p, size_t i)
{
	size_t first = p->n > 1 && !p->items[0].has_time;

	return tl_cell_time(i < first ? 0 : tl_ticks_sub(p->items[i].time, p->items[first].time), false);
}

static int64_t point_time(const void *points, size_t i)
{
	const struct points *p = points;

	return p->items[i + (!p->items[i].has_time && i + 1 < p->n)].time;
}

/* The total first: of that the least counts, too. */
static int64_t point_bytes(const void *points, size_t i, size_t k)
{
	return ((const struct points *)points)->items[i].bytes[TOTAL - k];
}

void tl_memory_categories(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_memory_view *v = ctx;
	struct points p = points_of(v->trace);
	struct tl_curve curve = { &p, p.n, N_VALUES, point_time, point_bytes };
	bool *shown = tl_curve_points(&curve, v->options->curve_points);

	in->own_rows = new_rows(v, tl_memory_category_curve_rows);
	for (size_t i = 0; i < p.n; i++) {
		struct tl_cell c[N_CATEGORY_CURVE] = { [CATEGORY_CURVE_TIME_US] = time_cell(&p, i) };
		for (size_t k = 0; k < N_VALUES; k++)
			c[CATEGORY_CURVE_PARAMETER_BYTES + k] = tl_cell_int(p.items[i].bytes[k]);
		if (shown[i])
			tl_table_add_row(in->own_rows, c);
	}
	free(shown);
	free(p.items);
}

void tl_memory_category_peaks(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_memory_view *v = ctx;
	struct points p = points_of(v->trace);

	in->own_rows = new_rows(v, tl_memory_category_rows);
	for (size_t i = 0; p.n && i < N_VALUES; i++) {
		size_t k = (TOTAL + i) % N_VALUES; /* all of them first */
		const struct point *peak = &p.items[p.peaks[TOTAL]], *largest = &p.items[p.peaks[k]];
		if (largest->bytes[k] <= 0 && k != TOTAL)
			continue;
		tl_table_add_row(in->own_rows, (struct tl_cell[N_CATEGORY]){
			[CATEGORY_CATEGORY] = tl_cell_str(&v->trace->strings, categories[k]),
			[CATEGORY_AT_PEAK_BYTES] = tl_cell_int(peak->bytes[k]),
			[CATEGORY_PEAK] = tl_cell_int(peak->bytes[TOTAL]),
			[CATEGORY_LARGEST_BYTES] = tl_cell_int(largest->bytes[k]),
			[CATEGORY_LARGEST_US] = time_cell(&p, p.peaks[k]),
			[CATEGORY_AT_START_BYTES] = tl_cell_int(p.items[0].bytes[k]),
			[CATEGORY_AT_END_BYTES] = tl_cell_int(p.items[p.n - 1].bytes[k]) });
	}
	free(p.items);
}
