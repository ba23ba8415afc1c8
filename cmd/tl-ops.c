/* tl-ops.c - device time by operator: the ops sheets and the launchers.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "tl.h"

#include <string.h>

static struct tl_ops_options ops_options = { .top = -1 };
static struct tl_load_options load = { .drop_kinds = TL_UNUSED_BY_SHEETS };
static struct tl_sheet_choice choice;
static struct tl_opt_list op_tables;
static struct tl_common common;

static const struct tl_opt options[] = {
	TL_SHEET_OPTIONS(choice),
	{ 0, "group_by_num_kernels", NULL, "let the number of kernels tell rows of ops_unique_args apart",
	  TL_OPT_FLAG, &ops_options.group_by_num_kernels, 0, 0, NULL },
	{ 0, "include_overlap_info", NULL, "make ops_unique_args_kl_overlap: what ran at the same time",
	  TL_OPT_FLAG, &ops_options.include_overlap, 0, 0, NULL },
	{ 0, "include_first_occurrence_time", NULL, "add first_occurrence_time to ops_unique_args",
	  TL_OPT_FLAG, &ops_options.first_occurrence, 0, 0, NULL },
	{ 0, "detect_recompute", NULL, "tell recomputed work (activation checkpointing) apart",
	  TL_OPT_FLAG, &ops_options.select.detect_recompute, 0, 0, NULL },
	{ 0, "include_unlinked_kernels", NULL, "let kernels that nothing launched count as overlapping",
	  TL_OPT_FLAG, &ops_options.select.include_unlinked, 0, 0, NULL },
	{ 0, "topk_ops", "N", "only the N largest rows of ops_unique_args", TL_OPT_INT, &ops_options.top, 0, INT64_MAX, NULL },
	{ 0, "ops", "FILE", "add a table of operators (tl-models(5)); may be repeated", TL_OPT_LIST, &op_tables, 0, 0, NULL },
	{ 0, "lenient", NULL, "go on after damaged events of a raw trace, and count them",
	  TL_OPT_FLAG, &load.lenient, 0, 0, NULL },
	{ 0, NULL, NULL, NULL, 0, NULL, 0, 0, NULL },
};

static const struct tl_program program = {
	.name = "tl-ops",
	.synopsis = "[OPTION]... [FILE]",
	.purpose = "device time by operator",
	.detail = "FILE is a raw trace or an event stream; without it, or with -, standard input is read.\n"
	          "Sheets: ops_summary (the default), ops_summary_by_category, ops_unique_args,\n"
	          "ops_unique_args_kl_overlap, launchers.",
	.options = options,
	.common = TL_COMMON_OUTPUT | TL_COMMON_THREADS,
	.c = &common,
};

#define OVERLAP "ops_unique_args_kl_overlap"
static const struct tl_sheet_source sheets[] = {
	{ .name = "ops_summary_by_category", .needs_rows = true }, { .name = "ops_summary", .needs_rows = true, .usual = true },
	{ .name = "ops_unique_args", .needs_rows = true }, { .name = OVERLAP, .needs_rows = true },
	{ .name = "launchers", .extra = true }, { .name = NULL },
};

static struct tl_table *make(void *ctx, const char *name)
{
	const struct tl_sheet *s = tl_sheet_find(&tl_ops_sheets, name);

	return s->make(ctx, s);
}

static const char *category(void *ctx, const char *op, const char *kernel)
{
	return tl_op_category(ctx, op, kernel);
}

static struct tl_registry *registry;

static bool prepare(int n_operands)
{
	(void)n_operands;
	tl_check_sheets(&choice, sheets, &common);
	for (size_t i = 0; i < choice.names.n; i++)
		ops_options.include_overlap |= !strcmp(choice.names.items[i], OVERLAP);
	load.recompute = ops_options.select.detect_recompute;
	registry = tl_load_registry(&op_tables);
	return true;
}

static void run(struct tl_trace *trace, const char *input)
{
	struct tl_ops *ops;
	struct tl_error err;

	if (tl_ops_new(&ops, trace, &ops_options, &(struct tl_categories){ category, registry }, &err) != TL_OK)
		tl_die_error(input, &err);
	tl_write_sheets(&choice, sheets, &common, make, ops);
	tl_ops_free(ops);
}

static void release(void)
{
	tl_drop_registry(registry);
}

extern const struct tl_filter tl_filter_ops;
const struct tl_filter tl_filter_ops = { &program, &choice, &load, prepare, run, release, 4 };
