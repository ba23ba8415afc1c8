/* tl-kcat.c - the kernels: categories by name, kernel_summary, short kernels.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "tl.h"

#include <stdlib.h>

static struct tl_kernels_options kernel_options = { .short_us = 10, .bins = 100, .top_short = -1 };
static struct tl_load_options load = { .drop_kinds = TL_UNUSED_BY_SHEETS };
static struct tl_sheet_choice choice;
static struct tl_opt_list category_tables, op_tables;
static struct tl_common common;

static const struct tl_opt options[] = {
	TL_SHEET_OPTIONS(choice),
	{ 0, "kernel-categories", "FILE", "add rules for kernel categories; may be repeated",
	  TL_OPT_LIST, &category_tables, 0, 0, NULL },
	{ 0, "short_kernel_threshold_us", "N", "kernels shorter than N µs are short (10)",
	  TL_OPT_INT, &kernel_options.short_us, 0, INT64_MAX, NULL },
	{ 0, "short_kernel_histogram_bins", "N", "bins of short_kernel_histogram (100)",
	  TL_OPT_INT, &kernel_options.bins, 1, 1000000, NULL },
	{ 0, "topk_short_kernels", "N", "only the first N rows of short_kernels_summary",
	  TL_OPT_INT, &kernel_options.top_short, 0, INT64_MAX, NULL },
	{ 0, "include_unlinked_kernels", NULL, "let the total time that shares are of span unlinked device events",
	  TL_OPT_FLAG, &kernel_options.select.include_unlinked, 0, 0, NULL },
	{ 0, "detect_recompute", NULL, "let the total time that shares are of leave out recomputed work",
	  TL_OPT_FLAG, &kernel_options.select.detect_recompute, 0, 0, NULL },
	{ 0, "ops", "FILE", "add a table of operators (tl-models(5)); may be repeated", TL_OPT_LIST, &op_tables, 0, 0, NULL },
	{ 0, "lenient", NULL, "go on after damaged events of a raw trace, and count them",
	  TL_OPT_FLAG, &load.lenient, 0, 0, NULL },
	{ 0, NULL, NULL, NULL, 0, NULL, 0, 0, NULL },
};

static const struct tl_program program = {
	.name = "tl-kcat",
	.synopsis = "[OPTION]... [FILE]",
	.purpose = "device time by kernel, and kernel categories",
	.detail = "FILE is a raw trace or an event stream; without it, or with -, standard input is read.\n"
	          "Sheets: kernel_summary (the default), short_kernel_histogram, short_kernels_summary, kernels.",
	.options = options,
	.common = TL_COMMON_OUTPUT | TL_COMMON_THREADS,
	.c = &common,
};

static const struct tl_sheet_source sheets[] = {
	{ .name = "kernel_summary", .needs_rows = true, .usual = true }, { .name = "short_kernel_histogram" },
	{ .name = "short_kernels_summary" }, { .name = "kernels", .extra = true }, { .name = NULL },
};

static struct tl_table *make(void *ctx, const char *name)
{
	const struct tl_sheet *s = tl_sheet_find(&tl_kernels_sheets, name);

	return s->make(ctx, s);
}

static const char *category(void *ctx, const char *op, const char *kernel)
{
	return tl_op_category(ctx, op, kernel);
}

static struct tl_name_rules *load_categories(void)
{
	struct tl_name_rules *k = tl_name_rules_new(TL_KERNEL_CATEGORIES);
	struct tl_error err;

	for (size_t i = 0; i < category_tables.n; i++) {
		size_t len;
		char *text = tl_read_file(category_tables.items[i], TL_RULE_TABLE_MAX, &len);

		if (tl_name_rules_add(k, category_tables.items[i], text, len, &err) != TL_OK)
			tl_die("%s", err.text);
		free(text);
	}
	return k;
}

static struct tl_registry *registry;
static struct tl_name_rules *kcat;

static bool prepare(int n_operands)
{
	(void)n_operands;
	tl_check_sheets(&choice, sheets, &common);
	load.recompute = kernel_options.select.detect_recompute;
	kcat = load_categories();
	registry = tl_load_registry(&op_tables);
	return true;
}

static void run(struct tl_trace *trace, const char *input)
{
	struct tl_kernels *kernels = tl_kernels_new(trace, &kernel_options, &(struct tl_categories){ category, registry }, kcat);

	(void)input;
	tl_write_sheets(&choice, sheets, &common, make, kernels);
	tl_kernels_free(kernels);
}

static void release(void)
{
	tl_drop_registry(registry);
	tl_name_rules_free(kcat);
}

extern const struct tl_filter tl_filter_kcat;
const struct tl_filter tl_filter_kcat = { &program, &choice, &load, prepare, run, release, 3 };
