/* step_cuts.h - steps of a language model that nothing annotates: an operator that picks new tokens
 * ends one.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_CUTS_H
#define TL_STEP_CUTS_H

#include "steps/step_find.h"

/* The fewest columns of a matrix that has a column for each token of a vocabulary (logits). */
enum { TL_VOCABULARY = 16000 };

/* Adds the steps that end with operators that pick new tokens (kernels/phase-samplers.tsv), by end; each
 * begins where the step before of its thread ends. Several such operators with hardly any other launches
 * between them end one step. */
void tl_step_cuts_find(struct tl_steps *, const struct tl_trace *);

#endif
