/* tl-host.c - what the host did: the sheets host_* and compile_summary.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/device_events.h"
#include "cli/filter.h"
#include "sheets/host.h"

static struct tl_host_options host;

static const struct tl_opt options[] = {
	{ 0, "unfolded", NULL, "host_modules: a row for each module, layers that are alike too", TL_OPT_FLAG, &host.unfolded, 0, 0, NULL },
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "unfolded", "host_modules", NULL },
	{ .option = NULL },
};

static void prepare(struct tl_load_options *unused)
{
	(void)unused;
	host.categories = tl_kernel_category_rules();
}

static void say_facts(const struct tl_host_facts *f, const struct tl_trace *t, const char *input)
{
	if (f->cut)
		tl_note("%u operators that end after the one around them are cut at its end", (unsigned)f->cut);
	if (f->negative)
		tl_note("%u operators have a time of their own below 0: calls in them overlap", (unsigned)f->negative);
	if (f->no_frames && tl_names_sheet("host_modules"))
		tl_note("%s: no modules: the trace has no Python frames%s", input, tl_device_activity(t) ? "; torch.profiler records them with with_stack=True" : "");
	else if (f->no_ids && !f->no_frames)
		tl_note("%s: no modules: no Python frame of the trace has a module id", input);
	if (f->lost_parents)
		tl_warn("%s: the parents of %u Python frames lead in a circle: modules above them are left out", input,
		        (unsigned)f->lost_parents);
	if (f->texts_cut)
		tl_warn("%s: stacks or paths of modules are too long to be written: some are empty or end early", input);
}

static void run_host(struct tl_trace *trace, const char *input)
{
	struct tl_host made = { .trace = trace, .options = &host };

	tl_write_sheets(&tl_host_sheets, &made, trace);
	say_facts(&made.facts, trace, input);
}

const struct tl_filter tl_filter_host = {
	.purpose = "what the host did: operators, modules, Python functions, torch.compile", .sheets = &tl_host_sheets,
	.options = options, .needs = needs, .prepare = prepare, .report = "pytorch", .run = run_host, .weight = 4,
};
