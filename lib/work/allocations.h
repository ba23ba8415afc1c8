/* allocations.h - what a trace says of its memory: each allocation and release, where the program was then, and which
 * release belongs to which allocation.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ALLOCATIONS_H
#define TL_ALLOCATIONS_H

#include "work/spans.h"
#include "table/table.h"

/* A device whose memory the events are about: the host is one. */
struct tl_memory_device {
	uint32_t pid;             /* of the process, a string id of JSON text */
	uint32_t name;            /* "CPU", "GPU0"; a string id */
	uint32_t first, n;        /* its events: so many items from `first` on */
	bool relative;            /* the trace tells no totals: they are sums from 0 on */
	uint32_t peak, peak_reserved; /* the first event with the largest total; items */
};
struct tl_memory_event {
	uint32_t event, device;
	int64_t time, bytes;      /* bytes above 0: an allocation */
	int64_t allocated, reserved; /* totals after it; reserved is 0 where the trace does not tell it */
	/* The release of an allocation, the allocation of a release; TL_NONE: not in the trace. */
	uint32_t partner;
	/* Names, string ids; 0: none. The innermost operator that runs on the event's thread; what runs around it: an
	 * operator, a module or an annotation; the innermost module. */
	uint32_t operator, parent, module;
	/* Of a snapshot: the Python frames, of which the operator is the innermost one of the program. */
	uint32_t stack;
	uint32_t category;        /* what the memory is for, where a snapshot tells it */
};
struct tl_memory {
	struct tl_trace *trace;
	struct tl_memory_device *devices; uint32_t n_devices; size_t cap_devices;
	/* by device and time; of equal times in file order */
	struct tl_memory_event *items; uint32_t n; size_t cap;
	struct tl_innermosts spans;   /* operators, modules and annotations, by tl_memory_thread */
	bool stacks, categories;      /* does an event tell its stack, its category? */
	uint32_t left_out;            /* events without a time, an address, a number of bytes or a device */
	uint32_t doubled;             /* allocations at an address that was not released before */
};
/* Found once and kept with the trace, which must have its instants, annotations and Python frames. New texts go into
 * the trace's string table. */
const struct tl_memory *tl_memory_of(struct tl_trace *);

/* The first item from `i` on that is an allocation and alive after the item `last` of its device; above `last`: there is none. */
static inline uint32_t tl_memory_alive(const struct tl_memory *m, uint32_t i, uint32_t last)
{
	while (i <= last && (m->items[i].bytes <= 0 || (m->items[i].partner != TL_NONE && m->items[i].partner <= last)))
		i++;
	return i;
}

/* The key of an event's thread. */
uint64_t tl_memory_thread(const struct tl_trace *, uint32_t event);

/* The device's total before its first event. */
int64_t tl_memory_at_start(const struct tl_memory *, const struct tl_memory_device *);

#endif
