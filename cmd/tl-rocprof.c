/* tl-rocprof.c - the report of traces of rocprofv3 and Nsight Systems: device time by kernel
 * and category.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/device_events.h"
#include "work/devices.h"
#include "cli/filter.h"
#include "sheets/rocprof.h"

static struct tl_rocprof_options report = { .short_us = 10, .bins = 100, .top = -1 };

static const struct tl_opt options[] = {
	{ 0, "reference-units", NULL, "the numbers of TraceLens: ns in columns of µs, and more", TL_OPT_FLAG, &report.reference, 0, 0, NULL },
	{ 0, "topk_kernels", "N", "only the first N rows of kernel_details", TL_OPT_INT, &report.top, 0, INT64_MAX, NULL },
	{ 0, "short_kernel_threshold_us", "N", "kernels shorter than N µs are short (10)",
	  TL_OPT_INT, &report.short_us, 0, INT64_MAX, NULL },
	{ 0, "short_kernel_histogram_bins", "N", "bins of short_kernel_histogram (100)", TL_OPT_INT, &report.bins, 1, 1000000, NULL },
	TL_CATEGORIES_OPTION,
	TL_COMMUNICATION_OPTION,
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "topk_kernels", "kernel_details", NULL },
	{ "short_kernel_threshold_us", "short_kernel_histogram short_kernels_summary", NULL },
	{ "short_kernel_histogram_bins", "short_kernel_histogram", NULL },
	{ .option = NULL },
};

static struct tl_name_rules *categories;

static void prepare(struct tl_load_options *load)
{
	(void)load;
	categories = tl_rocprof_category_rules(report.reference);
}

static void note_doubts(struct tl_trace *trace, struct tl_rocprof_doubts d)
{
	size_t n_devices = tl_devices_of(trace)->n;
	struct tl_buf why = { 0 };

	tl_add_why_no_gpu_events(&why, trace);
	if (!d.kernels)
		tl_warn("no kernel in the trace%s%s", report.reference && d.processes > 1 ? "'s first process" : "", tl_buf_text(&why));
	tl_buf_release(&why);
	if (report.reference && d.processes > 1)
		tl_note("the trace has %u processes, and --reference-units shows the first one only", (unsigned)d.processes);
	if (d.no_life_time && !report.reference && tl_wants_sheet("gpu_timeline"))
		tl_note("the trace does not tell when its processes began and ended: total_time in gpu_timeline is from the first "
		        "start to the last end on a device");
	if (n_devices > 1 && !report.reference && tl_wants_sheet("gpu_timeline"))
		tl_note("gpu_timeline takes %zu devices as one, busy when any of them is; gpu_busy has each by itself", n_devices);
}

static void run_rocprof(struct tl_trace *trace, const char *input)
{
	struct tl_rocprof *made = tl_rocprof_new(trace, &report, categories);

	(void)input;
	note_doubts(trace, tl_rocprof_doubts(made));
	tl_write_sheets(&tl_rocprof_sheets, made, trace);
	tl_rocprof_free(made);
}

const struct tl_filter tl_filter_rocprof = {
	.purpose = "device time by kernel and category, for traces without operators", .sheets = &tl_rocprof_sheets,
	.options = options, .needs = needs, .report = "rocprof", .prepare = prepare, .run = run_rocprof,
};
