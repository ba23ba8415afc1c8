/* memory_sheets.h - the sheets memory_summary, memory_peak, memory_ops, memory_steps, memory_curve and memory_blocks: what
 * a trace says of allocations.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MEMORY_SHEETS_H
#define TL_MEMORY_SHEETS_H

#include "analysis/allocations.h"
#include "sheets/sheet_list.h"

struct tl_memory_options {
	int64_t curve_points; /* memory_curve: into so many parts the time of a device is divided, of each of which the first,
	                         the last and the extreme points stay; 0: all points stay */
};
struct tl_memory_view {
	struct tl_trace *trace;
	const struct tl_memory *memory;
	const struct tl_memory_options *options;
};
/* Made from a struct tl_memory_view. */
extern const struct tl_sheet_family tl_memory_sheets;

#endif
