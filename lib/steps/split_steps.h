/* split_steps.h - the steps that a trace is split into: what a serving engine annotates, training
 * steps, or calls that repeat. (phase_steps.h has the steps whose phase is told.)
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SPLIT_STEPS_H
#define TL_SPLIT_STEPS_H

#include "model/trace.h"
#include "steps/step_text.h"

/* Where steps come from, in the order in which they are looked for. */
enum tl_split_source {
	TL_SPLIT_NONE,
	TL_SPLIT_ENGINE,   /* annotations of a serving engine, see step_roots.h */
	TL_SPLIT_PROFILER, /* ProfilerStep#N; a single one only if no calls repeat */
	TL_SPLIT_REPEATED, /* calls that repeat, see step_repeats.h */
};

struct tl_split_step {
	uint32_t event;     /* the annotation, or the first of the calls */
	int64_t from, to;   /* ticks, on the thread of the event */
	struct tl_step_text text; /* where the event tells no requests: that of one request that decodes */
};
struct tl_split_steps { struct tl_split_step *items; size_t n; enum tl_split_source source; };

/* The steps of a linked trace, by start. Release them, also when none are found. */
void tl_split_steps_find(struct tl_split_steps *, const struct tl_trace *);
void tl_split_steps_release(struct tl_split_steps *);

#endif
