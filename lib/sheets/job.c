/* job.c - the sheets about all traces of a job.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/job.h"

/* ---- tl-ranks --------------------------------------------------------------------------- */

static const struct tl_column as_they_are[] = { { "all", .kind = TL_REST }, { .name = NULL } };
#define SORTED(name_, rows_, by) \
	{ .name = name_, .rows = rows_, .columns = as_they_are, .ungrouped = true, .order = { { by, true } } }

static const char *const straggler_rows[] = { "Process Group Name", "Process Group Ranks", "Collective name", "collectives",
	"ranks", "dur_ms", "wait_ms", "wait_pct", "exposed_ms", "exposed_pct", "start_skew_us_mean", "start_skew_us_max",
	"end_skew_us_mean", "bus bw (GiB/s)_mean", "straggler_rank", "straggler_last", "straggler_last_pct", "straggler_wait_ms",
	"own_ms", "inherited_ms", "origin_rank", "link_ms", "peers", "expected bus bw (GiB/s)", "slow_by_pct", "slow_ms", "link_gbps", "of_link_pct", NULL };
const struct tl_sheet_def tl_ranks_stragglers = SORTED("ranks_stragglers", straggler_rows, "wait_ms");

static const char *const bandwidth_rows[] = { "Process Group Name", "Process Group Ranks", "Collective name", "dtype", "message_mib", "collectives",
	"bus_gbps", "peers", "expected_gbps", "slow_by_pct", NULL };
const struct tl_sheet_def tl_ranks_bandwidth = SORTED("ranks_bandwidth", bandwidth_rows, "slow_by_pct");

static const char *const communication_rows[] = { "rank", "collectives", "incomplete", "late_us_mean", "late_us_max", "times_last", "last_pct",
	"wait_ms", "caused_wait_ms", "own_ms", "inherited_ms", "extra_ms", "extra_pct", "outlier", "slow_in", "slow_category", "slow_kernel", "dur_ms", "exposed_ms", "exposed_pct", "clock_offset_us", "clock_reference",
	"clock_spread_us", "clock_collectives", NULL };
const struct tl_sheet_def tl_ranks_communication = SORTED("ranks_communication", communication_rows, "own_ms");

static const char *const p2p_rows[] = { "Process Group Name", "src_rank", "dst_rank", "transfers", "unpaired", "mib", "wait_ms", "waiting_rank",
	"recv_wait_ms", "send_wait_ms", "transfer_ms", "late_us_mean", "late_us_max", "recv_exposed_ms", "send_exposed_ms", NULL };
const struct tl_sheet_def tl_ranks_p2p = SORTED("ranks_p2p", p2p_rows, "wait_ms");
static const char *const stage_rows[] = { "stage", "ranks_of_stage", "ranks", "steps", "step_ms", "busy_ms", "exposed_comm_ms", "bubble_ms", "bubble_pct",
	"exposed_p2p_ms", "idle_ms", "slowest", "excess_ms", "excess_pct", "min_busy_ms", "max_busy_ms", NULL };
const struct tl_sheet_def tl_ranks_stages = { .name = "ranks_stages", .rows = stage_rows, .columns = as_they_are, .ungrouped = true };
static const char *const expert_rows[] = { "what", "Process Group Name", "call", "ranks", "imbalance", "most_rank", "excess_ms", "mean_ms", "max_ms", "mean_mib",
	"max_mib", NULL };
const struct tl_sheet_def tl_ranks_experts = { .name = "ranks_experts", .rows = expert_rows, .columns = as_they_are, .ungrouped = true };

static const char *const pair_rows[] = { "rank", "straggler_rank", "wait_ms", "collectives", NULL };
const struct tl_sheet_def tl_ranks_wait_pairs = SORTED("ranks_wait_pairs", pair_rows, "wait_ms");

static const char *const summary_rows[] = { "rank", "own_ms", "own_excess_ms", "slow_in", "slow_operator", "slow_kernel", "slow_cause",
	"total_ms", "exposed_comm_ms", "computation_ms", "exposed_memcpy_ms", "idle_ms", "steps", "steps_slowest", "steps_outlier", "worst_step",
	"worst_step_excess_ms", NULL };
const struct tl_sheet_def tl_ranks_summary = SORTED("ranks_summary", summary_rows, "own_ms");

/* The first column has the name that it has in the sheet of one rank. */
#define SIDE(name_, key) \
	{ .name = name_, .columns = as_they_are, .ungrouped = true, .order = { { "excess_ms", true } }, \
	  .rows = (const char *const[]){ key, "ranks", "min_ms", "median_ms", "max_ms", "fastest_rank", "slowest_rank", "spread_pct", \
	                                 "excess_ms", "outliers", NULL } }
const struct tl_sheet_def tl_ranks_side[TL_SIDES] = {
	[TL_SIDE_TIMELINE] = SIDE("ranks_timeline", "type"),
	[TL_SIDE_CATEGORIES] = SIDE("ranks_categories", "op category"),
	[TL_SIDE_OPERATORS] = SIDE("ranks_operators", "name"),
	[TL_SIDE_KERNELS] = SIDE("ranks_kernels", "Kernel name"),
	[TL_SIDE_HOST] = SIDE("ranks_host", "cause"),
	[TL_SIDE_STEPS] = {
		.name = "ranks_steps", .columns = as_they_are, .ungrouped = true,
		.rows = (const char *const[]){ "step", "rank", "own_ms", "excess_ms", "slowest", "outlier", "compute_ms", "exposed_copy_ms",
		                               "idle_ms", "exposed_comm_ms", "period_ms", NULL },
	},
};

static const struct tl_sheet ranks_sheets[] = {
	{ .name = "ranks_overview", .help = "what is wrong in the job, by the time at stake, and what to do" },
	{ .name = "nccl_summary_implicit_sync", .help = "collectives that all ranks must join, by name, dtype and size" },
	{ .name = "nccl_summary_long", .help = "collectives of each rank by group, operation and size" },
	{ .name = "nccl_summary_all2allv", .help = "all_to_allv by group and dtype" },
	{ .name = "nccl_all2allv_heatmap", .help = "what each rank sends to each by all_to_allv", .option = "all2allv_heatmap" },
	{ .name = "nccl_long", .help = "each collective of each rank" },
	{ .name = "nccl_implicit_sync", .help = "each collective that all ranks must join: latency, skew, bandwidth" },
	{ .name = "nccl_all2allv", .help = "each all_to_allv: amounts, skew, throughput" },
	{ .name = "straggler_summary", .help = "how long each rank waits in collectives that all must join" },
	{ .name = "ranks_stragglers", .help = "who is waited for, by group and operation", .def = &tl_ranks_stragglers },
	{ .name = "ranks_bandwidth", .help = "bandwidth by group and size of messages, against groups alike", .def = &tl_ranks_bandwidth },
	{ .name = "ranks_communication", .help = "how late ranks are, how long they wait and are waited for", .def = &tl_ranks_communication },
	{ .name = "ranks_collectives", .help = "each collective of each rank by one clock: who is late, who waits" },
	{ .name = "ranks_wait_pairs", .help = "which rank waits how long for which", .def = &tl_ranks_wait_pairs },
	{ .name = "ranks_p2p", .help = "sends and receives: which rank waits for which", .def = &tl_ranks_p2p },
	{ .name = "ranks_stages", .help = "stages of a pipeline: which is slowest, where they are idle", .def = &tl_ranks_stages },
	{ .name = "ranks_experts", .help = "how evenly grouped GEMMs and dispatched bytes are spread over ranks", .def = &tl_ranks_experts },
	{ .name = "ranks_summary", .help = "which rank needs most time itself, and for what", .option = "rank_sheets", .def = &tl_ranks_summary },
	{ .name = "ranks_steps", .help = "the steps of all ranks: which rank was slow in which", .option = "rank_sheets", .def = &tl_ranks_side[TL_SIDE_STEPS] },
	{ .name = "ranks_timeline", .help = "gpu_timeline of all ranks side by side", .option = "rank_sheets", .def = &tl_ranks_side[TL_SIDE_TIMELINE] },
	{ .name = "ranks_categories", .help = "ops_summary_by_category of all ranks side by side", .option = "rank_sheets", .def = &tl_ranks_side[TL_SIDE_CATEGORIES] },
	{ .name = "ranks_operators", .help = "ops_summary of all ranks side by side", .option = "rank_sheets", .def = &tl_ranks_side[TL_SIDE_OPERATORS] },
	{ .name = "ranks_kernels", .help = "kernel_summary of all ranks side by side", .option = "rank_sheets", .def = &tl_ranks_side[TL_SIDE_KERNELS] },
	{ .name = "ranks_host", .help = "why devices of all ranks were idle, side by side", .option = "rank_sheets", .def = &tl_ranks_side[TL_SIDE_HOST] },
	{ .name = NULL },
};
const struct tl_sheet_family tl_ranks_sheets = { "tl-ranks", ranks_sheets };

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
