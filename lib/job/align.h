/* align.h - which collective of one rank is which of another, and how far their clocks are apart.
 *
 * Collectives of a group are numbered on each rank. Where traces have the numbers of the library ("Seq"), these count. Else the
 * numbers of a rank are shifted by what makes its collectives fit those of another: type, dtype and size are the same, and the
 * differences of the ends, which are the difference of the clocks, vary least. The first TL_ALIGN_MOST collectives of a rank
 * and group tell. Then the median of these differences is how far two clocks are apart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ALIGN_H
#define TL_ALIGN_H

#include "job/clocks.h"

enum { TL_ALIGN_MOST = 256 };

/* A collective of a rank. */
struct tl_align_event {
	int64_t end;        /* ticks */
	int64_t sequence;   /* of the library; -1: not known */
	uint32_t kind;      /* of its type, dtype and size: equal only if all are */
	bool together;      /* all ranks must join before one can end */
};

struct tl_align;
struct tl_align *tl_align_new(size_t ranks);
void tl_align_free(struct tl_align *); /* NULL is allowed */
/* Takes the collectives of a rank in a group, by their starts; only the first TL_ALIGN_MOST are kept, of more than 1000 ranks fewer. Ranks come in their
 * order, each once a group. */
void tl_align_add(struct tl_align *, const char *group, size_t len, size_t rank, const struct tl_align_event *, size_t n);
/* The same of sends from one rank to another, or of the receives of these, of which each pair is a group. They only tell about clocks, and only
 * where no collective does: what is sent early ends on its sender first. */
void tl_align_add_transfers(struct tl_align *, const char *pair, size_t len, size_t rank, const struct tl_align_event *, size_t n);

/* What was found of a rank. */
struct tl_aligned {
	struct tl_clock clock;
	bool sure;          /* its clock was found by collectives that fit well, and in another order would not */
	bool lost;          /* in a group, no order of its collectives fits those of others */
	int64_t shift;      /* the first of its shifts: it lacks so many collectives at its start */
	size_t groups, shifted; /* groups that it shares with others; those in which it is shifted */
};
/* Finds them, once. by_number: nothing is shifted, and no rank is lost. */
void tl_align_find(struct tl_align *, bool by_number, int64_t ticks_per_us, struct tl_aligned *);
/* After that: the number of a collective that is the index-th of its rank in the group. */
int64_t tl_align_number(const struct tl_align *, const char *group, size_t len, size_t rank, int64_t index, int64_t sequence);

#endif
