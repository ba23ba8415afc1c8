/* tl-coll.c - collective communication of one rank: the sheet coll_analysis.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "tl.h"

#include <string.h>

static int64_t rank;
static struct tl_load_options load = { .drop_kinds = TL_UNUSED_BY_SHEETS };
static struct tl_sheet_choice choice;
static struct tl_common common;

static const struct tl_opt options[] = {
	TL_SHEET_OPTIONS(choice),
	{ 0, "rank", "N", "the rank the trace is of (0)", TL_OPT_INT, &rank, 0, INT32_MAX, NULL },
	{ 0, "lenient", NULL, "go on after damaged events of a raw trace, and count them",
	  TL_OPT_FLAG, &load.lenient, 0, 0, NULL },
	{ 0, NULL, NULL, NULL, 0, NULL, 0, 0, NULL },
};

static const struct tl_program program = {
	.name = "tl-coll",
	.synopsis = "[OPTION]... [FILE]",
	.purpose = "collective communication of one rank",
	.detail = "FILE is a raw trace or an event stream; without it, or with -, standard input is read.\n"
	          "Sheets: coll_analysis (the default), collectives.",
	.options = options,
	.common = TL_COMMON_OUTPUT | TL_COMMON_THREADS,
	.c = &common,
};

static const struct tl_sheet_source sheets[] = {
	{ .name = "coll_analysis", .needs_rows = true, .usual = true }, { .name = "collectives", .extra = true }, { .name = NULL },
};

struct coll { struct tl_trace *trace; struct tl_collectives *collectives; };

static struct tl_table *make(void *ctx, const char *name)
{
	const struct coll *c = ctx;
	const struct tl_sheet *s = tl_sheet_find(&tl_collectives_sheets, name);

	/* a report of a trace without host operators has no such sheet */
	if (choice.dir && !strcmp(name, "coll_analysis") && tl_trace_gpu_only(c->trace))
		return NULL;
	return s->make(c->collectives, s);
}

static bool prepare(int n_operands)
{
	(void)n_operands;
	tl_check_sheets(&choice, sheets, &common);
	return true;
}

static void run(struct tl_trace *trace, const char *input)
{
	struct coll c = { trace, tl_collectives_new(trace, rank) };

	(void)input;
	tl_write_sheets(&choice, sheets, &common, make, &c);
	tl_collectives_free(c.collectives);
}

extern const struct tl_filter tl_filter_coll;
const struct tl_filter tl_filter_coll = { &program, &choice, &load, prepare, run, NULL, 1 };
