/* trend.h - does a metric change in a series of runs: at which run, by how much, and how sure is that?
 *
 * A step is where the ranks of the runs before and behind it differ most, as by A. N. Pettitt (Appl. Statist. 28, 1979), each cut
 * by its own deviation; without one that is rare, a stretch between two cuts is looked for. How rarely equal runs differ so is
 * counted over permutations. What lies before, in and behind is searched again. Runs that follow each other may be alike, as by the
 * heat of a room: then there are fewer independent runs than runs, and by the correlation r of neighbours only the part
 * ((1 - r) / (1 + r))^0.75 of a difference counts, and twice this exponent if r is sure to be there. Probabilities are adjusted for
 * the number of metrics as by tl_judged_adjust. A straight line that describes the runs better than steps do, by G. Schwarz's
 * criterion (Ann. Statist. 6, 1978), is a drift.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TREND_H
#define TL_TREND_H

#include <stdbool.h>
#include <stddef.h>

enum {
	TL_TREND_RUNS = 16, /* of fewer no order is rare enough */
	TL_TREND_SIDE = 4   /* so many runs are on each side of a step */
};
#define TL_TREND_SURE 0.01  /* of all metrics that are told to change so many do not */
#define TL_TREND_LEAST 0.01 /* of the value before: less is no change, however sure it is */

enum tl_trend_kind {
	TL_TREND_STEP, TL_TREND_DRIFT,
	TL_TREND_OUTLIER, /* one run is off, and the ones behind it are not */
	TL_TREND_NONE,    /* no change is shown */
	TL_TREND_WANDERS, /* nor is it, but neighbours are alike: noise drifts */
	TL_TREND_FEW      /* not judged: fewer than TL_TREND_RUNS */
};
const char *tl_trend_text(enum tl_trend_kind);

struct tl_trend_change {
	enum tl_trend_kind kind;
	size_t at;            /* the first run behind a step, or the outlier; else 0 */
	double before, after; /* the medians of the runs up to the next change; of a drift, the line at its ends; of an outlier, its neighbours and it */
	double p, adjusted;   /* NaN of outliers and what is not judged */
};
struct tl_trend {
	const double *values; /* given: of n runs, in their order */
	size_t n;
	double median, noise;  /* noise: the deviation of a run from its step or line */
	double correlation;    /* of the noise of neighbours; less than 0 is 0 */
	double least;          /* a step of so much is found in four of five such series, if it is the only metric */
	struct tl_trend_change *changes; size_t n_changes, cap_changes; /* see below */
};
/* Judges n metrics together. Each gets its steps in their order, its drift, or one change that says why there is none; its outliers come on
 * top. The caller frees `changes`. */
void tl_trend_judge(struct tl_trend *, size_t n);

#endif
