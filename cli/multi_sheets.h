/* multi_sheets.h - the sheets of tl-multi, made of the parts of a group of traces.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MULTI_SHEETS_H
#define TL_MULTI_SHEETS_H

#include "cli/multi_replay.h"
#include "cli/outputs.h"
#include "multi/op_groups.h"
#include "multi/trace_groups.h"

struct tl_multi_sheets {
	const struct tl_op_groups *groups;
	bool kernels;                  /* with the sheets kernels_N */
	const struct tl_multi_replay *replay;
	const char *work;              /* a folder for files that are no sheets */
	const struct tl_common *common;
};
/* Writes the sheets and adds them to the files; prints what TraceLens prints meanwhile. */
void tl_multi_sheets_make(struct tl_sheet_files *, const struct tl_trace_group *, const struct tl_multi_sheets *);
/* Of a clock that only tells how long something took. */
double tl_multi_seconds(void);

#endif
