/* step_repeats.h - calls that repeat: the iterations of a loop that nothing annotates.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_REPEATS_H
#define TL_STEP_REPEATS_H

#include "steps/step_find.h"

/* Looks from the top of the tree downwards for an event whose children's names repeat (see
 * tl_name_period) and whose iterations launched half of the trace's device work at least: so
 * a few equal calls inside an operator are no iterations. Adds a step for each iteration: from the
 * start of its first child to the end of its last one. */
void tl_step_repeats_find(struct tl_steps *, const struct tl_trace *);

/* A repetition in n names (ids): the `period` names from `start` on stand `count` times one after
 * another, at least three times, and cover more than half of the names from `start` on. Of
 * several repetitions the one with the smallest start counts, then the one with the smallest
 * period. *work: how many comparisons are left; when they run out, nothing is found. */
struct tl_name_period { size_t start, period, count; }; /* period 0: none */
struct tl_name_period tl_name_period(const uint32_t *names, size_t n, size_t *work);

#endif
