/* steps.h - the sheet steps: the steps of a serving engine, and what they did on the device.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEPS_H
#define TL_STEPS_H

#include "kernels/name_rules.h"
#include "phase/phases.h"
#include "table/sheet.h"

extern const struct tl_sheet_def tl_steps_sheet;

/* The sheet; the caller frees it. The rules give the categories of device events. */
struct tl_table *tl_steps_table(struct tl_phases *, struct tl_name_rules *kernel_categories);

#endif
