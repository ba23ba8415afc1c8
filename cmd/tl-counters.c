/* tl-counters.c - what the profiler recorded over time or of kernels: the sheets counters*.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "sheets/counter_sheets.h"

#include <string.h>

static void run_counters(struct tl_trace *trace, const char *input)
{
	const struct tl_samples *s = &trace->samples;

	if (!s->n && !strcmp(tl_program_name(), "tl-counters")) /* who asked for findings did not ask for counters */
		tl_warn("%s: no counters in the trace", input);
	if (s->n_no_number + s->n_no_time)
		tl_warn("samples of counters left out: %llu without a finite number, %llu without a time or the kernel that they are of",
		        (unsigned long long)s->n_no_number, (unsigned long long)s->n_no_time);
	uint64_t lost = s->n ? tl_counters_of(trace, TL_COUNTER_RECORDED)->n_lost : 0;
	if (lost)
		tl_note("%llu samples of counters are of kernels that are not in the trace, or of one of several with the same number: left out",
		        (unsigned long long)lost);
	if (s->n || tl_only_sheet() || tl_asks_for_sheet("clock_falls") || tl_asks_for_sheet("kernel_limits")) /* findings read it, empty too */
		tl_write_sheets(&tl_counters_sheets, trace, trace);
}

const struct tl_filter tl_filter_counters = {
	.purpose = "what the profiler recorded over time: clocks, power, metrics of the hardware", .sheets = &tl_counters_sheets,
	.run = run_counters, .weight = 1,
};
