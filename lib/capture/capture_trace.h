/* capture_trace.h - the graphs of a capture trace: what the host did while it captured each.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CAPTURE_TRACE_H
#define TL_CAPTURE_TRACE_H

#include "capture/align.h"
#include "kernels/name_answers.h"
#include "model/trace.h"

/* The name of the event that stands for the capture itself, above all copies. */
#define TL_CAPTURE_ROOT "CaptureRoot"

/* The kinds of events that a capture trace needs to have, as bits 1 << kind: they are the
 * nodes of the call tree. */
#define TL_CAPTURE_KINDS \
	(1u << TL_KIND_CPU_OP | 1u << TL_KIND_RUNTIME | 1u << TL_KIND_DRIVER | 1u << TL_KIND_PYTHON)

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

#endif
