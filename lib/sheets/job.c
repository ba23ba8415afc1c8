/* job.c - the sheets about all traces of a job.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/job.h"

/* ---- tl-multi --------------------------------------------------------------------------- */

static const char *const launcher_rows[] = { "name", "count", "time", NULL };
static const struct tl_column launcher_columns[] = {
	{ "name", .kind = TL_KEY },
	{ "count", .kind = TL_SUM },
	{ "time_sum", .kind = TL_SUM, .in = "time", .hidden = true },
	{ "kernel_time_ms", .kind = TL_MS, .in = "time_sum" },
	{ "pct", .kind = TL_PERCENT, .in = "kernel_time_ms" },
	{ "cum_pct", .kind = TL_CUMULATIVE, .in = "pct" },
	{ .name = NULL }
};
const struct tl_sheet_def tl_multi_launchers = {
	.name = "kernel_launchers", .rows = launcher_rows, .columns = launcher_columns,
	.keys_ascending = true, .order = { { "time_sum", true } },
};

static const char *const duration_rows[] = { "name", "cat", "count", "min", "max", "sum", NULL };
static const struct tl_column unlinked_columns[] = {
	{ "name", .kind = TL_KEY }, { "cat", .kind = TL_KEY }, { "count", .kind = TL_SUM },
	{ "min_dur", .kind = TL_MIN, .in = "min" }, { "max_dur", .kind = TL_MAX, .in = "max" },
	{ "sum", .kind = TL_SUM, .hidden = true }, { "mean_dur", .kind = TL_SHARE, .in = "sum", .of = "count" }, { .name = NULL }
};
const struct tl_sheet_def tl_multi_unlinked = {
	.name = "unlinked_short_kernels_summary", .rows = duration_rows, .columns = unlinked_columns,
	.keys_ascending = true, .order = { { "count", true } },
};

static const char *const short_rows[] = { "name", "count", NULL };
static const struct tl_column short_columns[] = {
	{ "name", .kind = TL_KEY }, { "count", .kind = TL_SUM }, { .name = NULL }
};
const struct tl_sheet_def tl_multi_short = {
	.name = "short_cpu_op_counts", .rows = short_rows, .columns = short_columns, .order = { { "count", true } },
};

static const struct tl_sheet multi_sheets[] = {
	{ .name = "kernel_launchers", .help = "what launched work of the devices, added up over the ranks", .def = &tl_multi_launchers },
	{ .name = "gpu_timelines", .help = "what the time of each rank's devices was spent on" },
	{ .name = "linked_and_short_kernels", .help = "how many device events of each rank are linked, and short" },
	{ .name = "unlinked_short_kernels_summary", .help = "device events without an External id, by name", .def = &tl_multi_unlinked },
	{ .name = "short_cpu_op_counts", .help = "operators that launched short kernels", .def = &tl_multi_short },
	{ .name = "cuda_events_summary", .help = "calls of the runtime and driver, columns for each rank" },
	{ .name = "grouped_breakdown", .help = "time of groups of launchers, in the mean of the ranks" },
	{ .name = "summary_nccl_implicit_sync_cat", .help = "nccl_summary_implicit_sync of tl-ranks" },
	{ .name = "long", .help = "nccl_long of tl-ranks" },
	{ .name = "nccl_implicit_sync_cat", .help = "nccl_implicit_sync of tl-ranks without the columns of ranks" },
	{ .name = "nccl_implicit_sync_cat_detailed", .help = "nccl_implicit_sync of tl-ranks" },
	{ .name = "nccl_all2allv", .help = "nccl_all2allv of tl-ranks, fewer columns" },
	{ .name = NULL },
};
const struct tl_sheet_family tl_multi_sheets = { "tl-multi", multi_sheets };
