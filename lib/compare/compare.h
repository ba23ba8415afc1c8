/* compare.h - a sheet of several reports side by side, with differences.
 *
 * The first report is the baseline; each has a tag. Columns of the result are the keys; for each
 * metric and each other report "METRIC__TAG_diff" (its value minus the baseline's) and
 * "METRIC__TAG_pct" (100 times that by the baseline's); then "TAG::COLUMN" for the other columns
 * of each report; with verdicts, at the end METRIC__TAG_verdict and how sure it is.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COMPARE_H
#define TL_COMPARE_H

#include "base/error.h"
#include "compare/runs.h"

struct tl_compare_input {
	const char *const *tags;
	struct tl_table *const *tables; /* the sheet of each report; all with the same strings */
	size_t n;
	const struct tl_runs *sides; /* of each report, if it stands for several runs, where the tables come from; NULL: each is one run */
	bool verdict; /* tells how sure differences are, and joins rows of one key in their order; otherwise
	                 each with each */
};

/* A sheet of the result. */
struct tl_compared {
	char *name;
	struct tl_table *table;
	const struct tl_comparison *of;
	struct tl_spread_columns spread; /* what verdicts are about; without a mean: there are none */
	size_t other; /* the report that it compares with the baseline; 0: all of them */
	uint32_t *first; /* by report: tl_first_finding, of sheets of findings */
};
struct tl_compared_list {
	struct tl_compared *items;
	size_t n, cap;
};

/* What is to be told to a user. */
struct tl_compare_report {
	size_t repeated;       /* keys that stand in several rows of a report */
	const char *no_metric; /* a metric that a report with rows lacks, so that it has no difference; NULL: none */
	size_t without;        /* … the number of this report */
};

/* Compares and adds the sheets of the result to the list. TL_ERR_DATA if a report with rows lacks
 * a key (*bad becomes its number), or if the result would be too large (*bad becomes n). */
enum tl_status tl_compare(const struct tl_comparison *, const struct tl_compare_input *, struct tl_compared_list *,
                          struct tl_compare_report *, size_t *bad, struct tl_error *);
void tl_compared_release(struct tl_compared_list *);

#endif
