/* ops_by_step.h - the sheet ops_by_step: device time by step and operator.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OPS_BY_STEP_H
#define TL_OPS_BY_STEP_H

#include "model/trace.h"
#include "table/sheet.h"

extern const struct tl_sheet_def tl_ops_by_step_sheet;
/* TL_ERR_USAGE if this is no regular expression. */
enum tl_status tl_check_name_regex(const char *regex, struct tl_error *);
/* What the sheet is made of. It has a row for each step and each operator that launched device work
 * in it; every device event is in one row. The trace must have its annotations; regex, which was checked, tells those
 * that are steps, NULL: ProfilerStep#N. *missing: does the trace have no step? Takes the time of
 * sorting the annotations, and that of the rest in proportion to the trace. */
struct tl_table *tl_ops_by_step(struct tl_trace *, const char *regex, bool *missing);

#endif
