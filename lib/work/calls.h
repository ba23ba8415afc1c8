/* calls.h - calls of the host: which of them launched what, which are copies, and which wait for the device.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CALLS_H
#define TL_CALLS_H

#include "work/args.h"
#include "work/name_rules.h"
#include "model/trace.h"

/* ---- the nearest event of a kind at or above another one ---------------------------------- */

/* Is it this event, one above, or none? */
enum tl_nearest_answer { TL_NEAREST_THIS, TL_NEAREST_ABOVE, TL_NEAREST_NONE };

/* Each event of the tree is looked at once, so that deep trees take no longer than flat ones. The trace's tree stays
 * as it is while the struct is in use. */
struct tl_nearest {
	const struct tl_trace *trace;
	enum tl_nearest_answer (*ask)(const struct tl_trace *, uint32_t event, uintptr_t ctx);
	uintptr_t ctx;   /* for ask: a number, or a pointer */
	uint32_t *known; /* private */
};
/* The nearest one at or above an event by parent links, or TL_NONE; so for TL_NONE. */
uint32_t tl_nearest(struct tl_nearest *, uint32_t event);
void tl_nearest_release(struct tl_nearest *);

/* Asks for operators. */
enum tl_nearest_answer tl_nearest_operator(const struct tl_trace *, uint32_t event, uintptr_t unused);

/* ---- copies ---------------------------------------------------------------------------------- */

/* Copies are what the host did while a graph was captured, below the call that replays the graph (edit/merger.h). They
 * are not the host's time in this trace. */
struct tl_copies {
	struct tl_trace *trace;
	bool any;
	uint32_t first_uid;        /* of the copies; those of the trace's own events are lower */
	/* private */
	struct tl_arg mark;
	struct tl_nearest own;
};
/* They stay with the trace, whose events must be complete. */
struct tl_copies *tl_copies_of(struct tl_trace *);

static inline bool tl_is_copy(const struct tl_copies *c, uint32_t event)
{
	return c->any && tl_arg_has(&c->mark, c->trace, event);
}
/* The call of this trace that launched a device event: the nearest event above the device
 * event that is no copy; TL_NONE if none is. */
uint32_t tl_launching_call(struct tl_copies *, uint32_t gpu);
/* As tl_trace_launched; of a call with a capture below it: what the copies launched. */
const uint32_t *tl_launched_by(const struct tl_copies *, uint32_t call, uint32_t *n);

/* ---- nodes of graphs --------------------------------------------------------------------------------- */

struct tl_graph_nodes { struct tl_trace *trace; struct tl_arg nodes[2]; struct tl_name_answers *calls; };
struct tl_graph_nodes tl_graph_nodes_of(struct tl_trace *);
/* Was a device event a node of a graph, as it or the name of its call says? call: TL_NONE for none. */
bool tl_is_of_graph(const struct tl_graph_nodes *, uint32_t event, uint32_t call);

/* ---- calls in which the host waits for the device -------------------------------------------------------- */

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
