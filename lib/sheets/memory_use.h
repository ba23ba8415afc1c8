/* memory_use.h - what the sheets of tl-memory are made from. memory.sheet says what they are.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MEMORY_USE_H
#define TL_MEMORY_USE_H

#include "work/allocations.h"
#include "sheet/memory.h"

struct tl_memory_options {
	int64_t curve_points; /* memory_curve: into so many parts the time of a device is divided, of each of which the first,
	                         the last and the extreme points stay; 0: all points stay */
};
/* memory_segments, memory_categories and memory_category_peaks need no more of the trace than its instants. */
struct tl_memory_view {
	struct tl_trace *trace;
	const struct tl_memory *memory;
	const struct tl_memory_options *options;
};

#endif
