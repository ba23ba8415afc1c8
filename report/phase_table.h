/* phase_table.h - the operators of prefill and of decode, as pictures need them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PHASE_TABLE_H
#define TL_PHASE_TABLE_H

#include "report/plot_sheets.h"

#include <stdbool.h>

/* One phase: a row for each operator. */
struct tl_phase_table {
	const char *phase;         /* "Prefill" */
	size_t n;
	const char **names;
	double *ms, *count, *percent;   /* device time, calls, share of the phase */
	double total_ms;
};
enum { TL_PREFILL, TL_DECODE, TL_N_TABLES };

/* Fills both; what has no number counts as 0. False: neither has a row with time. */
bool tl_phase_tables(struct tl_phase_table *, const struct tl_plot_sheets *);
void tl_phase_tables_release(struct tl_phase_table *);

/* Fills `rows` with the rows of the largest values, at most `most`, the largest first and equal
 * ones in the order of rows; returns how many. */
size_t tl_largest_rows(size_t *rows, const double *values, size_t n, size_t most);

/* Mean and median; n > 0. */
double tl_mean_of(const double *, size_t n);
double tl_median_of(const double *, size_t n);

/* The type of an operator by its name, one of TL_N_TYPES. */
enum { TL_N_TYPES = 8 };
size_t tl_operator_type(const char *name);
const char *tl_operator_type_name(size_t type);

#endif
