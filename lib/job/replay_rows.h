/* replay_rows.h - the device time of traces, by calls of the operators that are run again and by what launched the rest.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REPLAY_ROWS_H
#define TL_REPLAY_ROWS_H

#include "job/op_groups.h"
#include "model/trace.h"
#include "perf/models/perf.h"
#include "table/sheet_sum.h"

/* GROUP: that of op-groups.tsv, null for other work; LEFT: why the work cannot be run again, null if its arguments are known. */
enum tl_replay_row_column { TL_RR_GROUP, TL_RR_LEFT, TL_RR_NAME, TL_RR_DIMS, TL_RR_TYPES, TL_RR_STRIDES, TL_RR_VALUES, TL_RR_COUNT,
	TL_RR_UID, TL_RR_TIME, TL_RR_COLUMNS };
/* Adds the rows of a trace to a sum, whose definition becomes tl_replay_rows_sum: all device work but communication, each once. Work
 * below several operators of groups belongs to the outermost. TL_ERR_DATA: operators are nested too deeply. */
enum tl_status tl_replay_rows_add(struct tl_sheet_sum *, struct tl_trace *, const struct tl_registry *, const struct tl_op_groups *,
                                  struct tl_error *);
/* Adds up the times of equal calls; sorted by time, the longest first. */
extern const struct tl_sheet_def tl_replay_rows_sum;

#endif
