/* step_table.h - the sheet step_times: what each step took, and which one is slow.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_TABLE_H
#define TL_STEP_TABLE_H

#include "model/trace.h"
#include "table/table.h"

/* A row for each step that tl-split knows; none of a trace without steps. The trace must have its annotations. */
struct tl_table *tl_step_times(struct tl_trace *);

#endif
