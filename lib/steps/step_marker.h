/* step_marker.h - for step_find.c: steps that the user's expression names, and those whose names repeat.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_MARKER_H
#define TL_STEP_MARKER_H

#include "base/pattern.h"
#include "steps/step_list.h"

/* Adds the steps that the marker names. */
void tl_steps_add_marked(struct tl_steps *, const struct tl_trace *, const struct tl_regex *);

/* Adds the annotations whose names repeat but for their numbers, if they are likely the rounds of a loop (step-words.tsv):
 * - three or more on each thread that has them, none within another; one thread of a process;
 * - no word of what is a part of a step, or around steps, is in the name;
 * - work of half of all device time is launched while they run, a tenth of it by their own thread;
 * - a name without a word of steps says less: nine tenths of all device time, its numbers rise, it is in no annotation that has
 *   such a word, and no other such name is as likely: one of two loops within each other is not chosen.
 * Of several the one with a word of steps, then of rounds; then that with most time; of times within 1 % the one with the fewest. */
void tl_steps_add_named(struct tl_steps *, const struct tl_trace *);

/* What the names of these steps have in common, of which there is one: folded (work/range_names.h). It lives as long as the trace. */
const char *tl_folded_step_name(const struct tl_trace *, const struct tl_steps *);

#endif
