/* profiler_step.h - the number of a training step, as PyTorch's profiler annotates it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PROFILER_STEP_H
#define TL_PROFILER_STEP_H

#include <stdint.h>

/* N of an annotation with the name "ProfilerStep#N"; -1 for other names. */
int64_t tl_profiler_step(const char *name);

#endif
