/* sort_starts.h - sorting by start.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STARTS_H
#define TL_STARTS_H

#include "base/base.h"

/* Something that starts at ts (ticks), and its number wherever it is kept. */
struct tl_start { int64_t ts; uint32_t item; };
/* Stable by ts; fast where items are few long runs that are in order already. */
void tl_sort_starts(struct tl_start *items, size_t n);

#endif
