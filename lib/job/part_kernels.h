/* part_kernels.h - every kernel of a trace with the operator that launched it: the sheets
 * kernels_N.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PART_KERNELS_H
#define TL_PART_KERNELS_H

#include "base/error.h"
#include "model/trace.h"
#include "table/table.h"

/* TL_ERR_DATA: the operators are nested too deeply. */
enum tl_status tl_part_kernels(struct tl_trace *, struct tl_table **out, struct tl_error *);

#endif
