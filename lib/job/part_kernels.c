/* part_kernels.c - every kernel of a trace with the operator that launched it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/part_kernels.h"

#include "analysis/args.h"
#include "analysis/nearest.h"
#include "model/trace_work.h"
#include "roofline/device_work.h"

#include <stdlib.h>

enum { UID, NAME, START, DURATION, STREAM, OP_UID, OP, ARGS, FILE_ = ARGS + 4, BUSY, COUNT, SHARE, N_COLUMNS };
static const char *const columns[] = {
	"UID", "Kernel name", "Kernel t start", "Kernel duration (µs)", "Kernel stream", "Parent cpu_op UID", "Parent cpu_op",
	"Input dims", "Input types", "Input strides", "Concrete Inputs", "kernel_file", "Parent cpu_op busy time (µs)",
	"Parent cpu_op kernel count", "Percent of Parent cpu_op busy time (%)", NULL
};
/* The arguments of the operator's columns from ARGS on. */
static const char *const arg_names[] = {
	TL_KEY_INPUT_DIMS, TL_KEY_INPUT_TYPE, TL_KEY_INPUT_STRIDES, TL_KEY_CONCRETE_INPUTS, "kernel_file"
};
enum { N_ARGS = 5 };

struct builder {
	struct tl_trace *trace;
	struct tl_table *table;
	struct tl_nearest operators;
	struct tl_arg stream, args[N_ARGS];
	struct tl_arg_cells cells;
	struct tl_device_work work;
	int64_t *busy;  /* by event: of an operator in ticks, once it is known; else -1 */
};

static void operator_cells(struct builder *b, uint32_t op, int64_t duration, struct tl_cell *c)
{
	struct tl_trace *t = b->trace;
	uint32_t n = tl_trace_work_count(t, op);
	struct tl_work work;

	if (b->busy[op] < 0) {
		tl_work_below(&b->work, op, &work);
		b->busy[op] = work.ticks;
	}
	c[OP_UID] = tl_cell_int(t->events[op].uid);
	c[OP] = tl_name_cell(t, t->events[op].name);
	for (size_t i = 0; i < N_ARGS; i++)
		c[ARGS + i] = tl_arg_cell(&b->cells, &b->args[i], op);
	c[BUSY] = tl_cell_time(b->busy[op], false);
	c[COUNT] = tl_cell_int(n);
	c[SHARE] = n == 1 ? tl_cell_int(100) : b->busy[op] > 0 ? tl_cell_real((double)duration / (double)b->busy[op] * 100)
	                                                       : tl_cell_null();
}

static void add_kernel(struct builder *b, uint32_t event)
{
	const struct tl_ev *e = &b->trace->events[event];
	struct tl_cell c[N_COLUMNS] = { 0 };
	uint32_t op = tl_nearest(&b->operators, e->parent);

	c[UID] = tl_cell_int(e->uid);
	c[NAME] = tl_name_cell(b->trace, e->name);
	c[START] = tl_cell_time(e->ts, (e->flags & TL_EV_INT_TS) != 0);
	c[DURATION] = tl_duration_cell(e);
	c[STREAM] = tl_arg_cell(&b->cells, &b->stream, event);
	if (op != TL_NONE)
		operator_cells(b, op, e->dur, c);
	tl_table_add_row(b->table, c);
}

enum tl_status tl_part_kernels(struct tl_trace *t, struct tl_table **out, struct tl_error *err)
{
	struct builder b = { .trace = t, .cells = { .trace = t }, .operators = { t, tl_nearest_operator, 0, NULL } };

	b.table = tl_table_new(&t->strings, t->ticks_per_us, columns);
	b.busy = tl_alloc(((size_t)t->n_events + 1) * sizeof *b.busy);
	for (uint32_t i = 0; i < t->n_events; i++)
		b.busy[i] = -1;
	tl_device_work_init(&b.work, t);
	tl_arg_init(&b.stream, t, TL_KEY_STREAM);
	for (size_t i = 0; i < N_ARGS; i++)
		tl_arg_init(&b.args[i], t, arg_names[i]);
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == TL_KIND_KERNEL)
			add_kernel(&b, i);
	*out = b.table;
	enum tl_status status = tl_device_work_check(&b.work, err);
	tl_device_work_release(&b.work);
	tl_nearest_release(&b.operators);
	tl_arg_release(&b.stream);
	for (size_t i = 0; i < N_ARGS; i++)
		tl_arg_release(&b.args[i]);
	tl_arg_cells_release(&b.cells);
	free(b.busy);
	return status;
}
