/* column_kind.h - what the numbers of a sheet's column are, and how much people look at the
 * column: by the column's name.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COLUMN_KIND_H
#define TL_COLUMN_KIND_H

#include <stdbool.h>
#include <stddef.h>

enum tl_unit {
	TL_UNIT_NONE,    /* a plain number, or one whose unit the name says and which is not converted */
	TL_UNIT_NS, TL_UNIT_US, TL_UNIT_MS,
	TL_UNIT_PERCENT,
	TL_UNIT_BYTES,
	TL_UNIT_COUNT,   /* how many: thousands are set apart */
};

/* In which order columns get the room of a narrow page. */
enum tl_column_rank {
	TL_RANK_TOTAL,     /* what a row took: sums of time and shares */
	TL_RANK_WHAT,      /* what a row is: category, count */
	TL_RANK_RATE,      /* what it achieved */
	TL_RANK_SHAPE,     /* sizes of operands, streams */
	TL_RANK_OTHER,
	TL_RANK_STATISTIC, /* median, deviation, extremes */
	TL_RANK_PLACE,     /* process, thread, UID, and arguments in full */
	TL_RANK_DETAIL,    /* lists of kernels, call stacks: only when there is a page for them */
	TL_RANK_DRAWING,   /* only there for a chart */
};

struct tl_column_kind { enum tl_unit unit; enum tl_column_rank rank; };
struct tl_column_kind tl_column_kind(const char *name);

/* Is the i-th of the n columns of a sheet out of sight until people ask for it? On a wide sheet
 * these are statistics besides mean and sum, arguments in full, lists of kernels. */
bool tl_column_is_folded(const char *name, size_t i, size_t n);

#endif
