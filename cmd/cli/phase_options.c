/* phase_options.c - options about the phases of inference, and the phases of a trace, for all filters
 * of a program.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "steps/phases.h"

#include <string.h>

struct tl_phases_options tl_phases_chosen = { .method = TL_BY_STEPS, .threshold = 10 };
struct tl_opt_list tl_phase_kernel_files;

const char *tl_take_phase_method(void *dest, const char *name)
{
	static struct tl_buf why;

	tl_buf_adds(&why, "expected one of ");
	for (unsigned i = 0; tl_phase_method_name(i); i++) {
		if (!strcmp(name, tl_phase_method_name(i))) {
			*(unsigned *)dest = i;
			return NULL;
		}
		tl_buf_addf(&why, "%s%s", i ? ", " : "", tl_phase_method_name(i));
	}
	return why.data;
}

void tl_prepare_phases(void)
{
	if (tl_phases_chosen.kernels)
		return;
	tl_phases_chosen.kernels = tl_name_rules_new(TL_PHASE_KERNELS);
	for (size_t i = 0; i < tl_phase_kernel_files.n; i++)
		tl_add_rule_file(tl_phases_chosen.kernels, tl_phase_kernel_files.items[i]);
}

struct tl_phases *tl_phases_of_trace(struct tl_trace *trace, const char *input)
{
	static struct tl_phases *phases;
	struct tl_error err;

	if (phases && phases->trace == trace)
		return phases;
	tl_phases_free(phases);
	if (tl_phases_new(&phases, trace, &tl_phases_chosen, &err) != TL_OK)
		tl_die_error(input, &err);
	return phases;
}
