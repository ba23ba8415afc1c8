/* op_rows.c - what operators achieved: rows that can be added up, and the sheet made of them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/op_rows.h"

#include "work/kernel_details.h"
#include "base/text.h"
#include "base/value.h"
#include "model/trace.h"
#include "perf/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- definitions ----------------------------------------------------------------------- */

#define PARAM "param: "

static enum tl_cell_type type_of(const char *column)
{
	int i = 0;

	while (i < N_OP && strcmp(tl_multi_op_rows[i], column))
		i++;
	if (i == OP_COUNT || i == OP_UID || i == OP_KERNELS || i == OP_PLACE)
		return TL_CELL_INT;
	if (i == OP_KERNEL_TIME_US || i == OP_NON_DATA_MOV_KERNEL_TIME_US)
		return TL_CELL_TIME;
	return (i >= OP_GFLOPS && i <= OP_TIME_M2) || (i >= OP_KERNEL_TIME_N && i <= OP_KERNEL_TIME_M2) ? TL_CELL_REAL : TL_CELL_TEXT;
}
const struct tl_tsv_columns tl_op_rows_columns = { tl_multi_op_rows, PARAM, type_of };

/* ---- rows of events ---------------------------------------------------------------------- */

/* Kernels that only move data have such names. */
static const char *const moves_data[] = { "at::native::direct_copy_kernel_cuda", "transpose_" };
enum { ROWS_AT_A_TIME = 4096 }; /* before they are added up */

struct builder {
	struct tl_trace *trace;
	struct tl_sheet_sum *sums;
	struct tl_table **rows;      /* by group: those that are not added up yet */
	struct tl_measure measure;
	struct tl_arg stream;
	uint32_t *computing; size_t cap_computing; /* kernels of an event that do not only move data */
	struct tl_cell *cells; size_t cap_cells;   /* a row */
	struct tl_op_rows_left left;
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

/* The cells of one value, if there is one. */
static void put_value(struct tl_cell *c, struct tl_cell value)
{
	if (tl_cell_is_null(value))
		return;
	c[TL_MERGED_N] = tl_cell_real(1);
	c[TL_MERGED_SUM] = c[TL_MERGED_MEAN] = value;
	c[TL_MERGED_M2] = tl_cell_real(0);
}

static void put_rates(struct builder *b, const struct tl_evaluation *x, int64_t time, int64_t compute_time, struct tl_cell *c)
{
	struct tl_rates rates = tl_rates_of(x->gflops, x->has_bytes, x->bytes, us_of(b, time));
	struct tl_rates compute = tl_rates_of(x->gflops, x->has_bytes, x->bytes, us_of(b, compute_time));

	c[OP_GFLOPS] = tl_cell_real(x->gflops);
	c[OP_DATA_MOVED_MB] = rates.moved;
	c[OP_FLOPS_BYTE] = rates.intensity;
	put_value(&c[OP_TB_S_N], rates.tbs);
	put_value(&c[OP_TFLOPS_S_N], rates.tflops);
	put_value(&c[OP_NON_DATA_MOV_TFLOPS_S_N], compute.tflops);
	put_value(&c[OP_TIME_N], tl_cell_real(us_of(b, time)));
	c[OP_KERNEL_TIME_US] = tl_cell_time(time, false);
	c[OP_NON_DATA_MOV_KERNEL_TIME_US] = tl_cell_time(compute_time, false);
}

/* Begins a row in b->cells: the keys of the operator, and nothing else. */
static void put_keys(struct builder *b, struct tl_table *t, uint32_t event, const struct tl_evaluation *x)
{
	struct tl_buf name = { 0 };

	for (size_t i = 0; i < x->n_params; i++) {
		tl_buf_clear(&name);
		tl_buf_addf(&name, PARAM "%s", x->params[i].name);
		if (tl_table_column(t, name.data) < 0)
			tl_table_add_column(t, name.data);
	}
	TL_GROW(b->cells, b->cap_cells, t->n_columns);
	memset(b->cells, 0, t->n_columns * sizeof *b->cells);
	for (size_t i = 0; i < x->n_params; i++) {
		tl_buf_clear(&name);
		tl_buf_addf(&name, PARAM "%s", x->params[i].name);
		b->cells[tl_table_column(t, name.data)] = x->params[i].value;
	}
	b->cells[OP_NAME] = tl_name_cell(b->trace, b->trace->events[event].name);
	b->cells[OP_KERNEL_TIME_US] = b->cells[OP_NON_DATA_MOV_KERNEL_TIME_US] = tl_cell_time(0, false);
	b->cells[OP_COUNT] = tl_cell_int(0);
	tl_buf_release(&name);
}

/* Adds a row for each kernel of an event; b->cells: its keys. */
static void add_kernels(struct builder *b, struct tl_table *to, const uint32_t *kernels, uint32_t n)
{
	struct tl_strtab *strings = &b->trace->strings;
	struct tl_buf stream = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *e = &b->trace->events[kernels[i]];
		tl_buf_clear(&stream);
		tl_cell_repr(&stream, strings, tl_arg_list_cell(b->trace, &b->stream, kernels[i]));
		b->cells[OP_KERNELS] = tl_cell_int(n);
		b->cells[OP_PLACE] = tl_cell_int(i + 1);
		b->cells[OP_KERNEL] = tl_name_cell(b->trace, e->name);
		b->cells[OP_STREAM] = tl_cell_text(tl_intern(strings, tl_buf_text(&stream), stream.len));
		put_value(&b->cells[OP_KERNEL_TIME_N], tl_cell_real(us_of(b, e->dur)));
		tl_table_add_row(to, b->cells);
	}
	tl_buf_release(&stream);
}

static void add_row(struct builder *b, size_t group, uint32_t event, const struct tl_perf_op *op)
{
	struct tl_trace *t = b->trace;
	struct tl_work work;
	uint32_t n;

	tl_work_below(&b->measure.device_work, event, &work);
	if (b->measure.device_work.exhausted)
		return;
	const struct tl_evaluation *x = op ? tl_measure_evaluate(&b->measure, op, event, &work, false) : NULL;
	if (!x || x->outcome != TL_PERF_OK) {
		b->left.failed++;
		return;
	}
	if (!b->rows[group])
		b->rows[group] = tl_table_new(&t->strings, t->ticks_per_us, tl_multi_op_rows);
	const uint32_t *kernels = tl_trace_work(t, event, &n);
	struct tl_table *rows = b->rows[group];
	put_keys(b, rows, event, x);
	put_rates(b, x, work.ticks, work_that_computes(b, kernels, n).ticks, b->cells);
	memcpy(&b->cells[OP_INPUT_DIMS], tl_signature_cells(b->measure.signatures, event, true), TL_SIGNATURE_CELLS * sizeof *b->cells);
	b->cells[OP_COUNT] = tl_cell_int(1);
	b->cells[OP_UID] = tl_cell_int(t->events[event].uid);
	tl_table_add_row(rows, b->cells);
	put_keys(b, rows, event, x);
	add_kernels(b, rows, kernels, n);
	if (rows->n_rows < ROWS_AT_A_TIME)
		return;
	tl_sheet_sum_add(&b->sums[group], rows);
	tl_table_head(rows, 0);
}

static void add_event(struct builder *b, uint32_t event, uint32_t groups, uint32_t launching)
{
	int64_t dims;

	if (!groups || !tl_arg_get(&b->measure.signatures->args[0], b->trace, event, &dims))
		return;
	if (!tl_trace_work_count(b->trace, event)) {
		b->left.without_kernels += (groups & launching) != 0;
		groups &= ~launching;
	}
	for (size_t g = 0; groups >> g; g++)
		if (groups >> g & 1)
			add_row(b, g, event, tl_measure_op(&b->measure, event));
}

enum tl_status tl_op_rows_add(struct tl_sheet_sum *sums, struct tl_trace *t, const struct tl_registry *registry,
                              const struct tl_op_groups *groups, struct tl_op_rows_left *left, struct tl_error *err)
{
	struct tl_table *rows[TL_OP_GROUPS] = { NULL };
	struct builder b = { .trace = t, .sums = sums, .rows = rows };
	uint32_t n_names = t->strings.count + 1;
	uint32_t *of_name = tl_alloc(n_names * sizeof *of_name);

	memset(of_name, 0xff, n_names * sizeof *of_name); /* all bits: not looked up yet */
	tl_measure_init(&b.measure, t, registry, NULL);
	b.stream = tl_arg_of(t, TL_KEY_STREAM);
	for (size_t g = 0; g < groups->n_groups[TL_GROUP_SHEET]; g++)
		sums[g].def = &tl_multi_op_sum_sheet;
	for (uint32_t i = 0; i < t->n_events; i++) {
		uint32_t name = t->events[i].name;
		if (name >= n_names)
			continue;
		if (of_name[name] == UINT32_MAX)
			of_name[name] = tl_op_groups_of(groups, TL_GROUP_SHEET, tl_str(&t->strings, name));
		add_event(&b, i, of_name[name], groups->launching);
	}
	for (size_t g = 0; g < TL_OP_GROUPS; g++) {
		if (rows[g])
			tl_sheet_sum_add(&sums[g], rows[g]);
		tl_table_free(rows[g]);
	}
	*left = b.left;
	enum tl_status status = tl_device_work_check(&b.measure.device_work, err);
	tl_measure_release(&b.measure);
	free(b.computing);
	free(b.cells);
	free(of_name);
	return status;
}

/* ---- the sheet --------------------------------------------------------------------------- */

static void add_fact(struct tl_buf *b, const char *name, double x)
{
	char text[TL_DOUBLE_TEXT];

	tl_format_double(text, x);
	tl_buf_addf(b, ", '%s': %s", name, text);
}

/* Appends the kernel of a row as a Python dictionary. */
static void add_kernel(struct tl_buf *b, const struct tl_table *t, size_t row)
{
	struct tl_cell name = tl_table_cell(t, row, OP_KERNEL), stream = tl_table_cell(t, row, OP_STREAM);
	double of[TL_MERGED_CELLS];

	for (size_t i = 0; i < TL_MERGED_CELLS; i++)
		of[i] = tl_cell_number(tl_table_cell(t, row, OP_KERNEL_TIME_N + i), 1);
	tl_buf_adds(b, b->len > 1 ? ", {'name': " : "{'name': ");
	tl_repr_text(b, tl_str(t->strings, name.text), tl_str_len(t->strings, name.text));
	tl_buf_addf(b, ", 'stream': %s, 'count': %.0f", tl_str(t->strings, stream.text), of[TL_MERGED_N]);
	add_fact(b, "total_duration_us", of[TL_MERGED_SUM]);
	add_fact(b, "mean_duration_us", of[TL_MERGED_MEAN]);
	add_fact(b, "std_dev_duration_us", sqrt(of[TL_MERGED_M2] / of[TL_MERGED_N]));
	tl_buf_addc(b, '}');
}

/* A Python list of a dictionary for each place, of the events with as many kernels as the first ones that had some. */
void tl_multi_list_kernels(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	const struct tl_table *t = ctx;
	struct tl_buf b = { 0 };
	int64_t kernels = 0;

	tl_buf_addc(&b, '[');
	for (size_t i = 0; i < n; i++) {
		struct tl_cell of = tl_table_cell(t, rows[i], OP_KERNELS);
		if (tl_cell_is_null(of))
			continue;
		kernels = kernels ? kernels : of.i;
		if (of.i == kernels)
			add_kernel(&b, t, rows[i]);
	}
	tl_buf_addc(&b, ']');
	cells[0] = tl_cell_text(tl_intern(t->strings, b.data, b.len));
	tl_buf_release(&b);
}

struct tl_table *tl_op_rows_sheet(struct tl_sheet_sum *sum)
{
	struct tl_table *rows = tl_sheet_sum_rows(sum), *t;

	if (!rows || !rows->n_rows)
		return NULL;
	t = tl_sheet_make(&tl_multi_gemm_sheet, &(struct tl_sheet_input){ .rows = rows, .ctx = rows });
	size_t time = (size_t)tl_table_column(t, "Kernel Time (µs)_sum"), share = tl_table_add_column(t, "kernel_time_sum_cum_pct");
	int64_t total = 0, so_far = 0;

	for (size_t i = 0; i < t->n_rows; i++)
		total += tl_table_cell(t, i, time).i;
	for (size_t i = 0; i < t->n_rows && total > 0; i++) {
		so_far += tl_table_cell(t, i, time).i;
		tl_table_set(t, i, share, tl_cell_real(tl_divide(so_far, total)));
	}
	return t;
}
