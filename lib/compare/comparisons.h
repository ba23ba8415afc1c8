/* comparisons.h - which sheets of reports are compared, and how.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COMPARISONS_H
#define TL_COMPARISONS_H

#include "table/description.h"

/* What a user can ask for by name. */
enum tl_compare_group { TL_COMPARE_TIMELINE, TL_COMPARE_OPS, TL_COMPARE_KERNELS, TL_COMPARE_ARGS, TL_COMPARE_ROOFLINE,
	TL_COMPARE_STEPS /* asked for by name, or where there are verdicts */, TL_COMPARE_RANKS /* of tl-ranks */, TL_COMPARE_FINDINGS };
extern const char *const tl_compare_groups[]; /* their names, up to a NULL */

/* What the first lines of a comparison tell of a sheet: that its rows are sums by category, or by operator. */
enum tl_compare_level { TL_COMPARE_OTHER, TL_COMPARE_CATEGORIES, TL_COMPARE_OPERATORS, TL_COMPARE_LEVELS };

/* Columns that tell how times of one kind are spread; NULL: none. */
struct tl_spread_columns { const char *mean, *std, *min, *max, *count; };

/* Lists of names end with NULL; a list that is NULL is empty. What is not told in comparisons.c comes from the sheet's description. */
struct tl_comparison {
	const char *program;         /* that makes the sheet, */
	const char *as;              /* and which sheet of it this one is like; NULL: the same */
	const char *sheet;           /* of the reports */
	const char *name;            /* of the result */
	enum tl_compare_group group;
	enum tl_compare_level level;
	const char *if_column;       /* the definition is for sheets with this column; NULL: for all */
	const char *const *keys;     /* rows with the same cells here are compared */
	const char *key_prefix;      /* columns that begin so and that all reports have are keys, too */
	const char *const *metrics, *const *more; /* columns that get a difference; more: besides the usual ones */
	const char *const *rows;     /* the keys that rows may have; NULL: any */
	const char *operator;        /* a column with the operator that a row belongs to; NULL: none */
	const char *calls;           /* a column with the number of calls; NULL: none */
	bool by_key;                 /* rows come by key, */
	const char *sort;            /* else by falling values of this column, which is a time */
	double sort_us;              /* µs in a unit of that column */
	double mean_us;              /* µs in a unit of the mean in `spread`; 0: 1 */
	const char *const *dropped;  /* columns that the result lacks */
	const char *const *once;     /* columns that it has of the first report only */
	const char *const *turned;   /* these columns become rows before rows are compared, see tl_turned; NULL: none do */
	bool on_request;             /* a report has the sheet if it was asked for, so that its absence does not tell that there are no rows */
	const char *unless;          /* a sheet that tells the same of all profilers: this one is compared if a report lacks
	                                that, or if it was asked for and all have it */
	bool split;                  /* into rows of both reports, of the first only, of the other only */
	const char *const *hidden;   /* columns that end so are hidden in a workbook */
	struct tl_spread_columns spread;
};

/* The i-th definition, in the order of the results; NULL past the last. */
const struct tl_comparison *tl_comparison(size_t i);
/* Of the sheet, or of the one that it is like. */
const struct tl_description *tl_comparison_description(const struct tl_comparison *);
/* The column of findings that tells what a row is, since its key is an id. */
#define TL_FINDING_TITLE "title"
/* What people read first of a sheet of findings, a string of it: the title of the first row that is not about the recording, the job or
 * the past, also where that says that there is none, or that nothing was judged. 0: there is no such row. */
uint32_t tl_first_finding(const struct tl_table *);
/* A table of the columns "type", "mean", "std", "min", "max" and "count": a row for each named column that the sheet has, of its
 * cells but those of rows whose cell "mark" is "first", unless that leaves none. Free it. */
struct tl_table *tl_turned(const struct tl_table *, const char *const *columns);
bool tl_comparison_hides(const struct tl_comparison *, const char *column);

#endif
