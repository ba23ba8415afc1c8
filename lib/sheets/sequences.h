/* sequences.h - the sheets kernel_sequences, launches that repeat, which a graph could replay; and operator_sequences, what
 * operators launch.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SEQUENCES_H
#define TL_SEQUENCES_H

#include "model/trace.h"
#include "table/sheet.h"

/* The rows that the sheet is made of: one for each run of repetitions. */
struct tl_table *tl_kernel_sequences(struct tl_trace *);
extern const struct tl_sheet_def tl_kernel_sequences_sheet;

/* A row for each outermost operator that launched something; regex: of those of such names, wherever they are, else NULL
 * (tl_check_name_regex). */
struct tl_table *tl_operator_sequences(struct tl_trace *, const char *regex);
extern const struct tl_sheet_def tl_operator_sequences_sheet;

#endif
