/* step_kernels.h - the sheet step_kernels: how kernels fill each device in each step.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_KERNELS_H
#define TL_STEP_KERNELS_H

#include "model/trace.h"
#include "table/table.h"

/* A row for each step and device. The trace must have its annotations. */
struct tl_table *tl_step_kernels(struct tl_trace *);

#endif
