/* hlo_program_text.h - the programs in a trace as text, as XLA dumps it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_HLO_PROGRAM_TEXT_H
#define TL_HLO_PROGRAM_TEXT_H

#include "model/trace.h"

/* Adds the programs of the trace (TL_META_PROGRAM), of each only the lines that say something of a collective: for
 * tl_hlo_collectives_add. Returns how many programs there are; *damaged: how many cannot be read. */
size_t tl_hlo_program_text(const struct tl_trace *, struct tl_buf *out, size_t *damaged);

#endif
