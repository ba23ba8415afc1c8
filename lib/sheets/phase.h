/* phase.h - the sheets of inference phases: of operators, kernels, steps and launches, and what voted.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PHASE_H
#define TL_PHASE_H

#include "work/name_rules.h"
#include "steps/phases.h"
#include "sheet/phase.h"
#include "sheets/kcat.h"

/* What tl_phase_sheets are made from. */
struct tl_phase_facts;
/* The rules give the categories of device events. kernels: with the same phases and rules, for the
 * sheets kernel_summary_*; NULL: without these. about: phase_votes has only launches whose name, or the name of one of
 * their device events, has this text in it; NULL: all. All must outlive the result. */
struct tl_phase_facts *tl_phase_facts_new(struct tl_phases *, struct tl_name_rules *kernel_categories,
                                          struct tl_kernels *, const char *about);
void tl_phase_facts_free(struct tl_phase_facts *); /* NULL is allowed */
/* Whether the sheet phase_votes was made, and no launch is in it. */
bool tl_phase_facts_no_votes(const struct tl_phase_facts *);

#endif
