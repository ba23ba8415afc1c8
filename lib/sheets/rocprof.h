/* rocprof.h - what the sheets of tl-rocprof are made from. rocprof.sheet says what they are.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROCPROF_H
#define TL_ROCPROF_H

#include "work/name_rules.h"
#include "model/trace.h"
#include "sheet/rocprof.h"

struct tl_rocprof_options {
	int64_t short_us; /* kernels shorter than this are short */
	int64_t bins;     /* of the histogram, at least 1 */
	int64_t top;      /* rows of kernel_details; -1: all */
	/* The numbers of TraceLens: ns in columns of µs and µs in columns of ms (but in
	 * gpu_timeline), short_us in ns, cumulative percentages by name, the first process
	 * only, kernels without a duration as TraceLens counts them. */
	bool reference;
};

struct tl_rocprof;
/* Looks at the kernels and copies of the trace, linked or not. The rules give the categories.
 * Trace and rules must outlive the result. */
struct tl_rocprof *tl_rocprof_new(struct tl_trace *, const struct tl_rocprof_options *,
                                  struct tl_name_rules *categories);
void tl_rocprof_free(struct tl_rocprof *);

/* What the sheets are about. */
struct tl_rocprof_doubts {
	uint32_t kernels;   /* how many are in the sheets */
	uint32_t processes; /* how many the trace names */
	bool no_life_time;  /* the trace does not tell when the processes began and ended: total_time is
	                       from the first start to the last end on a device */
};
struct tl_rocprof_doubts tl_rocprof_doubts(const struct tl_rocprof *);

#endif
