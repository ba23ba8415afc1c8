/* step_find.h - the steps of a trace: iterations of a serving engine, training steps, rounds of a loop.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_FIND_H
#define TL_STEP_FIND_H

#include "work/profiler_step.h"
#include "base/pattern.h"
#include "model/trace.h"
#include "steps/step_list.h"

/* The steps of a linked trace, found once and kept with it: those that the user's expression names; else those of an engine; else
 * two ProfilerSteps or more; else two annotations or more that tell their step; else annotations whose names repeat; else calls
 * that repeat; a single ProfilerStep goes before what tells and repeats, but for calls. By start; annotations of engines within
 * each other are steps each, as for TraceLens. The trace must be complete. */
const struct tl_steps *tl_steps_of(const struct tl_trace *);
/* The steps that people name by their numbers: the same, but ProfilerSteps, however few, go before all but the user's expression. */
const struct tl_steps *tl_numbered_steps_of(const struct tl_trace *);
/* What the user says marks steps. It is searched in names of annotations; if none has it, of annotations of devices, of operators,
 * of kernels. The number of a step is the first group, if that is digits, else the last digits of the name, if these rise. A kernel
 * begins a step, which lasts until the next one on its device; on the host from launch call to launch call.
 * To be called before any step is asked for; the expression must outlive the trace. Without a text nothing changes. */
void tl_steps_mark_by(const struct tl_trace *, const struct tl_regex *);

/* The annotations and operators that are steps (event -> 1), but for ProfilerSteps, which their names tell. */
const struct tl_map *tl_step_events(const struct tl_trace *);
/* Is it the annotation of a step? steps: tl_step_events */
static inline bool tl_is_step(const struct tl_map *steps, const struct tl_trace *t, uint32_t event)
{
	return tl_profiler_step(tl_str(&t->strings, t->events[event].name)) >= 0 || (steps->count && tl_map_get(steps, event));
}

/* tl_numbered_steps_of and, with their numbers, the annotations of devices that have their names. By start; release them. */
void tl_steps_with_devices(struct tl_steps *, const struct tl_trace *);

/* The steps that have a phase: those that the user's expression names; else those of an engine, and annotations of graph captures; else
 * ProfilerSteps, and others that are marked, or, if they are more, those that end with picking tokens; else launches of graphs; else the whole
 * trace. By start, those that end with picking tokens by end; of annotations within each other only the
 * outermost is a step. The orders differ: tl-split follows TraceLens, and must not take a part of the
 * work for a step, while a phase is wanted for all that a trace has. */
void tl_steps_with_phases(struct tl_steps *, const struct tl_trace *);

/* The annotations of an engine: those of the host with a text of tier 1; if the trace has none, of tier 2.
 * By start; those with equal starts in file order. */
void tl_steps_of_engine(struct tl_steps *, const struct tl_trace *);

/* The ticks until the next step of the process begins; of the last one its own length. All steps have an event. */
int64_t tl_step_period(const struct tl_trace *, const struct tl_steps *, size_t i);

/* The fewest columns of a matrix that has a column for each token of a vocabulary (logits). */
enum { TL_VOCABULARY = 16000 };

/* A repetition in n names (ids): the `period` names from `start` on stand `count` times one after
 * another, at least three times, and cover more than half of the names from `start` on. Of
 * several repetitions the one with the smallest start counts, then the one with the smallest
 * period. *work: how many comparisons are left; when they run out, nothing is found. */
struct tl_name_period { size_t start, period, count; }; /* period 0: none */
struct tl_name_period tl_name_period(const uint32_t *names, size_t n, size_t *work);
/* The repetition at the very start: names that stand there three times or more one after another, at most
 * TL_LONGEST_PERIOD of them; the one that covers most names, of several the shortest. */
enum { TL_LONGEST_PERIOD = 1000 };
struct tl_name_period tl_name_repetition(const uint32_t *names, size_t n);

#endif
