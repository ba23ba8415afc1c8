/* verdict.h - do the times of two reports differ by more than chance?
 *
 * Each row of a sheet tells how the times of an operator or kernel are spread on both sides. A row is called slower or
 * faster by a test that holds for times of any distribution that GPUs show: few calls, one of them far off, times of
 * whole microseconds, many calls against few. Because a sheet has many rows, some of which differ by chance, the
 * probabilities are adjusted as Y. Benjamini and Y. Hochberg tell (J. R. Statist. Soc. B 57, 1995): of the rows that are
 * called slower or faster, 5 % are expected to be neither. What differs from one run of the same program to the next for
 * all its calls alike, such as clock rates, is not in the spread.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_VERDICT_H
#define TL_VERDICT_H

#include <stddef.h>

/* What a row of a report tells of some times, in µs; NaN: unknown. n, their number, is 0 if the report lacks the row.
 * std is that of a sample (n - 1). */
struct tl_spread { double n, mean, std, min, max; };

enum tl_verdict {
	TL_VERDICT_NONE,       /* the row is in one of the reports only */
	TL_VERDICT_SLOWER, TL_VERDICT_FASTER, TL_VERDICT_SAME,
	TL_VERDICT_ONE_RUN,    /* the sheet does not tell the spread */
	TL_VERDICT_FEW_RUNS,   /* too few to know their spread */
	TL_VERDICT_FEW,        /* one of the sides has fewer than TL_VERDICT_CALLS calls */
	TL_VERDICT_NO_SPREAD,  /* the row does not tell the spread */
};

/* Of fewer calls a side not even "all of one side below all of the other" is rarer than 5 %: three of each lie so in 2 of
 * 20 orders. */
#define TL_VERDICT_CALLS 4

/* NaN: not judged. */
struct tl_judged {
	enum tl_verdict verdict;
	double more;      /* b's mean less a's */
	double p;         /* the probability of such a difference if both sides came from one distribution */
	double adjusted;  /* … raised for the number of rows */
	double low, high; /* the 95 % confidence interval of b's mean less a's, in percent of a's */
};

/* As sheets show it; NULL for none. */
const char *tl_verdict_text(enum tl_verdict);

/* Judges the n rows of a sheet, b against a. Row i's p is that of Student's t, the difference of means by its standard
 * error,
 * - with the greater of two standard errors: Welch's, of each side's own variance, and Student's, of the common one. The
 *   first takes too little where few calls happen to lie close together, the second where they happen to lie far apart;
 *   for equal numbers of calls they are the same;
 * - with the degrees of freedom of the smaller side;
 * - where no deviation is known, with the greatest that least, mean and greatest time allow;
 * - no variance below that of rounding to the clock's tick (tl_tick_of), tick²/12; where no time of a side differs from
 *   the others, no difference up to the tick;
 * - no p below 2 / C(2k, k), k being the number of calls of the smaller side: how rarely all of k values lie below all of
 *   k others. */
void tl_judge(struct tl_judged *out, const struct tl_spread *a, const struct tl_spread *b, size_t n);

/* The clock's tick of a sheet in µs: the greatest common divisor of its least and greatest times; from 1 ns, also for
 * times that are not whole ns, to 1 µs. */
double tl_tick_of(const struct tl_spread *, size_t n);

/* Fills `adjusted` of the rows of a sheet that have a p, and makes their verdicts of it. */
void tl_judged_adjust(struct tl_judged *, size_t n);

/* The t that is exceeded on both sides with probability p. */
double tl_student_limit(double p, double degrees);
/* The probability that Student's t with so many degrees of freedom is farther from 0 than t. */
double tl_student_two_sided(double t, double degrees);

#endif
