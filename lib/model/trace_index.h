/* trace_index.h - how things are found in a trace: for the files that make one.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TRACE_INDEX_H
#define TL_TRACE_INDEX_H

#include "model/tables.h"
#include "model/trace.h"

struct trace_list { const uint32_t *items; uint32_t n; };

struct tl_trace_index {
	/* uid -> event index + 1; sparse: uids leave too many numbers out for that,
	 * and events are searched */
	struct tl_by_id by_uid;
	bool sparse;

	/* tree edits: child -> 1 + index of the event in whose child list it
	 * stands (0: in none), for the children where that is not its parent */
	struct tl_map owner;
	bool edited;        /* a child list may not be in the order of its links any more */
	struct trace_extra { uint32_t event, gpu; } *extra; /* extra work of events */
	size_t n_extra, cap_extra;

	/* launches by runtime call: gpu[start[e]..start[e+1]], numbers[] are
	 * their positions in tl_trace.launches */
	uint32_t *launch_start, *launch_gpu, *launch_number;

	/* the same in depth-first order of the tree, so that all work below an
	 * event is one range */
	uint32_t *first, *past; /* per event */
	uint32_t *work, *number;
	struct tl_map lists_of; /* event -> 1 + index in lists: ranges that are not in
	                           launch order, and events with extra work */
	struct trace_list *lists;
	size_t n_lists, cap_lists;
};

#endif
