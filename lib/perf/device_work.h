/* device_work.h - the device events that belong to an event, and how long they keep
 * the device busy.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_DEVICE_WORK_H
#define TL_DEVICE_WORK_H

#include "work/spans.h"
#include "model/trace.h"

/* Device events by start; valid until the next call that fills a struct tl_work. */
struct tl_work {
	const uint32_t *events; uint32_t n;
	int64_t ticks;  /* in which at least one of them runs */
	bool ints;      /* the trace states all starts and durations without fractions */
};

/* What the calls below need. Where operators are nested very deeply, each call has to
 * look at many events: these are counted, and after too many of them `exhausted` is
 * true and all further work is empty. */
struct tl_device_work {
	struct tl_trace *trace;
	bool exhausted;
	uint64_t max_effort; /* events to look at; tl_device_work_init sets it by the size of the trace */
	/* private */
	uint64_t effort;
	uint32_t *backward_start, *backward_events; /* by forward event: its backward events; NULL: no event has any */
	uint32_t *events; size_t cap_events;        /* of the last work */
	uint32_t *stack; size_t cap_stack;
	struct tl_spans spans;
};
void tl_device_work_init(struct tl_device_work *, struct tl_trace *);
void tl_device_work_release(struct tl_device_work *);
/* TL_ERR_DATA if `exhausted`. */
enum tl_status tl_device_work_check(const struct tl_device_work *, struct tl_error *);

/* The work of these device events. */
void tl_work_of(struct tl_device_work *, const uint32_t *events, uint32_t n, struct tl_work *out);
/* The work below an event. */
void tl_work_below(struct tl_device_work *, uint32_t event, struct tl_work *out);
/* The work below the backward events of an event and of all events below it. */
void tl_work_backward(struct tl_device_work *, uint32_t event, struct tl_work *out);

/* The backward events of an event itself; *n receives how many. */
const uint32_t *tl_backward_events(const struct tl_device_work *, uint32_t event, uint32_t *n);
/* The nearest of the five events above this one that is the backward event of a forward
 * event; TL_NONE if none is. */
uint32_t tl_backward_wrapper(const struct tl_trace *, uint32_t event);
/* Is exactly one operator with device work below a backward event? Only operators below
 * operators count, and, if the name of the backward event has a ": ", only those with
 * the name after it. */
bool tl_backward_of_one(struct tl_device_work *, uint32_t wrapper);

#endif
