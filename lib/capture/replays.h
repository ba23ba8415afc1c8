/* replays.h - the steps of a serving engine, the graphs that they replay, and what these ran
 * on the device.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REPLAYS_H
#define TL_REPLAYS_H

#include "capture/align.h"
#include "capture/capture_trace.h"
#include "steps/step_find.h"

/* Kinds of events that replays are found without, as bits 1 << kind. */
#define TL_NOT_REPLAYED \
	(1u << TL_KIND_OTHER | 1u << TL_KIND_META | 1u << TL_KIND_GPU_ANNOTATION | 1u << TL_KIND_LAUNCH_FLOW | \
	 1u << TL_KIND_FWDBWD_FLOW | 1u << TL_KIND_FLOW | 1u << TL_KIND_COUNTER | 1u << TL_KIND_INSTANT | \
	 1u << TL_KIND_OVERHEAD | 1u << TL_KIND_TRACE)

/* The steps of the engine, and their calls that launch a graph, by start: those of step i are calls[first[i]]
 * up to, but without, calls[first[i + 1]]. */
struct tl_replay_steps { struct tl_steps steps; size_t *first; uint32_t *calls; };
/* A call belongs to a step if it launches a graph and lies in the step's time, whatever its thread. names:
 * here and below, of kernels/graph-names.tsv for the trace. Release the steps, also if there are none. */
void tl_replay_steps_find(struct tl_replay_steps *, const struct tl_trace *, struct tl_name_answers *names);
void tl_replay_steps_release(struct tl_replay_steps *);

/* The batch size of a step: that of its text, else the number after the first "_" of the annotation. False:
 * it says none. */
bool tl_batch_size_of(const struct tl_trace *, const struct tl_step *, int64_t *out);

/* The device events of a call that replays a graph, by start. */
struct tl_replay {
	uint32_t call;
	const char *why;           /* why nothing can be merged; NULL: something can */
	uint32_t *events, n;
	struct tl_replayed *names; /* one for each; name and stream are string ids of the trace */
};
void tl_replay_init(struct tl_replay *, struct tl_trace *, struct tl_name_answers *names, uint32_t call);
void tl_replay_release(struct tl_replay *);

/* The calls of a captured graph, with names as string ids of the trace of its replay. The
 * caller frees them. */
struct tl_captured_call *tl_captured_calls(struct tl_capture_trace *, const struct tl_capture_graph *,
                                           const struct tl_trace *replay);

#endif
