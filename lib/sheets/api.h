/* api.h - the sheets api_summary, memcpy_summary, memcpy_by_size, migrations, graph_nodes, range_summary and range_paths: calls of
 * the runtime and driver, copies and sets of memory, ranges.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_API_H
#define TL_API_H

#include "model/trace.h"
#include "sheet/api.h"

struct tl_api;
/* The trace must outlive the result. Rows are made when a sheet is. */
struct tl_api *tl_api_new(struct tl_trace *, bool full_range_text); /* what tl_api_sheets are made from */
void tl_api_free(struct tl_api *);
struct tl_trace *tl_api_trace(const struct tl_api *);

/* What the sheets that were made so far could not measure. */
struct tl_api_doubts {
	uint32_t copies, copies_without_bytes; /* memcpy_summary: copies and sets; those without "bytes" */
	uint32_t launches, early;              /* api_summary: calls that launched device work; those whose work
	                                          starts before the call does */
};
struct tl_api_doubts tl_api_doubts(const struct tl_api *);

#endif
