/* tree_text.h - a merged tree as text, a line a node.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TREE_TEXT_H
#define TL_TREE_TEXT_H

#include "base/io.h"
#include "diff/stats.h"

/* Deeper nodes are shown at this depth. */
enum { TL_TREE_DEPTH = 1000 };

/* Writes "├── NAME", "combined: NAME | NAME" where the names differ, ">> trace1: NAME" and
 * "<< trace2: NAME"; below a node first the combined ones, then those of the first trace. prune: leave out
 * roots that launch no work. */
enum tl_status tl_tree_text(const struct tl_diff *, bool prune, struct tl_output *, struct tl_error *);

#endif
