/* slice_launches.h - which call launched which device event, linked or not.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SLICE_LAUNCHES_H
#define TL_SLICE_LAUNCHES_H

#include "analysis/args.h"

/* The launches of the trace and behind them, for each device event that is not linked, the
 * only call with its correlation, if there is one: the trace may lack the arrow between
 * them, as traces of ROCm do for some sets of memory. *n receives how many. The caller frees
 * them. */
struct tl_launch *tl_slice_launches(struct tl_trace *, struct tl_arg_cells *, size_t *n);

#endif
