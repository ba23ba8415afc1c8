/* collectives.h - the sheets coll_analysis and collectives: collective communication
 * of a rank.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COLLECTIVES_H
#define TL_COLLECTIVES_H

#include "work/device_events.h"
#include "sheet/coll.h"

struct tl_collectives;
/* Finds the collectives of the trace, which must outlive the result. rank: that of events
 * which do not state theirs; -1: what the trace says, or 0 if it says nothing. */
struct tl_collectives *tl_collectives_new(struct tl_trace *, int64_t rank);
void tl_collectives_free(struct tl_collectives *);
/* Did no event name its group, and do all run on one stream? Then the group is called "all";
 * otherwise groups without a name are called "Unknown_Group". */
bool tl_collectives_simple(const struct tl_collectives *);
/* What the sheets are made of: a row for each collective, in the order of the trace; its columns are COLL_…. */
const struct tl_table *tl_collectives_rows(const struct tl_collectives *);
/* Makes the sheet collectives; the caller frees it. Only this and
 * tl_coll_kernels_with_exposed fill the column exposed: the ticks in
 * which no computation runs on the device of the collective. */
struct tl_table *tl_collectives_table(struct tl_collectives *);
/* Has an event the rank 0 for want of any word about its rank? */
bool tl_collectives_no_rank(const struct tl_collectives *);

/* Communication kernels that coll_analysis leaves out for want of a key: the columns by which
 * it groups, or a correlation. */
struct tl_coll_left_out {
	uint32_t kernels, all; /* how many of how many */
	int64_t ticks;         /* the sum of their durations */
};
struct tl_coll_left_out tl_collectives_left_out(const struct tl_collectives *);
/* The i-th key and how many kernels lack it, often none; false past the last. A kernel may
 * lack several. */
bool tl_collectives_reason(const struct tl_collectives *, size_t i, const char **key, uint32_t *n);

#endif
