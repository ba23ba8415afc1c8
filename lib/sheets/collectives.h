/* collectives.h - collective communication: one row an event, and the sheet
 * coll_analysis of one rank.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COLL_H
#define TL_COLL_H

#include "analysis/device_events.h"
#include "table/table.h"

/* Columns of the rows of collectives, in this order. */
enum tl_coll_column {
	TL_COLL_RANK,
	TL_COLL_GROUP, TL_COLL_RANKS, TL_COLL_NAME, TL_COLL_GROUP_SIZE, TL_COLL_DTYPE, TL_COLL_IN, TL_COLL_OUT,
	TL_COLL_IN_SPLIT, TL_COLL_OUT_SPLIT, TL_COLL_STREAM,
	TL_COLL_IN_MB, TL_COLL_OUT_MB,
	TL_COLL_DUR,                        /* µs */
	TL_COLL_TS_TICKS, TL_COLL_DUR_TICKS,
	TL_COLL_UID,
	TL_COLL_COLUMNS
};

/* An empty table with these columns; text goes to strings. */
struct tl_table *tl_coll_table(struct tl_strtab *strings);
/* Appends the collectives of a trace as those of one rank, in file order. Many
 * ranks may go to one table, whose strings may be another trace's or none's. */
void tl_coll_add(struct tl_table *, struct tl_trace *, int64_t rank);
/* After all ranks: groups without a name become Unknown_Group, or, when no
 * group has a name and no rank uses more than one stream, "all" (*simplified
 * tells, may be NULL); columns are typed. */
void tl_coll_finish(struct tl_table *, bool *simplified);

/* The sheet coll_analysis from finished rows. */
struct tl_table *tl_coll_analysis(const struct tl_table *rows);
/* The rows themselves, under names for a record dump; t's clock names the
 * columns of ticks. */
struct tl_table *tl_coll_records(const struct tl_table *rows, const struct tl_trace *t);

#endif
