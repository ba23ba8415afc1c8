/* launchers.h - which operator each device event is charged to.
 *
 * A launcher is the nearest cpu_op above the runtime call that launched
 * something other than communication ("execute" frames and python functions are
 * passed over), or the runtime call itself where there is none.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_LAUNCHERS_H
#define TL_LAUNCHERS_H

#include "analysis/device_events.h"

struct tl_launcher {
	uint32_t event;     /* the operator or runtime call */
	uint32_t first, n;  /* its device events: a range of direct and by_ts */
};
struct tl_launchers {
	struct tl_launcher *items; uint32_t n; /* ascending ts */
	uint32_t *direct;   /* device events of each launcher in file order … */
	uint32_t *by_ts;    /* … and by start */
	uint32_t *of_event; /* event -> index in items, or TL_NONE */
	uint32_t *gpus, n_gpus;   /* all device events in file order */
	struct tl_work_by_name work;
};
void tl_launchers_build(struct tl_launchers *, const struct tl_trace *);
void tl_launchers_release(struct tl_launchers *);

#endif
