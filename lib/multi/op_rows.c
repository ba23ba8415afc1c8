/* op_rows.c - what operators achieved: rows that can be added up, and the sheet made of them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "multi/op_rows.h"

#include "base/text.h"
#include "multi/op_kernels.h"
#include "multi/op_row_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const tl_op_row_columns[TL_O_COLUMNS + 1] = {
	"name", "GFLOPS", "Data Moved (MB)", "FLOPS/Byte",
	"TB/s n", "TB/s mean", "TB/s m2", "TFLOPS/s n", "TFLOPS/s mean", "TFLOPS/s m2",
	"Non-Data-Mov TFLOPS/s n", "Non-Data-Mov TFLOPS/s mean", "Non-Data-Mov TFLOPS/s m2",
	"time n", "time mean", "time m2", "Kernel Time (µs)", "Non-Data-Mov Kernel Time (µs)", "kernels",
	"Input Dims", "Input type", "Input Strides", "Concrete Inputs", "count", "UID", NULL
};

static enum tl_cell_type type_of(const char *column)
{
	int i = 0;

	while (i < TL_O_COLUMNS && strcmp(tl_op_row_columns[i], column))
		i++;
	if (i == TL_O_COUNT || i == TL_O_UID)
		return TL_CELL_INT;
	if (i == TL_O_TIME || i == TL_O_COMPUTE_TIME)
		return TL_CELL_TIME;
	return i >= TL_O_GFLOPS && i < TL_O_TIME ? TL_CELL_REAL : TL_CELL_TEXT;
}
const struct tl_part_columns tl_op_rows_columns = { tl_op_row_columns, TL_OP_PARAM, type_of };

/* ---- adding up ------------------------------------------------------------------------- */

/* Three cells: number, mean and m2 of the values that start in column `first`. */
static struct tl_moments moments_of(const struct tl_table *t, const size_t *rows, size_t n, size_t first)
{
	struct tl_moments all = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct tl_cell c[3];
		for (size_t k = 0; k < 3; k++)
			c[k] = tl_table_cell(t, rows[i], first + k);
		if (c[0].type == TL_CELL_REAL) /* what is infinite has no deviation */
			tl_moments_merge(&all, &(struct tl_moments){ c[0].d, c[1].type == TL_CELL_REAL ? c[1].d : (double)NAN,
				c[2].type == TL_CELL_REAL ? c[2].d : (double)NAN });
	}
	return all;
}

static void fill_moments(void *table, const size_t *rows, size_t n, struct tl_cell *cells, size_t first)
{
	struct tl_moments m = moments_of(table, rows, n, first);

	cells[0] = tl_cell_real(m.n);
	cells[1] = m.n > 0 ? tl_cell_real(m.mean) : tl_cell_null();
	cells[2] = m.n > 0 ? tl_cell_real(m.m2) : tl_cell_null();
	cells[3] = m.n > 1 ? tl_cell_real(tl_moments_deviation(&m, true)) : tl_cell_null();
}

static void tbs(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	fill_moments(ctx, rows, n, cells, TL_O_TBS);
}

static void tflops(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	fill_moments(ctx, rows, n, cells, TL_O_TFLOPS);
}

static void compute_tflops(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	fill_moments(ctx, rows, n, cells, TL_O_COMPUTE_TFLOPS);
}

static void times(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	fill_moments(ctx, rows, n, cells, TL_O_TIMES);
}

/* cells[0]: what can be added up; cells[1]: the summary. */
static void kernels(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	const struct tl_table *t = ctx;
	struct tl_op_kernels all = { 0 };
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct tl_cell c = tl_table_cell(t, rows[i], TL_O_KERNELS);
		if (c.type == TL_CELL_TEXT)
			tl_op_kernels_add(&all, tl_str(t->strings, c.text));
	}
	tl_op_kernels_write(&all, &b);
	cells[0] = tl_cell_text(b.len ? tl_intern(t->strings, b.data, b.len) : 0);
	b.len = 0;
	tl_op_kernels_summary(&all, &b);
	cells[1] = tl_cell_text(tl_intern(t->strings, b.data, b.len));
	tl_buf_release(&b);
	tl_op_kernels_release(&all);
}

#define MOMENTS(of, fn_) \
	{ of " n", .kind = TL_CALL, .fn = fn_ }, { of " mean", .kind = TL_CALL, .fn = fn_, .cell = 1 }, \
	{ of " m2", .kind = TL_CALL, .fn = fn_, .cell = 2 }
#define MEAN_STD(of, fn_) \
	{ of "_mean", .kind = TL_CALL, .fn = fn_, .cell = 1 }, { of "_std", .kind = TL_CALL, .fn = fn_, .cell = 3 }
#define SAME(of) { of, .kind = TL_FIRST }
#define FIRST(of) { of "_first", .kind = TL_FIRST, .in = of }

static const struct tl_column row_columns[] = {
	{ "name", .kind = TL_KEY },
	SAME("GFLOPS"), SAME("Data Moved (MB)"), SAME("FLOPS/Byte"),
	MOMENTS("TB/s", tbs), MOMENTS("TFLOPS/s", tflops), MOMENTS("Non-Data-Mov TFLOPS/s", compute_tflops),
	MOMENTS("time", times),
	{ "Kernel Time (µs)", .kind = TL_SUM }, { "Non-Data-Mov Kernel Time (µs)", .kind = TL_SUM },
	{ "kernels", .kind = TL_CALL, .fn = kernels },
	SAME("Input Dims"), SAME("Input type"), SAME("Input Strides"), SAME("Concrete Inputs"),
	{ "count", .kind = TL_SUM }, SAME("UID"),
	{ "parameters", .kind = TL_EACH_KEY, .in = TL_OP_PARAM },
	{ .name = NULL }
};
static const struct tl_sheet_def rows_def = { .name = "operators", .rows = tl_op_row_columns, .columns = row_columns };

static const struct tl_column sheet_columns[] = {
	{ "name", .kind = TL_KEY },
	{ "parameters", .kind = TL_EACH_KEY, .in = TL_OP_PARAM },
	FIRST("GFLOPS"), FIRST("Data Moved (MB)"), FIRST("FLOPS/Byte"),
	MEAN_STD("TB/s", tbs), MEAN_STD("TFLOPS/s", tflops), MEAN_STD("Non-Data-Mov TFLOPS/s", compute_tflops),
	{ "Non-Data-Mov Kernel Time (µs)_sum", .kind = TL_SUM, .in = "Non-Data-Mov Kernel Time (µs)" },
	{ "kernel_details__summarize_kernel_stats", .kind = TL_CALL, .fn = kernels, .cell = 1 },
	FIRST("Input Dims"), FIRST("Input type"), FIRST("Input Strides"), FIRST("Concrete Inputs"),
	MEAN_STD("Kernel Time (µs)", times),
	{ "Kernel Time (µs)_sum", .kind = TL_SUM, .in = "Kernel Time (µs)" },
	{ "name_count", .kind = TL_SUM, .in = "count" },
	FIRST("UID"),
	{ .name = NULL }
};
static const struct tl_sheet_def sheet_def = {
	.name = "operators of a group", .rows = tl_op_row_columns, .columns = sheet_columns,
	.order = { { "Kernel Time (µs)_sum", true }, { "UID_first", false } },
};

struct tl_table *tl_op_rows_add_up(const struct tl_table *rows)
{
	return tl_sheet_make(&rows_def, &(struct tl_sheet_input){ .rows = rows, .ctx = (void *)rows });
}

struct tl_table *tl_op_rows_sheet(const struct tl_table *rows)
{
	struct tl_table *t = tl_sheet_make(&sheet_def, &(struct tl_sheet_input){ .rows = rows, .ctx = (void *)rows });
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
