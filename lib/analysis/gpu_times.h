/* gpu_times.h - what the time of devices was spent on.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GPU_TIMES_H
#define TL_GPU_TIMES_H

#include "analysis/device_events.h"
#include "analysis/spans.h"

/* In the order of the sheets. Exposed: what runs while nothing is computed, and for copies no
 * communication either. */
enum tl_gpu_time {
	TL_TIME_COMPUTATION, TL_TIME_EXPOSED_COMM, TL_TIME_EXPOSED_MEMCPY, TL_TIME_BUSY, TL_TIME_IDLE, TL_TIME_TOTAL,
	TL_TIME_COMM, TL_TIME_MEMCPY, TL_TIMES
};
/* "computation_time" and so on. */
extern const char *const tl_gpu_time_names[TL_TIMES];

/* Measures spans by kind of work, in ticks, and releases them. `all` becomes all of them, merged; the caller releases it;
 * NULL: nobody needs them. False: no spans. */
bool tl_gpu_times(struct tl_spans of[TL_GPU_WORKS], struct tl_spans *all, int64_t ticks[TL_TIMES]);

#endif
