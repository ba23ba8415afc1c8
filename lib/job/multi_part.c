/* multi_part.c - what a report of many traces takes from one of them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/multi_part.h"

#include "work/args.h"
#include "work/calls.h"
#include "work/device_events.h"
#include "work/launchers.h"
#include "model/trace.h"
#include "perf/device_work.h"

#include <stdlib.h>
#include <string.h>

#define SHORT_US 10

const char *const tl_multi_table_names[TL_PART_TABLES] = {
	"launchers", "timeline", "counts", "unlinked", "short_operators", "calls"
};

static enum tl_cell_type type_of(const char *column)
{
	static const char *const texts[] = { "name", "cat", "type", NULL }, *const times[] = { "time", "min", "max", "sum", NULL };

	for (size_t i = 0; texts[i]; i++)
		if (!strcmp(column, texts[i]))
			return TL_CELL_TEXT;
	for (size_t i = 0; times[i]; i++)
		if (!strcmp(column, times[i]))
			return TL_CELL_TIME;
	return TL_CELL_INT;
}

/* Those of the counts are those of the sheet behind the rank. */
#define COLUMNS_OF(table, columns) [table] = { columns, NULL, type_of }
const struct tl_tsv_columns tl_multi_part_columns[TL_PART_TABLES] = {
	COLUMNS_OF(TL_PART_LAUNCHERS, tl_multi_launcher_rows), COLUMNS_OF(TL_PART_TIMELINE, tl_multi_timeline_rows),
	COLUMNS_OF(TL_PART_COUNTS, tl_multi_linked_rows + 1), COLUMNS_OF(TL_PART_UNLINKED, tl_multi_duration_rows),
	COLUMNS_OF(TL_PART_SHORT, tl_multi_short_rows), COLUMNS_OF(TL_PART_CALLS, tl_multi_duration_rows),
};

static struct tl_table *new_table(struct tl_trace *t, enum tl_multi_table which)
{
	return tl_table_new(&t->strings, t->ticks_per_us, tl_multi_part_columns[which].names);
}

/* ---- launchers ------------------------------------------------------------------------- */

static struct tl_table *add_up(struct tl_table *rows, const struct tl_sheet_def *def)
{
	struct tl_table *sum = tl_sheet_make(def, &(struct tl_sheet_input){ .rows = rows });

	tl_table_free(rows);
	return sum;
}

static struct tl_table *make_launchers(struct tl_trace *t)
{
	struct tl_table *rows = new_table(t, TL_PART_LAUNCHERS);
	const struct tl_launchers *l = tl_launchers_of(t);
	struct tl_device_work w;
	struct tl_work work;

	tl_device_work_init(&w, t);
	w.max_effort = UINT64_MAX; /* each device event is looked at once */
	for (uint32_t i = 0; i < l->n; i++) {
		tl_work_of(&w, l->direct + l->items[i].first, l->items[i].n, &work);
		tl_table_add_row(rows, (struct tl_cell[N_LAUNCHER]){ [LAUNCHER_NAME] = tl_name_cell(t, t->events[l->items[i].event].name),
			[LAUNCHER_COUNT] = tl_cell_int(1), [LAUNCHER_TIME] = tl_cell_time(work.ticks, false) });
	}
	tl_device_work_release(&w);
	return add_up(rows, &tl_multi_launcher_sum_sheet);
}

/* ---- the timeline ------------------------------------------------------------------------ */

static struct tl_table *make_timeline(struct tl_trace *t, struct tl_multi_part *p)
{
	struct tl_spans of[TL_GPU_WORKS] = { 0 };
	struct tl_table *table = new_table(t, TL_PART_TIMELINE);
	int64_t ticks[TL_TIMES];
	size_t n;
	uint32_t *events = tl_gpu_events(t, &(struct tl_gpu_select){ 0 }, 0, &n, &p->fell_back);

	p->no_device_events = !n;
	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[events[i]];
		tl_spans_add(&of[tl_gpu_work(e)], e->ts, tl_ev_end(e));
	}
	tl_gpu_times(of, NULL, ticks);
	for (size_t i = 0; i < TL_TIMES; i++)
		tl_table_add_row(table, (struct tl_cell[N_TIMELINE]){ [TIMELINE_TYPE] = tl_cell_str(&t->strings, tl_gpu_time_names[i]),
			[TIMELINE_TIME] = tl_cell_time(ticks[i], false) });
	free(events);
	return table;
}

/* ---- device events and calls -------------------------------------------------------------------- */

static void add_duration(struct tl_trace *t, struct tl_table *rows, const struct tl_ev *e)
{
	struct tl_cell dur = tl_duration_cell(e);

	tl_table_add_row(rows, (struct tl_cell[N_DURATION]){ [DURATION_NAME] = tl_name_cell(t, e->name),
		[DURATION_CAT] = tl_cell_text(t->layouts[e->layout].cat), [DURATION_COUNT] = tl_cell_int(1),
		[DURATION_MIN] = dur, [DURATION_MAX] = dur, [DURATION_SUM] = dur });
}

static bool lacks(const struct tl_arg *a, const struct tl_trace *t, uint32_t event)
{
	int64_t value = 0;
	int type = tl_arg_get(a, t, event, &value);

	return !type || (type == TL_FIELD_JSON && !strcmp(tl_str(&t->strings, (uint32_t)value), "null"));
}

static void count_events(struct tl_trace *t, struct tl_multi_part *p)
{
	struct tl_table *unlinked = new_table(t, TL_PART_UNLINKED), *calls = new_table(t, TL_PART_CALLS);
	struct tl_table *short_ops = new_table(t, TL_PART_SHORT), *counts = new_table(t, TL_PART_COUNTS);
	struct tl_nearest operators = { t, tl_nearest_operator, 0, NULL };
	struct tl_arg id = tl_arg_of(t, TL_KEY_EXTERNAL_ID);
	int64_t all[2] = { 0, 0 }, brief[2] = { 0, 0 }; /* [0]: linked, [1]: not */

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (tl_kind_is_launch(e->kind))
			add_duration(t, calls, e);
		if (!tl_kind_is_gpu(e->kind))
			continue;
		bool is_short = e->dur < SHORT_US * t->ticks_per_us, lacks_id = lacks(&id, t, i);
		all[lacks_id]++;
		brief[lacks_id] += is_short;
		if (lacks_id)
			add_duration(t, unlinked, e);
		uint32_t op = e->kind == TL_KIND_KERNEL && is_short ? tl_nearest(&operators, e->parent) : TL_NONE;
		if (op != TL_NONE)
			tl_table_add_row(short_ops, (struct tl_cell[N_SHORT]){ [SHORT_NAME] = tl_name_cell(t, t->events[op].name), [SHORT_COUNT] = tl_cell_int(1) });
	}
	const struct tl_cell cells[N_LINKED] = {
		[LINKED_NUM_KERNEL_EVENTS] = tl_cell_int(all[0] + all[1]),
		[LINKED_NUM_KERNEL_EVENTS_LINKED] = tl_cell_int(all[0]),
		[LINKED_NUM_KERNEL_EVENTS_UNLINKED] = tl_cell_int(all[1]),
		[LINKED_NUM_SHORT_KERNEL_EVENTS_LINKED] = tl_cell_int(brief[0]),
		[LINKED_NUM_SHORT_KERNEL_EVENTS_UNLINKED] = tl_cell_int(brief[1]),
	};
	tl_table_add_row(counts, cells + 1);
	tl_nearest_release(&operators);
	p->tables[TL_PART_COUNTS] = counts;
	p->tables[TL_PART_UNLINKED] = add_up(unlinked, &tl_multi_duration_sum_sheet);
	p->tables[TL_PART_CALLS] = add_up(calls, &tl_multi_duration_sum_sheet);
	p->tables[TL_PART_SHORT] = add_up(short_ops, &tl_multi_short_cpu_op_counts_sheet);
}

/* ---- every kernel with the operator that launched it ------------------------------------------------ */

/* The arguments of the operator that its columns from KERNEL_INPUT_DIMS on show. */
static const char *const arg_names[] = {
	TL_KEY_INPUT_DIMS, TL_KEY_INPUT_TYPE, TL_KEY_INPUT_STRIDES, TL_KEY_CONCRETE_INPUTS, "kernel_file"
};
enum { N_ARGS = KERNEL_KERNEL_FILE + 1 - KERNEL_INPUT_DIMS };

struct kernels {
	struct tl_trace *trace;
	struct tl_table *table;
	struct tl_nearest operators;
	struct tl_arg stream, args[N_ARGS];
	struct tl_device_work work;
	int64_t *busy;  /* by event: of an operator in ticks, once it is known; else -1 */
};

static void operator_cells(struct kernels *b, uint32_t op, int64_t duration, struct tl_cell *c)
{
	struct tl_trace *t = b->trace;
	uint32_t n = tl_trace_work_count(t, op);
	struct tl_work work;

	if (b->busy[op] < 0) {
		tl_work_below(&b->work, op, &work);
		b->busy[op] = work.ticks;
	}
	c[KERNEL_PARENT_CPU_OP_UID] = tl_cell_int(t->events[op].uid);
	c[KERNEL_PARENT_CPU_OP] = tl_name_cell(t, t->events[op].name);
	for (size_t i = 0; i < N_ARGS; i++)
		c[KERNEL_INPUT_DIMS + i] = tl_arg_cell(b->trace, &b->args[i], op);
	c[KERNEL_PARENT_CPU_OP_BUSY_TIME_US] = tl_cell_time(b->busy[op], false);
	c[KERNEL_PARENT_CPU_OP_KERNEL_COUNT] = tl_cell_int(n);
	c[KERNEL_PERCENT_OF_PARENT_CPU_OP_BUSY_TIME] = n == 1 ? tl_cell_int(100) : b->busy[op] > 0 ? tl_cell_real((double)duration / (double)b->busy[op] * 100)
	                                                       : tl_cell_null();
}

static void add_kernel(struct kernels *b, uint32_t event)
{
	const struct tl_ev *e = &b->trace->events[event];
	struct tl_cell c[N_KERNEL] = { 0 };
	uint32_t op = tl_nearest(&b->operators, e->parent);

	c[KERNEL_UID] = tl_cell_int(e->uid);
	c[KERNEL_KERNEL_NAME] = tl_name_cell(b->trace, e->name);
	c[KERNEL_KERNEL_T_START] = tl_cell_time(e->ts, (e->flags & TL_EV_INT_TS) != 0);
	c[KERNEL_KERNEL_DURATION_US] = tl_duration_cell(e);
	c[KERNEL_KERNEL_STREAM] = tl_arg_cell(b->trace, &b->stream, event);
	if (op != TL_NONE)
		operator_cells(b, op, e->dur, c);
	tl_table_add_row(b->table, c);
}

static enum tl_status make_kernels(struct tl_trace *t, struct tl_table **out, struct tl_error *err)
{
	struct kernels b = { .trace = t, .operators = { t, tl_nearest_operator, 0, NULL } };

	b.table = tl_table_new(&t->strings, t->ticks_per_us, tl_multi_kernel_rows);
	b.busy = tl_alloc(((size_t)t->n_events + 1) * sizeof *b.busy);
	for (uint32_t i = 0; i < t->n_events; i++)
		b.busy[i] = -1;
	tl_device_work_init(&b.work, t);
	b.stream = tl_arg_of(t, TL_KEY_STREAM);
	for (size_t i = 0; i < N_ARGS; i++)
		b.args[i] = tl_arg_of(t, arg_names[i]);
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == TL_KIND_KERNEL)
			add_kernel(&b, i);
	*out = b.table;
	enum tl_status status = tl_device_work_check(&b.work, err);
	tl_device_work_release(&b.work);
	tl_nearest_release(&b.operators);
	free(b.busy);
	return status;
}

/* ---- all ----------------------------------------------------------------------------------------- */

enum tl_status tl_multi_part_make(struct tl_multi_part *p, struct tl_trace *t, const struct tl_registry *registry,
                                 const struct tl_op_groups *groups, bool with_kernels, struct tl_error *err)
{
	*p = (struct tl_multi_part){ .n_ops = groups->n_groups[TL_GROUP_SHEET] };
	tl_mark_work_once(t);
	p->tables[TL_PART_LAUNCHERS] = make_launchers(t);
	p->tables[TL_PART_TIMELINE] = make_timeline(t, p);
	count_events(t, p);
	enum tl_status status = tl_op_rows_add(p->ops, t, registry, groups, &p->left, err);
	if (!status && with_kernels)
		status = make_kernels(t, &p->kernels, err);
	if (status)
		tl_multi_part_release(p);
	return status;
}

void tl_multi_part_release(struct tl_multi_part *p)
{
	for (size_t i = 0; i < TL_PART_TABLES; i++)
		tl_table_free(p->tables[i]);
	for (size_t i = 0; i < p->n_ops; i++)
		tl_sheet_sum_release(&p->ops[i]);
	tl_table_free(p->kernels);
	*p = (struct tl_multi_part){ 0 };
}
