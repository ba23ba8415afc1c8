/* kernel_kinds.h - the sheet kernel_kinds: device time by what kernels do, as their names say.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_KERNEL_KINDS_H
#define TL_KERNEL_KINDS_H

#include "model/trace.h"
#include "table/sheet.h"

/* The raw rows: one for each name that kernels have, the longest first, with what kernel-kinds.tsv says of it. Tells
 * tl_row_events which row of the sheet each kernel is in. */
struct tl_table *tl_kernel_kinds_rows(struct tl_trace *);
extern const struct tl_sheet_def tl_kernel_kinds_sheet;

#endif
