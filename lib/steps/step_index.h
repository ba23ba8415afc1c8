/* step_index.h - which step runs on a thread when.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_INDEX_H
#define TL_STEP_INDEX_H

#include "analysis/innermost.h"
#include "base/map.h"
#include "steps/step_find.h"

struct tl_step_index {
	bool is_whole;        /* one step is the whole trace */
	struct tl_innermost *threads; size_t n_threads, cap_threads; /* the steps of each thread and process; their
	                                                                `event` is the number of the step */
	struct tl_map number; /* track, or process and a bit -> 1 + index in threads */
};
void tl_step_index_build(struct tl_step_index *, const struct tl_trace *, const struct tl_steps *);
/* The number of the step in which an operator or call started; TL_NONE: in none, or event is TL_NONE. If
 * no step is of its thread, steps of other threads of the process count. */
uint32_t tl_step_at(const struct tl_step_index *, const struct tl_trace *, uint32_t event);
void tl_step_index_release(struct tl_step_index *);

#endif
