/* gap_causes.h - what the host did while a device did nothing: the thread that launched the
 * work behind the gap. tl-timeline(1) has the definitions.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GAP_CAUSES_H
#define TL_GAP_CAUSES_H

#include "analysis/gaps.h"

/* Each moment of a gap belongs to a part. The longest part is the cause; of equal ones the
 * first. */
enum tl_gap_part {
	TL_GAP_WAITING,   /* before the launching call: in a call that waits for the device */
	TL_GAP_BUSY,      /* before it: in an operator or another call */
	TL_GAP_ELSEWHERE, /* before it: in none of them */
	TL_GAP_LAUNCH,    /* within the launching call */
	TL_GAP_QUEUED,    /* after it */
	TL_GAP_PARTS
};
struct tl_gap_cause {
	int64_t parts[TL_GAP_PARTS];  /* ticks; their sum is the length; all 0 without a call */
	uint32_t names[TL_GAP_PARTS]; /* string ids, 0 for none: the calls and operators with the most time in
	                                 WAITING and BUSY; the launching call */
};
/* One for each gap; the caller frees them. Takes time in proportion to the trace, and that
 * of sorting the host events in gaps. */
struct tl_gap_cause *tl_gap_causes(struct tl_trace *, const struct tl_gaps *);
enum tl_gap_part tl_gap_main_cause(const struct tl_gap_cause *);

#endif
