/* memory_snapshot.h - what only a snapshot of PyTorch's allocator tells.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MEMORY_SNAPSHOT_H
#define TL_MEMORY_SNAPSHOT_H

#include "table/sheet.h"

/* Rows of memory_errors, allocations that failed and what the device had then, and of memory_segments, what the allocator held
 * at the end. view: a struct tl_memory_view. */
void tl_memory_errors(void *view, struct tl_sheet_input *);
void tl_memory_segments(void *view, struct tl_sheet_input *);

#endif
