/* relations.c - what the linker keeps of events, and the relations that it finds in that.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/relations.h"

#include <stdlib.h>
#include <string.h>

#include "base/merge_sort.h"
#include "base/search.h"

enum { NONE = UINT32_MAX };

uint32_t tl_host_spans_add(struct tl_host_spans *s, const struct tl_host_span *span)
{
	TL_GROW(s->items, s->cap, s->n + 1);
	s->items[s->n] = *span;
	return (uint32_t)s->n++;
}

void tl_host_spans_release(struct tl_host_spans *s)
{
	free(s->items);
	*s = (struct tl_host_spans){ 0 };
}

/* The end of a span, cut to what an int64_t holds. */
static int64_t span_end(const struct tl_host_span *s)
{
	int64_t end;
	if (__builtin_add_overflow(s->ts, s->dur, &end))
		return s->dur < 0 ? INT64_MIN : INT64_MAX;
	return end;
}

TL_ORDER_IN(by_start, uint32_t, struct tl_host_span, TL_ASC(ctx[*x].ts))

/* The numbers of the spans that are nodes, by start; of equal starts the first in the
 * file comes first. *n receives how many. The caller frees them. */
static uint32_t *spans_by_start(const struct tl_host_spans *s, size_t *n)
{
	uint32_t *order = tl_alloc((s->n + 1) * sizeof *order);
	*n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].bits & TL_SPAN_IN_TREE)
			order[(*n)++] = (uint32_t)i;
	tl_merge_sort(order, *n, sizeof *order, by_start, s->items);
	return order;
}

/* ---- the host call tree: a stack per thread, walked in order of start ------------------- */

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
	return span_end(&st->spans->items[st->entries[entry].span]);
}

/* Takes away the entries that ended before s starts. If s starts within the top entry
 * but ends after it, s becomes a sibling of the top entry, provided that the overlap is
 * below 1 us (the jitter of a clock) and that the top entry has a parent. Else the
 * result is false: s has no place in the tree. */
static bool settle(struct stacks *st, uint32_t *top, const struct tl_host_span *s)
{
	while (*top != NONE && end_of(st, *top) <= s->ts)
		*top = pop(st, *top);
	if (*top == NONE || span_end(s) <= end_of(st, *top))
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
	uint32_t *order = spans_by_start(spans, &n);
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

/* ---- which runtime call launched which device events ------------------------------------ */

/* Calls, arrows and device events of an id may come in any order, so all are kept until the end;
 * then device events and arrows are sorted by id, and each call looks up its own. */

enum { DEVICE_LINKED = 1, DEVICE_RECOMPUTE = 2 }; /* tl_device.bits, below the track */

/* All device events of an id, and the one where the id's arrow ends. launched: a call
 * has launched them all. */
struct group { int64_t id; uint32_t first, n, target; bool launched; };

struct pusher {
	struct tl_launches *l;
	const struct tl_host_spans *spans;
	const struct tl_launch_options *o;
	struct tl_sink *next;
	struct tl_error *err;
	struct tl_launch_counts n;
	uint64_t n_again; /* links of device events to a further call */
	struct group *groups; /* by id */
	size_t n_groups;
};

/* ---- while events arrive ---- */

static bool has_id(const int64_t id[TL_N_IDS])
{
	return id[TL_BY_CORRELATION] != TL_NO_ID || id[TL_BY_EXTERNAL_ID] != TL_NO_ID;
}

void tl_launches_add_call(struct tl_launches *l, const int64_t id[TL_N_IDS], uint32_t span)
{
	if (!has_id(id))
		return;
	TL_PUSH(l->calls, l->n_calls, l->cap_calls, (struct tl_call){ { id[0], id[1] }, span });
}

void tl_launches_add_device(struct tl_launches *l, const int64_t id[TL_N_IDS], uint32_t uid, uint32_t track)
{
	if (!has_id(id))
		return;
	TL_PUSH(l->devices, l->n_devices, l->cap_devices,
		(struct tl_device){ { id[0], id[1] }, uid, track << TL_SPAN_TRACK_SHIFT });
}

void tl_launches_add_arrow(struct tl_launches *l, int64_t id, bool is_end, uint32_t track)
{
	TL_PUSH(l->arrows, l->n_arrows, l->cap_arrows, (struct tl_arrow){ id, track, is_end });
}

void tl_launches_release(struct tl_launches *l)
{
	free(l->calls);
	free(l->devices);
	free(l->arrows);
	*l = (struct tl_launches){ 0 };
}

/* ---- groups by id ---- */

TL_ORDER_IN(by_id, struct tl_device, enum tl_launch_id, TL_ASC(x->id[*ctx]))

TL_ORDER(by_arrow_id, struct tl_arrow, TL_ASC(x->id))

/* Sets the group's target: the last device event on the process and thread where
 * the last arrow of the id ends, if there is an arrow with both ends. *at moves
 * over the arrows up to this id. */
static void find_target(const struct pusher *p, struct group *g, size_t *at)
{
	const struct tl_launches *l = p->l;
	uint32_t track = NONE;
	bool has_start = false;
	while (*at < l->n_arrows && l->arrows[*at].id < g->id)
		++*at;
	for (; *at < l->n_arrows && l->arrows[*at].id == g->id; ++*at) {
		if (l->arrows[*at].is_end)
			track = l->arrows[*at].track;
		else
			has_start = true;
	}
	if (!has_start || track == NONE || !p->o->is_whole[track])
		return;
	for (uint32_t i = g->first; i < g->first + g->n; i++)
		if (l->devices[i].bits >> TL_SPAN_TRACK_SHIFT == track)
			g->target = i;
}

static void make_groups(struct pusher *p)
{
	struct tl_launches *l = p->l;
	int k = p->o->by;
	size_t arrow = 0, cap = 0;
	tl_merge_sort(l->devices, l->n_devices, sizeof *l->devices, by_id, (void *)&p->o->by);
	tl_merge_sort(l->arrows, l->n_arrows, sizeof *l->arrows, by_arrow_id, NULL);
	for (uint32_t i = 0; i < l->n_devices;) {
		struct group g = { l->devices[i].id[k], i, 0, NONE, false };
		while (i < l->n_devices && l->devices[i].id[k] == g.id)
			i++;
		g.n = i - g.first;
		if (g.id == TL_NO_ID)
			continue;
		find_target(p, &g, &arrow);
		TL_PUSH(p->groups, p->n_groups, cap, g);
	}
}

/* ---- at the end ---- */

static enum tl_status push_launch(struct pusher *p, const struct tl_host_span *call, struct tl_device *d)
{
	enum tl_status status = tl_push_link(p->next, TL_LINK_LAUNCH, call->uid, d->uid, p->err);
	p->n.linked += !(d->bits & DEVICE_LINKED);
	d->bits |= DEVICE_LINKED;
	if (status == TL_OK && call->bits & TL_SPAN_RECOMPUTE && !(d->bits & DEVICE_RECOMPUTE)) {
		d->bits |= DEVICE_RECOMPUTE;
		status = tl_push_link(p->next, TL_LINK_RECOMPUTE, d->uid, TL_NO_UID, p->err);
	}
	return status;
}

static enum tl_status push_call(struct pusher *p, const struct tl_call *c)
{
	const struct tl_host_span *call = &p->spans->items[c->span];
	int64_t id = c->id[p->o->by];
	size_t at;
	TL_SEARCH(at, p->n_groups, mid, p->groups[mid].id < id);
	struct group *g = at < p->n_groups && p->groups[at].id == id ? &p->groups[at] : NULL;
	if (!g)
		return TL_OK;
	if (p->o->all_of_id || call->bits & TL_SPAN_GRAPH) {
		/* It launched all device events of its id. Several such calls of one id are linked as
		 * long as that does not multiply the links of the trace. */
		enum tl_status status = TL_OK;
		p->n_again += g->launched ? g->n : 0;
		if (g->launched && p->n_again > TL_LAUNCHES_AGAIN(p->l->n_devices)) {
			p->n.left_out += g->n;
			return TL_OK;
		}
		g->launched = true;
		for (uint32_t i = g->first; i < g->first + g->n && status == TL_OK; i++)
			status = push_launch(p, call, &p->l->devices[i]);
		return status;
	}
	return g->target == NONE ? TL_OK : push_launch(p, call, &p->l->devices[g->target]);
}

enum tl_status tl_launches_push(struct tl_launches *l, const struct tl_host_spans *spans,
                                const struct tl_launch_options *o, struct tl_sink *next,
                                struct tl_launch_counts *counts, struct tl_error *err)
{
	struct pusher p = { .l = l, .spans = spans, .o = o, .next = next, .err = err };
	enum tl_status status = TL_OK;
	make_groups(&p);
	for (size_t i = 0; i < l->n_calls && status == TL_OK; i++)
		status = push_call(&p, &l->calls[i]);
	*counts = p.n;
	free(p.groups);
	return status;
}

/* ---- which backward node belongs to which forward event --------------------------------- */

void tl_sequences_add(struct tl_sequences *s, int64_t number, uint32_t span)
{
	TL_GROW(s->items, s->cap, s->n + 1);
	s->items[s->n] = (struct tl_numbered){ number, (uint32_t)s->n, span };
	s->n++;
}

void tl_sequences_release(struct tl_sequences *s)
{
	free(s->items);
	*s = (struct tl_sequences){ 0 };
}

TL_ORDER(by_number, struct tl_numbered, TL_ASC(x->number))

/* A forward event and its backward node; at: where their number first appears. */
struct pair { uint32_t at, forward, backward; };

TL_ORDER(by_place, struct pair, TL_ASC(x->at))

/* The first backward node of n events with one number, and the latest starting
 * event on another thread. */
static struct pair pair_up(const struct tl_numbered *e, size_t n, const struct tl_host_spans *spans,
                           int64_t ticks_per_us)
{
	struct pair p = { e->at, NONE, NONE };
	int64_t latest = -ticks_per_us;
	for (size_t i = 0; i < n && p.backward == NONE; i++)
		if (spans->items[e[i].span].bits & TL_SPAN_BACKWARD)
			p.backward = e[i].span;
	for (size_t i = 0; i < n && p.backward != NONE; i++) {
		const struct tl_host_span *s = &spans->items[e[i].span];
		if (tl_host_span_track(s) != tl_host_span_track(&spans->items[p.backward]) && s->ts > latest) {
			latest = s->ts;
			p.forward = e[i].span;
		}
	}
	return p;
}

enum tl_status tl_sequences_push(struct tl_sequences *s, const struct tl_host_spans *spans, int64_t ticks_per_us,
                                 struct tl_sink *next, struct tl_error *err)
{
	struct pair *pairs = NULL;
	size_t n = 0, cap = 0;
	enum tl_status status = TL_OK;
	tl_merge_sort(s->items, s->n, sizeof *s->items, by_number, NULL);
	for (size_t i = 0, end; i < s->n; i = end) {
		for (end = i + 1; end < s->n && s->items[end].number == s->items[i].number;)
			end++;
		struct pair p = pair_up(s->items + i, end - i, spans, ticks_per_us);
		if (p.forward == NONE)
			continue;
		TL_PUSH(pairs, n, cap, p);
	}
	tl_merge_sort(pairs, n, sizeof *pairs, by_place, NULL);
	for (size_t i = 0; i < n && status == TL_OK; i++)
		status = tl_push_link(next, TL_LINK_BACKWARD, spans->items[pairs[i].forward].uid,
		                      spans->items[pairs[i].backward].uid, err);
	free(pairs);
	return status;
}
