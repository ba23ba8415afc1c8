/* step_roots.h - the annotations of a trace that are steps of a serving engine.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_ROOTS_H
#define TL_STEP_ROOTS_H

#include "model/trace.h"
#include "steps/step_text.h"

/* Events (indexes) by start; those with equal starts in file order. */
struct tl_step_roots { uint32_t *events; size_t n; };

/* Finds the annotations of the host whose text is of tier 1; if the trace has none, those of
 * tier 2. Release the roots, also when none are found. */
void tl_step_roots_find(struct tl_step_roots *, const struct tl_trace *, enum tl_step_formats);
void tl_step_roots_release(struct tl_step_roots *);

#endif
