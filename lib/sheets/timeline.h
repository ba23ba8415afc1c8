/* timeline.h - the gpu_timeline sheet: what the device's time went to.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TIMELINE_H
#define TL_TIMELINE_H

#include "analysis/device_events.h"
#include "sheets/sheet_list.h"

struct tl_timeline_options {
	struct tl_gpu_select select;
	int64_t micro_idle_us; /* idle gaps shorter than this are "micro"; -1: no split */
};

struct tl_timeline;
/* Measures the device events of the trace, which must outlive it. TL_ERR_DATA when
 * there is none. *fell_back as for tl_gpu_events. */
enum tl_status tl_timeline_new(struct tl_timeline **out, struct tl_trace *, const struct tl_timeline_options *,
                               bool *fell_back, struct tl_error *);
void tl_timeline_free(struct tl_timeline *);

/* Made from a struct tl_timeline. */
extern const struct tl_sheet_family tl_timeline_sheets;

/* Total time in µs that other sheets measure shares against: of the work that is
 * not recomputed, else of all; 0 without device events. It is what "time ms" of
 * total_time says, times 1000. */
double tl_timeline_total_us(const struct tl_trace *, const struct tl_gpu_select *);

#endif
