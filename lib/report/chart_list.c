/* chart_list.c - which charts a report has.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/chart_list.h"
#include "report/cell_value.h"
#include "report/roofline_table.h"

#include <string.h>

#define OPERATORS_TIME \
	"without communication and work that no call launched; overlap of operators counts twice"
#define KERNELS_TIME "all kernels; overlap counts twice"
#define PARTS_OF_TIME "from the first device event to the last; overlap of streams counts once; communication and copies where nothing hides them"

#define WINDOW_PARTS \
	"of the recorded window; overlap counts once; communication and copies where nothing hides them; unrecorded: launched before it"
#define WINDOW_CLASSES { "kernels", "exposed communication", "exposed copies", "idle", TL_CHART_UNRECORDED, NULL }

const struct tl_chart tl_charts[] = {
	{ "ledger", "gpu_timeline", TL_CHART_PARTS, "Where the time goes", WINDOW_PARTS, "class", "time_ms", "ms", NULL, 0, WINDOW_CLASSES },
	{ "ledger", NULL, TL_CHART_DEVICES, "Where the time of each device goes", WINDOW_PARTS, "class", "time_ms", "ms", NULL, 0, WINDOW_CLASSES },
	{ "gpu_timeline", NULL, TL_CHART_PARTS, "Where the time goes", PARTS_OF_TIME, "type", "time ms", "ms", NULL, 0,
	  { "computation_time", "exposed_comm_time", "exposed_memcpy_time", "idle_time", "micro_idle_time",
	    "macro_idle_time", NULL } },
	{ "gpu_events_averages", "gpu_timeline", TL_CHART_PARTS, "Where the time goes",
	  "means over the GPUs; " PARTS_OF_TIME,
	  "type", "time ms", "ms", NULL, 0,
	  { "computation_time", "exposed_comm_time", "exposed_memcpy_time", "idle_time", NULL } },
	{ "gpu_timeline_by_device", NULL, TL_CHART_DEVICES, "Where the time of each device goes", PARTS_OF_TIME,
	  "type", "time ms", "ms", NULL, 0,
	  { "computation_time", "exposed_comm_time", "exposed_memcpy_time", "idle_time", "micro_idle_time",
	    "macro_idle_time", NULL } },
	{ "gpu_timeline", NULL, TL_CHART_DEVICES, "Where the time of each GPU goes", PARTS_OF_TIME, "type", "time ms",
	  "ms", NULL, 0,
	  { "computation_time", "exposed_comm_time", "exposed_memcpy_time", "idle_time", NULL } },
	{ "gpu_timeline", NULL, TL_CHART_PARTS, "Where the time goes", "all GPUs as one: busy when any of them is; gpu_busy has each",
	  "type", "time ms", "ms", NULL, 0, { "idle", "busy_time", NULL } },
	{ "idle_summary", NULL, TL_CHART_NAMED, "Idle time by what the host did",
	  "of each device, before its first and behind its last event too; unrecorded: it ran work launched before the recording or left out of a slice",
	  "cause", "idle_ms", "ms", NULL, 10, { "cause", "host_name", "frame", "where", "device", NULL } },
	{ "path_summary", NULL, TL_CHART_PATH, "What the critical path consists of", "its parts sum up to the step or trace that path_facts names",
	  "bound", "time_ms", "ms", NULL, 0,
	  { "compute", "communication", "copies", "launch latency", "kernel gaps", "event wait", "operator", "call", "Python", "annotation",
	    "data loading", "sync", "hand-over", "launched before", "host idle", "cause unknown" } },
	{ "kernel_summary_by_category", "gpu_timeline", TL_CHART_BARS, "Kernel time by category", KERNELS_TIME,
	  "op category", "total_direct_kernel_time_ms", "ms", NULL, 12, { NULL } },
	{ "kernel_summary", "gpu_timeline", TL_CHART_BARS, "Time of the largest kernels", KERNELS_TIME,
	  "name", "Total Kernel Time (ms)", "ms", NULL, 15, { NULL } },
	{ "kernel_categories", "gpu_timeline", TL_CHART_BARS, "Time by category of kernel", KERNELS_TIME,
	  "Kernel category", "Kernel duration (µs)_sum", "µs", NULL, 15, { NULL } },
	{ "ops_summary_by_category", "gpu_timeline", TL_CHART_BARS, "Kernel time by category", OPERATORS_TIME,
	  "op category", "total_direct_kernel_time_ms", "ms", NULL, 12, { NULL } },
	{ "ops_summary", "gpu_timeline", TL_CHART_BARS, "Kernel time of the largest operators", OPERATORS_TIME,
	  "name", "total_direct_kernel_time_ms", "ms", NULL, 15, { NULL } },
	{ "kernel_summary", "gpu_timeline", TL_CHART_BARS, "Time of the largest kernels",
	  KERNELS_TIME ", a row for each operator", "Kernel name", "Kernel duration (µs)_sum", "µs", NULL, 15, { NULL } },
	{ "kernel_launchers_summary_by_category", "gpu_timeline", TL_CHART_BARS, "Kernel time by category", KERNELS_TIME,
	  "op category", "total_direct_kernel_time_ms", "ms", NULL, 12, { NULL } },
	{ "kernel_launchers_summary", "gpu_timeline", TL_CHART_BARS, "Time of the largest kernels", KERNELS_TIME,
	  "name", "total_direct_kernel_time_ms", "ms", NULL, 15, { NULL } },
	{ "steps", NULL, TL_CHART_STEPS, "Steps", "the time of each step on the GPU, in the order of the steps",
	  "step", "gpu_busy_us", "step", NULL, 0, { NULL } },
	{ "ranks_communication", NULL, TL_CHART_NAMED, "Where delays began", "what all ranks lost in collectives by what each rank did itself",
	  "rank", "own_ms", "ms", NULL, 12, { "rank", "slow_in", "slow_kernel", NULL } },
	{ "ranks_stragglers", NULL, TL_CHART_NAMED, "Groups in which ranks wait longest", "waiting of all ranks, and the rank that was last most",
	  "Process Group Name", "wait_ms", "ms", NULL, 12, { "Process Group Name", "Collective name", "straggler_rank", NULL } },
	{ "ranks_wait_pairs", NULL, TL_CHART_HEAT, "Who waits for whom", "time in collectives until the last rank came",
	  "straggler_rank", "rank", "for rank", "rank", 0, { "wait_ms", NULL } },
	{ "ranks_steps", NULL, TL_CHART_HEAT, "Which rank was slow in which step",
	  "time of its own, without waiting for others, above the median rank of the step", "step", "rank", "step", "rank", 0, { "excess_ms", NULL } },
	{ "ranks_bandwidth", NULL, TL_CHART_BANDWIDTH, "Bandwidth by group and size of messages",
	  "bus bandwidth, once all ranks are there; a dash: what other groups alike have",
	  "message_mib", "bus_gbps", "message, MiB", "GB/s", 0, { "expected_gbps", NULL } },
	{ "nccl_all2allv_heatmap", NULL, TL_CHART_HEAT, "Who sends how much to whom",
	  "all_to_allv, all groups together", "dst_rank", "src_rank", "to (place in the group)", "from", 0, { "total_sent_MB", NULL } },
	{ "phase_summary", "gpu_timeline", TL_CHART_BARS, "Kernel time by phase", OPERATORS_TIME,
	  "phase", "total_direct_kernel_time_ms", "ms", NULL, 5, { NULL } },
	{ "ops_summary_prefill", "gpu_timeline", TL_CHART_BARS, "Largest operators of prefill", OPERATORS_TIME,
	  "name", "total_direct_kernel_time_ms", "ms", NULL, 12, { NULL } },
	{ "ops_summary_decode", "gpu_timeline", TL_CHART_BARS, "Largest operators of decode", OPERATORS_TIME,
	  "name", "total_direct_kernel_time_ms", "ms", NULL, 12, { NULL } },
	{ "short_kernel_histogram", NULL, TL_CHART_HISTOGRAM, "Short kernels", "communication too",
	  "bin_start", "count", "µs", "kernels", 0, { NULL } },
	{ TL_ROOFLINE_SHEET, "gpu_timeline", TL_CHART_BARS, "Largest operators: percent of roofline",
	  "without communication; operators without a model: " TL_ROOFLINE_SHEET,
	  "operator", "Pct Roofline", "%", NULL, 15, { NULL } },
	{ TL_ROOFLINE_SHEET, NULL, TL_CHART_ROOFLINE, "Largest operators against the roof", NULL,
	  "FLOPS/Byte", "TFLOPS/s", "FLOPS/Byte", "TFLOP/s", 0, { NULL } },
	{ TL_ROOFLINE_SHEET, NULL, TL_CHART_BARS, "Not modelled: in no roofline",
	  "kernel time of operators without a performance model; without communication", TL_NOT_MODELLED,
	  TL_NOT_MODELLED_TIME, "ms", NULL, 15, { NULL } },
	{ "step_times", NULL, TL_CHART_STEP_TIMES, "Steps of the program", "from the start of each step to that of the next", "step", "period_ms",
	  "step", NULL, 0, { NULL } },
	{ "memory_curve", NULL, TL_CHART_CURVE, "Memory over time", "of PyTorch's allocator", "time_us", "allocated_bytes",
	  "time", NULL, 0, { "allocated_bytes", "reserved_bytes", NULL } },
	{ "memory_categories", NULL, TL_CHART_AREAS, "Memory over time by what it is for", "since the first change", "time_us", "allocated_bytes",
	  "time", NULL, 0, { "parameter_bytes", "optimizer_state_bytes", "input_bytes", "activation_bytes", "gradient_bytes",
	                     "autograd_detail_bytes", "temporary_bytes", "unknown_bytes", NULL } },
	{ "memory_peak", "memory_curve", TL_CHART_PEAK, "What filled the memory at its peak", "by operator and module", "operator", "bytes",
	  "bytes", NULL, 15, { "operator", "module", NULL } },
	{ .sheet = NULL },
};

unsigned tl_chart_part_color(const struct tl_chart *c, size_t k)
{
	if (strstr(c->parts[k], "idle"))
		return strstr(c->parts[k], "macro") ? TL_PART_MACRO_IDLE : TL_PART_IDLE;
	if (!strcmp(c->parts[k], TL_CHART_UNRECORDED))
		return TL_PART_UNRECORDED;
	return k < TL_PART_IDLE ? (unsigned)k : TL_PART_MACRO_IDLE;
}

struct tl_buf tl_chart_sheet_name(const char *sheet)
{
	struct tl_buf name = { 0 };
	bool cut;

	tl_xlsx_text(&name, sheet, strlen(sheet), TL_MAX_SHEET_NAME, &cut);
	return name;
}

bool tl_chart_names(const char *sheet, const char *column)
{
	bool found = false;

	for (const struct tl_chart *c = tl_charts; c->sheet && !found; c++) {
		struct tl_buf name = tl_chart_sheet_name(c->sheet);
		if (!strcmp(name.data, sheet)) {
			found = !strcmp(c->x, column);
			for (size_t i = 0; c->shape == TL_CHART_PEAK && c->parts[i]; i++)
				found |= !strcmp(c->parts[i], column);
		}
		tl_buf_release(&name);
	}
	return found;
}
