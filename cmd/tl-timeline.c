/* tl-timeline.c - what the device's time went to: the sheet gpu_timeline.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"

static struct tl_timeline_options timeline = { .micro_idle_us = -1 };
static struct tl_load_options load = { .drop_kinds = TL_UNUSED_BY_SHEETS };
static struct tl_sheet_choice choice;
static struct tl_common common;

static const struct tl_opt options[] = {
	TL_SHEET_OPTIONS(choice),
	{ 0, "include_unlinked_kernels", NULL, "count device events that no runtime call of the trace launched",
	  TL_OPT_FLAG, &timeline.select.include_unlinked, 0, 0, NULL },
	{ 0, "micro_idle_thresh_us", "N", "split idle time: gaps shorter than N µs are micro_idle_time",
	  TL_OPT_INT, &timeline.micro_idle_us, 0, INT64_MAX, NULL },
	{ 0, "detect_recompute", NULL, "measure recomputed work (activation checkpointing) apart",
	  TL_OPT_FLAG, &timeline.select.detect_recompute, 0, 0, NULL },
	{ 0, "lenient", NULL, "go on after damaged events of a raw trace, and count them",
	  TL_OPT_FLAG, &load.lenient, 0, 0, NULL },
	{ 0, NULL, NULL, NULL, 0, NULL, 0, 0, NULL },
};

static const struct tl_program program = {
	.name = "tl-timeline",
	.synopsis = "[OPTION]... [FILE]",
	.purpose = "device time by what it was spent on",
	.detail = "FILE is a raw trace or an event stream; without it, or with -, standard input is read.\n"
	          "Sheets: gpu_timeline.",
	.options = options,
	.common = TL_COMMON_OUTPUT | TL_COMMON_THREADS,
	.c = &common,
};

static const struct tl_sheet_source sheets[] = { { .name = "gpu_timeline", .usual = true }, { .name = NULL } };

static struct tl_table *make(void *ctx, const char *name)
{
	const struct tl_sheet *s = tl_sheet_find(&tl_timeline_sheets, name);

	return s->make(ctx, s);
}

static bool prepare(int n_operands)
{
	(void)n_operands;
	tl_check_sheets(&choice, sheets, &common);
	load.recompute = timeline.select.detect_recompute;
	return true;
}

static void run(struct tl_trace *trace, const char *input)
{
	struct tl_timeline *made;
	struct tl_error err;
	bool fell_back;

	if (tl_timeline_new(&made, trace, &timeline, &fell_back, &err) != TL_OK)
		tl_die_error(input, &err);
	if (fell_back)
		tl_warn("no device event is linked to a runtime call: all are counted, as with --include_unlinked_kernels");
	tl_write_sheets(&choice, sheets, &common, make, made);
	tl_timeline_free(made);
}

extern const struct tl_filter tl_filter_timeline;
const struct tl_filter tl_filter_timeline = { &program, &choice, &load, prepare, run, NULL, 2 };
