/* phase_steps.h - the steps of a trace, and the phase of each.
 *
 * A step is an iteration of a serving engine. It is one phase, or both at once (Mixed); all
 * that is launched in it belongs to it, kernels of graphs too. What tells the phase, the
 * surest first:
 *   - the engine's annotation, with its requests and tokens (step_text.h);
 *   - arguments of attention operators: queries for each request, one or many;
 *   - rows of the matrix product that gives the logits (requests) against those of the others
 *     (tokens);
 *   - kernels that are of one phase by their names (work/phase-kernels.tsv).
 * Nothing of these: Unknown. That a word occurs in a name proves nothing.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PHASE_STEPS_H
#define TL_PHASE_STEPS_H

#include "work/spans.h"
#include "work/name_rules.h"
#include "steps/step_find.h"

/* The launches that get a phase.
 *
 * These are the launchers of TraceLens's phase methods, which are not those of ops_summary
 * (work/launchers.h): each operator whose calls launched device events other than
 * communication, then each other runtime call with device events below it. The launch of a
 * graph is one of them, with all events of the graph. */
struct tl_phase_launcher {
	uint32_t event;  /* the operator or call */
	uint32_t n;      /* its device events … */
	size_t first;    /* … in tl_phase_launchers.gpus */
};
struct tl_phase_launchers {
	struct tl_phase_launcher *items; size_t n, cap; /* operators in file order, then calls in file order */
	uint32_t *gpus; size_t n_gpus, cap_gpus;
};

enum tl_step_evidence {
	TL_EVIDENCE_NONE,
	TL_EVIDENCE_ANNOTATION, /* the annotation of the engine */
	TL_EVIDENCE_IDLE,       /* the annotation says that the step has no requests */
	TL_EVIDENCE_CAPTURE,    /* the annotation says that a graph is captured: nothing is inferred */
	TL_EVIDENCE_DIFFUSION,  /* the annotation says that the model makes images: it has no phases */
	TL_EVIDENCE_ARGUMENTS,  /* of attention operators */
	TL_EVIDENCE_TOKENS,     /* tokens against requests in matrix products */
	TL_EVIDENCE_KERNELS,    /* names of attention kernels */
	TL_EVIDENCES
};
const char *tl_step_evidence_name(unsigned evidence); /* "annotation", …; "" for none */

struct tl_phase_step {
	uint32_t event;      /* see struct tl_step */
	int64_t start, end;  /* on the host, ticks */
	enum tl_phase phase;
	double confidence;   /* 1 for annotations, less for other evidence, 0 for Unknown */
	enum tl_step_evidence evidence;
	/* -1: not known */
	int64_t prefill_requests, decode_requests, prefill_tokens, decode_tokens;
};

struct tl_phase_steps {
	struct tl_phase_step *items; size_t n; /* those of tl_steps_with_phases */
	enum tl_step_source source;
	struct tl_innermosts running; /* which step runs on a thread, or in a process, when; none if the source is TL_STEPS_WHOLE */
};

/* Finds the steps, reads the annotations, and weighs what was launched in the steps whose annotation does not
 * tell the phase. kernels: the rules of work/phase-kernels.tsv, and more. */
void tl_phase_steps_find(struct tl_phase_steps *, struct tl_trace *, const struct tl_phase_launchers *,
                         struct tl_name_rules *kernels);
/* The number of the step in which an operator or call started; TL_NONE: in none, or event is TL_NONE. If
 * no step is of its thread, steps of other threads of the process count. */
uint32_t tl_phase_step_at(const struct tl_phase_steps *, const struct tl_trace *, uint32_t event);
void tl_phase_steps_release(struct tl_phase_steps *);

#endif
