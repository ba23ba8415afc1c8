/* explain_event.h - how the numbers of one operator of a trace come about.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_EXPLAIN_EVENT_H
#define TL_EXPLAIN_EVENT_H

#include "model/trace.h"
#include "perf/models/arch.h"
#include "perf/models/perf.h"

/* Adds an account of one event to a buffer: arguments, model, formulas, rates and,
 * with an architecture (NULL: none), the roofline. op: digits alone are the uid of
 * the event; any other text is the name of the operator, of which the first event
 * with device work is taken, else the first. False: the trace has no such event. */
bool tl_explain_event(struct tl_trace *, const struct tl_registry *, const struct tl_arch *, const char *op,
                      struct tl_buf *);

#endif
