/* tree.c - the host call tree: a stack per thread, walked in start-time order.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/linker.h"

#include <stdlib.h>
#include <string.h>

#define INLINE inline __attribute__((always_inline)) /* so that `floats` is known at compile time */

/* A time in exact ticks, or in microseconds as the reference compares it. */
union time { int64_t ticks; double us; };

enum { IN_CPU_OP = 1 << FLAG_BITS }; /* more flags of an entry: it or one below is a cpu_op */

struct entry { /* what the tree has to know of a span that may get children */
	union time end;
	uint32_t uid;
	uint32_t below;  /* entry number, NONE at the bottom */
	uint32_t flags;
};

struct stacks {
	struct linker *l;
	uint32_t *tops; /* of each thread: entry number, NONE if the stack is empty */
	struct entry *entries;
	size_t n, cap;
	uint32_t free; /* head of the list of unused entries, through below */
	uint64_t origin; /* of microseconds in floating point */
};

/* Takes the top away; what is below it then. */
static INLINE uint32_t pop(struct stacks *st, uint32_t top)
{
	struct entry *e = &st->entries[top];
	uint32_t below = e->below;
	e->below = st->free;
	st->free = top;
	return below;
}

static __attribute__((noinline)) void more_entries(struct stacks *st)
{
	TL_GROW(st->entries, st->cap, st->n + 1);
	st->entries[st->n].below = NONE;
	st->free = (uint32_t)st->n++;
}

/* The number of a new entry. */
static INLINE uint32_t push(struct stacks *st)
{
	if (st->free == NONE)
		more_entries(st);
	uint32_t number = st->free;
	st->free = st->entries[number].below;
	return number;
}

/* ---- comparing times ---- */

static INLINE union time start_of(const struct stacks *st, const struct span *s, bool floats)
{
	if (!floats)
		return (union time){ .ticks = s->ts };
	return (union time){ .us = (double)((uint64_t)s->ts - st->origin) / (double)st->l->ticks_per_us };
}

static INLINE union time end_of(const struct stacks *st, const struct span *s, union time start, bool floats)
{
	if (!floats)
		return (union time){ .ticks = span_end(s) };
	return (union time){ .us = start.us + (double)s->dur / (double)st->l->ticks_per_us };
}

/* start lies before end, by less than a microsecond. */
static INLINE bool overlaps_slightly(const struct stacks *st, union time start, union time end, bool floats)
{
	if (floats)
		return end.us - start.us < 1.0;
	return (uint64_t)end.ticks - (uint64_t)start.ticks < (uint64_t)st->l->ticks_per_us;
}

/* Ends what ended before the start. False when the span sticks out of what it
 * started in by more than a clock's jitter: then it has no place in the tree. */
static INLINE bool settle(struct stacks *st, uint32_t *top, union time start, union time end, bool floats)
{
	union time behind;
	for (;; *top = pop(st, *top)) {
		if (*top == NONE)
			return true;
		behind = st->entries[*top].end;
		if (floats ? !(start.us >= behind.us) : start.ticks < behind.ticks)
			break;
	}
	if (floats ? !(end.us > behind.us) : end.ticks <= behind.ticks)
		return true;
	if (st->entries[*top].below == NONE || !overlaps_slightly(st, start, behind, floats))
		return false;
	*top = pop(st, *top);
	return true;
}

/* ---- the walk ---- */

static enum tl_status emit_marks(struct linker *l, uint32_t uid, uint32_t flags, struct tl_error *err)
{
	return flags & SPAN_RECOMPUTE ? emit(l, TL_LINK_RECOMPUTE, uid, TL_NO_UID, err) : TL_OK;
}

/* A node all the same, but nobody's parent. */
static enum tl_status emit_misfit(struct linker *l, const struct span *s, struct tl_error *err)
{
	enum tl_status status = emit(l, TL_LINK_NODE, s->uid, TL_NO_UID, err);
	l->report.n_dropped_nodes++;
	return status == TL_OK ? emit_marks(l, s->uid, s->bits, err) : status;
}

static INLINE enum tl_status place(struct stacks *st, struct span *s, bool floats, struct tl_error *err)
{
	union time start = start_of(st, s, floats), end = end_of(st, s, start, floats);
	uint32_t bits = s->bits, uid = s->uid, track = bits >> FLAG_BITS, top = st->tops[track];
	if (!settle(st, &top, start, end, floats)) {
		st->tops[track] = top;
		return emit_misfit(st->l, s, err);
	}
	uint32_t flags = bits & (IN_CPU_OP - 1), inherited = 0;
	uint64_t parent = TL_NO_UID;
	if (top != NONE) {
		const struct entry *p = &st->entries[top];
		parent = p->uid;
		inherited = p->flags & (SPAN_RECOMPUTE | IN_CPU_OP);
		s->bits = bits | (inherited & SPAN_RECOMPUTE);
	}
	flags |= inherited;
	bool is_op = (flags & SPAN_ROLE) == SPAN_CPU_OP;
	uint32_t number = push(st);
	struct entry *e = &st->entries[number];
	e->end = end;
	e->uid = uid;
	e->below = top;
	e->flags = is_op ? flags | IN_CPU_OP : flags;
	st->tops[track] = number;
	enum tl_status status = emit(st->l, TL_LINK_NODE, uid, parent, err);
	if (is_op && !(flags & IN_CPU_OP) && status == TL_OK)
		status = emit(st->l, TL_LINK_ROOT, uid, TL_NO_UID, err);
	return status == TL_OK ? emit_marks(st->l, uid, flags, err) : status;
}

/* 1000 us before the whole microsecond of the first event. */
static uint64_t float_origin(const struct linker *l)
{
	int64_t part = l->first_ts % l->ticks_per_us;
	if (part < 0)
		part += l->ticks_per_us;
	return (uint64_t)l->first_ts - (uint64_t)part - 1000 * (uint64_t)l->ticks_per_us;
}

static INLINE enum tl_status place_all(struct stacks *st, bool floats, struct tl_error *err)
{
	struct cursor c;
	enum tl_status status = TL_OK;
	tl_link_cursor(&c, st->l);
	while (status == TL_OK && c.span)
		status = place(st, tl_link_next(&c), floats, err);
	tl_link_cursor_release(&c);
	return status;
}

enum tl_status tl_link_tree(struct linker *l, struct tl_error *err)
{
	struct stacks st = { .l = l, .free = NONE, .origin = float_origin(l) };
	size_t size = ((size_t)l->n_own_tracks + 1) * sizeof *st.tops;
	st.tops = tl_alloc(size);
	memset(st.tops, 0xff, size); /* NONE */
	enum tl_status status = l->options.float_ends ? place_all(&st, true, err) : place_all(&st, false, err);
	free(st.entries);
	free(st.tops);
	return status;
}
