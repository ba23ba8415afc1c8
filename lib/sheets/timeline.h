/* timeline.h - the gpu_timeline sheet: what the device's time went to.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TIMELINE_H
#define TL_TIMELINE_H

#include "analysis/device_events.h"
#include "table/table.h"

struct tl_timeline_options {
	struct tl_gpu_select select;
	int64_t micro_idle_us; /* idle gaps shorter than this are "micro"; -1: no split */
};

/* Ticks by purpose, of one set of device events. */
struct tl_timeline {
	int64_t computation, exposed_comm, exposed_memcpy, busy, total;
	int64_t comm, memcpy;
	int64_t idle, micro_idle, macro_idle; /* idle = micro + macro */
};
void tl_timeline_measure(const struct tl_trace *, const uint32_t *events, size_t n,
                         int64_t micro_ticks, struct tl_timeline *out);

/* The sheet, in the trace's string table. TL_ERR_DATA when there is no device
 * event. *fell_back as for tl_gpu_events (may be NULL). */
enum tl_status tl_sheet_timeline(struct tl_trace *, const struct tl_timeline_options *,
                                 struct tl_table **out, bool *fell_back, struct tl_error *);

/* Total time in µs that other sheets measure shares against: of the work that is
 * not recomputed, else of all; 0 without device events. It is what "time ms" of
 * total_time says, times 1000. */
double tl_timeline_total_us(const struct tl_trace *, const struct tl_gpu_select *);

#endif
