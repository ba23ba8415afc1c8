/* device_work.h - the device events that belong to an event, and how long they keep
 * the device busy.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_DEVICE_WORK_H
#define TL_DEVICE_WORK_H

#include "analysis/spans.h"
#include "model/trace.h"

/* Device events by start, valid until the next call that fills one. */
struct tl_work {
	const uint32_t *events; uint32_t n;
	int64_t ticks;  /* in which at least one of them runs */
	bool ints;      /* the source wrote all stamps without fractions */
};

/* Finds them. Operators may be nested without end: the events looked at are
 * counted, and after too many of them all further work is empty. */
struct tl_device_work {
	struct tl_trace *trace;
	bool exhausted;
	/* private */
	uint64_t effort, max_effort;
	uint32_t *backward_start, *backward_events; /* by forward event; NULL: there is none */
	uint32_t *events; size_t cap_events;        /* of the last work */
	uint32_t *stack; size_t cap_stack;
	struct tl_spans spans;
};
void tl_device_work_init(struct tl_device_work *, struct tl_trace *);
void tl_device_work_release(struct tl_device_work *);

/* These device events. */
void tl_work_of(struct tl_device_work *, const uint32_t *events, uint32_t n, struct tl_work *out);
/* Those below an event. */
void tl_work_below(struct tl_device_work *, uint32_t event, struct tl_work *out);
/* Those below the backward events of an event and of all below it. */
void tl_work_backward(struct tl_device_work *, uint32_t event, struct tl_work *out);

/* The backward events of an event itself; *n receives how many. */
const uint32_t *tl_backward_events(const struct tl_device_work *, uint32_t event, uint32_t *n);
/* The nearest event around this one that is the backward event of some forward
 * one; TL_NONE when there is none within five levels. */
uint32_t tl_backward_wrapper(const struct tl_trace *, uint32_t event);
/* Has a backward event exactly one operator with device work among those below it
 * (through operators only) that have the name after its first ": "? */
bool tl_backward_of_one(struct tl_device_work *, uint32_t wrapper);

#endif
