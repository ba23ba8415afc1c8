/* verdict.h - how sure the difference between two reports is.
 *
 * A row of a sheet tells how the times of an operator or kernel are spread: their number, mean,
 * deviation, least and greatest. With deviations, Welch's t-test judges the two means; with least and
 * greatest times only, the Mann-Whitney test does where the times do not overlap. Because a sheet
 * has many rows, some of which differ by chance, the probabilities are adjusted as Y. Benjamini
 * and Y. Hochberg tell (J. R. Statist. Soc. B 57, 1995): of the rows that are called slower or
 * faster, 5 % are expected to be neither. What differs from one run of the same program to the next
 * for all its calls alike, such as clock rates, is not in the spread.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_VERDICT_H
#define TL_VERDICT_H

#include "compare/comparisons.h"
#include "compare/join.h"
#include "compare/welch.h"

enum tl_verdict {
	TL_VERDICT_NONE,       /* the row is in one of the reports only */
	TL_VERDICT_SLOWER, TL_VERDICT_FASTER, TL_VERDICT_SAME,
	TL_VERDICT_ONE_RUN,    /* the sheet does not tell the spread */
	TL_VERDICT_ONE_VALUE,  /* one of the sides has one value or tells no spread */
	TL_VERDICT_OVERLAP,    /* only least and greatest times are known, and they overlap */
};
/* As sheets show it; NULL for none. */
const char *tl_verdict_text(enum tl_verdict);

struct tl_judged {
	enum tl_verdict verdict;
	struct tl_noise noise; /* low and high: in percent of the baseline's mean */
	double adjusted;       /* probability */
};
/* Judges each joined row: table `other` against table 0. out: as many as the join has rows. */
void tl_judge(struct tl_judged *out, const struct tl_spread_columns *, const struct tl_join *, struct tl_table *const *tables,
              size_t other);

#endif
