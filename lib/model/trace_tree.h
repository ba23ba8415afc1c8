/* trace_tree.h - links applied to a trace in memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TRACE_TREE_H
#define TL_TRACE_TREE_H

#include "model/trace.h"

/* TL_ERR_DATA when the link cannot be: parent chains and child lists stay free of
 * cycles whatever a stream says. Links that name an event which is not in the
 * trace, since its kind was dropped, are passed over. */
enum tl_status tl_trace_apply_link(struct tl_trace *, const struct tl_link *, struct tl_error *);

#endif
