/* one_off_sheet.h - the sheet one_off: what processes do once (steps/one_off.h), and how long the devices wait for it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ONE_OFF_SHEET_H
#define TL_ONE_OFF_SHEET_H

#include "model/trace.h"
#include "table/sheet.h"

extern const struct tl_sheet_def tl_one_off_sheet;
/* Its raw rows, one for each; the caller frees them. The trace must have its annotations and may have Python frames. */
struct tl_table *tl_one_off_rows(struct tl_trace *);

#endif
