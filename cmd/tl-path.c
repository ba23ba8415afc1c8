/* tl-path.c - the critical path of a step or of the trace: the sheets path*.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "path/faster.h"
#include "sheets/path_sheets.h"

static struct tl_path_options path = { .step = -1 };
static struct tl_opt_list asks;
static bool ask_all;
static int64_t most = 100;

static const struct tl_opt options[] = {
	{ 0, "step", "N", "the path of the step N (ProfilerStep#N, or the row N of step_times); without it, of the whole trace",
	  TL_OPT_INT, &path.step, 0, INT64_MAX, NULL },
	{ 0, "no-inferred", NULL, "leave out waits that the trace does not tell, but names of calls and times suggest",
	  TL_OPT_FLAG, &path.no_inferred, 0, 0, NULL },
	{ 0, "what-if", "NAME/K", "a row of path_what_if: what NAME being K times faster would save (tl-path(1)); may be repeated",
	  TL_OPT_LIST, &asks, 0, 0, NULL },
	{ 0, "what-if-all", NULL, "rows of path_what_if for the operators and kernels of the path: if each took no time",
	  TL_OPT_FLAG, &ask_all, 0, 0, NULL },
	{ 0, "what-if-most", "N", "no more rows of --what-if-all than for the N with most time on the path (100); 0: all",
	  TL_OPT_INT, &most, 0, INT64_MAX, NULL },
	TL_CATEGORIES_OPTION,
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "what-if", "path_what_if path_then", NULL },
	{ "what-if-all", "path_what_if path_then", NULL },
	{ "what-if-most", "what-if-all", NULL },
	{ .option = NULL },
};

static void say_doubts(const struct tl_path_graph *g)
{
	unsigned inferred = g->facts[TL_FACT_WAIT_INFERRED] + g->facts[TL_FACT_WAIT_TIMED] + g->facts[TL_FACT_SYNC_INFERRED];

	if (inferred)
		tl_note("inferred: %u waits between streams by their calls, %u by their times, %u streams of synchronisations "
		        "(--no-inferred leaves them out)", (unsigned)g->facts[TL_FACT_WAIT_INFERRED], (unsigned)g->facts[TL_FACT_WAIT_TIMED],
		        (unsigned)g->facts[TL_FACT_SYNC_INFERRED]);
	if (g->facts[TL_FACT_BACKWARDS] + g->facts[TL_FACT_CIRCLES])
		tl_note("%u edges of the graph are left out: work would start before its launch, or wait for itself",
		        (unsigned)(g->facts[TL_FACT_BACKWARDS] + g->facts[TL_FACT_CIRCLES]));
}

static void prepare(struct tl_load_options *load)
{
	struct tl_error err;
	int64_t k;

	(void)load;
	for (size_t i = 0; i < asks.n; i++)
		if (tl_faster_check(asks.items[i], &k, &err))
			tl_usage("--what-if: %s", err.text);
	tl_kernel_category_rules();
}

static void run_path(struct tl_trace *trace, const char *input)
{
	struct tl_path *made;
	struct tl_error err;

	if (tl_path_new(&made, trace, &path, tl_kernel_category_rules(), &err) != TL_OK)
		tl_die_error(input, &err);
	for (size_t i = 0; i < asks.n; i++)
		if (tl_path_ask(made, asks.items[i], &err) != TL_OK)
			tl_die("--what-if: %s", err.text);
	tl_path_ask_together(made);
	if (ask_all) {
		struct tl_path_rest rest = tl_path_ask_all(made, most);
		if (rest.left)
			tl_note("--what-if-all: the %zu operators and kernels with most time on the path; %zu others would save no more than %.3g ms each "
			        "(--what-if-most)", rest.asked, rest.left, rest.at_most_ms);
	}
	say_doubts(tl_path_graph_of(made));
	tl_write_sheets(&tl_path_sheets, made, trace);
	tl_path_free(made);
}

const struct tl_filter tl_filter_path = {
	.purpose = "the critical path of a step or a trace", .sheets = &tl_path_sheets,
	.options = options, .needs = needs, .prepare = prepare, .run = run_path, .weight = 9,
};
