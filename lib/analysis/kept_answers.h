/* kept_answers.h - what built-in tables of rules say of the names of a trace: each name is asked once, and kept with the trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_KEPT_ANSWERS_H
#define TL_KEPT_ANSWERS_H

#include "kernels/name_rules.h"
#include "model/trace.h"

struct tl_name_answers *tl_kept_answers(const struct tl_trace *, enum tl_built_in_rules);

#endif
