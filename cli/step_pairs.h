/* step_pairs.h - tl-split --match: alike steps of two traces.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_PAIRS_H
#define TL_STEP_PAIRS_H

#include "cli/step_files.h"

struct tl_pair_options {
	const char *folder;      /* for the parts and what tells of them */
	const struct tl_outputs *outputs;
	const struct tl_common *common;
	const char *const *phases; size_t n_phases; /* by name, see tl_step_phase_name */
	int64_t num_steps;       /* most steps of a part; 0 or less: any */
	bool no_extract;         /* write only what tells of the parts */
	bool all_threads, stream, lenient;
	const char *provenance;
};
/* Finds for each phase the two parts of two traces that are most alike, and writes them.
 * An error ends the program. */
void tl_write_step_pairs(const struct tl_pair_options *, const char *const paths[2]);

#endif
