/* job.h - the sheets about all traces of a job, of which lib/job makes the rows.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JOB_SHEETS_H
#define TL_JOB_SHEETS_H

#include "sheets/sheet_list.h"

/* Those of tl-ranks, in the order of the report, and those of tl-multi that do not depend on its traces. Some have columns for each
 * rank or for the statistics that are asked for: these have no definition here. */
extern const struct tl_sheet_family tl_multi_sheets;

/* What is added up over the traces: by name and, where there is one, category of the event. */
extern const struct tl_sheet_def tl_multi_launchers, tl_multi_unlinked, tl_multi_short;

#endif
