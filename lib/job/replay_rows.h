/* replay_rows.h - the device time of traces, by calls of the operators that are run again and by what launched the rest.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REPLAY_ROWS_H
#define TL_REPLAY_ROWS_H

#include "job/op_groups.h"
#include "model/trace.h"
#include "perf/perf.h"
#include "sheet/replay.h"
#include "table/sheet_sum.h"

/* Adds the rows of a trace to a sum, whose definition becomes tl_replay_call_sum_sheet: CALL_…, all device work but communication, each once. Work
 * below several operators of groups belongs to the outermost. TL_ERR_DATA: operators are nested too deeply. */
enum tl_status tl_replay_rows_add(struct tl_sheet_sum *, struct tl_trace *, const struct tl_registry *, const struct tl_op_groups *,
                                  struct tl_error *);
#endif
