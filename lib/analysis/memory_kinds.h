/* memory_kinds.h - between which kinds of memory a copy goes, or which one is set.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MEMORY_KINDS_H
#define TL_MEMORY_KINDS_H

#include "analysis/args.h"

/* "Pageable -> Device": the event's argument TL_KEY_MEMORY, which `memory` stands for, or else the last text in
 * parentheses of the name of a copy or set; null if neither tells. */
struct tl_cell tl_memory_kinds(struct tl_trace *, const struct tl_arg *memory, uint32_t event);

#endif
