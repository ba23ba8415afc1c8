/* split_plan.h - which parts of a trace tl-split writes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SPLIT_PLAN_H
#define TL_SPLIT_PLAN_H

#include "cli/step_files.h"

struct tl_split_choice {
	struct { int64_t from, to; bool given; } range; /* steps from … to - 1 */
	bool single, windows, phases; /* each step, the windows of the steady state, or its runs of one phase; none
	                                 of these: the range as one part */
	int64_t num_steps;            /* most steps of a window */
	/* of the load, see tl-split(1) */
	int64_t concurrency;          /* 0: not given */
	double output_length, output_ratio; /* NAN: not given */
	bool verbose;
};

/* Adds the parts, with number, folder, label and steps. Notes tell which windows the trace has not. An error
 * ends the program. */
void tl_plan_split(struct tl_split_parts *, const struct tl_step_trace *, const struct tl_split_choice *);

#endif
