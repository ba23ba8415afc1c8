/* changes.h - the rows of a sheet that was compared, by the time that they gained or lost.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CHANGES_H
#define TL_CHANGES_H

#include "compare/compare.h"

enum tl_change_side { TL_IN_BOTH, TL_GONE, TL_NEW }; /* in the baseline only; in the other report only */

struct tl_change {
	const struct tl_table *table; size_t row; /* of a sheet of the result */
	enum tl_change_side side;
	double time[2];   /* µs in the baseline and the other report; 0: it has no such row */
	double share;     /* of the time of the sheet, the greater one of both, in percent */
	double cost;      /* µs that the calls of the other report take more than so many of the baseline would; where only
	                     sums are known, that time takes more than time */
	bool runs;        /* the sides are of several runs each */
	const char *verdict; /* "slower" and so on; "replaced"; NULL: none was asked for */
	const char *name; /* what it is called if it is replaced, its operator; else NULL */
};
/* The rows that one operator has in the baseline only, and those that it has in the other report only, are one change, "replaced", with
 * the time of both sides: kernels that others do the work of. */
struct tl_changes {
	struct tl_change *items; size_t n, cap;
	size_t n_both, n_judged; /* those of both reports that are not replaced; those with a verdict that is not "not judged" */
	double total[2];  /* µs of all rows */
};

/* The rows of the sheet of a name in report number `other`, which has tags[other], against the baseline, in the order of the
 * results. They point into the results; free the items. False: the sheet was not compared, or its rows have no time. */
bool tl_changes_find(struct tl_changes *, const struct tl_compared_list *, const char *sheet, const char *const *tags, size_t other);
/* Is the verdict that it is slower or faster? */
bool tl_change_is_sure(const struct tl_change *);
/* Are the sides of several runs each? */
bool tl_compared_is_of_runs(const struct tl_compared *);
/* What the row is called: the cell of its first key; of a finding its title; of what is replaced the operator. */
const char *tl_change_name(const struct tl_change *);
/* Appends that name in one line, cut if it is long. */
void tl_change_show_name(struct tl_buf *, const struct tl_change *);

/* Rows that belong together, and the µs that count of them: what calls that are called slower cost, what those that are called
 * faster save, what those that replaced others take more than these, the time of rows of one report only. */
enum tl_change_kind { TL_CHANGE_SLOWER, TL_CHANGE_FASTER, TL_CHANGE_REPLACED, TL_CHANGE_NEW, TL_CHANGE_GONE, TL_CHANGE_KINDS };
extern const char *const tl_change_kinds[TL_CHANGE_KINDS]; /* "slower" and so on */
/* n: rows; most: the one with the most µs, NULL if there is none. */
struct tl_change_sum { double us; size_t n; const struct tl_change *most; double most_us; };
/* Of those with a share of at least min_share. */
struct tl_change_sum tl_changes_sum(const struct tl_changes *, enum tl_change_kind, double min_share);
/* 100 * difference / was; infinite if that is 0 and the difference is not. */
double tl_percent_of(double difference, double was);

/* The number in a column of the result, whose name is printed; NaN: the table has none. */
double tl_compared_number(const struct tl_table *, size_t row, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
