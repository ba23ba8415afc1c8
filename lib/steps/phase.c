/* phase.c - the names of phases.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/phase.h"

const char *tl_phase_name(enum tl_phase phase)
{
	static const char *const names[TL_PHASES] = { "Unknown", "Prefill", "Decode", "Mixed" };

	return names[phase];
}
