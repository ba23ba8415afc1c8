/* longest.h - the longest path through the graph, and how much later each node could come.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_LONGEST_H
#define TL_LONGEST_H

#include "path/graph.h"

struct tl_path_step { uint32_t edge, to; }; /* an edge of the path, and the node that it goes to */
/* The edges of the path from T0 to T1, which the caller frees. They follow each other, so that their times sum up to the
 * window. */
struct tl_path_step *tl_longest(const struct tl_path_graph *, size_t *n);

/* [node]: how many ticks later it could come without T1 coming later; 0 on the path. The caller frees it. */
int64_t *tl_path_slack(const struct tl_path_graph *);

#endif
