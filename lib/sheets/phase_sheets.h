/* phase_sheets.h - the sheets of inference phases: ops_summary_prefill, ops_summary_decode,
 * kernel_summary_prefill, kernel_summary_decode, phase_summary, steps, launcher_phases and phase_votes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PHASE_SHEETS_H
#define TL_PHASE_SHEETS_H

#include "kernels/name_rules.h"
#include "phase/phases.h"
#include "sheets/kernels.h"
#include "sheets/sheet_list.h"

struct tl_phase_sheets;
/* The rules give the categories of device events. kernels: with the same phases and rules, for the
 * sheets kernel_summary_*; NULL: without these. about: see phase_votes.h. All must outlive the result. */
struct tl_phase_sheets *tl_phase_sheets_new(struct tl_phases *, struct tl_name_rules *kernel_categories,
                                            struct tl_kernels *, const char *about);
void tl_phase_sheets_free(struct tl_phase_sheets *); /* NULL is allowed */
/* Whether the sheet phase_votes was made, and no launch is in it. */
bool tl_phase_sheets_no_votes(const struct tl_phase_sheets *);

/* Made from a struct tl_phase_sheets. */
extern const struct tl_sheet_family tl_phases_sheets;

#endif
