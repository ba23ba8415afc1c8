/* diff_tables.h - the device work that differs as tables: diff_stats and
 * diff_stats_unique_args_summary, and diff_summary.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_DIFF_TABLES_H
#define TL_DIFF_TABLES_H

#include "compare/diff.h"
#include "sheet/diff.h"

/* If both traces have the same rows, those of the first one only, and no column source. Texts are in the first
 * trace's strings. */
struct tl_diff_tables {
	struct tl_table *stats;   /* a row for each tl_diff.rows */
	struct tl_table *summary; /* rows that differ in node, device event and kernel time only are one */
	struct tl_table *operators; /* sums by operator, with counts and times of both traces, also of identical ones */
	bool identical;           /* the rows of both traces are the same */
};
/* TL_ERR_DATA: modules are nested so deeply that their lists would be too long. */
enum tl_status tl_diff_tables_make(struct tl_diff_tables *, const struct tl_diff *, struct tl_error *);
void tl_diff_tables_release(struct tl_diff_tables *);

#endif
