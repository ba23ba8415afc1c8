/* ops_by_module.h - the sheet ops_by_module: device time by nn.Module.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OPS_BY_MODULE_H
#define TL_OPS_BY_MODULE_H

#include "model/trace.h"
#include "table/sheet.h"

extern const struct tl_sheet_def tl_ops_by_module_sheet;
/* A row for each module that the Python frames of the call tree tell, by its path; every
 * device event is in the direct time of one row. *found: is there a module? Takes time and
 * memory in proportion to the trace. The caller frees the table with tl_table_free. */
struct tl_table *tl_ops_by_module(struct tl_trace *, bool *found);

#endif
