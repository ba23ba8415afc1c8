/* counters.h - what a trace tells over time: queues, copies, how busy devices are, live memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COUNTERS_H
#define TL_COUNTERS_H

#include "work/devices.h"
#include "work/series.h"
#include "model/trace.h"
#include "table/table.h"

enum tl_counter_kind {
	TL_COUNTER_QUEUE,   /* device events that are launched, but have not started, of a stream (queue.h) */
	TL_COUNTER_COPIES,  /* bytes in a nanosecond, which is GB/s, of all copies of a direction that run; a copy of no length
	                       lasts 1 ns */
	TL_COUNTER_BUSY,    /* 1 while the device works, and while it computes, communicates and copies; else 0 */
	TL_COUNTER_MEMORY,  /* bytes that are allocated, and those that the allocator holds (allocations.h) */
	TL_COUNTER_RECORDED, /* what the profiler recorded (model/samples.h); not a number where it tells no value */
	TL_COUNTER_KINDS
};
struct tl_counter {
	struct tl_series series;
	struct tl_cell rank, process, device; /* as those of struct tl_device; of memory the process of the host and a name, without rank */
	struct tl_cell track;    /* the stream of a queue; "HtoD" and so on or "memset"; "busy", "computation", "communication", "copies";
	                            "allocated" and "reserved" */
	uint32_t number;         /* of a queue: in tl_queues_of; of memory: in tl_memory.devices; of others: in tl_devices_of */
	/* of recorded ones; `device` is null if none is told; `track` is the argument of this name */
	uint32_t name, unit;     /* string ids; 0: none */
	enum tl_sample_of of;    /* of a kernel's, the times of the points are indexes of device events, in the order of their starts */
	uint32_t samples;        /* that the trace has; of a kernel's, kernels */
	/* of copies */
	uint32_t events, no_bytes; /* those with bytes, and those without, which are left out */
	int64_t bytes;
	struct tl_spans spans;   /* when those with bytes run, merged */
};
/* By process, device and track, of memory in the order of its devices. */
struct tl_counters {
	struct tl_counter *items; size_t n, cap;
	uint64_t n_lost;         /* recorded values of kernels that are not in the trace, or of one of several that share an id */
};
/* Name and unit of a recorded one, "SM clock [MHz]", as counter-kinds.tsv is asked. */
uint32_t tl_counter_text(struct tl_trace *, const struct tl_counter *);
/* The mean of the recorded one by time while its device works; not a number: it is of kernels, or its device is not known or idle. */
double tl_counter_busy_mean(struct tl_trace *, const struct tl_counter *);
/* Is the recorded counter about the device? */
bool tl_counter_is_of(const struct tl_trace *, const struct tl_counter *, const struct tl_device *);
/* Found once and kept with the trace, which must be complete; of memory with its instants, annotations and frames. New texts go
 * into its string table. */
const struct tl_counters *tl_counters_of(struct tl_trace *, enum tl_counter_kind);

#endif
