/* tl-api.c - calls of the runtime and driver, copies of memory, ranges: the sheets api_summary,
 * memcpy_summary, memcpy_by_size, migrations, graph_nodes, range_summary and range_paths.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "sheets/api.h"

static bool full_range_text;

static const struct tl_opt options[] = {
	{ 0, "full-range-text", NULL, "range_summary: a row for each text, numbers and all", TL_OPT_FLAG, &full_range_text, 0, 0, NULL },
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "full-range-text", "range_summary", NULL },
	{ .option = NULL },
};

static void run_api(struct tl_trace *trace, const char *input)
{
	struct tl_api *made = tl_api_new(trace, full_range_text);

	(void)input;
	tl_write_sheets(&tl_api_sheets, made, trace);
	struct tl_api_doubts doubts = tl_api_doubts(made);
	if (doubts.copies_without_bytes)
		tl_note("copies and sets of memory without bytes: %u of %u, left out of bytes and GB/s in memcpy_summary",
		        (unsigned)doubts.copies_without_bytes, (unsigned)doubts.copies);
	if (doubts.early)
		tl_note("calls whose device work starts before the call: %u of %u; the clocks of host and device differ, "
		        "and these are left out of the launch latencies in api_summary",
		        (unsigned)doubts.early, (unsigned)doubts.launches);
	tl_api_free(made);
}

const struct tl_filter tl_filter_api = {
	.purpose = "calls of the runtime and driver, copies of memory, ranges", .sheets = &tl_api_sheets,
	.options = options, .needs = needs, .run = run_api,
};
