/* tl-phase.c - prefill and decode: which phase of inference device work belongs to.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "sheets/phase.h"

static const char *about; /* --explain */

/* Makes phase_votes of the launches that the text names, in place of another sheet. */
static const char *take_about(void *dest, const char *text)
{
	*(const char **)dest = text;
	return tl_add_sheet_names("phase_votes");
}

static const struct tl_opt options[] = {
	TL_PHASE_OPTIONS,
	{ 0, "decode_threshold", "N", "the methods union and gemm_params: sizes above N are of prefill (10)",
	  TL_OPT_INT, &tl_phases_chosen.threshold, 0, INT64_MAX, NULL },
	{ 0, "explain", "NAME", "print what voted about launches that have NAME in their name or in that of a kernel",
	  TL_OPT_CALL, &about, 0, 0, take_about },
	TL_CATEGORIES_OPTION,
	TL_COMMUNICATION_OPTION,
	TL_OPS_OPTION,
	{ .long_name = NULL },
};

static struct tl_name_rules *kernel_categories;
static bool with_kernels; /* as in TraceLens, a report has these sheets only if it has kernel_summary */

static void prepare(struct tl_load_options *load)
{
	(void)load;
	tl_prepare_phases();
	kernel_categories = tl_kernel_category_rules();
	with_kernels = tl_option_given("enable_kernel_summary") != 0;
	tl_op_tables();
}

/* The kernels for the sheets kernel_summary_*; NULL if none of these is made. */
static struct tl_kernels *make_kernels(struct tl_trace *trace, struct tl_phases *phases)
{
	static const char *const sheets[] = { "kernel_summary_prefill", "kernel_summary_decode" };
	static const struct tl_kernels_options options_of_kernels = { .bins = 1, .category = true };

	for (size_t i = 0; i < 2; i++)
		if (tl_names_sheet(sheets[i]) || (with_kernels && tl_wants_sheet(sheets[i])))
			return tl_kernels_new(trace, &options_of_kernels, tl_op_tables(), kernel_categories, phases);
	return NULL;
}

/* Notes where the methods of TraceLens are likely to be wrong. */
static void note_doubts(const struct tl_phases *phases)
{
	const char *method = tl_phase_method_name(phases->options.method);
	struct tl_phase_doubts doubts = tl_phases_doubts(phases);

	if (phases->options.method == TL_BY_STEPS)
		return;
	if (doubts.no_evidence)
		tl_note("nothing shows that the trace is of a language model that serves requests: the phases of the method %s"
		        " mean little", method);
	else if (doubts.disputed > 0.1)
		tl_note("the method %s contradicts the steps of the trace in %.0f %% of the time that it gives a phase%s",
		        method, doubts.disputed * 100, tl_advice("phase_detection_method", " (--phase_detection_method steps)"));
}

static void run_phase(struct tl_trace *trace, const char *input)
{
	struct tl_phases *phases = tl_phases_of_trace(trace, input);
	struct tl_kernels *kernels = make_kernels(trace, phases);
	struct tl_phase_facts *made = tl_phase_facts_new(phases, kernel_categories, kernels, about);

	note_doubts(phases);
	tl_write_sheets(&tl_phase_sheets, made, trace);
	if (about && tl_phase_facts_no_votes(made))
		tl_warn("no launch has '%s' in its name or in that of a device event", about);
	tl_phase_facts_free(made);
	tl_kernels_free(kernels);
}

const struct tl_filter tl_filter_phase = {
	.purpose = "device time by phase of inference: prefill and decode", .sheets = &tl_phase_sheets,
	.options = options, .report = "pytorch", .prepare = prepare, .run = run_phase,
};
