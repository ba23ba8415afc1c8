/* delays.h - where delays began.
 *
 * A rank that is late at a collective may have been late at an earlier one, of another group, as a rank there was. So each rank
 * carries along how much later it is because of which rank or link: between two collectives of a group it adds by how much it needs
 * longer than the median of those whom it meets, without what it waited elsewhere and what was added there; in a collective all take
 * over what the last one carries, and what the transfer takes longer than usual. The time that ranks wait for
 * the last one is charged by the difference of what they carry.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_DELAYS_H
#define TL_DELAYS_H

#include "job/links.h"
#include "job/meeting.h"

struct tl_delays;
/* ranks: how many there are. */
struct tl_delays *tl_delays_new(size_t ranks);
void tl_delays_free(struct tl_delays *); /* NULL is allowed */
/* Takes a collective of several ranks that all must join, by one clock, in any order. parts: the number of each rank, of m->n; group, row: any
 * numbers from 0, of its group and of such collectives of it; link: see tl_links_add, SIZE_MAX: ranks are missing. TL_ERR_IO: as tl_sorter_add. */
enum tl_status tl_delays_add(struct tl_delays *, const struct tl_meeting *m, const size_t *parts, uint32_t group, size_t row, size_t link, struct tl_error *);

/* Of all that ranks waited for the last ones: all sums are of ticks. */
struct tl_rank_delay {
	double own;       /* what began with the rank */
	double inherited; /* what others waited for it, and began elsewhere */
	double extra;     /* by how much it needed longer between collectives than the median, in all … */
	uint64_t gaps;    /* … of times in which no rank was missing, so many; 0: it cannot be judged */
	bool partly;      /* given: some of its collectives lack ranks, so that it may wait for one that is missing */
	uint64_t met;     /* collectives in which it may wait for another one */
};
struct tl_row_delay {
	double of_last;   /* what others waited in the row for the last rank, and began with it */
	double inherited; /* what they waited there, and began elsewhere */
	double link;      /* what began with its link: transfers that took longer than usual */
	size_t origin;    /* the rank where most of it began … */
	double most;      /* … and how much that is */
};
/* Finds them, once: by the numbers of ranks, and of `rows` rows, of which all else is 0. links: after tl_links_find. */
enum tl_status tl_delays_find(struct tl_delays *, const struct tl_links *, struct tl_rank_delay *ranks,
	struct tl_row_delay *of_rows, size_t rows, struct tl_error *);

#endif
