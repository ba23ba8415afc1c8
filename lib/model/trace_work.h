/* trace_work.h - the device events that an event of a trace launched.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TRACE_WORK_H
#define TL_TRACE_WORK_H

#include "model/trace.h"

/* Device events launched by event e and by all below it (by parent links), as
 * event indexes in launch order (file order of the runtime calls); *n receives
 * their number. A device event launched twice below e appears twice. The
 * result stays valid until tl_trace_free. The first call takes time in proportion
 * to the trace, later ones to the result. Not safe to call from two threads. */
const uint32_t *tl_trace_work(struct tl_trace *t, uint32_t e, uint32_t *n);

/* The number of these device events, without making the list: in constant time unless
 * edits added work to events. */
uint32_t tl_trace_work_count(struct tl_trace *t, uint32_t e);

/* Device events launched by the runtime call e itself, in link order, as event
 * indexes; *n receives their number. */
const uint32_t *tl_trace_launched(struct tl_trace *t, uint32_t e, uint32_t *n);

#endif
