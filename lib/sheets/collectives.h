/* collectives.h - the sheets coll_analysis and collectives: collective communication
 * of a rank.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COLLECTIVES_H
#define TL_COLLECTIVES_H

#include "analysis/device_events.h"
#include "sheets/sheet_list.h"

struct tl_collectives;
/* Finds the collectives of the trace, which must outlive the result. rank: that of events
 * which do not state theirs; -1: what the trace says, or 0 if it says nothing. */
struct tl_collectives *tl_collectives_new(struct tl_trace *, int64_t rank);
void tl_collectives_free(struct tl_collectives *);
/* The columns of the table that the sheets are made of: a row for each collective, in the order of
 * the trace. Those from GROUP to STREAM are arguments of the events. */
enum { TL_COLL_RANK, TL_COLL_GROUP, TL_COLL_RANKS, TL_COLL_NAME, TL_COLL_GROUP_SIZE, TL_COLL_DTYPE, TL_COLL_IN,
	TL_COLL_OUT, TL_COLL_IN_SPLIT, TL_COLL_OUT_SPLIT, TL_COLL_STREAM, TL_COLL_IN_MB, TL_COLL_OUT_MB, TL_COLL_DUR,
	TL_COLL_TS, TL_COLL_UID, TL_COLL_KERNEL, TL_COLL_START, TL_COLL_EXPOSED, TL_COLL_SEQUENCE, TL_COLL_PEER, TL_COLL_N };
/* Did no event name its group, and do all run on one stream? Then the group is called "all";
 * otherwise groups without a name are called "Unknown_Group". */
bool tl_collectives_simple(const struct tl_collectives *);
/* The sheets coll_analysis and collectives, which are made of that table. */
extern const struct tl_sheet_def tl_coll_analysis, tl_coll_events;
/* That table. */
const struct tl_table *tl_collectives_rows(const struct tl_collectives *);
/* Makes the sheet collectives; the caller frees it. Only this fills the column EXPOSED: the ticks in
 * which no computation runs on the device of the collective. */
struct tl_table *tl_collectives_sheet(struct tl_collectives *);
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

/* Made from a struct tl_collectives. */
extern const struct tl_sheet_family tl_collectives_sheets;

#endif
