/* numbers.h - the numbers of a column in a group of rows, and statistics of them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_NUMBERS_H
#define TL_NUMBERS_H

#include "table/sheet.h"

struct tl_numbers {
	size_t column;             /* of the table */
	double *values, *scratch; size_t n, cap, cap_scratch; /* nulls are left out */
	struct tl_cell least, greatest;
	__int128 sum;              /* of integers, or of ticks */
	bool reals, times;         /* are there any? */
	int64_t ticks_per_us;
};
/* Is it a statistic of numbers: TL_SUM and so on? */
bool tl_is_statistic(enum tl_column_kind);
/* Takes those of the column in n rows, given by their numbers. */
void tl_numbers_take(struct tl_numbers *, const struct tl_table *, const size_t *rows, size_t n);
/* What a column of the kind TL_SUM and so on says of them. */
struct tl_cell tl_numbers_statistic(struct tl_numbers *, const struct tl_column *);
void tl_numbers_release(struct tl_numbers *);

#endif
