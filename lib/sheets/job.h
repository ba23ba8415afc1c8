/* job.h - the sheets about all traces of a job, of which lib/job makes the rows.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JOB_SHEETS_H
#define TL_JOB_SHEETS_H

#include "sheets/sheet_list.h"

/* Those of tl-ranks, in the order of the report, and those of tl-multi that do not depend on its traces. Some have columns for each
 * rank or for the statistics that are asked for: these have no definition here. */
extern const struct tl_sheet_family tl_ranks_sheets, tl_multi_sheets;

/* Rows with the columns of the sheet; its definition sorts them. */
extern const struct tl_sheet_def tl_ranks_wait_pairs, tl_ranks_stragglers, tl_ranks_bandwidth, tl_ranks_communication, tl_ranks_summary, tl_ranks_p2p, tl_ranks_stages, tl_ranks_experts;
/* Rows of one sheet of all ranks side by side; those of TL_SIDE_STEPS come in their order. */
enum tl_side { TL_SIDE_TIMELINE, TL_SIDE_CATEGORIES, TL_SIDE_OPERATORS, TL_SIDE_KERNELS, TL_SIDE_HOST, TL_SIDE_STEPS, TL_SIDES };
extern const struct tl_sheet_def tl_ranks_side[TL_SIDES];

/* What is added up over the traces: by name and, where there is one, category of the event. */
extern const struct tl_sheet_def tl_multi_launchers, tl_multi_unlinked, tl_multi_short;

#endif
