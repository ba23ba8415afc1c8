/* health.h - the sheet trace_health: what a trace lacks, and what is doubtful in it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_HEALTH_H
#define TL_HEALTH_H

#include "model/trace.h"
#include "perf/models/perf.h"
#include "table/table.h"

/* What the sheet states besides what the trace says itself. */
struct tl_health_input {
	const char *arch;                   /* the name of the architecture; NULL: none */
	const struct tl_registry *registry; /* which operators have models */
};
/* A row for each check, always the same ones; the trace's Python frames and annotations must have been kept. */
struct tl_table *tl_trace_health(struct tl_trace *, const struct tl_health_input *);

#endif
