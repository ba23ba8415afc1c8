/* sequences.h - the sheet kernel_sequences: launches that repeat, which a graph could replay.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SEQUENCES_H
#define TL_SEQUENCES_H

#include "model/trace.h"
#include "table/sheet.h"

/* The rows that the sheet is made of: one for each run of repetitions. */
struct tl_table *tl_kernel_sequences(struct tl_trace *);
extern const struct tl_sheet_def tl_kernel_sequences_sheet;

#endif
