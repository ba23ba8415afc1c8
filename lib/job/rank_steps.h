/* rank_steps.h - the steps of all ranks side by side: which rank was slow in which step.
 *
 * Rows are sorted in files (sorter.h); in memory are a few numbers for each rank, and the rows of one step.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANK_STEPS_H
#define TL_RANK_STEPS_H

#include "base/io.h"

#include <stdbool.h>

/* What the steps say of a rank. */
struct tl_rank_score {
	int64_t rank;
	int64_t steps;           /* that it has */
	int64_t slowest;         /* in so many it needed most more than the median rank */
	int64_t outlier;         /* in so many it was an outlier that is slower than the median (tl_is_outlier) */
	int64_t worst_step;      /* where it needed most more than the median rank … */
	double worst_excess_ms;  /* … and how much; 0: nowhere */
};

struct tl_rank_steps *tl_rank_steps_new(void);
void tl_rank_steps_free(struct tl_rank_steps *);
/* Adds the sheet step_times of a rank; ranks in ascending order. Rows of one step, which a trace of several processes has, are
 * added up. TL_ERR_DATA: it is no such sheet. */
enum tl_status tl_rank_steps_add(struct tl_rank_steps *, int64_t rank, struct tl_input *, struct tl_error *);
/* Has any rank steps? */
bool tl_rank_steps_any(const struct tl_rank_steps *);
/* Writes ranks_steps, once. */
enum tl_status tl_rank_steps_write(struct tl_rank_steps *, struct tl_output *, struct tl_error *);
/* After that: what was found of a rank; NULL: it has no steps. */
const struct tl_rank_score *tl_rank_steps_score(const struct tl_rank_steps *, int64_t rank);

#endif
