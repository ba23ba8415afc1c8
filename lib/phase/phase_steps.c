/* phase_steps.c - the steps of a trace, and what annotations say of their phases.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "phase/phase_steps.h"

#include <stdlib.h>
#include <string.h>

const char *tl_step_evidence_name(unsigned evidence)
{
	static const char *const names[TL_EVIDENCES] = { "", "annotation", "idle", "capture", "diffusion",
		"attention arguments", "tokens and requests", "attention kernels" };

	return evidence < TL_EVIDENCES ? names[evidence] : "";
}

static void read_annotation(struct tl_phase_step *step, const char *name, const struct tl_step_text *text)
{
	int64_t size;
	const char *mode;

	if (tl_capture_text_read(name, &size, &mode))
		step->evidence = TL_EVIDENCE_CAPTURE;
	if (text->kind == TL_STEP_DIFFUSION)
		step->evidence = TL_EVIDENCE_DIFFUSION;
	if (text->kind == TL_STEP_NONE || text->kind == TL_STEP_DIFFUSION)
		return;
	step->phase = tl_step_phase(text);
	step->evidence = step->phase == TL_PHASE_UNKNOWN ? TL_EVIDENCE_IDLE : TL_EVIDENCE_ANNOTATION;
	step->confidence = step->phase != TL_PHASE_UNKNOWN;
	if (text->kind == TL_STEP_SGLANG_NATIVE && !strncmp(name, "step[MIXED", 10)) {
		step->phase = TL_PHASE_MIXED; /* the text does not say how many requests are of which phase */
		return;
	}
	step->prefill_requests = text->context.requests;
	step->decode_requests = text->generation.requests;
	step->prefill_tokens = text->context.tokens;
	step->decode_tokens = text->generation.tokens;
}

void tl_phase_steps_find(struct tl_phase_steps *s, const struct tl_trace *t)
{
	struct tl_steps found;

	tl_steps_with_phases(&found, t);
	*s = (struct tl_phase_steps){ .items = tl_alloc((found.n + 1) * sizeof *s->items), .n = found.n, .source = found.source };
	for (size_t i = 0; i < s->n; i++) {
		const struct tl_step *step = &found.items[i];
		s->items[i] = (struct tl_phase_step){ .event = step->event, .start = step->from, .end = step->to,
			.prefill_requests = -1, .decode_requests = -1, .prefill_tokens = -1, .decode_tokens = -1 };
		if (step->event != TL_NONE)
			read_annotation(&s->items[i], tl_str(&t->strings, t->events[step->event].name), &step->text);
	}
	tl_step_index_build(&s->index, t, &found);
	tl_steps_release(&found);
}

void tl_phase_steps_release(struct tl_phase_steps *s)
{
	tl_step_index_release(&s->index);
	free(s->items);
	*s = (struct tl_phase_steps){ 0 };
}
