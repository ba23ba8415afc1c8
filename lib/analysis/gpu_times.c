/* gpu_times.c - what the time of devices was spent on.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/gpu_times.h"

const char *const tl_gpu_time_names[TL_TIMES] = {
	"computation_time", "exposed_comm_time", "exposed_memcpy_time", "busy_time", "idle_time", "total_time",
	"total_comm_time", "total_memcpy_time",
};

bool tl_gpu_times(struct tl_spans of[TL_GPU_WORKS], struct tl_spans *all, int64_t ticks[TL_TIMES])
{
	struct tl_spans part = { 0 }, rest = { 0 }, own = { 0 };

	all = all ? all : &own;
	for (unsigned w = 0; w < TL_GPU_WORKS; w++) {
		tl_spans_merge(&of[w]);
		for (size_t i = 0; i < of[w].n; i++)
			tl_spans_add(all, of[w].items[i].start, of[w].items[i].end);
	}
	tl_spans_merge(all);
	ticks[TL_TIME_COMPUTATION] = tl_spans_length(&of[TL_GPU_COMPUTE]);
	ticks[TL_TIME_COMM] = tl_spans_length(&of[TL_GPU_COMM]);
	ticks[TL_TIME_MEMCPY] = tl_spans_length(&of[TL_GPU_MEMCPY]);
	tl_spans_subtract(&of[TL_GPU_COMM], &of[TL_GPU_COMPUTE], &part);
	ticks[TL_TIME_EXPOSED_COMM] = tl_spans_length(&part);
	tl_spans_subtract(&of[TL_GPU_MEMCPY], &of[TL_GPU_COMPUTE], &part);
	tl_spans_subtract(&part, &of[TL_GPU_COMM], &rest);
	ticks[TL_TIME_EXPOSED_MEMCPY] = tl_spans_length(&rest);
	ticks[TL_TIME_BUSY] = tl_spans_length(all);
	ticks[TL_TIME_TOTAL] = all->n ? tl_ticks_sub(all->items[all->n - 1].end, all->items[0].start) : 0;
	ticks[TL_TIME_IDLE] = tl_ticks_sub(ticks[TL_TIME_TOTAL], ticks[TL_TIME_BUSY]);
	bool any = all->n > 0;
	for (unsigned w = 0; w < TL_GPU_WORKS; w++)
		tl_spans_release(&of[w]);
	tl_spans_release(&part);
	tl_spans_release(&rest);
	tl_spans_release(&own);
	return any;
}
