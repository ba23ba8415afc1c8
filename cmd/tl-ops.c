/* tl-ops.c - device time by operator: the ops sheets and the launchers.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "sheets/ops.h"

static struct tl_ops_options ops_options = { .top = -1 };

static bool by_module, by_step;

static struct tl_regex step_annotation, sequences_of;

static const struct tl_opt options[] = {
	{ 0, "group_by_num_kernels", NULL, "let the number of kernels tell rows apart",
	  TL_OPT_FLAG, &ops_options.group_by_num_kernels, 0, 0, NULL },
	{ 0, "include_overlap_info", NULL, "add the sheets *_kl_overlap: what ran at the same time",
	  TL_OPT_FLAG, &ops_options.include_overlap, 0, 0, NULL },
	{ 0, "include_first_occurrence_time", NULL, "add first_occurrence_time to ops_unique_args",
	  TL_OPT_FLAG, &ops_options.first_occurrence, 0, 0, NULL },
	{ 0, "group_by_parent_module", NULL, "let the nn.Module around an operator tell rows apart",
	  TL_OPT_FLAG, &ops_options.by_parent_module, 0, 0, NULL },
	TL_INFERENCE_OPTION(&ops_options.inference),
	{ 0, "ops_by_module", NULL, "add the sheet ops_by_module", TL_OPT_FLAG, &by_module, 0, 0, NULL },
	{ 0, "ops_by_step", NULL, "add the sheet ops_by_step", TL_OPT_FLAG, &by_step, 0, 0, NULL },
	{ 0, "step_annotation", "REGEX", "annotations that are steps in ops_by_step (the trace's steps, such as ProfilerStep#N)",
	  TL_OPT_CALL, &step_annotation, 0, 0, tl_take_regex },
	{ 0, "sequences_of", "REGEX", "operators that operator_sequences is about (the outermost of each thread)",
	  TL_OPT_CALL, &sequences_of, 0, 0, tl_take_regex },
	TL_SELECT_OPTIONS(&ops_options.select),
	TL_COMMUNICATION_OPTION,
	{ 0, "topk_ops", "N", "only the N largest rows of ops_unique_args", TL_OPT_INT, &ops_options.top, 0, INT64_MAX, NULL },
	TL_OPS_OPTION,
	TL_CAPTURE_OPTION,
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "include_overlap_info", "ops_unique_args_kl_overlap", NULL },
	{ "include_first_occurrence_time", "ops_unique_args ops_unique_args_kl_overlap", NULL },
	{ "ops_by_module", "ops_by_module", NULL },
	{ "ops_by_step", "ops_by_step", NULL },
	{ "topk_ops", "ops_unique_args", NULL },
	{ "step_annotation", "ops_by_step", NULL },
	{ "sequences_of", "operator_sequences", NULL },
	{ .option = NULL },
};

static void prepare(struct tl_load_options *load)
{
	tl_op_tables();
	load->python |= ops_options.by_parent_module;
}

static void run_ops(struct tl_trace *trace, const char *input)
{
	struct tl_ops *made;
	struct tl_error err;

	ops_options.include_overlap = tl_wants_ending("_kl_overlap");
	ops_options.step_annotation = step_annotation.text ? &step_annotation.pattern : NULL;
	ops_options.sequences_of = sequences_of.text ? &sequences_of.pattern : NULL;
	if (tl_ops_new(&made, trace, &ops_options, tl_op_tables(), &err) != TL_OK)
		tl_die_error(input, &err);
	tl_write_sheets(&tl_ops_sheets, made, trace);
	if (made->no_modules)
		tl_warn("the call tree has no Python frame of an nn.Module: ops_by_module has all work in no module");
	if (made->no_steps && (step_annotation.text || !tl_step_marker.text)) /* else it was told */
		tl_warn("the trace has no annotation %s%s: ops_by_step has all work outside of steps",
		        step_annotation.text ? "that matches " : "ProfilerStep#N", step_annotation.text ? step_annotation.text : "");
	tl_ops_free(made);
}

const struct tl_filter tl_filter_ops = {
	.purpose = "device time by operator", .sheets = &tl_ops_sheets,
	.options = options, .needs = needs, .report = "pytorch", .prepare = prepare, .run = run_ops, .weight = 4,
};
