/* clocks.h - finds how far the clocks of ranks are apart, from their collectives.
 *
 * A collective that all ranks must join ends at about the same moment on each of them. So the
 * difference between the clocks of two ranks is the median difference between these ends.
 * Ranks that share no collective are compared through others.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CLOCKS_H
#define TL_CLOCKS_H

#include "base/base.h"

/* Of a rank; ranks are numbered from 0. */
struct tl_clock {
	size_t reference;     /* the lowest rank that it can be compared with, maybe itself */
	int64_t offset;       /* ticks that its clock is ahead of that rank's */
	int64_t spread;       /* ticks: median distance of the differences from their median, … */
	uint64_t collectives; /* … of so many, shared with the rank that shares most; 0: none */
};

struct tl_clocks *tl_clocks_new(size_t ranks);
void tl_clocks_free(struct tl_clocks *); /* NULL is allowed */
/* Adds what the collectives of two ranks show: in the median, they ended `offset` ticks later on b than on a, with this
 * spread; 0 collectives: other evidence, which counts only where there is no such one. It is enough to compare one rank of each group with all others of it. */
void tl_clocks_add(struct tl_clocks *, size_t a, size_t b, int64_t offset, int64_t spread, uint64_t collectives);
/* Finds the clock of each rank; after the last tl_clocks_add. */
void tl_clocks_find(struct tl_clocks *, struct tl_clock *clocks);

#endif
