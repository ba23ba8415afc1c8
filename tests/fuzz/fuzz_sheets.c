/* fuzz_sheets.c - all sheets from hostile traces: JSON that is linked here, and
 * text streams that bring links of their own.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "sheets/api.h"
#include "sheets/collectives.h"
#include "sheets/memory_use.h"
#include "sheets/ops.h"
#include "sheets/phase.h"
#include "sheets/roofline.h"
#include "sheets/timeline.h"

static void make_family(const struct tl_sheet_family *f, void *filter)
{
	for (const struct tl_sheet *s = f->sheets; s->name; s++) {
		struct tl_table *t = tl_sheet_of(s, filter);
		if (t && !t->overflow && tl_tsv_write(t, tl_null_output(), NULL)) /* such a table is an error */
			abort();
		tl_table_free(t);
	}
}

static void make_roofline(struct tl_trace *t, const struct tl_registry *registry, struct tl_gpu_select select)
{
	const struct tl_roofline_options options = { .select = select, .include_overlap = true, .call_stack = select.detect_recompute,
		.group_by_num_kernels = true, .top = -1 };
	struct tl_roofline *r;

	if (tl_roofline_new(&r, t, registry, &options, NULL))
		return;
	for (size_t i = 0; tl_roofline_sheet_name(r, i); i++)
		if (tl_tsv_write(tl_roofline_sheet(r, i), tl_null_output(), NULL))
			abort();
	tl_roofline_free(r);
}

static void make_sheets(struct tl_trace *t, bool flag)
{
	static struct tl_registry *registry;
	static struct tl_pattern steps, names;
	struct tl_gpu_select select = { .include_unlinked = flag, .detect_recompute = flag };
	struct tl_timeline_options timeline = { .select = select, .micro_idle_us = flag ? 5 : -1,
	                                       .top_gaps = flag ? 3 : -1 };
	struct tl_ops_options ops_options = { .select = select, .group_by_num_kernels = flag, .include_overlap = true,
	                                      .first_occurrence = flag, .top = flag ? 3 : -1,
	                                      .step_annotation = flag ? &steps : NULL, .sequences_of = flag ? &names : NULL };
	struct tl_kernels_options kernel_options = { select, 10, flag ? 3 : 100, -1, flag, flag };
	struct tl_name_rules *kcat = tl_name_rules_new(TL_NO_RULES);
	struct tl_collectives *collectives = tl_collectives_new(t, 0);
	struct tl_api *api = tl_api_new(t, false);
	struct tl_kernels *kernels;
	struct tl_timeline *times;
	struct tl_ops *ops;
	bool fell_back;

	if (!registry) {
		char why[200];
		if (tl_registry_new(&registry, false, NULL, 0, NULL) || !tl_pattern_compile(&steps, "^[a-m]", 0, NULL, why) ||
		    !tl_pattern_compile(&names, "a", 0, NULL, why))
			abort();
	}
	struct tl_phases_options phase_options = { .method = flag ? TL_BY_STEPS : TL_BY_UNION, .threshold = 10 };
	struct tl_phases *phases = NULL;
	struct tl_phase_facts *phase_sheets = NULL;
	if (tl_phases_new(&phases, t, &phase_options, NULL) != TL_OK)
		phases = NULL;
	kernels = tl_kernels_new(t, &kernel_options, registry, kcat, phases);
	if (phases) {
		phase_sheets = tl_phase_facts_new(phases, kcat, kernels, NULL);
		make_family(&tl_phase_sheets, phase_sheets);
	}
	if (!tl_timeline_new(&times, t, &timeline, &fell_back, NULL)) {
		make_family(&tl_timeline_sheets, times);
		tl_timeline_free(times);
	}
	if (!tl_ops_new(&ops, t, &ops_options, registry, NULL)) {
		make_family(&tl_ops_sheets, ops);
		tl_ops_free(ops);
	}
	make_family(&tl_kcat_sheets, kernels);
	make_family(&tl_coll_sheets, collectives);
	make_family(&tl_api_sheets, api);
	const struct tl_memory_options memory_options = { flag ? 3 : 0 };
	make_family(&tl_memory_sheets, &(struct tl_memory_view){ t, tl_memory_of(t), &memory_options });
	make_roofline(t, registry, select);
	tl_phase_facts_free(phase_sheets);
	tl_kernels_free(kernels);
	tl_phases_free(phases);
	tl_collectives_free(collectives);
	tl_api_free(api);
	tl_name_rules_free(kcat);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool flag = size & 1;
	struct tl_trace *trace = fuzz_trace(data, size, &(struct tl_link_options){ .python = flag, .recompute = flag });

	if (trace)
		make_sheets(trace, flag);
	tl_trace_free(trace);
	return 0;
}
