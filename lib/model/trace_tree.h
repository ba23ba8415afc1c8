/* trace_tree.h - links applied to a trace in memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TRACE_TREE_H
#define TL_TRACE_TREE_H

#include "model/trace.h"

/* Applies a link. TL_ERR_DATA if it contradicts the tree: parent chains and child
 * lists stay free of cycles whatever a stream says. A link that names an event which
 * the trace does not keep has no effect. */
enum tl_status tl_trace_apply_link(struct tl_trace *, const struct tl_link *, struct tl_error *);

#endif
