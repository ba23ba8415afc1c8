/* chart_list.c - which charts a report has.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/chart_list.h"
#include "report/cell_value.h"
#include "report/roofline_table.h"
#include "table/description.h"

#include <string.h>
#include <strings.h>

#define OPERATORS_TIME \
	"without communication and work that no call launched; overlap of operators counts twice"
#define KERNELS_TIME "all kernels; overlap counts twice"
#define PARTS_OF_TIME "from the first device event to the last; overlap of streams counts once; communication and copies where nothing hides them"

#define WINDOW_PARTS \
	"of the recorded window; overlap counts once; communication and copies where nothing hides them; unrecorded: launched before it"
#define WINDOW_CLASSES { "kernels", "exposed communication", "exposed copies", "idle", TL_CHART_UNRECORDED, NULL }

static struct tl_chart charts[] = {
	{ "ledger", "gpu_timeline", TL_CHART_PARTS, "Where the time goes", WINDOW_PARTS, .parts = WINDOW_CLASSES, .x = "class" },
	{ "ledger", NULL, TL_CHART_DEVICES, "Where the time of each device goes", WINDOW_PARTS,
	  .parts = WINDOW_CLASSES, .x = "class" },
	{ "gpu_timeline", NULL, TL_CHART_PARTS, "Where the time goes", PARTS_OF_TIME,
	  .parts = { "computation_time", "exposed_comm_time", "exposed_memcpy_time", "idle_time", "micro_idle_time", "macro_idle_time" } },
	{ "gpu_events_averages", "gpu_timeline", TL_CHART_PARTS, "Where the time goes",
	  "means over the GPUs; " PARTS_OF_TIME,
	  .parts = { "computation_time", "exposed_comm_time", "exposed_memcpy_time", "idle_time" } },
	{ "gpu_timeline_by_device", NULL, TL_CHART_DEVICES, "Where the time of each device goes", PARTS_OF_TIME,
	  .parts = { "computation_time", "exposed_comm_time", "exposed_memcpy_time", "idle_time", "micro_idle_time", "macro_idle_time" } },
	{ "gpu_timeline", NULL, TL_CHART_DEVICES, "Where the time of each device goes", PARTS_OF_TIME,
	  .parts = { "computation_time", "exposed_comm_time", "exposed_memcpy_time", "idle_time" } },
	{ "gpu_timeline", NULL, TL_CHART_PARTS, "Where the time goes",
	  "all GPUs as one: busy when any of them is; gpu_busy has each", .parts = { "idle", "busy_time" } },
	{ "idle_summary", NULL, TL_CHART_NAMED, "Idle time by what the host did",
	  "of each device, before its first and behind its last event too; unrecorded: it ran work launched before the recording or left out of a slice",
	  .max_bars = 10, .parts = { "cause", "host_name", "frame", "where", "device" }, .x = "cause" },
	{ "path_summary", NULL, TL_CHART_PATH, "What the critical path consists of",
	  "its parts sum up to the step or trace that path_facts names",
	  .parts = { "compute", "communication", "copies", "launch latency", "kernel gaps", "event wait", "operator", "call", "Python", "annotation",
	             "data loading", "sync", "hand-over", "launched before", "host idle", "cause unknown" } },
	{ "kernel_categories", "gpu_timeline", TL_CHART_BARS, "Time by category of kernel", KERNELS_TIME, .max_bars = 15 },
	{ "kernel_stats", "gpu_timeline", TL_CHART_BARS, "Time of the largest kernels", KERNELS_TIME, .max_bars = 15 },
	{ "kernel_summary_by_category", "gpu_timeline", TL_CHART_BARS, "Time by category of kernel", KERNELS_TIME, .max_bars = 12 },
	{ "kernel_summary", "gpu_timeline", TL_CHART_BARS, "Time of the largest kernels", KERNELS_TIME, .max_bars = 15,
	  .program = "tl-rocprof" },
	{ "ops_summary_by_category", "gpu_timeline", TL_CHART_BARS, "Kernel time by category", OPERATORS_TIME, .max_bars = 12 },
	{ "ops_summary", "gpu_timeline", TL_CHART_BARS, "Kernel time of the largest operators", OPERATORS_TIME, .max_bars = 15 },
	{ "kernel_summary", "gpu_timeline", TL_CHART_BARS, "Time of the largest kernels",
	  KERNELS_TIME ", a row for each operator", .max_bars = 15, .x = "Kernel name", .program = "tl-kcat" },
	{ "kernel_launchers_summary_by_category", "gpu_timeline", TL_CHART_BARS, "Time by category of kernel",
	  KERNELS_TIME, .max_bars = 12 },
	{ "kernel_launchers_summary", "gpu_timeline", TL_CHART_BARS, "Time of the largest kernels", KERNELS_TIME, .max_bars = 15 },
	{ "steps", NULL, TL_CHART_STEPS, "Steps", "the time of each step on the GPU, in the order of the steps",
	  .x = "step", .y = "gpu_busy_us", .bottom = "step" },
	{ "ranks_causes", NULL, TL_CHART_NAMED, "What the job loses",
	  "how much shorter it would be without each cause and those before it", .max_bars = 12,
	  .parts = { "name", "slow_in", "slow_kernel" } },
	{ "ranks_path_shares", NULL, TL_CHART_NAMED, "What bounds the job",
	  "the chain of work and communication from its start to its end, by rank", .max_bars = 12,
	  .parts = { "rank", "what", "Process Group Name" } },
	{ "ranks_stragglers", NULL, TL_CHART_NAMED, "Groups in which ranks wait longest",
	  "waiting of all ranks, and the rank that was last most", .max_bars = 12,
	  .parts = { "Process Group Name", "Collective name", "straggler_rank" } },
	{ "ranks_wait_pairs", NULL, TL_CHART_HEAT, "Who waits for whom",
	  "time in collectives until the last rank came", .parts = { "wait_ms" }, .x = "straggler_rank",
	  .y = "rank", .bottom = "for rank", .side = "rank" },
	{ "ranks_steps", NULL, TL_CHART_HEAT, "Which rank was slow in which step",
	  "time of its own, without waiting for others, above the median rank of the step",
	  .parts = { "excess_ms" }, .x = "step", .y = "rank", .bottom = "step", .side = "rank" },
	{ "ranks_bandwidth", NULL, TL_CHART_BANDWIDTH, "Bandwidth by group and size of messages",
	  "bus bandwidth, once all ranks are there; a dash: what other groups alike have",
	  .parts = { "expected_gbps" }, .x = "message_mib", .y = "bus_gbps", .bottom = "message, MiB", .side = "GB/s" },
	{ "nccl_all2allv_heatmap", NULL, TL_CHART_HEAT, "Who sends how much to whom",
	  "all_to_allv, all groups together", .parts = { "total_sent_MB" }, .x = "dst_rank", .y = "src_rank",
	  .bottom = "to (place in the group)", .side = "from" },
	{ "phase_summary", "gpu_timeline", TL_CHART_BARS, "Kernel time by phase", OPERATORS_TIME, .max_bars = 5 },
	{ "ops_summary_prefill", "gpu_timeline", TL_CHART_BARS, "Largest operators of prefill", OPERATORS_TIME, .max_bars = 12 },
	{ "ops_summary_decode", "gpu_timeline", TL_CHART_BARS, "Largest operators of decode", OPERATORS_TIME, .max_bars = 12 },
	{ "short_kernel_histogram", NULL, TL_CHART_HISTOGRAM, "Short kernels", "communication too",
	  .x = "bin_start", .y = "count", .bottom = "µs", .side = "kernels" },
	{ TL_ROOFLINE_SHEET, "gpu_timeline", TL_CHART_BARS, "Largest operators: percent of roofline",
	  "without communication; operators without a model: " TL_ROOFLINE_SHEET, .max_bars = 15, .x = "operator",
	  .y = "Pct Roofline", .bottom = "%" },
	{ TL_ROOFLINE_SHEET, NULL, TL_CHART_ROOFLINE, "Largest operators against the roof", NULL, .x = "FLOPS/Byte",
	  .y = "TFLOPS/s", .bottom = "FLOPS/Byte", .side = "TFLOP/s" },
	{ TL_ROOFLINE_SHEET, NULL, TL_CHART_BARS, "Not modelled: in no roofline",
	  "kernel time of operators without a performance model; without communication", .max_bars = 15, .x = TL_NOT_MODELLED,
	  .y = TL_NOT_MODELLED_TIME, .bottom = "ms" },
	{ "step_times", NULL, TL_CHART_STEP_TIMES, "Steps of the program",
	  "from the start of each step to that of the next", .bottom = "step" },
	{ "memory_curve", NULL, TL_CHART_CURVE, "Memory over time", "of PyTorch's allocator",
	  .parts = { "allocated_bytes", "reserved_bytes" }, .x = "time_us", .y = "allocated_bytes", .bottom = "time" },
	{ "memory_categories", NULL, TL_CHART_AREAS, "Memory over time by what it is for", "since the first change",
	  .parts = { "parameter_bytes", "optimizer_state_bytes", "input_bytes", "activation_bytes",
	             "gradient_bytes", "autograd_detail_bytes", "temporary_bytes", "unknown_bytes" },
	  .x = "time_us", .y = "allocated_bytes", .bottom = "time" },
	{ "memory_peak", "memory_curve", TL_CHART_PEAK, "What filled the memory at its peak", "by operator and module",
	  .max_bars = 15, .parts = { "operator", "module" } },
	{ .sheet = NULL }
};

/* What a row leaves out: x is the label of the sheet's rows, y their time or else amount, and the unit of that stands below the bars. */
static void fill_in(struct tl_chart *c)
{
	static const char *const units[TL_UNIT_N] = { [TL_UNIT_US] = "µs", [TL_UNIT_MS] = "ms", [TL_UNIT_BYTES] = "bytes" };
	const struct tl_description *d = tl_description_named(c->program, c->sheet);

	if (c->y || !d) /* the list says it, or the sheet is made for the chart */
		return;
	const struct tl_described_column *x = tl_label_column(d), *y = tl_column_of_role(d, TL_ROLE_TIME);
	y = y ? y : tl_column_of_role(d, TL_ROLE_AMOUNT);
	c->x = c->x ? c->x : x->name;
	c->y = y->name;
	c->bottom = c->bottom ? c->bottom : units[y->unit];
}

const struct tl_chart *tl_chart_list(void)
{
	static bool filled;

	for (struct tl_chart *c = charts; !filled && c->sheet; c++)
		fill_in(c);
	filled = true;
	return charts;
}

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

bool tl_chart_shows(const struct tl_chart *c, const char *sheet)
{
	if (strlen(c->sheet) <= TL_MAX_SHEET_NAME)
		return !strcasecmp(c->sheet, sheet);
	struct tl_buf name = tl_chart_sheet_name(c->sheet);
	bool same = !strcasecmp(name.data, sheet);
	tl_buf_release(&name);
	return same;
}

bool tl_chart_names(const char *sheet, const char *column)
{
	bool found = false;

	for (const struct tl_chart *c = tl_chart_list(); c->sheet && !found; c++) {
		if (!tl_chart_shows(c, sheet))
			continue;
		found = !strcmp(c->x, column);
		for (size_t i = 0; c->shape == TL_CHART_PEAK && c->parts[i]; i++)
			found |= !strcmp(c->parts[i], column);
	}
	return found;
}
