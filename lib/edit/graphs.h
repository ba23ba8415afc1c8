/* graphs.h - graphs that were captured, their replays, and which call of a capture launched which
 * device event of a replay.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GRAPHS_H
#define TL_GRAPHS_H

#include "work/name_rules.h"
#include "model/trace.h"
#include "steps/step_find.h"

/* ---- calls and device events paired ------------------------------------------------------ */

/* The calls stand in the order of their starts, the device events too. They are paired by
 * the names of kernels, in one of these ways:
 *
 *   by place   one stream, as many calls as device events: the first with the first and
 *              so on. A call that does not say its kernel fits any device event
 *   by name    the same, but a name does not fit its place: the k-th call of a kernel with
 *              the k-th device event of that name, if both occur as often
 *   in order   one stream, other numbers: each device event with the next call that fits;
 *              calls between them are left out
 *   by stream  several streams: each call with the first unpaired device event of a stream
 *              that fits; of several such streams that which also fits most of the
 *              following calls; a call that fits none is left out */

enum tl_copy { TL_COPY_NONE, TL_COPY_MEMCPY, TL_COPY_MEMSET }; /* what a name says: a copy, a fill */

/* A call of the capture. */
struct tl_captured_call {
	uint32_t name;    /* id of its kernel's name, else of its own; 0: no device event has that name */
	enum tl_copy copy; /* by its own name */
	bool says_kernel; /* it has the name of its kernel */
};
/* A device event of the replay. */
struct tl_replayed { uint32_t name, stream; enum tl_copy copy; };
struct tl_launch_pair { uint32_t call, event; };

/* Pairs every device event with a call; out has room for n_events pairs. Returns NULL, or why
 * calls and device events do not fit: a constant text; then out is undefined. *unchecked: how
 * many pairs are by place alone, because the call does not say its kernel and is no copy. */
const char *tl_align(const struct tl_captured_call *calls, size_t n_calls, const struct tl_replayed *events,
                     size_t n_events, struct tl_launch_pair *out, size_t *unchecked);

/* ---- the graphs of a capture trace ------------------------------------------------------ */

/* The name of the event that stands for the capture itself, above all copies. */
#define TL_CAPTURE_ROOT "CaptureRoot"

/* An event of a graph; event: of the trace, but TL_NONE for the first one, which stands for
 * the capture itself. number: its place among all events of the capture by start; the events
 * that are left out have numbers, too. parent: an index in the list, 0 for the first one. */
struct tl_captured { uint32_t event, number, parent; };

struct tl_capture_graph {
	struct tl_captured *events; uint32_t n; /* by start; those that are not worth a copy are left out */
	uint32_t n_numbers;                     /* all events of the capture, also those that are left out */
	uint32_t *tree;                         /* indexes of events but the first: parents before their children,
	                                           children in the order of the trace */
	uint32_t *calls; uint32_t n_calls;      /* indexes of the calls that launch, copy or fill, by start */
	uint32_t *roots; uint32_t n_roots;      /* indexes of outermost operators, in stack order */
};

struct tl_capture_trace {
	struct tl_trace *trace;
	struct tl_name_answers names; /* of kernels/graph-names.tsv */
	struct tl_capture_graph *graphs; size_t n, cap;
};

/* Takes over a trace that was linked with Python frames. The i-th graph is what lies between
 * the i-th call StreamBeginCapture and the i-th StreamEndCapture: the operators and Python
 * frames of all threads that lie in this time and whose parents do not, with all below
 * them. Calls and Python frames without a launch in them or below them are left out; frames
 * of modules stay. TL_ERR_DATA: the captures overlap so much that the work would grow with
 * the square of the trace; the trace is freed then, too. */
enum tl_status tl_capture_trace_new(struct tl_capture_trace **, struct tl_trace *, struct tl_error *);
void tl_capture_trace_free(struct tl_capture_trace *);

/* ---- steps, the graphs that they replay, and what these ran on the device --------------- */

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
