/* tl-coll.c - collective communication of one rank: the sheet coll_analysis.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "tl.h"

static int64_t rank;

static const struct tl_opt options[] = {
	{ 0, "rank", "N", "the rank the trace is of (0)", TL_OPT_INT, &rank, 0, INT32_MAX, NULL },
	{ .long_name = NULL },
};

static void run(struct tl_trace *trace, const char *input)
{
	struct tl_collectives *made = tl_collectives_new(trace, rank);

	(void)input;
	tl_write_sheets(&tl_collectives_sheets, made, trace);
	tl_collectives_free(made);
}

const struct tl_filter tl_filter_coll = {
	.purpose = "collective communication of one rank", .sheets = &tl_collectives_sheets,
	.options = options, .run = run,
};
