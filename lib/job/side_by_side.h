/* side_by_side.h - the same rows of the sheets of all ranks side by side: which rank needs more
 * time than the others, and where.
 *
 * Rows are sorted in files (sorter.h). In memory are some numbers for each rank, and a row for each
 * name.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SIDE_BY_SIDE_H
#define TL_SIDE_BY_SIDE_H

#include "work/name_rules.h"
#include "sheet/ranks.h"
#include "table/tsv.h"

/* Sheets of one trace that are compared: rows of one name are added up. Of TL_SIDE_STEPS the name alone counts: see rank_steps.h. */
enum tl_side { TL_SIDE_TIMELINE, TL_SIDE_CATEGORIES, TL_SIDE_OPERATORS, TL_SIDE_KERNELS, TL_SIDE_HOST, TL_SIDE_STEPS, TL_SIDES };
struct tl_side_sheet {
	const char *sheet, *time; /* of a trace: its name, the column of times */
	double ms;                /* what a unit of that time is in milliseconds */
	bool absent_is_0;         /* a rank without the row has 0 there; else it does not count */
	const struct tl_sheet_def *made; /* of all ranks; its first column has the name of theirs */
};
extern const struct tl_side_sheet tl_side_sheets[TL_SIDES];

/* rules: what kernels do, by name (tl_work_rules_new); they outlive it. */
struct tl_side_by_side *tl_side_new(struct tl_name_rules *rules);
void tl_side_free(struct tl_side_by_side *);
/* Adds a sheet of a rank, tl_side_sheets[i]; ranks in ascending order. TL_ERR_DATA: it is no such sheet. */
enum tl_status tl_side_add(struct tl_side_by_side *, int64_t rank, size_t i, struct tl_input *, struct tl_error *);
/* Writes ranks_summary and the sheets of tl_side_sheets that have rows; create and finish are as in
 * struct tl_ranks_job. Once. */
enum tl_status tl_side_write(struct tl_side_by_side *, struct tl_output *(*create)(void *ctx, const char *sheet),
                             void (*finish)(void *ctx, struct tl_output *), void *ctx, struct tl_error *);

#endif
