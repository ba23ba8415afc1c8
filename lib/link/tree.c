/* tree.c - the host call tree: a stack per thread, walked in start-time order.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/private.h"

#include <stdlib.h>
#include <string.h>

/* A time in exact ticks, or in microseconds as the reference compares it. */
union time { int64_t ticks; double us; };

struct entry { /* what the tree has to know of a span that may get children */
	union time end;
	uint32_t uid;
	uint32_t flags;
	uint32_t module; /* uid of the innermost nn.Module frame at or below here */
	uint32_t below;  /* entry number */
};
struct thread { uint32_t top, depth, cpu_ops; };

struct stacks {
	struct linker *l;
	struct thread *threads;
	struct entry *entries;
	size_t n, cap;
	uint32_t free; /* head of the list of unused entries, through below */
	uint64_t origin; /* of microseconds in floating point */
};

static bool is_cpu_op(uint32_t flags)
{
	return (flags & SPAN_ROLE) == SPAN_CPU_OP;
}

static struct entry *top(const struct stacks *st, const struct thread *t)
{
	return &st->entries[t->top];
}

static void pop(struct stacks *st, struct thread *t)
{
	uint32_t number = t->top;
	struct entry *e = &st->entries[number];
	t->cpu_ops -= is_cpu_op(e->flags);
	t->top = e->below;
	t->depth--;
	e->below = st->free;
	st->free = number;
}

static void push(struct stacks *st, struct thread *t, struct entry e)
{
	uint32_t number = st->free;
	if (number != NONE) {
		st->free = st->entries[number].below;
	} else {
		TL_GROW(st->entries, st->cap, st->n + 1);
		number = (uint32_t)st->n++;
	}
	e.below = t->top;
	st->entries[number] = e;
	t->top = number;
	t->depth++;
	t->cpu_ops += is_cpu_op(e.flags);
}

/* ---- comparing times; `floats` is known where these are inlined ---- */

static inline union time start_of(const struct stacks *st, const struct span *s, bool floats)
{
	if (!floats)
		return (union time){ .ticks = s->ts };
	return (union time){ .us = (double)((uint64_t)s->ts - st->origin) / (double)st->l->ticks_per_us };
}

static inline union time end_of(const struct stacks *st, const struct span *s, union time start, bool floats)
{
	if (!floats)
		return (union time){ .ticks = span_end(s) };
	return (union time){ .us = start.us + (double)s->dur / (double)st->l->ticks_per_us };
}

/* start lies before end, by less than a microsecond. */
static inline bool overlaps_slightly(const struct stacks *st, union time start, union time end, bool floats)
{
	if (floats)
		return end.us - start.us < 1.0;
	return (uint64_t)end.ticks - (uint64_t)start.ticks < (uint64_t)st->l->ticks_per_us;
}

/* Ends what ended before the start. False when the span sticks out of what it
 * started in by more than a clock's jitter: then it has no place in the tree. */
static inline bool settle(struct stacks *st, struct thread *t, union time start, union time end, bool floats)
{
	union time behind;
	for (;; pop(st, t)) {
		if (!t->depth)
			return true;
		behind = top(st, t)->end;
		if (floats ? !(start.us >= behind.us) : start.ticks < behind.ticks)
			break;
	}
	if (floats ? !(end.us > behind.us) : end.ticks <= behind.ticks)
		return true;
	if (t->depth < 2 || !overlaps_slightly(st, start, behind, floats))
		return false;
	pop(st, t);
	return true;
}

/* A span that fits nowhere is a node all the same. */
static enum tl_status drop(struct linker *l, const struct span *s, struct tl_error *err)
{
	enum tl_status status = emit(l, TL_LINK_NODE, s->uid, TL_NO_UID, err);
	l->report.n_dropped_nodes++;
	if (status == TL_OK && s->bits & SPAN_RECOMPUTE)
		status = emit(l, TL_LINK_RECOMPUTE, s->uid, TL_NO_UID, err);
	return status;
}

static enum tl_status emit_node(struct linker *l, const struct entry *e, uint64_t parent, bool is_root,
                                struct tl_error *err)
{
	enum tl_status status = emit(l, TL_LINK_NODE, e->uid, parent, err);
	if (status == TL_OK && is_root)
		status = emit(l, TL_LINK_ROOT, e->uid, TL_NO_UID, err);
	if (status == TL_OK && e->flags & SPAN_RECOMPUTE)
		status = emit(l, TL_LINK_RECOMPUTE, e->uid, TL_NO_UID, err);
	if (status == TL_OK && e->module != NONE)
		status = emit(l, TL_LINK_MODULE, e->uid, e->module, err);
	return status;
}

static inline __attribute__((always_inline)) enum tl_status place(struct stacks *st, struct span *s, bool floats,
                                                                  struct tl_error *err)
{
	struct thread *t = &st->threads[span_track(s)];
	union time start = start_of(st, s, floats), end = end_of(st, s, start, floats);
	struct entry e = { .end = end, .uid = s->uid, .flags = s->bits, .module = NONE };
	uint64_t parent = TL_NO_UID;
	if (!settle(st, t, start, end, floats))
		return drop(st->l, s, err);
	if (t->depth) {
		parent = top(st, t)->uid;
		e.module = top(st, t)->module;
		e.flags |= top(st, t)->flags & SPAN_RECOMPUTE;
		s->bits = e.flags;
	}
	enum tl_status status = emit_node(st->l, &e, parent, is_cpu_op(e.flags) && !t->cpu_ops, err);
	if (e.flags & SPAN_MODULE)
		e.module = e.uid;
	push(st, t, e);
	return status;
}

/* 1000 us before the whole microsecond of the first event. */
static uint64_t float_origin(const struct linker *l)
{
	int64_t part = l->first_ts % l->ticks_per_us;
	if (part < 0)
		part += l->ticks_per_us;
	return (uint64_t)l->first_ts - (uint64_t)part - 1000 * (uint64_t)l->ticks_per_us;
}

static inline __attribute__((always_inline)) enum tl_status place_all(struct stacks *st, bool floats,
                                                                      struct tl_error *err)
{
	struct cursor c;
	enum tl_status status = TL_OK;
	uint32_t number;
	tl_link_cursor(&c, st->l);
	while (status == TL_OK && (number = tl_link_next(&c)) != NONE)
		status = place(st, span_at(st->l, number), floats, err);
	tl_link_cursor_release(&c);
	return status;
}

enum tl_status tl_link_tree(struct linker *l, struct tl_error *err)
{
	struct stacks st = { .l = l, .free = NONE, .origin = float_origin(l) };
	st.threads = tl_calloc((size_t)l->n_own_tracks + 1, sizeof *st.threads);
	enum tl_status status = l->options.float_ends ? place_all(&st, true, err) : place_all(&st, false, err);
	free(st.entries);
	free(st.threads);
	return status;
}
