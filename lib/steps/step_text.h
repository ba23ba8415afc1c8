/* step_text.h - what a serving engine's annotation says about the step it encloses.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_TEXT_H
#define TL_STEP_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* The phases of inference with a language model. */
enum tl_phase {
	TL_PHASE_UNKNOWN, /* nothing tells it, or neither happens */
	TL_PHASE_PREFILL, /* the tokens of a prompt are computed */
	TL_PHASE_DECODE,  /* new tokens are computed, one or a few for each request */
	TL_PHASE_MIXED,   /* both at once; the methods of TraceLens say it for unknown, too */
	TL_PHASES
};
const char *tl_phase_name(enum tl_phase); /* "Unknown", "Prefill", … */

/* The formats. A detailed one has the sums over requests that performance models need. */
enum tl_step_kind {
	TL_STEP_NONE,            /* no format, or one that is not whole */
	TL_STEP_VLLM_DETAILED,   /* execute_N_context_A(sqNskNsqsqNsqskN)_generation_B(sqNskNsqsqNsqskN) */
	TL_STEP_VLLM_NATIVE,     /* execute_context_A(N)_generation_B(N) */
	TL_STEP_SGLANG_DETAILED, /* step[MODE bs=N … c_sqsq=N …], MODE: EXTEND, DECODE, MIXED */
	TL_STEP_SGLANG_NATIVE,   /* step[MODE bs=N], step[MODE bs=N toks=N] */
	TL_STEP_ATOM_DETAILED,   /* prefill[bs=N tok=N … sqsq=N …], decode[…] */
	TL_STEP_ATOM_NATIVE,     /* prefill[bs=N tok=N …], decode[…] */
	TL_STEP_DIFFUSION,       /* execute_diffusion_N_WxH */
	TL_STEP_VLLM_SQUARES,    /* execute_context_A(N_SQUARES)_generation_B(N[_SQUARES]): TraceLens does not read it */
	TL_STEP_KINDS
};
const char *tl_step_kind_name(unsigned kind); /* "vllm_detailed", …; "" of TL_STEP_NONE */

/* The requests of a step that prefill (context), or those that decode (generation). A
 * number that the text does not say is 0; one above 10^15 is read as 10^15. */
struct tl_step_side {
	int64_t requests;
	int64_t tokens;     /* computed in this step: sq, but 0 if the mode of the step leaves this side out */
	int64_t sq, sk;     /* sums of query and key lengths over the requests */
	int64_t sqsq, sqsk; /* sums of their products */
};

struct tl_step_text {
	enum tl_step_kind kind;
	int tier;           /* 1: a detailed format; 2: a native format, or the start of one that is not
	                       whole (then kind may be TL_STEP_NONE); 0: the annotation is no step */
	struct tl_step_side context, generation;
	int64_t batch_size; /* tokens of the step, as its matrix products see them; images of a diffusion
	                       engine; 1 if kind is TL_STEP_NONE */
	bool usable;        /* sqsq and sqsk may feed performance models */
};

/* Reads an annotation's text. A format must stand at its start; anything may follow. */
void tl_step_text_read(const char *text, struct tl_step_text *);

/* The phase of a step by its requests; TL_PHASE_UNKNOWN: it has none. */
enum tl_phase tl_step_phase(const struct tl_step_text *);

/* Reads "capture_N_MODE", the annotation of a graph capture: the batch size and where the
 * mode starts in the text (up to its end). False: the text is not one. */
bool tl_capture_text_read(const char *text, int64_t *batch_size, const char **mode);

#endif
