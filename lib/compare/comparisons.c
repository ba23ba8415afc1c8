/* comparisons.c - which sheets of reports are compared, and how.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/comparisons.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/description.h"
#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIST(...) (const char *const[]){ __VA_ARGS__, NULL }

const char *const tl_compare_groups[] = { "gpu_timeline", "ops_summary", "kernel_summary", "ops_all", "roofline", "steps", "ranks", "findings", NULL };

/* ---- the sheets -------------------------------------------------------------------------------- */

/* A row says what a comparison wants besides what the sheet's description says: keys, the time, its mean and spread, and the count are
 * the columns of these roles (fill_in). */

#define BY_NAME(program_, sheet_, level_) \
	{ .program = program_, .sheet = sheet_, .group = TL_COMPARE_OPS, .level = level_, .dropped = LIST("total_direct_kernel_time_sum") }

/* Operators by their arguments. */
#define BY_ARGUMENTS(program_, sheet_, as_) \
	{ .program = program_, .sheet = sheet_, .as = as_, .group = TL_COMPARE_ARGS, .split = true, \
	  .keys = LIST("name", "Input type", "Input Dims", "Input Strides", "Concrete Inputs"), \
	  .hidden = LIST("kernel_names", "median", "std", "min", "max", "ex_UID") }

/* Operators by the parameters of their model. */
#define BY_MODEL(sheet_, name_) \
	{ .program = "tl-roofline", .sheet = sheet_, .name = name_, .as = "FAMILY", .group = TL_COMPARE_ROOFLINE, .split = true, \
	  .more = LIST("TFLOPS/s_mean", "TB/s_mean"), \
	  .once = LIST("GFLOPS_first", "Data Moved (MB)_first", "FLOPS/Byte_first", "Input type_first", "Input Dims_first", \
	               "Input Strides_first", "Concrete Inputs_first"), \
	  .hidden = LIST("kernel_names_first", "UID", "median", "std", "min", "max", "Input type_first", "Input Dims_first", \
	                 "Input Strides_first", "Concrete Inputs_first") }

/* What is wrong, by its id. */
#define FINDINGS(program_, sheet_) \
	{ .program = program_, .sheet = sheet_, .group = TL_COMPARE_FINDINGS, .keys = LIST("id"), .on_request = true, \
	  .dropped = LIST("rank", "Percent of window (%)", "per_step_ms", "device_ms", "alone_ms", "after", "effect", \
	                  "confidence", "effort", "evidence", "what_to_do", "next_command", "slice_command", "also") }

/* Sheets of tl-ranks: what all ranks need, in the median and at most. */
#define SIDE_BY_SIDE(sheet_, level_, by_key_) \
	{ .program = "tl-ranks", .sheet = sheet_, .group = TL_COMPARE_RANKS, .level = level_, .by_key = by_key_, .sort = "median_ms", \
	  .metrics = LIST("median_ms", "max_ms") }

static struct tl_comparison comparisons[] = {
	{ .program = "tl-timeline", .sheet = "device_times", .group = TL_COMPARE_TIMELINE, .on_request = true, .by_key = true, .keys = LIST("device"),
	  .metrics = LIST("window_ms", "busy_ms", "computation_ms", "communication_ms", "exposed_communication_ms", "copies_ms", "exposed_copies_ms",
	                  "migrations_ms", "idle_ms"), .dropped = LIST("rank", "process") },
	{ .program = "tl-timeline", .sheet = "gpu_timeline", .group = TL_COMPARE_TIMELINE, .by_key = true,
	  .rows = LIST("computation_time", "exposed_comm_time", "exposed_memcpy_time", "busy_time", "idle_time", "total_time",
	               "total_comm_time", "total_memcpy_time", "micro_idle_time", "macro_idle_time",
	               "kernel", "memory", "idle") /* of rocprofv3 */ },
	BY_NAME("tl-ops", "ops_summary", TL_COMPARE_OPERATORS),
	{ .program = "tl-kcat", .sheet = "kernel_stats", .group = TL_COMPARE_KERNELS, .on_request = true, .keys = LIST("device", "name"),
	  .dropped = LIST("rank", "process", "min_us", "max_us") },
	{ .program = "tl-kcat", .sheet = "kernel_summary", .unless = "kernel_stats", .group = TL_COMPARE_KERNELS, .on_request = true,
	  .keys = LIST("Kernel name"), .operator = "Parent cpu_op",
	  .dropped = LIST("Kernel duration (µs)_min", "Kernel duration (µs)_max", "Kernel duration (µs)_std", "Parent op category") },
	{ .program = "tl-pftrace", .sheet = "kernel_summary", .unless = "kernel_stats", .group = TL_COMPARE_KERNELS, .on_request = true,
	  .keys = LIST("Name", "GridXYZ", "BlockXYZ"), .sort_us = 1e-3, .mean_us = 1e-3, /* the names say it */
	  .dropped = LIST("Time", "Total Time", "Avg", "Med", "Min", "Max", "StdDev", "GridX", "GridY", "GridZ", "BlockX", "BlockY", "BlockZ") },
	{ .program = "tl-rocprof", .sheet = "kernel_summary", .unless = "kernel_stats", .group = TL_COMPARE_KERNELS, .on_request = true,
	  .dropped = LIST("Total Kernel Time (µs)", "Median Kernel Time (µs)", "Std Kernel Time (µs)", "Min Kernel Time (µs)",
	                  "Max Kernel Time (µs)", "Category") },
	BY_ARGUMENTS("tl-ops", "ops_all", "ops_unique_args"), /* its name in old reports */
	BY_ARGUMENTS("tl-ops", "ops_unique_args", NULL),
	BY_ARGUMENTS("tl-roofline", "unified_perf_summary", NULL),
	BY_MODEL("GEMM", "GEMM"),
	BY_MODEL("SDPA_fwd", "SDPA_fwd"),
	BY_MODEL("SDPA_bwd", "SDPA_bwd"),
	BY_MODEL("CONV_fwd", "CONV_fwd"),
	BY_MODEL("CONV_bwd", "CONV_bwd"),
	BY_MODEL("UnaryElementwise", "un_eltwise"),
	BY_MODEL("BinaryElementwise", "bin_eltwise"),
	{ .program = "tl-pftrace", .sheet = "category_summary", .group = TL_COMPARE_TIMELINE },
	BY_NAME("tl-jax", "kernel_launchers_summary", TL_COMPARE_OPERATORS),
	BY_NAME("tl-ops", "ops_summary_by_category", TL_COMPARE_CATEGORIES),
	BY_NAME("tl-jax", "kernel_launchers_summary_by_category", TL_COMPARE_CATEGORIES),
	{ .program = "tl-timeline", .sheet = "step_times", .group = TL_COMPARE_STEPS, .on_request = true, .by_key = true,
	  .keys = LIST("type"), .metrics = LIST("mean", "count"),
	  .turned = LIST("period_ms", "host_ms", "busy_ms", "compute_ms", "exposed_comm_ms", "exposed_copy_ms", "idle_ms"),
	  .rows = LIST("period_ms", "host_ms", "busy_ms", "compute_ms", "exposed_comm_ms", "exposed_copy_ms", "idle_ms"),
	  .spread = { "mean", "std", "min", "max", "count" } },
	{ .program = "tl-ranks", .sheet = "ranks_judged", .group = TL_COMPARE_RANKS, .by_key = true, .metrics = LIST("recorded_ms", "ideal_ms", "lost_ms") },
	{ .program = "tl-ranks", .sheet = "ranks_communication", .group = TL_COMPARE_RANKS, .metrics = LIST("caused_wait_ms", "wait_ms", "dur_ms", "exposed_ms"),
	  .dropped = LIST("clock_reference", "clock_spread_us", "clock_collectives") },
	{ .program = "tl-ranks", .sheet = "ranks_causes", .group = TL_COMPARE_RANKS, .metrics = LIST("loss_ms", "alone_ms") },
	{ .program = "tl-ranks", .sheet = "ranks_stragglers", .group = TL_COMPARE_RANKS,
	  .metrics = LIST("dur_ms", "wait_ms", "bus bw (GiB/s)_mean"), .calls = "collectives", .sort = "dur_ms" },
	{ .program = "tl-ranks", .sheet = "ranks_summary", .group = TL_COMPARE_RANKS,
	  .metrics = LIST("own_ms", "total_ms", "computation_ms", "exposed_comm_ms", "idle_ms") },
	SIDE_BY_SIDE("ranks_timeline", TL_COMPARE_OTHER, true),
	SIDE_BY_SIDE("ranks_categories", TL_COMPARE_CATEGORIES, false),
	SIDE_BY_SIDE("ranks_operators", TL_COMPARE_OPERATORS, false),
	SIDE_BY_SIDE("ranks_kernels", TL_COMPARE_OTHER, false),
	SIDE_BY_SIDE("ranks_host", TL_COMPARE_OTHER, false),
	{ .program = "tl-ranks", .sheet = "ranks_steps", .group = TL_COMPARE_RANKS, .metrics = LIST("own_ms", "period_ms") },
	FINDINGS("tl-ranks", "ranks_overview"),
	FINDINGS("tl-findings", "findings"),
};

/* ---- what descriptions say --------------------------------------------------------------------- */

static const char *name_of_role(const struct tl_description *d, enum tl_role role)
{
	const struct tl_described_column *c = tl_column_of_role(d, role);

	return c ? c->name : NULL;
}

static double us_in(const struct tl_description *d, const char *column)
{
	const struct tl_described_column *c = column ? tl_described_column(d, column) : NULL;
	enum tl_unit unit = c ? c->unit : TL_UNIT_US;

	return unit == TL_UNIT_MS ? 1000 : unit == TL_UNIT_NS ? 1e-3 : 1;
}

/* A list of names up to a NULL, with room for `more`. It stays until the program ends. */
static const char **longer(const char *const *list, size_t more)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	const char **names = tl_calloc(n + more + 1, sizeof *names);
	if (n)
		memcpy(names, list, n * sizeof *names);
	return names;
}

static void add_name(const char **list, const char *name)
{
	while (*list)
		list++;
	*list = name;
}

/* Keys are the columns of that role which every report has. */
static void fill_in_keys(struct tl_comparison *c, const struct tl_description *d)
{
	const char **keys = longer(c->keys, d->n_columns);

	for (size_t i = 0; i < d->n_columns; i++) {
		const struct tl_described_column *column = &d->columns[i];
		if (column->role == TL_ROLE_KEY && column->each)
			c->key_prefix = column->name;
		else if (column->role == TL_ROLE_KEY && !c->keys && !column->sometimes)
			add_name(keys, column->name);
	}
	c->keys = keys;
}

const struct tl_description *tl_comparison_description(const struct tl_comparison *c)
{
	return tl_description_named(c->program, c->as ? c->as : c->sheet);
}

static void fill_in(struct tl_comparison *c)
{
	const struct tl_description *d = tl_comparison_description(c);
	bool last = true; /* of this name: what none of the others is, it must be */

	for (const struct tl_comparison *o = c + 1; o < comparisons + sizeof comparisons / sizeof *comparisons; o++)
		last &= strcmp(o->sheet, c->sheet) != 0;
	c->name = c->name ? c->name : c->sheet;
	const char *time = name_of_role(d, TL_ROLE_TIME);
	c->if_column = last ? NULL : time;
	fill_in_keys(c, d);
	c->sort = c->by_key ? NULL : c->sort ? c->sort : time;
	c->sort_us = c->sort_us ? c->sort_us : us_in(d, c->sort);
	if (!c->metrics) {
		c->calls = name_of_role(d, TL_ROLE_COUNT);
		if (name_of_role(d, TL_ROLE_MEAN))
			c->spread = (struct tl_spread_columns){ name_of_role(d, TL_ROLE_MEAN), name_of_role(d, TL_ROLE_SPREAD), name_of_role(d, TL_ROLE_LEAST),
				name_of_role(d, TL_ROLE_MOST), c->calls };
		c->mean_us = c->mean_us ? c->mean_us : us_in(d, c->spread.mean);
		const char **metrics = longer(NULL, 8);
		add_name(metrics, time);
		add_name(metrics, c->spread.mean);
		add_name(metrics, c->calls);
		for (size_t i = 0; c->more && c->more[i]; i++)
			add_name(metrics, c->more[i]);
		c->metrics = metrics;
	}
	const char **once = longer(c->once, 1);
	if (c->group == TL_COMPARE_OPS || c->group == TL_COMPARE_KERNELS) /* as in TraceLens */
		add_name(once, name_of_role(d, TL_ROLE_RUNNING));
	c->once = once;
}

const struct tl_comparison *tl_comparison(size_t i)
{
	static bool filled;

	for (size_t k = 0; !filled && k < sizeof comparisons / sizeof *comparisons; k++)
		fill_in(&comparisons[k]);
	filled = true;
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
