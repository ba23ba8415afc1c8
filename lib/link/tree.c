/* tree.c - the host call tree: a stack per thread, walked in start-time order.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/private.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	uint32_t span;
	uint32_t below;  /* entry number */
	uint32_t module; /* innermost nn.Module span at or below here */
};
struct thread { uint32_t top, depth, cpu_ops; };

struct stacks {
	struct linker *l;
	struct thread *threads;
	struct entry *entries;
	size_t n, cap;
	uint32_t free; /* head of the list of unused entries, through below */
};

static bool is_cpu_op(const struct span *s)
{
	return (s->bits & SPAN_ROLE) == SPAN_CPU_OP;
}

static const struct span *top_span(const struct stacks *st, const struct thread *t)
{
	return span_at(st->l, st->entries[t->top].span);
}

static void pop(struct stacks *st, struct thread *t)
{
	uint32_t e = t->top;
	t->cpu_ops -= is_cpu_op(top_span(st, t));
	t->top = st->entries[e].below;
	t->depth--;
	st->entries[e].below = st->free;
	st->free = e;
}

static void push(struct stacks *st, struct thread *t, uint32_t span, uint32_t module)
{
	uint32_t e = st->free;
	if (e != NONE) {
		st->free = st->entries[e].below;
	} else {
		TL_GROW(st->entries, st->cap, st->n + 1);
		e = (uint32_t)st->n++;
	}
	st->entries[e] = (struct entry){ span, t->top, module };
	t->top = e;
	t->depth++;
}

/* Ends what ended before s starts. False when s sticks out of what it started
 * in by more than a clock's jitter: then it has no place in the tree. */
static bool settle(struct stacks *st, struct thread *t, const struct span *s)
{
	while (t->depth && s->ts >= span_end(top_span(st, t)))
		pop(st, t);
	if (!t->depth)
		return true;
	int64_t end = span_end(top_span(st, t));
	if (span_end(s) <= end)
		return true;
	if ((uint64_t)end - (uint64_t)s->ts >= (uint64_t)st->l->ticks_per_us || t->depth < 2)
		return false;
	pop(st, t);
	return true;
}

static enum tl_status emit_marks(struct stacks *st, const struct span *s, uint32_t module,
                                 struct tl_error *err)
{
	enum tl_status status = TL_OK;
	if (s->bits & SPAN_RECOMPUTE)
		status = emit(st->l, TL_LINK_RECOMPUTE, s->uid, TL_NO_UID, err);
	if (status == TL_OK && module != NONE)
		status = emit(st->l, TL_LINK_MODULE, s->uid, span_at(st->l, module)->uid, err);
	return status;
}

static enum tl_status place(struct stacks *st, uint32_t number, struct tl_error *err)
{
	struct linker *l = st->l;
	struct span *s = span_at(l, number);
	struct thread *t = &st->threads[span_track(s)];
	bool fits = settle(st, t, s);
	const struct span *parent = fits && t->depth ? top_span(st, t) : NULL;
	enum tl_status status = emit(l, TL_LINK_NODE, s->uid, parent ? parent->uid : TL_NO_UID, err);
	if (!fits) {
		l->report.n_dropped_nodes++;
		if (status == TL_OK && s->bits & SPAN_RECOMPUTE)
			status = emit_marks(st, s, NONE, err);
		return status;
	}
	if (parent)
		s->bits |= parent->bits & SPAN_RECOMPUTE;
	uint32_t module = t->depth ? st->entries[t->top].module : NONE;
	if (status == TL_OK && is_cpu_op(s) && !t->cpu_ops)
		status = emit(l, TL_LINK_ROOT, s->uid, TL_NO_UID, err);
	if (status == TL_OK)
		status = emit_marks(st, s, module, err);
	push(st, t, number, s->bits & SPAN_MODULE ? number : module);
	t->cpu_ops += is_cpu_op(s);
	return status;
}

enum tl_status link_tree(struct linker *l, struct tl_error *err)
{
	size_t n;
	uint64_t mask;
	uint64_t *order = link_sort(l, false, &n, &mask);
	struct stacks st = { .l = l, .free = NONE };
	enum tl_status status = TL_OK;
	st.threads = tl_calloc((size_t)l->n_own_tracks + 1, sizeof *st.threads);
	for (size_t i = 0; i < n && status == TL_OK; i++)
		status = place(&st, (uint32_t)(order[i] & mask), err);
	free(st.entries);
	free(st.threads);
	free(order);
	return status;
}
