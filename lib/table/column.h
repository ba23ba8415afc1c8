/* column.h - what the cells of a column are, for all who show, compare or load sheets. lib/sheets/README says what the words mean.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COLUMN_H
#define TL_COLUMN_H

enum tl_type {
	TL_TYPE_TEXT, TL_TYPE_INT, TL_TYPE_REAL,
	TL_TYPE_BOOL,   /* True, False */
	TL_TYPE_BOOL01, /* 1, 0 */
	TL_TYPE_ANY     /* a number or a text, as the trace has it */
};

enum tl_unit {
	TL_UNIT_NONE,    /* a text, a plain number, or one whose unit the name says and which is not converted */
	TL_UNIT_NS, TL_UNIT_US, TL_UNIT_MS,
	TL_UNIT_PERCENT,
	TL_UNIT_BYTES,
	TL_UNIT_COUNT,   /* how many: thousands are set apart */
	TL_UNIT_RATE,    /* an amount, or an amount per second, which may be tiny */
	TL_UNIT_ID,      /* an integer that counts nothing */
	TL_UNIT_SHARE,   /* of another number */
	TL_UNIT_BIN,     /* a limit of a histogram's bin */
	TL_UNIT_N
};

/* What a column says about its row. A sheet has at most one column of each from TIME to RATE. */
enum tl_role {
	TL_ROLE_OTHER,
	TL_ROLE_KEY,     /* which row it is */
	TL_ROLE_TIME,    /* the time that a row is about, by which most sheets are ordered */
	TL_ROLE_SHARE,   /* the part of the whole */
	TL_ROLE_RUNNING, /* such parts, added up */
	TL_ROLE_COUNT,   /* how many rows stand behind it */
	TL_ROLE_AMOUNT,  /* bytes or operations */
	TL_ROLE_RATE,    /* the same per second */
	TL_ROLE_MEAN, TL_ROLE_MEDIAN, TL_ROLE_SPREAD, TL_ROLE_LEAST, TL_ROLE_MOST, TL_ROLE_STATISTIC,
	TL_ROLE_FIRST,   /* of the first row behind it */
	TL_ROLE_START,   /* when it was, from the start of the trace */
	TL_ROLE_LATE,    /* how late */
	TL_ROLE_PLACE,   /* frame, module, file */
	TL_ROLE_CAUSE,   /* why */
	TL_ROLE_FLAG,
};

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

/* What the column is among the metrics of a report. */
enum tl_column_metric { TL_METRIC_NONE, TL_METRIC_GAUGE, TL_METRIC_LABEL };

/* A bar in each cell of a workbook. */
enum tl_column_bar {
	TL_BAR_NONE,
	TL_BAR_WHOLE,    /* full at 100 */
	TL_BAR_GREATEST, /* full at the column's greatest value */
	TL_BAR_ROOF,     /* full at 100, in the colour of rooflines */
};

#endif
