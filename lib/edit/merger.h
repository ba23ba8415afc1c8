/* merger.h - captures of graphs merged into the replays of these graphs.
 *
 * When an engine replays a CUDA or HIP graph, its trace has one call (cudaGraphLaunch) and
 * kernels without operators. A trace that was made while the graph was captured has the
 * operators, shapes and Python frames, but no kernels. The merger copies what the host did
 * during the capture below the call of the replay, and has the copied calls launch the
 * replayed kernels.
 *
 * The steps of the engine (steps/step_find.h) say with which batch size a graph is replayed;
 * the index says which trace has its capture. A copy has the start and duration of the call
 * of the replay, and the argument TL_KEY_CAPTURED. What cannot be merged stays as it is and
 * has a note.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MERGER_H
#define TL_MERGER_H

#include "edit/capture_index.h"
#include "model/trace.h"

/* The kinds of events that a capture trace needs to have, as bits 1 << kind: they are the
 * nodes of the call tree. */
#define TL_CAPTURE_KINDS \
	(1u << TL_KIND_CPU_OP | 1u << TL_KIND_RUNTIME | 1u << TL_KIND_DRIVER | 1u << TL_KIND_PYTHON)

/* What the merger reads; both must outlive it. */
struct tl_merge_options {
	const struct tl_capture_index *index;
	/* Reads the capture trace `file`, with links, Python frames and TL_CAPTURE_KINDS. The
	 * merger frees the trace. */
	enum tl_status (*load)(void *ctx, const char *file, struct tl_trace **, struct tl_error *);
	void *ctx;
};

/* Why graphs were left as they are: a constant text, how many steps or graphs it is about, and
 * the name of the first of these steps. */
struct tl_merge_note { const char *why; uint64_t count; char *step; };
struct tl_merge_report {
	uint64_t n_steps;          /* steps of the engine */
	uint64_t n_replays;        /* replays of graphs in these steps */
	uint64_t n_merged;         /* replays that have their capture now */
	uint64_t n_kernels;        /* device events of the merged replays */
	uint64_t n_events;         /* events that were copied */
	uint64_t n_unchecked;      /* merged kernels whose name could not be compared with their call's */
	struct tl_merge_note *notes; size_t n_notes, cap_notes;
};

/* A sink that passes a trace on to `next`. It takes links of the linker, with Python frames,
 * and no edits: TL_ERR_DATA otherwise. Memory: that of the trace in memory (model/trace.h), and
 * of at most 8 capture traces. Free it with tl_merger_free. */
struct tl_sink *tl_merger_new(struct tl_sink *next, const struct tl_merge_options *);
const struct tl_merge_report *tl_merger_report(const struct tl_sink *); /* after end() */
void tl_merger_free(struct tl_sink *);

#endif
