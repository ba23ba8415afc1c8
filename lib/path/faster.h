/* faster.h - what of the graph takes less time if something is faster: kernels, operators, causes of idle time.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FASTER_H
#define TL_FASTER_H

#include "path/pieces.h"
#include "work/name_rules.h"
#include "path/graph.h"

/* What can be faster; a name is looked for in this order, unless the text says which. */
#define TL_FASTER_KINDS(X) \
	X(TL_FASTER_BOUND, "bound")        /* a kind of time, tl_bound_name */ \
	X(TL_FASTER_KERNEL, "kernel")      /* device events of this name */ \
	X(TL_FASTER_OPERATOR, "operator")  /* host events of this name, all that the host does in them, and what it launches there */ \
	X(TL_FASTER_CATEGORY, "category")  /* kernels of this category */ \
	X(TL_FASTER_COPY, "copy")          /* copies in this direction */ \
	X(TL_FASTER_IDLE, "idle")          /* what the host does while a device is idle for this cause, or with this host_name */ \
	X(TL_FASTER_HOST, "host")          /* as operator, but without what it launches */ \
	X(TL_FASTER_ALONE, "alone")        /* the host while events of this name are innermost */
enum tl_faster_kind { TL_FASTER_KINDS(TL_FIRST_OF) TL_FASTER_N };
const char *tl_faster_kind_name(unsigned kind);

/* name: a string id of the trace. k: the time is divided by it, rounded down; 0: it takes no time. */
struct tl_faster { enum tl_faster_kind kind; uint32_t name; int64_t k; };

/* What answers need besides the graph. Graph and rules must outlive it. */
struct tl_faster_maker {
	const struct tl_path_graph *graph;
	struct tl_name_rules *categories;      /* of kernels; NULL: category is unknown */
	struct tl_name_answers directions;
};
void tl_faster_init(struct tl_faster_maker *, const struct tl_path_graph *, struct tl_name_rules *categories);
void tl_faster_release(struct tl_faster_maker *);

/* Is it of the form [KIND:]NAME/K? *k: 0 for inf. */
enum tl_status tl_faster_check(const char *text, int64_t *k, struct tl_error *);
/* Reads [KIND:]NAME/K; K inf is k 0. TL_ERR_USAGE: it is not of that form, or nothing in the window has that name; the error
 * then tells names like it. */
enum tl_status tl_faster_read(struct tl_faster_maker *, const char *text, struct tl_faster *, struct tl_error *);

/* Adds to less, by edge, what their delays lose. Of several calls an edge has the largest loss. Waits, gaps and launches stay as
 * they are, unless the bound or the cause is theirs. Returns how many edges lose time. */
size_t tl_faster_mark(struct tl_faster_maker *, const struct tl_faster *, int64_t *less);

#endif
