/* gaps.h - the times in which a device did nothing.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GAPS_H
#define TL_GAPS_H

#include "analysis/devices.h"
#include "analysis/spans.h"

/* Where in the window: before the first event of the device, behind the last one, or between. */
enum tl_gap_where { TL_GAP_HEAD, TL_GAP_BETWEEN, TL_GAP_TAIL };

/* A time in which no event of the device runs, linked or not. */
struct tl_gap {
	int64_t start, end;
	uint32_t device;
	uint32_t before, after; /* the event that ended last before, and the one that starts at the end; TL_NONE at
	                           the head and the tail */
	uint32_t call;          /* that launched `after`, at the tail `before`, if it has a start and a duration; else TL_NONE */
	enum tl_gap_where where;
	/* The device ran what was launched before the recording: `after` is the first event of its stream and was
	 * launched a ms or more before it starts, or the device has no launched event until then. Or, in a part of a
	 * trace, the device ran what is not in the part. */
	bool unrecorded;
};
static inline int64_t tl_gap_length(const struct tl_gap *g)
{
	return tl_ticks_sub(g->end, g->start);
}

/* Device after device; of each the longest gap first, of equal ones the earliest. */
struct tl_gaps {
	struct tl_gap *items; size_t n, cap;
	int64_t *idle; /* by device: the length of all its gaps, of those that are left out too */
};
/* Finds the `top` longest gaps of each device; top: -1 for all. window: only gaps within it, those at its head
 * and tail, too; NULL: those between events. Takes the time of sorting the device events. */
void tl_gaps_find(struct tl_gaps *, struct tl_trace *, const struct tl_devices *, const struct tl_span *window, int64_t top);
/* Sorts the gaps from `first` on, those of one device, and keeps the `top` longest. */
void tl_gaps_keep_longest(struct tl_gaps *, size_t first, size_t top);
void tl_gaps_release(struct tl_gaps *);

/* Is it an annotation of the host? The profilers of 2021 wrote theirs (ProfilerStep#5, Optimizer.step#SGD.step) as operators; no
 * operator has a #. */
bool tl_is_annotation(const struct tl_trace *, const struct tl_ev *);

/* ---- what the host did while a device did nothing: the thread that launched the work behind the gap;
 * tl-timeline(1) has the definitions */

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
const char *tl_gap_part_name(enum tl_gap_part); /* "host waiting", …: the causes of idle_summary */
/* When the call behind the gap starts to launch, within the gap; nothing is launched behind the tail. */
int64_t tl_gap_launch_start(const struct tl_trace *, const struct tl_gap *);
enum { TL_GAP_FRAMES = 4, TL_LEAST_FRAME_US = 100, TL_REFILL_US = 1000 };
struct tl_gap_cause {
	int64_t parts[TL_GAP_PARTS];  /* ticks; their sum is the length; all 0 without a call */
	uint32_t names[TL_GAP_PARTS]; /* string ids, 0 for none: the calls and operators with the most time in
	                                 WAITING and BUSY; the launching call */
	/* Events of the thread, TL_NONE for none: the innermost Python frame and the innermost annotation that last for
	 * 80 % of the gap; of a gap under a ms those that run in its middle. Behind the frame come those around it.
	 * Frames that only pass a call on (wrapper-frames.tsv), or that last less than TL_LEAST_FRAME_US, are left out. */
	uint32_t frames[TL_GAP_FRAMES], range;
	/* The gap begins while the host waits, and the rest of its time before the launch is below TL_REFILL_US: the host launches then what
	 * it would have launched before, so all of that is the wait's. */
	bool is_refill;
};
/* One for each gap; the caller frees them. Takes time in proportion to the trace, and that
 * of sorting the host events in gaps. */
struct tl_gap_cause *tl_gap_causes(struct tl_trace *, const struct tl_gaps *);
enum tl_gap_part tl_gap_main_cause(const struct tl_gap_cause *);
/* "host waiting", …, of a part of the gap; of a gap without a call "unknown", of one that is unrecorded "unrecorded". */
const char *tl_gap_cause_name(const struct tl_gap *, enum tl_gap_part);

#endif
