/* kernel_chains.h - the sheet kernel_chains: operators one after another that one kernel could do.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_KERNEL_CHAINS_H
#define TL_KERNEL_CHAINS_H

#include "roofline/measure.h"
#include "table/sheet.h"

/* Makes the sheet; the caller frees it. top: rows at most; -1: all. The trace must hold its Python frames (TL_NEEDS_FRAMES). */
struct tl_table *tl_kernel_chains(struct tl_measure *, int64_t top);
extern const struct tl_sheet_def tl_kernel_chains_sheet;

#endif
