/* tl-timeline.c - what the device's time went to: the sheets gpu_timeline*.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "sheets/populations.h"
#include "sheets/timeline.h"

static struct tl_timeline_options timeline = { .micro_idle_us = -1, .top_gaps = 20 };

static const struct tl_opt options[] = {
	TL_SELECT_OPTIONS(&timeline.select),
	TL_COMMUNICATION_OPTION,
	{ 0, "micro_idle_thresh_us", "N", "split idle time: gaps shorter than N µs are micro_idle_time",
	  TL_OPT_INT, &timeline.micro_idle_us, 0, INT64_MAX, NULL },
	{ 0, "topk_idle_gaps", "N", "the N longest gaps of each device in idle_gaps (20)",
	  TL_OPT_INT, &timeline.top_gaps, 0, INT64_MAX, NULL },
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "topk_idle_gaps", "idle_gaps", NULL },
	{ "micro_idle_thresh_us", "gpu_timeline gpu_timeline_by_device", NULL },
	{ .option = NULL },
};

static void run_timeline(struct tl_trace *trace, const char *input)
{
	struct tl_timeline *made;
	struct tl_error err;
	bool fell_back;

	timeline.one_device = tl_names_sheet("gpu_timeline_by_device");
	if (tl_timeline_new(&made, trace, &timeline, &fell_back, &err) != TL_OK) {
		/* which tell what the trace has instead */
		if (!tl_wants_sheet("overview") && !tl_wants_sheet("findings") && !tl_wants_sheet("trace_health"))
			tl_die_error(input, &err);
		tl_warn("%s", err.text);
		return;
	}
	if (tl_wants_sheet("gpu_timeline") || tl_wants_sheet("gpu_timeline_by_device"))
		tl_warn_of_timeline(made, fell_back);
	if (!tl_wants_sheet("overview")) { /* which tells this, too */
		tl_note_busy(trace);
		struct tl_table *populations = tl_populations(trace, &timeline.select, TL_POPULATIONS_PYTORCH);
		tl_note_unrecorded(populations);
		tl_table_free(populations);
	}
	tl_write_sheets(&tl_timeline_sheets, made, trace);
	tl_timeline_free(made);
}

const struct tl_filter tl_filter_timeline = {
	.purpose = "device time by what it was spent on", .sheets = &tl_timeline_sheets,
	.options = options, .needs = needs, .report = "pytorch", .run = run_timeline, .weight = 5,
};
