/* kernel_answers.h - what kernel-kinds.tsv says of the names of a trace, asked once for all sheets: kept with the trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_KERNEL_ANSWERS_H
#define TL_KERNEL_ANSWERS_H

#include "kernels/name_rules.h"
#include "model/trace.h"

/* The answers to one of the questions TL_KERNEL_KINDS … TL_KERNEL_INTERNAL. */
struct tl_name_answers *tl_kernel_answers(const struct tl_trace *, enum tl_built_in_rules question);

#endif
