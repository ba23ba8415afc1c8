/* phase.h - the phases of inference with a language model.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PHASE_H
#define TL_PHASE_H

enum tl_phase {
	TL_PHASE_UNKNOWN, /* nothing tells it, or neither happens */
	TL_PHASE_PREFILL, /* the tokens of a prompt are computed */
	TL_PHASE_DECODE,  /* new tokens are computed, one or a few for each request */
	TL_PHASE_MIXED,   /* both at once; the methods of TraceLens say it for unknown, too */
	TL_PHASES
};
const char *tl_phase_name(enum tl_phase); /* "Unknown", "Prefill", … */

#endif
