/* step_match.h - steps of two traces that do alike work: blocks of one phase, and the best pair.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_MATCH_H
#define TL_STEP_MATCH_H

#include "steps/step_windows.h"

/* Steps of one phase one after another. */
struct tl_step_block {
	struct tl_window window;
	enum tl_phase phase;
	size_t original;  /* steps of the block that it was cut from; as many as it has if it was not cut */
	bool usable;      /* every step tells its sums, see struct tl_step_text */
};
struct tl_step_blocks { struct tl_step_block *items; size_t n, cap; };

/* Finds the blocks, each as long as it can be; a block of TL_PHASE_DECODE has at least two steps.
 * num_steps > 0: a longer block is cut into blocks of num_steps, and what remains at its end is
 * left out. Steps whose text is of no format count as idle here. */
void tl_step_blocks_find(struct tl_step_blocks *, const struct tl_step *, size_t n, int64_t num_steps);
void tl_step_blocks_release(struct tl_step_blocks *);

/* The name of a phase, "prefill_only", "decode_only", "prefilldecode"; and the phase of a
 * name, TL_PHASE_UNKNOWN if it is none. */
const char *tl_step_phase_name(enum tl_phase);
enum tl_phase tl_step_phase_by_name(const char *);

/* One of the two traces. */
struct tl_match_side { const struct tl_step *steps; const struct tl_step_blocks *blocks; };

#define TL_MATCH_NUMBERS 4
struct tl_match {
	enum tl_phase phase;
	size_t block[2];      /* of each side: indexes of its blocks */
	/* means over the steps of differences: of decode steps in sq and sk of generation, else in
	 * requests of context and of generation, in sq of context and of generation */
	double distance[TL_MATCH_NUMBERS]; size_t n_distance;
	size_t n_usable, n_paired; /* blocks of the first side: of this phase, and those with a block of
	                              their length on the other side */
};
/* The pair of usable blocks of this phase and of equal length with the smallest distance,
 * whose first number counts most; then that cut from the longest blocks, then the longest,
 * then the first. False: no such pair; then only the last two numbers are set. */
bool tl_step_match(const struct tl_match_side sides[2], enum tl_phase, struct tl_match *);

#endif
