/* mfu.h - the sheet mfu: how much of what the GPU could do in its time were operations of the model.
 * Only for the files that make the roofline sheets.
 *
 * Model FLOPs utilization (MFU) and hardware FLOPs utilization (HFU) are those of "PaLM: Scaling Language Modeling with Pathways"
 * (arXiv:2204.02311, section 4.1 and appendix B) and of "Reducing Activation Recomputation in Large Transformer Models"
 * (arXiv:2205.05198, section 5):
 *   MFU = operations without those done again / (time x peak), HFU = all operations / (time x peak).
 * Operations are those of matrix units: products of matrices, convolutions, attention. If they have several precisions,
 *   peak = operations / sum over precisions p of operations(p) / peak(p).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MFU_H
#define TL_MFU_H

#include "sheets/roofline_rows.h"

/* Makes the sheet from rows of unified_perf_summary; the caller frees it. NULL: no operator has a model or, of a folder
 * of sheets, the architecture is not known, or there are no steps, phases and regions. TL_ERR_DATA: calls are nested too deeply. */
enum tl_status tl_mfu_make(struct tl_table **out, struct tl_roofline_tools *, struct tl_rows *, struct tl_error *);
extern const struct tl_sheet_def tl_mfu_sheet;

#endif
