/* waits.h - calls in which the host waits for the device.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_WAITS_H
#define TL_WAITS_H

#include "analysis/copies.h"
#include "kernels/name_rules.h"

/* The trace must be complete. */
struct tl_waits { struct tl_trace *trace; const struct tl_copies *copies; struct tl_name_answers waiting; };
void tl_waits_init(struct tl_waits *, struct tl_trace *);
void tl_waits_release(struct tl_waits *);

/* Does the host wait for the device in this runtime call? By its name (waiting-calls.tsv), or because a copy that it
 * launched ends within it, as one to pageable memory does. */
bool tl_call_waits(struct tl_waits *, uint32_t call);

#endif
