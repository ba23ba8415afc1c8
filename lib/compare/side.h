/* side.h - one of the two call trees that are compared: names, and children that launch work.
 *
 * An event is on the GPU path if it is a device event, or if it or an event below it launched
 * one. The rules of this room are those of TraceLens's TraceDiff.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SIDE_H
#define TL_SIDE_H

#include "base/map.h"
#include "model/tables.h"
#include "model/trace.h"

/* Events, or whatever else has a number. */
struct tl_list { uint32_t *items; size_t n, cap; };
static inline void tl_list_add(struct tl_list *l, uint32_t item)
{
	TL_GROW(l->items, l->cap, l->n + 1);
	l->items[l->n++] = item;
}

struct tl_side {
	struct tl_trace *trace;
	struct tl_strtab *names;  /* of both sides */
	/* private */
	struct tl_by_id ids[2];   /* by string id of the trace: the id in `names`, exact and loose */
	uint32_t *ends;           /* by event: see tl_side_end; TL_NONE: not known yet */
	struct tl_map shortcuts;  /* event -> the event whose children it has instead of its own */
};
/* The trace must outlive the side, and its tree must stay as it is. */
void tl_side_init(struct tl_side *, struct tl_trace *, struct tl_strtab *names);
void tl_side_release(struct tl_side *);

/* An event's name as it is compared, an id in `names`: addresses (0x…) and the line numbers of
 * Python files do not count, and hipModuleLaunchKernel is cuLaunchKernel. loose: nor do a Python
 * frame's function and folder. */
uint32_t tl_side_name(struct tl_side *, uint32_t event, bool loose);
bool tl_side_on_gpu_path(const struct tl_side *, uint32_t event);
/* A runtime or driver call, but not one that launches a graph. */
bool tl_side_is_call(const struct tl_side *, uint32_t event);
/* Appends the children of an event, in the order of the tree; only_gpu: those on the GPU path. */
void tl_side_children(const struct tl_side *, uint32_t event, bool only_gpu, struct tl_list *);

/* Where a chain of events with one child on the GPU path each ends, from an event down: at a
 * call, at an operator that has a call as its child, or at an event with another number of such
 * children. *branches: it is the last of these. */
uint32_t tl_side_end(struct tl_side *, uint32_t event, bool *branches);

/* Appends the events from which the tree is compared: for each outermost operator, in their
 * order, the event above it that has no parent, or rather the first event below that one which
 * has several children, or an operator or a call as its child. */
void tl_side_roots(struct tl_side *, struct tl_list *);

#endif
