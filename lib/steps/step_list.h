/* step_list.h - a list of steps, however they were found.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_LIST_H
#define TL_STEP_LIST_H

#include "work/spans.h"
#include "model/trace.h"
#include "steps/step_text.h"

/* What the steps of a trace are. */
enum tl_step_source {
	TL_STEPS_NONE,
	TL_STEPS_ENGINE,   /* annotations of a serving engine, see step_text.h */
	TL_STEPS_PROFILER, /* ProfilerStep#N */
	TL_STEPS_MARKER,   /* what the user's expression names, see tl_steps_mark_by */
	TL_STEPS_TOLD,     /* annotations that tell which step they are: TL_KEY_STEP */
	TL_STEPS_NAMED,    /* annotations whose names repeat, see step_marker.h */
	TL_STEPS_REPEATED, /* calls that repeat, the iterations of a loop that nothing annotates */
	TL_STEPS_SAMPLED,  /* each ends with picking new tokens: of a language model that nothing annotates */
	TL_STEPS_GRAPHS,   /* launches of graphs */
	TL_STEPS_WHOLE,    /* the whole trace is one step */
};

struct tl_step {
	uint32_t event;     /* the annotation or call, the first of calls that repeat, or the operator that picks
	                       the tokens; TL_NONE: the whole trace is the step */
	int64_t from, to;   /* ticks, on the thread of the event */
	int64_t number;     /* that of its name or its argument, else its place among the steps, from 0 */
	uint32_t marker;    /* the event that has the step's name: `event` or, where kernels mark steps, the kernel */
	bool open;          /* it has no end of its own: the last one that a kernel marks; it ends with the trace */
	struct tl_span device; /* where a device's events mark steps: its time on that device */
	struct tl_step_text text; /* where the event tells no requests: that of one request that decodes */
};
struct tl_steps {
	struct tl_step *items; size_t n, cap;
	enum tl_step_source source;
	bool on_device;      /* the steps are times of devices: their members `device` count */
	const char *marked;  /* what marks them, for people: the user's expression, or a name with N for its number; NULL: not told.
	                        It lives as long as the trace */
};

/* Does something mark these steps, so that nothing but what they are called was to be found? */
bool tl_steps_are_marked(const struct tl_steps *);
/* The name of a step, a string id. */
static inline uint32_t tl_step_name(const struct tl_trace *t, const struct tl_step *s)
{
	return t->events[s->marker].name;
}

/* The one rule of which of these events are steps: sorts them by start; one that lies within another of its thread is none,
 * unless it is to be kept. Of others that overlap, the first ends where the second begins: steps that touch overlap by
 * what writers round. Each has an event. */
void tl_steps_settle(struct tl_steps *, const struct tl_trace *, bool keep_inner);

/* Adds a step with the times and the text of an event. */
struct tl_step *tl_steps_add(struct tl_steps *, const struct tl_trace *, uint32_t event);

void tl_steps_release(struct tl_steps *);

#endif
