/* rocprof_events.h - device events as the sheets of traces without operators see them; for the
 * files rocprof*.c only.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROCPROF_EVENTS_H
#define TL_ROCPROF_EVENTS_H

#include "sheets/rocprof.h"

struct tl_rocprof_event { uint32_t event; int64_t start, end; };
struct tl_rocprof_events { struct tl_rocprof_event *items; size_t n, cap; };

struct tl_rocprof {
	struct tl_trace *trace;
	struct tl_rocprof_options options;
	struct tl_name_rules *categories;
	struct tl_rocprof_events kernels, copies; /* copies and sets of memory */
	int64_t begin, end;     /* of all processes together */
	struct tl_rocprof_doubts doubts;
};

/* The sheet gpu_timeline, see tl_sheet.make. */
struct tl_table *tl_rocprof_timeline(void *, const struct tl_sheet *);

#endif
