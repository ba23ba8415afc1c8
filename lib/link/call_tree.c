/* call_tree.c - the host call tree: a stack per thread, walked in order of start.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/call_tree.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

struct entry { /* a span that may get children */
	uint32_t span;  /* number */
	uint32_t below; /* entry number, NONE at the bottom */
	bool in_op;     /* it or one below is an operator */
};

struct stacks {
	struct tl_host_spans *spans;
	int64_t ticks_per_us;
	struct tl_sink *next;
	uint64_t *n_misfits;
	uint32_t *tops; /* of each track: entry number, NONE if the stack is empty */
	struct entry *entries;
	size_t n, cap;
	uint32_t free; /* an unused entry, or NONE; further ones through below */
};

/* Takes the top away; returns the entry below it. */
static uint32_t pop(struct stacks *st, uint32_t top)
{
	uint32_t below = st->entries[top].below;
	st->entries[top].below = st->free;
	st->free = top;
	return below;
}

/* The number of a new entry. */
static uint32_t push(struct stacks *st, struct entry e)
{
	uint32_t number = st->free;
	if (number == NONE) {
		TL_GROW(st->entries, st->cap, st->n + 1);
		number = (uint32_t)st->n++;
	} else {
		st->free = st->entries[number].below;
	}
	st->entries[number] = e;
	return number;
}

static int64_t end_of(const struct stacks *st, uint32_t entry)
{
	return tl_host_span_end(&st->spans->items[st->entries[entry].span]);
}

/* Takes away the entries that ended before s starts. If s starts within the top entry
 * but ends after it, s becomes a sibling of the top entry, provided that the overlap is
 * below 1 us (the jitter of a clock) and that the top entry has a parent. Else the
 * result is false: s has no place in the tree. */
static bool settle(struct stacks *st, uint32_t *top, const struct tl_host_span *s)
{
	while (*top != NONE && end_of(st, *top) <= s->ts)
		*top = pop(st, *top);
	if (*top == NONE || tl_host_span_end(s) <= end_of(st, *top))
		return true;
	uint64_t overlap = (uint64_t)end_of(st, *top) - (uint64_t)s->ts;
	if (st->entries[*top].below == NONE || overlap >= (uint64_t)st->ticks_per_us)
		return false;
	*top = pop(st, *top);
	return true;
}

static enum tl_status push_links(struct stacks *st, const struct tl_host_span *s, uint64_t parent, bool is_root,
                                 struct tl_error *err)
{
	enum tl_status status = tl_push_link(st->next, TL_LINK_NODE, s->uid, parent, err);
	if (is_root && status == TL_OK)
		status = tl_push_link(st->next, TL_LINK_ROOT, s->uid, TL_NO_UID, err);
	if (s->bits & TL_SPAN_RECOMPUTE && status == TL_OK)
		status = tl_push_link(st->next, TL_LINK_RECOMPUTE, s->uid, TL_NO_UID, err);
	return status;
}

static enum tl_status place(struct stacks *st, uint32_t number, struct tl_error *err)
{
	struct tl_host_span *s = &st->spans->items[number];
	uint32_t *top = &st->tops[tl_host_span_track(s)];
	uint64_t parent = TL_NO_UID;
	bool in_op = false, is_op = s->bits & TL_SPAN_CPU_OP;
	if (!settle(st, top, s)) { /* a node without parent and children */
		++*st->n_misfits;
		return push_links(st, s, TL_NO_UID, false, err);
	}
	if (*top != NONE) {
		const struct tl_host_span *p = &st->spans->items[st->entries[*top].span];
		parent = p->uid;
		in_op = st->entries[*top].in_op;
		s->bits |= p->bits & TL_SPAN_RECOMPUTE;
	}
	*top = push(st, (struct entry){ number, *top, in_op || is_op });
	return push_links(st, s, parent, is_op && !in_op, err);
}

enum tl_status tl_call_tree(struct tl_host_spans *spans, uint32_t n_tracks, int64_t ticks_per_us, struct tl_sink *next,
                            uint64_t *n_misfits, struct tl_error *err)
{
	struct stacks st = { .spans = spans, .ticks_per_us = ticks_per_us, .next = next, .n_misfits = n_misfits,
	                     .free = NONE };
	size_t n, size = ((size_t)n_tracks + 1) * sizeof *st.tops;
	uint32_t *order = tl_host_spans_by_start(spans, &n);
	enum tl_status status = TL_OK;
	st.tops = tl_alloc(size);
	memset(st.tops, 0xff, size); /* NONE */
	for (size_t i = 0; i < n && status == TL_OK; i++)
		status = place(&st, order[i], err);
	free(order);
	free(st.entries);
	free(st.tops);
	return status;
}
