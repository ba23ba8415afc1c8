/* tl-memory.c - allocations: the sheets memory_*.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "model/fields.h"
#include "sheets/memory_use.h"

#include <string.h>

static struct tl_memory_options memory = { .curve_points = 1000 };

static const struct tl_opt options[] = {
	{ 0, "memory-curve-parts", "N", "thin memory_curve to the extremes of N parts of the time (1000); 0: all points",
	  TL_OPT_INT, &memory.curve_points, 0, INT32_MAX, NULL },
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "memory-curve-parts", "memory_curve memory_categories", NULL },
	{ .option = NULL },
};

static void run_memory(struct tl_trace *trace, const char *input)
{
	struct tl_memory_view view = { .trace = trace, .memory = tl_memory_of(trace), .options = &memory };
	const struct tl_memory *m = view.memory;

	bool is_timeline = tl_strtab_find(&trace->strings, TL_MEMORY_CATEGORY, strlen(TL_MEMORY_CATEGORY));

	if (is_timeline)
		tl_want_instead("memory_category_peaks", "memory_summary");
	if (!m->n && !is_timeline)
		tl_warn("%s: no allocations in the trace%s", input,
		        !strcmp(tl_report_of(trace->source), "pytorch") ? "; torch.profiler records them with profile_memory=True" : "");
	if (m->left_out)
		tl_warn("%u memory events without time, address, bytes or device were left out", (unsigned)m->left_out);
	if (m->doubled)
		tl_note("%u allocations at an address that was not released before: both are kept", (unsigned)m->doubled);
	for (uint32_t i = 0; i < m->n_devices; i++)
		if (m->devices[i].relative)
			tl_note("%s: the trace tells no totals; they are sums of what was allocated and released, from 0 on",
			        tl_str(&trace->strings, m->devices[i].name));
	tl_write_sheets(&tl_memory_sheets, &view, trace);
}

const struct tl_filter tl_filter_memory = {
	.purpose = "allocations: peaks, what was alive, operators, steps", .sheets = &tl_memory_sheets,
	.options = options, .needs = needs, .report = "pytorch", .run = run_memory, .weight = 8,
};
