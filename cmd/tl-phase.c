/* tl-phase.c - prefill and decode: which phase of inference device work belongs to.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "tl.h"

static const struct tl_opt options[] = {
	TL_PHASE_OPTIONS,
	{ 0, "decode_threshold", "N", "the methods union and gemm_params: sizes above N are of prefill (10)",
	  TL_OPT_INT, &tl_phases_chosen.threshold, INT64_MIN, INT64_MAX, NULL },
	TL_CATEGORIES_OPTION,
	TL_COMMUNICATION_OPTION,
	{ .long_name = NULL },
};

static struct tl_name_rules *kernel_categories;

static void prepare(struct tl_load_options *load)
{
	(void)load;
	tl_prepare_phases();
	kernel_categories = tl_kernel_category_rules();
}

static void run(struct tl_trace *trace, const char *input)
{
	struct tl_phase_sheets *made = tl_phase_sheets_new(tl_phases_of_trace(trace, input), kernel_categories);

	tl_write_sheets(&tl_phases_sheets, made, trace);
	tl_phase_sheets_free(made);
}

const struct tl_filter tl_filter_phase = {
	.purpose = "device time by phase of inference: prefill and decode", .sheets = &tl_phases_sheets,
	.options = options, .report = "pytorch", .prepare = prepare, .run = run,
};
