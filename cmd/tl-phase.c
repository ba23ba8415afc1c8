/* tl-phase.c - prefill and decode: which phase of inference device work belongs to.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "tl.h"

#include <string.h>

enum { NOT_CHOSEN = 99 };
static struct tl_phases_options phase_options = { .method = NOT_CHOSEN, .threshold = 10 };

static struct tl_opt_list kernel_tables;

/* dest: unsigned, an enum tl_phase_method */
static const char *take_method(void *dest, const char *name)
{
	static struct tl_buf why;

	tl_buf_adds(&why, "expected one of ");
	for (unsigned i = 0; tl_phase_method_name(i); i++) {
		if (!strcmp(name, tl_phase_method_name(i))) {
			*(unsigned *)dest = i;
			return NULL;
		}
		tl_buf_addf(&why, "%s%s", i ? ", " : "", tl_phase_method_name(i));
	}
	return why.data;
}

static const struct tl_opt options[] = {
	{ 0, "phase_detection_method", "METHOD", "how phases are told (steps; in a report union)",
	  TL_OPT_CALL, &phase_options.method, 0, 0, take_method },
	{ 0, "decode_threshold", "N", "the methods union and gemm_params: sizes above N are of prefill (10)",
	  TL_OPT_INT, &phase_options.threshold, INT64_MIN, INT64_MAX, NULL },
	{ 0, "phase-kernels", "FILE", "add rules that tell the phase of kernels in the method steps; may be repeated",
	  TL_OPT_LIST, &kernel_tables, 0, 0, NULL },
	TL_CATEGORIES_OPTION,
	TL_COMMUNICATION_OPTION,
	{ .long_name = NULL },
};

static struct tl_name_rules *kernel_categories;

static void prepare(struct tl_load_options *load)
{
	bool in_report = tl_option_given("inference_phase_analysis") >= 0;

	(void)load;
	if (phase_options.method == NOT_CHOSEN) /* a report is that of TraceLens unless asked otherwise */
		phase_options.method = in_report ? TL_BY_UNION : TL_BY_STEPS;
	phase_options.kernels = tl_name_rules_new(TL_PHASE_KERNELS);
	for (size_t i = 0; i < kernel_tables.n; i++)
		tl_add_rule_file(phase_options.kernels, kernel_tables.items[i]);
	kernel_categories = tl_kernel_category_rules();
}

static void run(struct tl_trace *trace, const char *input)
{
	struct tl_phase_sheets *made;
	struct tl_error err;

	if (tl_phase_sheets_new(&made, trace, &phase_options, kernel_categories, &err) != TL_OK)
		tl_die_error(input, &err);
	tl_write_sheets(&tl_phases_sheets, made, trace);
	tl_phase_sheets_free(made);
}

const struct tl_filter tl_filter_phase = {
	.purpose = "device time by phase of inference: prefill and decode", .sheets = &tl_phases_sheets,
	.options = options, .report = "pytorch", .prepare = prepare, .run = run,
};
