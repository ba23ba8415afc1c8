/* phase_steps.h - the steps of a trace, and the phase of each.
 *
 * A step is an iteration of a serving engine. It is one phase, or both at once (Mixed); all
 * that is launched in it belongs to it, kernels of graphs too. What tells the phase, the
 * surest first:
 *   - the engine's annotation, with its requests and tokens (step_text.h);
 *   - arguments of attention operators: queries for each request, one or many;
 *   - rows of the matrix product that gives the logits (requests) against those of the others
 *     (tokens);
 *   - kernels that are of one phase by their names (kernels/phase-kernels.tsv).
 * Nothing of these: Unknown. That a word occurs in a name proves nothing.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PHASE_STEPS_H
#define TL_PHASE_STEPS_H

#include "kernels/name_rules.h"
#include "phase/phase_launchers.h"
#include "steps/step_index.h"

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
	struct tl_step_index index;
};

/* Finds the steps, and reads the annotations. */
void tl_phase_steps_find(struct tl_phase_steps *, const struct tl_trace *);
/* Weighs what was launched in the steps whose annotation does not tell the phase. kernels:
 * the rules of kernels/phase-kernels.tsv, and more. */
void tl_phase_steps_weigh(struct tl_phase_steps *, struct tl_trace *, const struct tl_phase_launchers *,
                          struct tl_name_rules *kernels);
void tl_phase_steps_release(struct tl_phase_steps *);

#endif
