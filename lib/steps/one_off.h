/* one_off.h - what a process does once: it starts up, loads code, compiles, makes graphs. And which part of the recording is steady.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ONE_OFF_H
#define TL_ONE_OFF_H

#include "work/spans.h"

/* tl-timeline(1) has the definitions. A call is long if it takes 100 us and ten times what such calls usually take; of one, only what is
 * above the usual counts. */
enum tl_one_off_kind {
	TL_ONE_OFF_COMPILE,   /* code is compiled: the annotations of torch.compile, and frames and calls of compilers */
	TL_ONE_OFF_AUTOTUNE,  /* algorithms are tried */
	TL_ONE_OFF_CAPTURE,   /* a graph is captured or made */
	TL_ONE_OFF_WORKERS,   /* workers of a data loader start */
	TL_ONE_OFF_FIRST_USE, /* a long call that launches a kernel for the first time in its process, or loads code */
	/* A long call that makes a context or a handle (first-calls.tsv), or ends before anything of its process ran on a
	 * device; the first of four operators or more of a name, if it takes a ms and 20 times the median, and not in such
	 * calls. */
	TL_ONE_OFF_FIRST_CALL,
	TL_ONE_OFF_SLOW_CALL, /* a call that launches takes 1 ms and a hundred times the usual, and the queue of its stream is not full */
	TL_ONE_OFF_ALLOCATOR, /* memory is allocated or freed, in fewer than half of the steps */
	TL_ONE_OFF_KINDS
};
const char *tl_one_off_name(enum tl_one_off_kind); /* "compilation", … */

struct tl_one_off {
	int64_t start, end;
	uint32_t event;           /* the call, annotation or frame; its track tells the process */
	enum tl_one_off_kind kind;
	bool repeated;            /* compilation and trying algorithms in half of the steps or more: that is not done once */
};
struct tl_one_offs {
	struct tl_one_off *items; size_t n, cap;
	struct tl_innermosts of_process; /* by the process of the track (a string id): what it does once when; `event` is an index in items */
	/* The time in which nothing happens for the first time: the longest run of two or more steps of which one-off time covers at most
	 * 5 %; else, if one-off time is below 20 % of the device's window, all of it; else what follows the last first use,
	 * compilation or trial, if that is a quarter of the window with 64 kernels. Else there is none. */
	struct tl_span steady; bool has_steady;
};
/* Found once and kept with the trace, which must be complete. */
const struct tl_one_offs *tl_one_offs_of(struct tl_trace *);

#endif
