/* trace_index.h - shared by the files of this folder only.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TRACE_PRIVATE_H
#define TL_TRACE_PRIVATE_H

#include "model/trace.h"

struct trace_list { const uint32_t *items; uint32_t n; };

struct tl_trace_index {
	/* uid -> event index, direct while uids are dense enough, else searched */
	uint32_t *by_uid;
	size_t n_by_uid, cap_by_uid;
	bool sparse;

	/* tree edits: child -> 1 + index of the event in whose child list it
	 * stands (0: in none), for the children where that is not its parent */
	struct tl_map owner;
	bool edited;        /* a child list may not be in the order of its links any more */
	uint32_t *before;   /* child -> the one before it; NULL until many were looked for */
	size_t cap_before;
	uint64_t n_walked;  /* children passed in looking for one */
	struct trace_extra { uint32_t event, number, gpu; } *extra; /* extra work of events */
	size_t n_extra, cap_extra;

	/* launches by runtime call: gpu[start[e]..start[e+1]], numbers[] are
	 * their positions in tl_trace.launches */
	uint32_t *launch_start, *launch_gpu, *launch_number;

	/* the same in depth-first order of the tree, so that all work below an
	 * event is one range; breaks[i] counts the places up to i where the
	 * launch number falls, so that a range in launch order is known as such */
	uint32_t *first, *past; /* per event */
	uint32_t *work, *number, *breaks;
	struct tl_map sorted;   /* event -> 1 + index in lists */
	struct trace_list *lists;
	size_t n_lists, cap_lists;
};

/* A TL_LINK_NODE, by far the most frequent link, and any other. */
enum tl_status tl_trace_add_node(struct tl_trace *t, const struct tl_link *l, struct tl_error *err);
enum tl_status tl_trace_apply_link(struct tl_trace *t, const struct tl_link *l, struct tl_error *err);
void tl_trace_index_free(struct tl_trace_index *);

#endif
