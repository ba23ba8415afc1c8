/* column_kind.h - what the numbers of a sheet's column are, how it is shown, and how much people
 * look at it: by the column's name, as columns.tsv says.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COLUMN_KIND_H
#define TL_COLUMN_KIND_H

#include "base/base.h"
#include "table/column.h"

/* The words of columns.tsv for ranks and bars are in this order, those for units in that of enum tl_unit. */

/* In which order columns get the room of a narrow page. */
enum tl_column_rank {
	TL_RANK_KEY,       /* which row it is, or what the sheet is for: it never goes */
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

/* A bar in each cell of a workbook. */
enum tl_column_bar {
	TL_BAR_NONE,
	TL_BAR_WHOLE,    /* full at 100 */
	TL_BAR_GREATEST, /* full at the column's greatest value */
	TL_BAR_ROOF,     /* full at 100, in the colour of rooflines */
};

struct tl_column_facts {
	enum tl_unit unit;
	enum tl_column_rank rank;
	enum tl_column_bar bar;
	uint8_t max_width; /* in a workbook, in characters */
	bool is_share;     /* which part of the whole each row is */
};
/* A column without a row in columns.tsv is a text or plain number, 60 characters wide at most. */
struct tl_column_facts tl_column_facts(const char *name);

/* Is the i-th of the n columns of a sheet out of sight until people ask for it? On a wide sheet
 * these are statistics besides mean and sum, arguments in full, lists of kernels. */
bool tl_column_is_folded(const char *name, size_t i, size_t n);

/* A table of columns; columns.tsv tells the form. Begin with zeros. */
struct tl_column_table {
	struct tl_column_row *rows;
	size_t n, cap;
	struct tl_arena arena;
};
/* TL_ERR_DATA: a row is wrong; *err names file, line and column. */
enum tl_status tl_column_table_add(struct tl_column_table *, const char *file, const char *text, size_t len, struct tl_error *err);
void tl_column_table_release(struct tl_column_table *);
/* False: no row tells what the column is. */
bool tl_column_table_find(const struct tl_column_table *, const char *name, struct tl_column_facts *);

#endif
