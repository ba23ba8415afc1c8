/* step_batches.h - the batch sizes of steps, as their operators tell them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_BATCHES_H
#define TL_STEP_BATCHES_H

#include "analysis/args.h"
#include "kernels/name_rules.h"

/* Some operators (kernels/step-batches.tsv) have the batch as the first dimension of their
 * first argument. That is the batch that was run; an annotation may tell the one that was
 * planned. Zero bytes with `trace` set are a start. */
struct tl_step_batches {
	const struct tl_trace *trace;
	struct tl_arg dims;
	struct tl_name_answers names;
	struct tl_map sizes;      /* all batch sizes that were seen */
	struct tl_arena arena;
};
/* Adds the batch sizes that these events tell. Returns the only one; 0 if they tell none, or several. */
int64_t tl_step_batches_add(struct tl_step_batches *, const uint32_t *events, size_t n);
/* Forgets the sizes. */
void tl_step_batches_clear(struct tl_step_batches *);
void tl_step_batches_release(struct tl_step_batches *);

#endif
