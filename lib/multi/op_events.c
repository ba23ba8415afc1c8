/* op_events.c - the operators of a trace that are in a group, with what they achieved.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/kernel_details.h"
#include "model/trace_work.h"
#include "multi/op_kernels.h"
#include "multi/op_row_columns.h"
#include "multi/op_rows.h"
#include "roofline/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Kernels that only move data have such names. */
static const char *const moves_data[] = { "at::native::direct_copy_kernel_cuda", "transpose_" };

struct builder {
	struct tl_trace *trace;
	struct tl_measure measure;
	struct tl_arg_cells lists;   /* arguments as Python lists */
	struct tl_arg stream;
	uint32_t *computing; size_t cap_computing; /* kernels of an event that do not only move data */
	struct tl_buf text;
	size_t failed, without_kernels;
};

static double us_of(const struct builder *b, int64_t ticks)
{
	return tl_trace_us(b->trace, ticks);
}

static struct tl_work work_that_computes(struct builder *b, const uint32_t *kernels, uint32_t n)
{
	struct tl_work work;
	uint32_t kept = 0;

	TL_GROW(b->computing, b->cap_computing, (size_t)n + 1);
	for (uint32_t i = 0; i < n; i++) {
		const char *name = tl_str(&b->trace->strings, b->trace->events[kernels[i]].name);
		if (!strstr(name, moves_data[0]) && !strstr(name, moves_data[1]))
			b->computing[kept++] = kernels[i];
	}
	tl_work_of(&b->measure.device_work, b->computing, kept, &work);
	return work;
}

/* One value: its number, mean and sum of squared deviations. */
static void value_cells(struct tl_cell *c, struct tl_cell value)
{
	bool none = tl_cell_is_null(value);

	c[0] = tl_cell_real(none ? 0 : 1);
	c[1] = none ? tl_cell_null() : tl_cell_real(value.d);
	c[2] = none ? tl_cell_null() : tl_cell_real(0);
}

static struct tl_cell kernels_cell(struct builder *b, const uint32_t *kernels, uint32_t n)
{
	struct tl_buf stream = { 0 };

	b->text.len = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *e = &b->trace->events[kernels[i]];
		stream.len = 0;
		tl_cell_repr(&stream, &b->trace->strings, tl_arg_cell(&b->lists, &b->stream, kernels[i]));
		tl_op_kernels_write_one(&b->text, tl_str(&b->trace->strings, e->name), stream.data, us_of(b, e->dur));
	}
	tl_buf_addc(&b->text, '\x1d');
	tl_buf_release(&stream);
	return tl_cell_text(tl_intern(&b->trace->strings, b->text.data, b->text.len));
}

static void metric_cells(struct builder *b, const struct tl_evaluation *x, int64_t time, int64_t compute_time, struct tl_cell *c)
{
	struct tl_rates rates = tl_rates_of(x->gflops, x->has_bytes, x->bytes, us_of(b, time));
	struct tl_rates compute = tl_rates_of(x->gflops, x->has_bytes, x->bytes, us_of(b, compute_time));

	c[TL_O_GFLOPS] = tl_cell_real(x->gflops);
	c[TL_O_MOVED] = rates.moved;
	c[TL_O_INTENSITY] = rates.intensity;
	value_cells(&c[TL_O_TBS], rates.tbs);
	value_cells(&c[TL_O_TFLOPS], rates.tflops);
	value_cells(&c[TL_O_COMPUTE_TFLOPS], compute.tflops);
	value_cells(&c[TL_O_TIMES], tl_cell_real(us_of(b, time)));
	c[TL_O_TIME] = tl_cell_time(time, false);
	c[TL_O_COMPUTE_TIME] = tl_cell_time(compute_time, false);
}

static void set_params(struct tl_table *t, const struct tl_evaluation *x)
{
	struct tl_buf name = { 0 };

	for (size_t i = 0; i < x->n_params; i++) {
		name.len = 0;
		tl_buf_addf(&name, TL_OP_PARAM "%s", x->params[i].name);
		int column = tl_table_column(t, name.data);
		size_t at = column >= 0 ? (size_t)column : tl_table_add_column(t, name.data);
		tl_table_set(t, t->n_rows - 1, at, x->params[i].value);
	}
	tl_buf_release(&name);
}

static void add_row(struct builder *b, struct tl_table **table, uint32_t event, const struct tl_perf_op *op)
{
	struct tl_trace *t = b->trace;
	struct tl_work work;

	if (!*table)
		*table = tl_table_new(&t->strings, t->ticks_per_us, tl_op_row_columns);
	tl_work_below(&b->measure.device_work, event, &work);
	if (b->measure.device_work.exhausted)
		return;
	const struct tl_evaluation *x = op ? tl_measure_evaluate(&b->measure, op, event, &work, false) : NULL;
	if (!x || x->outcome != TL_PERF_OK) {
		b->failed++;
		return;
	}
	int64_t time = work.ticks;
	uint32_t n;
	const uint32_t *kernels = tl_trace_work(t, event, &n);
	struct tl_cell *c = tl_calloc((*table)->n_columns, sizeof *c);
	metric_cells(b, x, time, work_that_computes(b, kernels, n).ticks, c);
	c[TL_O_NAME] = tl_name_cell(t, t->events[event].name);
	c[TL_O_KERNELS] = kernels_cell(b, kernels, n);
	for (size_t i = 0; i < 4; i++)
		c[TL_O_ARGS + i] = tl_arg_cell(&b->lists, &b->measure.args[i], event);
	c[TL_O_COUNT] = tl_cell_int(1);
	c[TL_O_UID] = tl_cell_int(t->events[event].uid);
	tl_table_add_row(*table, c);
	free(c);
	set_params(*table, x);
}

static void add_event(struct builder *b, struct tl_table **tables, uint32_t event, uint32_t groups, uint32_t launching)
{
	int64_t dims;

	if (!groups || !tl_arg_get(&b->measure.args[0], b->trace, event, &dims))
		return;
	if (!tl_trace_work_count(b->trace, event)) {
		b->without_kernels += (groups & launching) != 0;
		groups &= ~launching;
	}
	for (size_t g = 0; groups >> g; g++)
		if (groups >> g & 1)
			add_row(b, &tables[g], event, tl_measure_op(&b->measure, event));
}

enum tl_status tl_op_rows_make(struct tl_trace *t, const struct tl_registry *registry, const struct tl_op_groups *groups,
                               struct tl_table **tables, struct tl_op_rows_left *left, struct tl_error *err)
{
	struct builder b = { .trace = t, .lists = { .trace = t, .as_lists = true } };
	uint32_t n_names = t->strings.count + 1;
	uint32_t *of_name = tl_alloc(n_names * sizeof *of_name);

	memset(of_name, 0xff, n_names * sizeof *of_name); /* all bits: not looked up yet */
	tl_measure_init(&b.measure, t, registry, NULL);
	tl_arg_init(&b.stream, t, TL_KEY_STREAM);
	for (uint32_t i = 0; i < t->n_events; i++) {
		uint32_t name = t->events[i].name;
		if (name >= n_names)
			continue;
		if (of_name[name] == UINT32_MAX)
			of_name[name] = tl_op_groups_of(groups, TL_GROUP_SHEET, tl_str(&t->strings, name));
		add_event(&b, tables, i, of_name[name], groups->launching);
	}
	for (size_t g = 0; g < groups->n_groups[TL_GROUP_SHEET]; g++) {
		struct tl_table *each = tables[g];
		if (!each)
			continue;
		tables[g] = tl_op_rows_add_up(each);
		tl_table_free(each);
	}
	*left = (struct tl_op_rows_left){ b.failed, b.without_kernels };
	enum tl_status status = tl_device_work_check(&b.measure.device_work, err);
	tl_measure_release(&b.measure);
	tl_arg_cells_release(&b.lists);
	tl_arg_release(&b.stream);
	tl_buf_release(&b.text);
	free(b.computing);
	free(of_name);
	return status;
}
