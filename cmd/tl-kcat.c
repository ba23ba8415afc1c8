/* tl-kcat.c - device time by kernel, and kernel categories.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "sheets/kcat.h"

static struct tl_kernels_options kernel_options = { .short_us = 10, .bins = 100, .top_short = -1 };

static const struct tl_opt options[] = {
	{ 0, "kernel_category", NULL, "kernel categories in kernel_summary, and the sheet kernel_categories",
	  TL_OPT_FLAG, &kernel_options.category, 0, 0, NULL },
	{ 0, "kernel_std", NULL, "the standard deviation in kernel_summary", TL_OPT_FLAG, &kernel_options.std, 0, 0, NULL },
	TL_CATEGORIES_OPTION,
	TL_PHASE_OPTIONS,
	{ 0, "short_kernel_threshold_us", "N", "kernels shorter than N µs are short (10)",
	  TL_OPT_INT, &kernel_options.short_us, 0, INT64_MAX, NULL },
	{ 0, "short_kernel_histogram_bins", "N", "bins of short_kernel_histogram (100)",
	  TL_OPT_INT, &kernel_options.bins, 1, 1000000, NULL },
	{ 0, "topk_short_kernels", "N", "only the first N rows of short_kernels_summary",
	  TL_OPT_INT, &kernel_options.top_short, 0, INT64_MAX, NULL },
	TL_SELECT_OPTIONS(&kernel_options.select),
	TL_COMMUNICATION_OPTION,
	TL_OPS_OPTION,
	TL_CAPTURE_OPTION,
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "kernel_category", "kernel_summary kernel_categories", NULL },
	{ "kernel_std", "kernel_summary", NULL },
	{ "phase_detection_method", "kernel_categories", NULL },
	{ "phase-kernels", "phase_detection_method", NULL },
	{ "short_kernel_threshold_us", "short_kernel_histogram short_kernels_summary", NULL },
	{ "short_kernel_histogram_bins", "short_kernel_histogram", NULL },
	{ "topk_short_kernels", "short_kernels_summary", NULL },
	{ .option = NULL },
};

static bool with_phases;

static void prepare(struct tl_load_options *load)
{
	bool report_of_phases = tl_option_given("inference_phase_analysis") > 0;

	(void)load;
	with_phases = report_of_phases || tl_option_given("phase_detection_method") > 0;
	kernel_options.category |= report_of_phases;
	if (with_phases)
		tl_prepare_phases();
	if (tl_categories_named.n) /* a mistake in a table shows before the trace is read */
		tl_kernel_category_rules();
	tl_op_tables();
}

static void run_kcat(struct tl_trace *trace, const char *input)
{
	bool in_categories = kernel_options.category || tl_wants_sheet("kernel_categories") || tl_wants_sheet("kernels") ||
	                     tl_wants_sheet("kernel_stats");
	bool in_phases = with_phases && tl_wants_sheet("kernel_categories");
	struct tl_kernels *made = tl_kernels_new(trace, &kernel_options, tl_op_tables(),
	                                         in_categories ? tl_kernel_category_rules() : NULL,
	                                         in_phases ? tl_phases_of_trace(trace, input) : NULL);

	tl_write_sheets(&tl_kcat_sheets, made, trace);
	tl_kernels_free(made);
}

const struct tl_filter tl_filter_kcat = {
	.purpose = "device time by kernel, and kernel categories", .sheets = &tl_kcat_sheets,
	.options = options, .needs = needs, .report = "pytorch", .prepare = prepare, .run = run_kcat, .weight = 3,
};
