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
	uint64_t origin; /* of microseconds in floating point */
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

/* ---- comparing times: exact ticks, or as the reference does ---- */

static double start_us(const struct stacks *st, const struct span *s)
{
	return (double)((uint64_t)s->ts - st->origin) / (double)st->l->ticks_per_us;
}

static double end_us(const struct stacks *st, const struct span *s)
{
	return start_us(st, s) + (double)s->dur / (double)st->l->ticks_per_us;
}

static bool starts_behind(const struct stacks *st, const struct span *s, const struct span *top)
{
	return st->l->options.float_ends ? start_us(st, s) >= end_us(st, top) : s->ts >= span_end(top);
}

static bool ends_behind(const struct stacks *st, const struct span *s, const struct span *top)
{
	return st->l->options.float_ends ? end_us(st, s) > end_us(st, top) : span_end(s) > span_end(top);
}

/* s starts before top ends, by less than a microsecond. */
static bool overlaps_slightly(const struct stacks *st, const struct span *s, const struct span *top)
{
	if (st->l->options.float_ends)
		return end_us(st, top) - start_us(st, s) < 1.0;
	return (uint64_t)span_end(top) - (uint64_t)s->ts < (uint64_t)st->l->ticks_per_us;
}

/* Ends what ended before s starts. False when s sticks out of what it started
 * in by more than a clock's jitter: then it has no place in the tree. */
static bool settle(struct stacks *st, struct thread *t, const struct span *s)
{
	while (t->depth && starts_behind(st, s, top_span(st, t)))
		pop(st, t);
	if (!t->depth || !ends_behind(st, s, top_span(st, t)))
		return true;
	if (t->depth < 2 || !overlaps_slightly(st, s, top_span(st, t)))
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

/* 1000 us before the whole microsecond of the first event. */
static uint64_t float_origin(const struct linker *l)
{
	int64_t part = l->first_ts % l->ticks_per_us;
	if (part < 0)
		part += l->ticks_per_us;
	return (uint64_t)l->first_ts - (uint64_t)part - 1000 * (uint64_t)l->ticks_per_us;
}

enum tl_status tl_link_tree(struct linker *l, struct tl_error *err)
{
	size_t n;
	uint64_t mask;
	uint64_t *order = tl_link_sort(l, false, &n, &mask);
	struct stacks st = { .l = l, .free = NONE, .origin = float_origin(l) };
	enum tl_status status = TL_OK;
	st.threads = tl_calloc((size_t)l->n_own_tracks + 1, sizeof *st.threads);
	for (size_t i = 0; i < n && status == TL_OK; i++)
		status = place(&st, (uint32_t)(order[i] & mask), err);
	free(st.entries);
	free(st.threads);
	free(order);
	return status;
}
