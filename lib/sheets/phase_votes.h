/* phase_votes.h - the sheet phase_votes: what each method and signal says about launches.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PHASE_VOTES_H
#define TL_PHASE_VOTES_H

#include "phase/phases.h"
#include "table/sheet.h"


/* The sheet; the caller frees it. about: only launches whose name, or the name of one of their
 * device events, has this text in it; NULL: all. */
struct tl_table *tl_phase_votes_table(struct tl_phases *, const char *about);

#endif
