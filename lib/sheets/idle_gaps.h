/* idle_gaps.h - the sheet idle_gaps: the longest times in which a device did nothing, and why.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_IDLE_GAPS_H
#define TL_IDLE_GAPS_H

#include "analysis/devices.h"
#include "table/sheet.h"

extern const struct tl_sheet_def tl_idle_gaps_sheet;
/* A row for each of the longest gaps of each device; top: at most so many of one, -1 for
 * all. All device events count, linked or not. Takes the time of sorting device events and
 * the host events that the gaps need. The caller frees the table with tl_table_free. */
struct tl_table *tl_idle_gaps(struct tl_trace *, const struct tl_devices *, int64_t top);

#endif
