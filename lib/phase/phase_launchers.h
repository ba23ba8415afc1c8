/* phase_launchers.h - the launches that get a phase.
 *
 * These are the launchers of TraceLens's phase methods, which are not those of ops_summary
 * (analysis/launchers.h): each operator whose calls launched device events other than
 * communication, then each other runtime call with device events below it. The launch of a
 * graph is one of them, with all events of the graph.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PHASE_LAUNCHERS_H
#define TL_PHASE_LAUNCHERS_H

#include "base/error.h"
#include "model/trace.h"

struct tl_phase_launcher {
	uint32_t event;  /* the operator or call */
	uint32_t n;      /* its device events … */
	size_t first;    /* … in tl_phase_launchers.gpus */
};
struct tl_phase_launchers {
	struct tl_phase_launcher *items; size_t n, cap; /* operators in file order, then calls in file order */
	uint32_t *gpus; size_t n_gpus, cap_gpus;
};
/* Marks the work of the trace, unless it is marked (device_events.h). TL_ERR_DATA: calls are
 * nested so deeply that the launches have far more device events than the trace. */
enum tl_status tl_phase_launchers_build(struct tl_phase_launchers *, struct tl_trace *, struct tl_error *);
void tl_phase_launchers_release(struct tl_phase_launchers *);

#endif
