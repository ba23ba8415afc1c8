/* comparisons.c - which sheets of reports are compared, and how.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/comparisons.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIST(...) (const char *const[]){ __VA_ARGS__, NULL }

const char *const tl_compare_groups[] = { "gpu_timeline", "ops_summary", "kernel_summary", "ops_all", "roofline", "steps", "ranks", "findings", NULL };

#define ARGUMENT_KEYS LIST("name", "Input type", "Input Dims", "Input Strides", "Concrete Inputs")
#define SPREAD(of, count) { of "_mean", of "_std", of "_min", of "_max", count }

#define CUMULATIVE "Cumulative Percentage (%)"

/* Sums by operator or category. */
#define BY_NAME(sheet_, level_, key) \
	{ .sheet = sheet_, .name = sheet_, .group = TL_COMPARE_OPS, .level = level_, .keys = LIST(key), \
	  .metrics = LIST("total_direct_kernel_time_ms", "Count"), .calls = "Count", .sort = "total_direct_kernel_time_ms", .sort_us = 1000, \
	  .dropped = LIST("total_direct_kernel_time_sum"), .once = LIST(CUMULATIVE) }

/* Operators by their arguments. */
#define BY_ARGUMENTS(sheet_, time) \
	{ .sheet = sheet_, .name = sheet_, .group = TL_COMPARE_ARGS, .keys = ARGUMENT_KEYS, \
	  .metrics = LIST(time "_sum", time "_mean", "operation_count"), .calls = "operation_count", .sort = time "_sum", .sort_us = 1, .split = true, \
	  .hidden = LIST("kernel_names", "median", "std", "min", "max", "ex_UID"), .spread = SPREAD(time, "operation_count") }

/* Operators by the parameters of their model. */
#define BY_MODEL(sheet_, name_) \
	{ .sheet = sheet_, .name = name_, .group = TL_COMPARE_ROOFLINE, .keys = LIST("name"), .key_prefix = "param:", \
	  .metrics = LIST("Kernel Time (µs)_sum", "Kernel Time (µs)_mean", "name_count", "TFLOPS/s_mean", "TB/s_mean"), \
	  .calls = "name_count", \
	  .sort = "Kernel Time (µs)_sum", .sort_us = 1, .split = true, \
	  .once = LIST("GFLOPS_first", "Data Moved (MB)_first", "FLOPS/Byte_first", "Input type_first", "Input Dims_first", \
	               "Input Strides_first", "Concrete Inputs_first"), \
	  .hidden = LIST("kernel_names_first", "UID", "median", "std", "min", "max", "Input type_first", "Input Dims_first", \
	                 "Input Strides_first", "Concrete Inputs_first"), \
	  .spread = SPREAD("Kernel Time (µs)", "name_count") }

/* What is wrong, by its id. */
#define FINDINGS(sheet_) \
	{ .sheet = sheet_, .name = sheet_, .group = TL_COMPARE_FINDINGS, .keys = LIST("id"), .metrics = LIST("at_stake_ms"), \
	  .sort = "at_stake_ms", .sort_us = 1000, .on_request = true, \
	  .dropped = LIST("rank", "Percent of window (%)", "per_step_ms", "device_ms", "alone_ms", "after", "effect", "confidence", \
	                  "effort", "evidence", "what_to_do", "next_command", "slice_command", "also") }

/* Sheets of tl-ranks: what all ranks need, in the median and at most. */
#define SIDE_BY_SIDE(sheet_, key, level_, sort_) \
	{ .sheet = sheet_, .name = sheet_, .group = TL_COMPARE_RANKS, .level = level_, .keys = LIST(key), .metrics = LIST("median_ms", "max_ms"), \
	  .sort = sort_, .sort_us = 1000 }

static const struct tl_comparison comparisons[] = {
	{ .sheet = "gpu_timeline", .name = "gpu_timeline", .group = TL_COMPARE_TIMELINE, .keys = LIST("type"), .metrics = LIST("time ms"),
	  .rows = LIST("computation_time", "exposed_comm_time", "exposed_memcpy_time", "busy_time", "idle_time", "total_time",
	               "total_comm_time", "total_memcpy_time", "micro_idle_time", "macro_idle_time",
	               "kernel", "memory", "idle") /* of rocprofv3 */ },
	BY_NAME("ops_summary", TL_COMPARE_OPERATORS, "name"),
	{ .sheet = "kernel_summary", .name = "kernel_summary", .group = TL_COMPARE_KERNELS, .on_request = true, .if_column = "Kernel name",
	  .keys = LIST("Kernel name"), .operator = "Parent cpu_op",
	  .metrics = LIST("Kernel duration (µs)_sum", "Kernel duration (µs)_mean", "Kernel duration (µs)_count"),
	  .calls = "Kernel duration (µs)_count",
	  .sort = "Kernel duration (µs)_sum", .sort_us = 1,
	  .dropped = LIST("Kernel duration (µs)_min", "Kernel duration (µs)_max", "Kernel duration (µs)_std", "Parent op category"), .once = LIST(CUMULATIVE),
	  .spread = SPREAD("Kernel duration (µs)", "Kernel duration (µs)_count") },
	{ .sheet = "kernel_summary", .name = "kernel_summary", .group = TL_COMPARE_KERNELS, .on_request = true, .if_column = "Total Time (ns)", /* of Perfetto */
	  .keys = LIST("Name", "GridXYZ", "BlockXYZ"), .metrics = LIST("Total Time (ns)", "Avg (ns)", "Instances"), .calls = "Instances",
	  .sort = "Total Time (ns)", .sort_us = 1e-3, .mean_us = 1e-3,
	  .dropped = LIST("Time", "Total Time", "Avg", "Med", "Min", "Max", "StdDev", "GridX", "GridY", "GridZ", "BlockX", "BlockY", "BlockZ"),
	  .spread = { "Avg (ns)", "StdDev (ns)", "Min (ns)", "Max (ns)", "Instances" } },
	{ .sheet = "kernel_summary", .name = "kernel_summary", .group = TL_COMPARE_KERNELS, .on_request = true, .keys = LIST("name"), /* of rocprofv3 */
	  .metrics = LIST("Total Kernel Time (ms)", "Mean Kernel Time (µs)", "Count"), .calls = "Count",
	  .sort = "Total Kernel Time (ms)", .sort_us = 1000,
	  .dropped = LIST("Total Kernel Time (µs)", "Median Kernel Time (µs)", "Std Kernel Time (µs)", "Min Kernel Time (µs)",
	                  "Max Kernel Time (µs)", "Category"),
	  .once = LIST(CUMULATIVE),
	  .spread = { "Mean Kernel Time (µs)", "Std Kernel Time (µs)", "Min Kernel Time (µs)", "Max Kernel Time (µs)", "Count" } },
	BY_ARGUMENTS("ops_all", "total_direct_kernel_time"), /* ops_unique_args of old reports */
	BY_ARGUMENTS("ops_unique_args", "total_direct_kernel_time"),
	BY_ARGUMENTS("unified_perf_summary", "Kernel Time (µs)"),
	BY_MODEL("GEMM", "GEMM"),
	BY_MODEL("SDPA_fwd", "SDPA_fwd"),
	BY_MODEL("SDPA_bwd", "SDPA_bwd"),
	BY_MODEL("CONV_fwd", "CONV_fwd"),
	BY_MODEL("CONV_bwd", "CONV_bwd"),
	BY_MODEL("UnaryElementwise", "un_eltwise"),
	BY_MODEL("BinaryElementwise", "bin_eltwise"),
	{ .sheet = "category_summary", .name = "category_summary", .group = TL_COMPARE_TIMELINE, .keys = LIST("GPU ID", "Category"), /* of Perfetto */
	  .metrics = LIST("Total runtime (ms)", "Total count"), .calls = "Total count", .sort = "Total runtime (ms)", .sort_us = 1000 },
	BY_NAME("kernel_launchers_summary", TL_COMPARE_OPERATORS, "name"), /* of JAX */
	BY_NAME("ops_summary_by_category", TL_COMPARE_CATEGORIES, "op category"),
	BY_NAME("kernel_launchers_summary_by_category", TL_COMPARE_CATEGORIES, "op category"),
	{ .sheet = "step_times", .name = "step_times", .group = TL_COMPARE_STEPS, .keys = LIST("type"), .metrics = LIST("mean", "count"),
	  .on_request = true,
	  .turned = LIST("period_ms", "host_ms", "busy_ms", "compute_ms", "exposed_comm_ms", "exposed_copy_ms", "idle_ms"),
	  .rows = LIST("period_ms", "host_ms", "busy_ms", "compute_ms", "exposed_comm_ms", "exposed_copy_ms", "idle_ms"),
	  .sort = NULL, .spread = { "mean", "std", "min", "max", "count" } },
	{ .sheet = "ranks_communication", .name = "ranks_communication", .group = TL_COMPARE_RANKS, .keys = LIST("rank"),
	  .metrics = LIST("own_ms", "wait_ms", "dur_ms", "exposed_ms"), .sort = "own_ms", .sort_us = 1000,
	  .dropped = LIST("clock_reference", "clock_spread_us", "clock_collectives") },
	{ .sheet = "ranks_stragglers", .name = "ranks_stragglers", .group = TL_COMPARE_RANKS,
	  .keys = LIST("Process Group Name", "Process Group Ranks", "Collective name"),
	  .metrics = LIST("dur_ms", "wait_ms", "bus bw (GiB/s)_mean"), .calls = "collectives", .sort = "dur_ms", .sort_us = 1000 },
	{ .sheet = "ranks_summary", .name = "ranks_summary", .group = TL_COMPARE_RANKS, .keys = LIST("rank"),
	  .metrics = LIST("own_ms", "total_ms", "computation_ms", "exposed_comm_ms", "idle_ms"), .sort = "own_ms", .sort_us = 1000 },
	SIDE_BY_SIDE("ranks_timeline", "type", TL_COMPARE_OTHER, NULL),
	SIDE_BY_SIDE("ranks_categories", "op category", TL_COMPARE_CATEGORIES, "median_ms"),
	SIDE_BY_SIDE("ranks_operators", "name", TL_COMPARE_OPERATORS, "median_ms"),
	SIDE_BY_SIDE("ranks_kernels", "Kernel name", TL_COMPARE_OTHER, "median_ms"),
	SIDE_BY_SIDE("ranks_host", "cause", TL_COMPARE_OTHER, "median_ms"),
	{ .sheet = "ranks_steps", .name = "ranks_steps", .group = TL_COMPARE_RANKS, .keys = LIST("step", "rank"),
	  .metrics = LIST("own_ms", "period_ms"), .sort = "own_ms", .sort_us = 1000 },
	FINDINGS("ranks_overview"),
	FINDINGS("findings"),
};

const struct tl_comparison *tl_comparison(size_t i)
{
	return i < sizeof comparisons / sizeof *comparisons ? &comparisons[i] : NULL;
}

bool tl_comparison_hides(const struct tl_comparison *d, const char *column)
{
	for (size_t i = 0; d->hidden && d->hidden[i]; i++)
		if (tl_ends_with(column, d->hidden[i]))
			return true;
	return false;
}

uint32_t tl_first_finding(const struct tl_table *t)
{
	static const char *const others[] = { "health", "job", "gone", NULL };
	int severity = tl_table_column(t, "severity"), title = tl_table_column(t, TL_FINDING_TITLE);

	for (size_t row = 0; row < t->n_rows; row++)
		if (!tl_is_one_of(others, tl_table_text(t, row, severity, "")))
			return tl_table_text(t, row, title, NULL) ? tl_table_cell(t, row, (size_t)title).text : 0;
	return 0;
}

/* ---- columns that become rows ---------------------------------------------------------------- */

static bool is_first(const struct tl_table *t, size_t row)
{
	return !strcmp(tl_table_text(t, row, tl_table_column(t, "mark"), ""), "first");
}

static void add_turned(struct tl_table *to, const struct tl_table *t, const char *name, bool all)
{
	double *x = tl_alloc((t->n_rows + 1) * sizeof *x), least = INFINITY, most = -INFINITY;
	int column = tl_table_column(t, name);
	size_t n = 0;

	for (size_t row = 0; row < t->n_rows && column >= 0; row++) {
		x[n] = tl_cell_number(tl_table_cell(t, row, (size_t)column), t->ticks_per_us);
		if ((is_first(t, row) && !all) || isnan(x[n]))
			continue;
		least = fmin(least, x[n]);
		most = fmax(most, x[n++]);
	}
	if (n)
		tl_table_add_row(to, (struct tl_cell[]){ tl_cell_str(to->strings, name), tl_cell_real(tl_pairwise_sum(x, n) / (double)n),
			tl_cell_real(tl_deviation(x, n)), tl_cell_real(least), tl_cell_real(most), tl_cell_int((int64_t)n) });
	free(x);
}

struct tl_table *tl_turned(const struct tl_table *t, const char *const *columns)
{
	static const char *const names[] = { "type", "mean", "std", "min", "max", "count", NULL };
	struct tl_table *to = tl_table_new(t->strings, 1, names);
	size_t kept = 0;

	for (size_t row = 0; row < t->n_rows; row++)
		kept += !is_first(t, row);
	for (size_t i = 0; columns[i]; i++)
		add_turned(to, t, columns[i], !kept);
	return to;
}
