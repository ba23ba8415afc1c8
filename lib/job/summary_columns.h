/* summary_columns.h - columns of a summary that depend on the statistics that are asked for.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SUMMARY_COLUMNS_H
#define TL_SUMMARY_COLUMNS_H

#include "job/ranks.h"

/* Zero bytes are a start. */
struct tl_summary_columns { struct tl_column *items; size_t n, cap; struct tl_arena names; };
/* Adds a column; valid until the next addition. in, when: see struct tl_column. */
struct tl_column *tl_summary_column(struct tl_summary_columns *, const char *name, enum tl_column_kind, const char *in,
                                    unsigned when);
/* Adds the statistics of the job of the raw column: FIELD_mean. */
void tl_summary_metrics(struct tl_summary_columns *, const char *field, const struct tl_ranks_job *, unsigned when);
/* Ends the list and returns it. */
const struct tl_column *tl_summary_columns_end(struct tl_summary_columns *);
void tl_summary_columns_release(struct tl_summary_columns *);

#endif
