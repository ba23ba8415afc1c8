/* pieces.h - why a device did nothing: each gap cut into pieces, each of which has one cause.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PIECES_H
#define TL_PIECES_H

#include "work/gaps.h"
#include "work/host_tree.h"

/* The classes of a tick, by what the thread did that launched the work behind the gap (at the tail: the work before it). A tick
 * belongs to the first class that holds; tl-timeline(1) has the definitions. */
#define TL_IDLE_CLASSES(X) \
	X(TL_IDLE_UNRECORDED, "unrecorded")   /* the whole gap, see tl_gap.unrecorded */ \
	X(TL_IDLE_PROFILER, "profiler")       /* the profiler's own time */ \
	X(TL_IDLE_START_UP, "start-up")       /* what the process does once (steps/one_off.h) */ \
	X(TL_IDLE_RECOMPILE, "recompile")     /* compilation that repeats */ \
	X(TL_IDLE_MIGRATION, "migration")     /* between two pages of unified memory that move; behind or before one, if no call is known */ \
	X(TL_IDLE_LOADER, "loader")           /* in a loader of data (host-work.tsv) */ \
	X(TL_IDLE_SERVER, "server idle")      /* a program that serves waits for 10 ms or more, with no operator: no request is there */ \
	X(TL_IDLE_WAITING, "host waiting")    /* in a call that waits for the device; and launching behind it what the wait held up */ \
	X(TL_IDLE_ALLOCATOR, "allocator")     /* in a call that allocates or frees */ \
	X(TL_IDLE_BUSY, "host busy")          /* a ms or more between two launches, half of it in an operator or call */ \
	X(TL_IDLE_ELSEWHERE, "host elsewhere") /* the same, in none; before the first and behind the last device event, a page that moves without a call */ \
	X(TL_IDLE_LAUNCH, "launch-bound")     /* less than a ms between two launches */ \
	X(TL_IDLE_QUEUED, "queued")           /* behind the return of the launching call */ \
	X(TL_IDLE_UNKNOWN, "unknown")         /* no call is known */
#define TL_IDLE_CLASS_ID(id, name) id,
enum tl_idle_class { TL_IDLE_CLASSES(TL_IDLE_CLASS_ID) TL_IDLE_N_CLASSES };
const char *tl_idle_class_name(enum tl_idle_class);

enum { TL_IDLE_FRAMES = 4, TL_LEAST_FRAME_US = 100, TL_HOST_US = 1000 /* so long between launches the host does something else */ };
struct tl_idle_piece {
	int64_t start, end;
	uint32_t gap;     /* index */
	uint8_t class;    /* enum tl_idle_class */
	bool steady;      /* within tl_one_offs.steady */
	uint32_t name;    /* a string id, 0 for none: the call, the operator, what is done once */
	/* Events of the thread, TL_NONE for none: the innermost Python frame and annotation (but those of steps) that have half of the time
	 * between two launches or, for other classes, 80 % of the gap; of a gap under a ms those that run in its middle. Behind the frame
	 * come those around it. Frames that only pass a call on (wrapper-frames.tsv), or that last less than TL_LEAST_FRAME_US,
	 * are left out. */
	uint32_t frames[TL_IDLE_FRAMES], range;
	uint32_t track;   /* of the thread; TL_NONE: no call is known */
};
/* Gap after gap, those of one by start; they cover the gaps. */
struct tl_idle_pieces { struct tl_idle_piece *items; size_t n, cap; size_t *of_gap; /* by gap, and one behind: the first piece */ };
/* Takes time in proportion to the trace, and that of sorting the host events in gaps. */
void tl_idle_pieces_find(struct tl_idle_pieces *, struct tl_trace *, const struct tl_gaps *);
void tl_idle_pieces_release(struct tl_idle_pieces *);
/* Those of tl_recorded_of(t)->gaps, found once and kept with the trace. */
const struct tl_idle_pieces *tl_idle_pieces_of(struct tl_trace *);

/* Calls add() for all parts of tl_idle_pieces_of: with the innermost node that runs then, in the tree, on the thread that launched what the
 * device did next; and with what is left of a piece, or all of one that is unrecorded, as of node n. */
void tl_idle_by_node(const struct tl_host_tree *, void (*add)(void *ctx, const struct tl_idle_piece *, uint32_t node, int64_t ticks), void *ctx);

/* The ticks of a gap by class; the class with the most, of equal ones the first; *name: the name with the most ticks there. */
enum tl_idle_class tl_idle_main(const struct tl_idle_pieces *, size_t gap, int64_t ticks[TL_IDLE_N_CLASSES], uint32_t *name);

#endif
