/* fair_time.h - what each device event took of the time of its device, each moment counted once.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FAIR_TIME_H
#define TL_FAIR_TIME_H

#include "work/devices.h"
#include "work/spans.h"

/* By tl_trace_gpu; 0 for device events without start and duration. */
struct tl_fair_time {
	/* Fair time. Where the device computes, the moment belongs to the events that compute, else to those that communicate,
	 * else to the copies; where k of them run at once, each has 1/k of it. In whole ticks: what remains of a division goes to
	 * an event nearby, so that the events of a device that do one kind of work (tl_gpu_work) sum up to exactly the time of
	 * this kind, that of computation_time, exposed_comm_time and exposed_memcpy_time of gpu_timeline. */
	int64_t *ticks;
};
/* Of all device events, linked or not; window: only their time in it; NULL: all time. The work of the trace must be
 * marked (tl_mark_work_once). Takes the time of sorting the device events. */
void tl_fair_time_find(struct tl_fair_time *, struct tl_trace *, const struct tl_devices *, const struct tl_span *window);
static inline int64_t tl_fair_time_of(const struct tl_fair_time *f, const struct tl_trace *t, uint32_t gpu)
{
	return f->ticks[tl_trace_gpu(t, gpu)];
}
void tl_fair_time_release(struct tl_fair_time *);

#endif
