/* step_find.h - the steps of a trace: iterations of a serving engine, training steps, rounds of a loop.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_FIND_H
#define TL_STEP_FIND_H

#include "work/spans.h"
#include "model/trace.h"
#include "steps/step_text.h"

/* What the steps of a trace are. */
enum tl_step_source {
	TL_STEPS_NONE,
	TL_STEPS_ENGINE,   /* annotations of a serving engine, see step_text.h */
	TL_STEPS_PROFILER, /* ProfilerStep#N */
	TL_STEPS_REPEATED, /* calls that repeat, the iterations of a loop that nothing annotates */
	TL_STEPS_SAMPLED,  /* each ends with picking new tokens: of a language model that nothing annotates */
	TL_STEPS_GRAPHS,   /* launches of graphs */
	TL_STEPS_WHOLE,    /* the whole trace is one step */
};

struct tl_step {
	uint32_t event;     /* the annotation or call, the first of calls that repeat, or the operator that picks
	                       the tokens; TL_NONE: the whole trace is the step */
	int64_t from, to;   /* ticks, on the thread of the event */
	struct tl_step_text text; /* where the event tells no requests: that of one request that decodes */
};
struct tl_steps { struct tl_step *items; size_t n, cap; enum tl_step_source source; };

/* The steps of a linked trace that it can be split into: those of an engine; else two ProfilerSteps or
 * more; else calls that repeat; else a single ProfilerStep. By start; annotations of engines within each
 * other are steps each, as for TraceLens. Release the steps, also when none are found. */
void tl_steps_to_split(struct tl_steps *, const struct tl_trace *);

/* The steps that have a phase: those of an engine, and annotations of graph captures; else ProfilerSteps
 * or, if they are more, those that end with picking tokens; else launches of graphs; else the whole
 * trace. By start, those that end with picking tokens by end; of annotations within each other only the
 * outermost is a step. The orders differ: tl-split follows TraceLens, and must not take a part of the
 * work for a step, while a phase is wanted for all that a trace has. */
void tl_steps_with_phases(struct tl_steps *, const struct tl_trace *);

/* The annotations of an engine: those of the host with a text of tier 1; if the trace has none, of tier 2.
 * By start; those with equal starts in file order. */
void tl_steps_of_engine(struct tl_steps *, const struct tl_trace *);

/* ProfilerStep#N, settled, whatever other steps the trace has. */
void tl_steps_of_profiler(struct tl_steps *, const struct tl_trace *);

/* The one rule of which of these events are steps: sorts them by start; one that lies within another of its thread is none,
 * unless it is to be kept. Of others that overlap, the first ends where the second begins: steps that touch overlap by
 * what writers round. Each has an event. */
void tl_steps_settle(struct tl_steps *, const struct tl_trace *, bool keep_inner);

void tl_steps_release(struct tl_steps *);
/* Those of tl_steps_to_split, found once and kept with the trace, which must be complete. */
const struct tl_steps *tl_steps_of(const struct tl_trace *);
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
