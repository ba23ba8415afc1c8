/* profiler_time.h - the time that the profiler takes for itself.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PROFILER_TIME_H
#define TL_PROFILER_TIME_H

#include "work/spans.h"

struct tl_profiler_time {
	/* Spans of events (`event`) of the category overhead, by overhead-kinds.tsv: the profiler's own, of which Kineto does not tell the
	 * process; and those in which the program loads code.
	 * To the profiler's own belongs also the end of a recording of Kineto, from the last device event to the end of the last call that
	 * waits for the whole device (`event`): if nothing is launched behind that, and no operator, annotation or frame ends in
	 * between, but those that last for the whole recording. With marked steps only what lies behind the last one. */
	struct tl_innermost own, loading;
};
/* Found once and kept with the trace, which must be complete. */
const struct tl_profiler_time *tl_profiler_time_of(struct tl_trace *);

#endif
