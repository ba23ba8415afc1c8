/* waits.h - calls in which the host waits for the device.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_WAITS_H
#define TL_WAITS_H

#include "analysis/copies.h"
#include "kernels/name_rules.h"

/* The trace must be complete. */
struct tl_waits { struct tl_trace *trace; const struct tl_copies *copies; struct tl_name_answers *waiting; };
void tl_waits_init(struct tl_waits *, struct tl_trace *);

/* What a runtime call has to do with waiting, by its name (waiting-calls.tsv). */
enum tl_call_kind {
	TL_CALL_RETURNS,         /* nothing */
	TL_CALL_RECORDS,         /* it marks a place in a stream … */
	TL_CALL_STREAM_WAITS,    /* … until which another stream waits from here on */
	TL_CALL_ALLOCATES,       /* it allocates or frees memory of the device or pinned memory, and waits for nothing */
	/* those in which the host waits */
	TL_CALL_AWAITS_DEVICE, TL_CALL_AWAITS_STREAM, TL_CALL_AWAITS_EVENT,
	TL_CALL_AWAITS_COPY,     /* its own; also of other names, if a copy that the call launched ends within it, as one to pageable
	                            memory does */
	TL_CALL_FREES,           /* it frees memory, when no work of the device can use it any more */
};
enum tl_call_kind tl_call_kind(struct tl_waits *, uint32_t call);
/* Does the host wait for the device in this runtime call? */
static inline bool tl_call_waits(struct tl_waits *w, uint32_t call)
{
	return tl_call_kind(w, call) >= TL_CALL_AWAITS_DEVICE;
}

#endif
