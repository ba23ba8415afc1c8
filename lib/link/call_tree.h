/* call_tree.h - the host call tree: which event was called by which.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CALL_TREE_H
#define TL_CALL_TREE_H

#include "link/host_spans.h"
#include "model/sink.h"

/* Pushes a link for every node, root and recomputed node into `next`, in order of
 * start, and marks spans below recomputed ones as recomputed. The tracks of the spans
 * are numbers below n_tracks. *n_misfits receives how many nodes have no place in the
 * tree: tl-link(1), Call tree. */
enum tl_status tl_call_tree(struct tl_host_spans *, uint32_t n_tracks, int64_t ticks_per_us, struct tl_sink *next,
                            uint64_t *n_misfits, struct tl_error *);

#endif
