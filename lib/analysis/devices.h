/* devices.h - the devices of a trace: which GPU each device event ran on.
 *
 * A trace has several devices if one process used several GPUs, or if the traces of
 * several ranks were joined in one file. TraceFusion of TraceLens does the latter: it
 * gives each event an argument "rank" and makes the processes of the ranks distinct.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_DEVICES_H
#define TL_DEVICES_H

#include "analysis/args.h"
#include "analysis/trace_facts.h"

/* The rank of events: their argument, else that of "distributedInfo". */
struct tl_ranks { struct tl_arg arg; struct tl_arg_cells cells; struct tl_cell of_trace; };
void tl_ranks_init(struct tl_ranks *, struct tl_trace *);
struct tl_cell tl_rank_of(struct tl_ranks *, uint32_t event); /* null: the trace does not say */
void tl_ranks_release(struct tl_ranks *);

/* Device events that agree in rank, process and device number. An integer where the trace
 * gives a whole number (1.0 too); null where the trace does not say. */
struct tl_device {
	struct tl_cell rank;    /* see tl_rank_of */
	struct tl_cell process; /* the pid of the events */
	struct tl_cell device;  /* the argument of the events; of an event without it, that of
	                           its process if all others of the process have the same */
};

struct tl_devices {
	struct tl_device *items; size_t n; /* by rank, process and device */
	uint32_t *of; /* [event]: number of its device; TL_NONE: no device event with start and duration */
};
/* Time and memory in proportion to the trace. New texts go into the trace's string table. */
void tl_devices_find(struct tl_devices *, struct tl_trace *);
void tl_devices_release(struct tl_devices *);

/* The one kind of GPU that the trace names or, if it names several, that has work: GPUs and
 * devices go together by their numbers. NULL: there is none. */
const struct tl_gpu_facts *tl_working_gpu_kind(const struct tl_trace_facts *, struct tl_trace *);

/* Events, device after device; those of device i are items[start[i]] up to, but without,
 * items[start[i + 1]]. */
struct tl_events_by_device { uint32_t *items; size_t *start; };
/* Splits n events, each of which has a device; those of one device keep their order. */
struct tl_events_by_device tl_devices_split(const struct tl_devices *, const uint32_t *events, size_t n);
/* The same of all device events of the trace with start and duration, in file order. */
struct tl_events_by_device tl_devices_group(const struct tl_devices *, const struct tl_trace *);
void tl_events_by_device_release(struct tl_events_by_device *);

#endif
