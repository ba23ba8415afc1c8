/* phase_cuts.h - steps of a language model that nothing annotates: an operator that picks new tokens
 * ends one.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PHASE_CUTS_H
#define TL_PHASE_CUTS_H

#include "model/trace.h"

/* The fewest columns of a matrix that has a column for each token of a vocabulary (logits). */
enum { TL_VOCABULARY = 16000 };

/* A step of a thread. It begins where the step before ends; sampler: the operator that ends it. */
struct tl_phase_cut { uint32_t sampler; int64_t start, end; };
struct tl_phase_cuts { struct tl_phase_cut *items; size_t n, cap; }; /* by end */

/* Finds the operators that pick new tokens (kernels/phase-samplers.tsv). Several of them with hardly
 * any other launches between them end one step. Release the cuts, also when none are found. */
void tl_phase_cuts_find(struct tl_phase_cuts *, const struct tl_trace *);
void tl_phase_cuts_release(struct tl_phase_cuts *);

#endif
