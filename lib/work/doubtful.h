/* doubtful.h - device events and calls whose times cannot be: they are left out of a trace before anything is summed.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_DOUBTFUL_H
#define TL_DOUBTFUL_H

#include "model/trace.h"
#include "base/memory.h"

enum tl_doubt {
	TL_DOUBT_NO_TIME,    /* start and end are 0, or the start is while most others are a second or more away */
	TL_DOUBT_REVERSED,   /* it ends before it starts */
	TL_DOUBT_TOO_LONG,   /* a second or more; longer than the recording, or over 8 others of its stream and 100 times its name's median */
	TL_DOUBT_OUTSIDE,    /* a second or more outside of the recording */
	TL_DOUBT_BEFORE,     /* it starts a second or more before the call that launches it */
	TL_DOUBTS
};
struct tl_doubtful {
	uint32_t n[TL_DOUBTS], all, first_uid;
	int64_t ticks;       /* their durations */
	/* device events that start before their launch by less, and are kept */
	uint32_t n_early, n_launched;
	int64_t early_median, early_most;
};
/* Leaves them out of a whole trace: they lose their duration and their launch. At the first call; the answer stays with the trace. */
const struct tl_doubtful *tl_leave_out_doubtful(struct tl_trace *);
/* So that they count all the same: to be called before. */
void tl_keep_doubtful(struct tl_trace *);
/* The words for them: "2 without a time, 1 longer than the recording". */
void tl_add_doubts(struct tl_buf *, const struct tl_doubtful *);

#endif
