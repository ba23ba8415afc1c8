/* trace_index.h - what is known of a trace in memory besides its events; for the files of this folder that look things up in it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TRACE_INDEX_H
#define TL_TRACE_INDEX_H

#include "base/map.h"
#include "model/trace.h"

struct tl_trace_list { const uint32_t *items; uint32_t n; };

struct tl_trace_index {
	struct tl_arena found; /* see tl_trace_alloc */
	struct tl_trace_kept { void (*release)(void *); struct tl_trace_kept *next; void *memory; } *kept; /* see tl_trace_keep */

	/* uid -> event index + 1. Sparse: too many uids have no event; then events are
	 * found by binary search instead */
	struct tl_by_id by_uid;
	bool sparse;

	/* tree edits: child -> 1 + index of the event in whose child list it
	 * stands (0: in none), for the children where that is not its parent */
	struct tl_map owner;
	uint32_t *previous; /* while links come, by event: the sibling before; of a first child the last one */
	uint32_t n_previous; size_t cap_previous;
	bool edited;        /* an edit has moved an event: a new node may close a cycle */
	uint64_t climbed;   /* events passed on the way up when edits were checked */
	struct tl_trace_extra { uint32_t event, gpu; } *extra; /* by TL_LINK_WORK */
	size_t n_extra, cap_extra;

	/* launches by runtime call: those of call e are launch_gpu[launch_start[e]] up to
	 * launch_start[e + 1]; launch_number has their places in tl_trace.launches */
	uint32_t *launch_start, *launch_gpu, *launch_number;

	/* the same in depth-first order of the tree: all work below event e is
	 * work[first[e]] up to past[e] */
	uint32_t *first, *past;
	uint32_t *work, *number;
	uint32_t *run; /* by place: where the launches in launch order begin that end here */
	struct tl_map lists_of; /* event -> 1 + index in lists: ranges that are not in
	                           launch order, and events with extra work */
	struct tl_trace_list *lists;
	size_t n_lists, cap_lists;
};

#endif
