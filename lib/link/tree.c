/* tree.c - the host call tree: a stack per thread, walked in start-time order.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/linker.h"

#include <stdlib.h>
#include <string.h>

enum { IN_CPU_OP = 1 << FLAG_BITS }; /* more flags of an entry: it or one below is a cpu_op */

struct entry { /* what the tree has to know of a span that may get children */
	int64_t end;
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
};

/* Takes the top away; what is below it then. */
static uint32_t pop(struct stacks *st, uint32_t top)
{
	struct entry *e = &st->entries[top];
	uint32_t below = e->below;
	e->below = st->free;
	st->free = top;
	return below;
}

static void more_entries(struct stacks *st)
{
	TL_GROW(st->entries, st->cap, st->n + 1);
	st->entries[st->n].below = NONE;
	st->free = (uint32_t)st->n++;
}

/* The number of a new entry. */
static uint32_t push(struct stacks *st)
{
	if (st->free == NONE)
		more_entries(st);
	uint32_t number = st->free;
	st->free = st->entries[number].below;
	return number;
}

/* Ends what ended before the start. False when the span sticks out of what it
 * started in by more than a clock's jitter: then it has no place in the tree. */
static bool settle(struct stacks *st, uint32_t *top, int64_t start, int64_t end)
{
	while (*top != NONE && st->entries[*top].end <= start)
		*top = pop(st, *top);
	if (*top == NONE || end <= st->entries[*top].end)
		return true;
	uint64_t overlap = (uint64_t)st->entries[*top].end - (uint64_t)start;
	if (st->entries[*top].below == NONE || overlap >= (uint64_t)st->l->ticks_per_us)
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

static enum tl_status place(struct stacks *st, struct span *s, struct tl_error *err)
{
	int64_t end = span_end(s);
	uint32_t bits = s->bits, uid = s->uid, track = bits >> FLAG_BITS, top = st->tops[track];
	if (!settle(st, &top, s->ts, end)) {
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

static enum tl_status place_all(struct stacks *st, struct tl_error *err)
{
	struct cursor c;
	enum tl_status status = TL_OK;
	tl_link_cursor(&c, st->l);
	while (status == TL_OK && c.span)
		status = place(st, tl_link_next(&c), err);
	tl_link_cursor_release(&c);
	return status;
}

enum tl_status tl_link_tree(struct linker *l, struct tl_error *err)
{
	struct stacks st = { .l = l, .free = NONE };
	size_t size = ((size_t)l->n_own_tracks + 1) * sizeof *st.tops;
	st.tops = tl_alloc(size);
	memset(st.tops, 0xff, size); /* NONE */
	enum tl_status status = place_all(&st, err);
	free(st.entries);
	free(st.tops);
	return status;
}
