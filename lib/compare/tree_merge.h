/* tree_merge.h - two call trees merged into one: which event of one stands for which of the other.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TREE_MERGE_H
#define TL_TREE_MERGE_H

#include "compare/pairing.h"

/* A node of the merged tree: an event of each trace, or of one of them; TL_NONE: of the other one
 * only. Its n children are children[first] and those that follow. */
struct tl_diff_node { uint32_t of[2], first, n; };
static inline bool tl_diff_is_combined(const struct tl_diff_node *node)
{
	return node->of[0] != TL_NONE && node->of[1] != TL_NONE;
}

struct tl_merged {
	struct tl_side sides[2];
	struct tl_diff_node *nodes; size_t n_nodes, cap_nodes; /* numbered as they are met, top down */
	uint32_t *children; size_t n_children, cap_children; /* nodes; a node may be a child of several */
	struct tl_list roots;
	/* what was simplified because it would take too long */
	uint32_t n_cut;   /* lists of children that were aligned in pieces */
	uint32_t n_left;  /* names whose children were not paired anew */
	struct tl_strtab names;
};

/* Merges two traces, which must outlive the result and stay as they are. TL_ERR_DATA: one of them has no
 * operators, or their trees do not fit into numbers of 32 bits.
 *
 * The i-th roots of both (tl_side_roots) are a node. The children of two events that are a node
 * are those on the GPU path, and of the others those that have the name of one that the other
 * event has on the GPU path, by start. They are aligned:
 *  1. If one event has a single child, and the other one not, the chain of single children is
 *     followed to its end, and the node is about the event there.
 *  2. Lists of one length without runtime calls are paired by place; others by name
 *     (edit_script.h, pairing.h).
 *  3. A child without a partner that is a wrapper, since the other trace has its children
 *     here, or since both traces have such a child with equal children, gives way to its
 *     children, and what has no partner is aligned again.
 *  4. What still has none is followed down to the end of its chain and aligned by name, then by
 *     loose name. */
enum tl_status tl_merge_trees(struct tl_merged **, struct tl_trace *a, struct tl_trace *b, struct tl_error *);
void tl_merged_free(struct tl_merged *);

#endif
