/* devices.h - the devices of a trace: which GPU each device event ran on.
 *
 * A trace has several devices if one process used several GPUs, or if the traces of
 * several ranks were joined in one file. TraceFusion of TraceLens does the latter: it
 * gives each event an argument "rank" and makes the processes of the ranks distinct.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_DEVICES_H
#define TL_DEVICES_H

#include "work/args.h"
#include "work/trace_facts.h"

/* The rank of events: their argument, else that of "distributedInfo". */
struct tl_ranks { struct tl_arg arg; struct tl_cell of_trace; };
struct tl_ranks tl_ranks_of(struct tl_trace *);
struct tl_cell tl_rank_of(struct tl_trace *, const struct tl_ranks *, uint32_t event); /* null: the trace does not say */

/* Device events that agree in rank, process and device number. An integer where the trace
 * gives a whole number (1.0 too); null where the trace does not say. */
struct tl_device {
	struct tl_cell rank;    /* see tl_rank_of */
	struct tl_cell process; /* the pid of the events */
	struct tl_cell device;  /* the argument of the events; of an event without it, that of
	                           its process if all others of the process have the same */
};

/* The first cells of rows about a device. */
static inline void tl_device_cells(const struct tl_device *d, struct tl_cell c[3])
{
	c[0] = d->rank;
	c[1] = d->process;
	c[2] = d->device;
}

/* Events, part after part, such as those of a device; those of part i are items[start[i]] up to, but without,
 * items[start[i + 1]]. */
struct tl_split_events { uint32_t *items; size_t *start; };

struct tl_devices {
	struct tl_device *items; size_t n; /* by rank, process and device */
	uint32_t *of; /* [event]: number of its device; TL_NONE: no device event with start and duration */
	uint32_t *by_start; size_t n_events; /* device events with start and duration, by start */
	struct tl_split_events events; /* those of each device, by start */
};
/* They stay with the trace, whose events must be complete. Takes the time of sorting device events, the first
 * time. New texts go into the trace's string table. */
const struct tl_devices *tl_devices_of(struct tl_trace *);

/* The one kind of GPU that the trace names or, if it names several, that has work: GPUs and
 * devices go together by their numbers. NULL: there is none. */
const struct tl_gpu_facts *tl_working_gpu_kind(const struct tl_trace_facts *, struct tl_trace *);

/* Splits n events; events: NULL for the first n of the trace. of[event]: its part; TL_NONE: it is of none. Those of one part
 * keep their order. */
struct tl_split_events tl_split_events(const uint32_t *of, size_t n_parts, const uint32_t *events, size_t n);
void tl_split_events_release(struct tl_split_events *);

#endif
