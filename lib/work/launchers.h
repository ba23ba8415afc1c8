/* launchers.h - which operator each device event is charged to.
 *
 * The launcher of a device event other than communication is the nearest cpu_op
 * above the runtime call that launched the event; operators named "execute" and
 * Python functions are passed over. Without such a cpu_op the call is the launcher.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_LAUNCHERS_H
#define TL_LAUNCHERS_H

#include "work/calls.h"
#include "work/device_events.h"

/* The name of the operators that are passed over, a string id; 0: the trace has none. */
uint32_t tl_passed_over(const struct tl_trace *);

struct tl_launcher {
	uint32_t event;     /* the operator or runtime call */
	uint32_t first, n;  /* the device events charged to it: n items of direct and by_ts, from `first` on */
};
struct tl_launchers {
	struct tl_launcher *items; uint32_t n; /* by start */
	uint32_t *direct;   /* device events, launcher after launcher; those of one in file order … */
	uint32_t *by_ts;    /* … and here by start */
	uint32_t *of_event; /* event -> index in items, or TL_NONE */
	uint32_t *gpus, n_gpus;   /* all device events in file order */
};
/* They stay with the trace, whose events and tree must be complete. Marks the work of the trace, unless it is marked. */
const struct tl_launchers *tl_launchers_of(struct tl_trace *);
/* The launcher of a device event, communication too; TL_NONE if no call launched it.
 * operators: from tl_launching_operators; the caller releases it. */
uint32_t tl_launcher_of(struct tl_nearest *operators, uint32_t event);
struct tl_nearest tl_launching_operators(const struct tl_trace *);

/* The launches of the trace and behind them, for each device event that is not linked, the
 * only call with its correlation, if there is one: the trace may lack the arrow between
 * them, as traces of ROCm do for some sets of memory. *n receives how many. The caller frees
 * them. */
struct tl_launch *tl_launches_with_lone(struct tl_trace *, size_t *n);
/* By event: of a device event the call of this trace, with start and duration, that launched it, as one of these launches; TL_NONE
 * of all others. Found once and kept with the trace, which must be complete. */
const uint32_t *tl_calls_of_work(struct tl_trace *);

#endif
