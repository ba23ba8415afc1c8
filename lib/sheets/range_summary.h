/* range_summary.h - the sheet range_summary: ranges (NVTX, roctx, annotations), their time on
 * the host, and the time of the device work that was launched in them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANGE_SUMMARY_H
#define TL_RANGE_SUMMARY_H

#include "model/trace.h"
#include "table/sheet.h"

extern const struct tl_sheet_def tl_range_summary_sheet;
/* A row for the ranges of one name and style. A range's device time goes from the first start
 * to the last end of the device events whose calls lie wholly inside the range, on the thread
 * of the range; one that ends on another thread has none. The trace must have its annotations.
 * Takes the time of sorting its ranges and launching calls. The caller frees the table. */
struct tl_table *tl_range_summary(struct tl_trace *);

#endif
