/* diff.h - compares two traces: finds the device work that differs and the node of both call trees
 * above it, and writes the merged tree as text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_DIFF_H
#define TL_DIFF_H

#include "base/io.h"
#include "compare/tree_merge.h"

/* A device event. The lowest common ancestor is the combined node above what differs. Either it
 * has children on the GPU path without a partner, and this event is below one of them; or it is
 * itself a pair of kernels or copies. */
struct tl_diff_row {
	uint32_t event, op;     /* of the trace of its side; op: the operator above the event */
	uint32_t ancestor;      /* a node; TL_NONE: the event is below a root without a partner */
	uint32_t ancestor_name; /* string id of the first trace, 0: none. Both sides' names, if they differ;
	                           numbers in parentheses are dropped */
	uint32_t side;          /* 0: the first trace */
	int64_t busy;           /* ticks in which this side's events of the ancestor, or of the root, run */
	bool whole;             /* the starts and durations of these events have no fractions */
};

struct tl_diff {
	struct tl_merged *tree;
	struct tl_trace *traces[2];
	struct tl_diff_row *rows; size_t n_rows, cap_rows; /* in the order of the merged tree, top down */
};

/* Compares two traces; see also tl_merge_trees. Both must outlive the result. TL_ERR_DATA: their ticks
 * differ. Device events without an operator above them are left out. */
enum tl_status tl_diff_new(struct tl_diff **, struct tl_trace *a, struct tl_trace *b, struct tl_error *);
void tl_diff_free(struct tl_diff *);

/* ---- lowest common ancestors ------------------------------------------------------------ */

struct tl_ancestor {
	uint32_t name;  /* string id of the first trace */
	int64_t busy[2]; /* `busy` of its first row of each side; 0: no row */
	bool in[2];     /* it has rows of this side */
};
/* The nodes that are ancestors of device events of the first trace. All zero bytes: no ancestors. */
struct tl_ancestors {
	struct tl_ancestor *items;  /* by node */
	bool some_without;          /* some row of either trace has no ancestor */
	struct tl_by_event { uint32_t event, node; } *by_event; size_t n; /* of the first trace, sorted */
};
void tl_ancestors_find(struct tl_ancestors *, const struct tl_diff *);
void tl_ancestors_release(struct tl_ancestors *);

/* Appends the ancestors of a device event of the first trace: nodes. */
void tl_ancestors_of(const struct tl_ancestors *, uint32_t event, struct tl_list *);

/* ---- names ------------------------------------------------------------------------------ */

/* Returns the name of an event of one side, or its uid if it has no name, as an id of the first trace's strings. */
uint32_t tl_diff_name(const struct tl_diff *, int side, uint32_t event);

/* ---- the merged tree as text, a line a node ---------------------------------------------- */

/* Deeper nodes are shown at this depth. */
enum { TL_TREE_DEPTH = 1000 };

/* Writes "├── NAME" for a combined node, "combined: NAME | NAME" if its names differ, else ">> trace1: NAME"
 * or "<< trace2: NAME". Combined children come first, then those of the first trace. prune: leave out
 * roots that launch no work. */
enum tl_status tl_tree_text(const struct tl_diff *, bool prune, struct tl_output *, struct tl_error *);

#endif
