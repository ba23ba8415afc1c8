/* call_tree.h - what the sheets of tl-tree are made from. tree.sheet says what they are.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CALL_TREE_H
#define TL_CALL_TREE_H

#include "base/pattern.h"
#include "model/trace.h"
#include "sheet/tree.h"

/* What the sheets of tl-tree are made from. The first members are set before a sheet is made. */
struct tl_call_tree {
	struct tl_trace *trace;
	int64_t uid;                     /* call_tree is about the event of this number; -1: about all that match */
	const struct tl_pattern *match;  /* about events whose names match; NULL: about all */
	int64_t depth, nodes;            /* so many levels below these; so many rows at most */
	bool none;                       /* nothing matched */
	bool texts_cut;                  /* stacks are too long to be written */
};

#endif
