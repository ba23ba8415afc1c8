/* profiler_step.h - annotations of the host, and the number of a training step, as PyTorch's profiler annotates it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PROFILER_STEP_H
#define TL_PROFILER_STEP_H

#include "model/trace.h"

/* N of an annotation with the name "ProfilerStep#N"; -1 for other names. */
int64_t tl_profiler_step(const char *name);

/* Is it an annotation of the host? The profilers of 2021 wrote theirs (ProfilerStep#5, Optimizer.step#SGD.step) as operators; no
 * operator has a #. */
bool tl_is_annotation(const struct tl_trace *, const struct tl_ev *);

#endif
