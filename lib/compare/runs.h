/* runs.h - several runs of one program as one side of a comparison.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RUNS_H
#define TL_RUNS_H

#include "base/error.h"
#include "compare/comparisons.h"
#include "compare/verdict.h"

/* Of several runs. The table has the keys of the comparison and for each of them a row with the mean over all runs of what is
 * judged, the operator of one of its rows if the comparison names one, COLUMN (tl_judged_column), its
 * COLUMN_std, COLUMN_min and COLUMN_max, the calls of a run, the mean of a call, and "runs": how many
 * runs have the row. Where a run lacks it, COLUMN counts as 0; rows of one run with the same keys are added up. */
struct tl_runs {
	struct tl_table *table;
	double *values;  /* of what is judged, by row and run */
	size_t n;        /* runs */
};
/* tables: the sheet of each run, all with the same strings. TL_ERR_DATA: *bad is the run that lacks a key. Release it also then. */
enum tl_status tl_runs_make(struct tl_runs *, const struct tl_comparison *, struct tl_table *const *tables, size_t n, size_t *bad,
                            struct tl_error *);
void tl_runs_release(struct tl_runs *);
/* Are there several runs that are equal in all that is judged, as copies of one are? */
bool tl_runs_are_copies(const struct tl_runs *);

/* What of a row is judged by the spread between runs: its time. */
const char *tl_judged_column(const struct tl_comparison *);

/* Judges n rows: n_b runs against n_a. a and b: by row and run. The probability is that of Student's t, the difference of the
 * means of the runs by its standard error, which is the greater one of Student's and Welch's. Runs are few, so their spread is
 * known badly. Of TL_RUNS_POOL rows on, that of a row is made better by that of all rows, relative to their means, as
 * G. K. Smyth tells (Stat. Appl. Genet. Mol. Biol. 3, 2004), with degrees of freedom that stay few
 * - where rows differ in how they are spread, and
 * - where they move together from run to run, as by the clock rate: then many rows know no more than one does.
 * Half of these degrees count. Probabilities are adjusted as by tl_judge. Fewer than 4 runs in all are not judged. */
void tl_judge_runs(struct tl_judged *out, const double *a, size_t n_a, const double *b, size_t n_b, size_t n);
enum { TL_RUNS_POOL = 16 };

#endif
