/* memory_categories.h - memory by what it is for, of timelines of torch.profiler's export_memory_timeline.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MEMORY_CATEGORIES_H
#define TL_MEMORY_CATEGORIES_H

#include "table/sheet.h"

/* Rows of the sheets memory_categories and memory_category_peaks; view: a struct tl_memory_view, of whose trace no more than
 * the instants is needed. No row: the trace has no events TL_MEMORY_CATEGORY. */
void tl_memory_categories(void *view, struct tl_sheet_input *);
void tl_memory_category_peaks(void *view, struct tl_sheet_input *);
extern const struct tl_sheet_def tl_memory_category_peaks_def;

#endif
