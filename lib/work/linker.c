/* linker.c - the linker's sink: passes everything on, keeps a compact record of each
 * event that takes part, and pushes the links at the end.
 *
 * Memory in bytes: a host event 24, a runtime call 24 more, an event with a sequence
 * number 16 more, a device event 24, the end of an arrow 16, each id of a launch 24.
 * Sorting takes 8 for a host event and as much again for all others; the kinds are
 * sorted one after the other.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/base.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "base/text.h"
#include "work/name_rules.h"
#include "work/link.h"
#include "model/fields.h"
#include "model/sink.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the linker keeps of events, and the relations that it finds in that ---------------------------- */

enum { /* tl_host_span.bits */
	TL_SPAN_CPU_OP = 1,
	TL_SPAN_IN_TREE = 2,    /* a node: an operator, a call, or a frame if asked for */
	TL_SPAN_RECOMPUTE = 4,  /* recompute frame, or below one */
	TL_SPAN_BACKWARD = 8,   /* name of a backward node */
	TL_SPAN_GRAPH = 16,     /* launches a whole graph */
	TL_SPAN_TRACK_SHIFT = 8 /* the track's number above the flags */
};
enum { TL_SPAN_MAX_TRACKS = 1 << 24 };

struct tl_host_span {
	int64_t ts, dur;
	uint32_t uid;
	uint32_t bits;
};
struct tl_host_spans { struct tl_host_span *items; size_t n, cap; }; /* in file order */

static inline uint32_t tl_host_span_track(const struct tl_host_span *s)
{
	return s->bits >> TL_SPAN_TRACK_SHIFT;
}

/* ---- which runtime call launched which device events ------------------------------------ */

/* A call and a device event have up to two ids. Which of them links the two is known
 * only at the end of the trace. */
enum tl_launch_id { TL_BY_CORRELATION, TL_BY_EXTERNAL_ID, TL_N_IDS };
#define TL_NO_ID INT64_MIN /* the argument is absent or null */

struct tl_launches { /* each in file order */
	struct tl_call { int64_t id[TL_N_IDS]; uint32_t span; } *calls;
	struct tl_device { int64_t id[TL_N_IDS]; uint32_t uid, bits; } *devices; /* bits: track and flags */
	struct tl_arrow { int64_t id; uint32_t track; bool is_end; } *arrows;
	size_t n_calls, cap_calls, n_devices, cap_devices, n_arrows, cap_arrows;
};

struct tl_launch_options {
	enum tl_launch_id by;
	bool all_of_id;      /* there are no arrows: a call launched all device events of its id */
	const bool *is_whole; /* by track: process and thread are both known, so that an arrow may end there */
};
/* n calls and m device events of one id are n * m launches. So each device event is
 * linked to the first call that launched all events of its id, but further such links
 * are made only up to this number in all. */
#define TL_LAUNCHES_AGAIN(n_devices) (16 * (uint64_t)(n_devices) + (1 << 18))
/* Device events that a call launched; launches that were left out for being too many. */
struct tl_launch_counts { uint64_t linked, left_out; };

/* ---- which backward node belongs to which forward event --------------------------------- */

/* Events with a sequence number, in file order. of_ranges: some are ranges, which tell of each whether it is of the backward pass. */
struct tl_sequences {
	bool of_ranges;
	struct tl_numbered { int64_t number; uint32_t at, span; } *items;
	size_t n, cap;
};

enum { NONE = UINT32_MAX };

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

static enum tl_status push_relations(struct stacks *st, const struct tl_host_span *s, uint64_t parent, bool is_root,
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
		return push_relations(st, s, TL_NO_UID, false, err);
	}
	if (*top != NONE) {
		const struct tl_host_span *p = &st->spans->items[st->entries[*top].span];
		parent = p->uid;
		in_op = st->entries[*top].in_op;
		s->bits |= p->bits & TL_SPAN_RECOMPUTE;
	}
	*top = push(st, (struct entry){ number, *top, in_op || is_op });
	return push_relations(st, s, parent, is_op && !in_op, err);
}

/* Pushes a link for every node, root and recomputed node into `next`, in order of
 * start, and marks spans below recomputed ones as recomputed. The tracks of the spans
 * are numbers below n_tracks. *n_misfits receives how many nodes have no place in the
 * tree: tl-link(1), Call tree. */
static enum tl_status call_tree(struct tl_host_spans *spans, uint32_t n_tracks, int64_t ticks_per_us, struct tl_sink *next,
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

/* Calls and device events without any id are left out. */
static void launches_add_call(struct tl_launches *to, const int64_t id[TL_N_IDS], uint32_t span)
{
	if (!has_id(id))
		return;
	TL_PUSH(to->calls, to->n_calls, to->cap_calls, (struct tl_call){ { id[0], id[1] }, span });
}

static void launches_add_device(struct tl_launches *to, const int64_t id[TL_N_IDS], uint32_t uid, uint32_t track)
{
	if (!has_id(id))
		return;
	TL_PUSH(to->devices, to->n_devices, to->cap_devices,
		(struct tl_device){ { id[0], id[1] }, uid, track << TL_SPAN_TRACK_SHIFT });
}

static void launches_release(struct tl_launches *l)
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

/* Pushes a link for every launch into `next`, in order of the calls, and marks of
 * recomputed device events. */
static enum tl_status launches_push(struct tl_launches *l, const struct tl_host_spans *spans,
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

TL_ORDER_IN(by_number_and_start, struct tl_numbered, struct tl_host_span, TL_ASC(x->number) TL_ASC(ctx[x->span].ts) TL_DESC(ctx[x->span].dur))

struct pairs { struct pair *items; size_t n, cap; };

/* Of n ranges with one number, by start: each backward operator but those within another one, with the forward operator that began last
 * before it. */
static void pair_ranges(const struct tl_numbered *e, size_t n, const struct tl_host_spans *spans, struct pairs *to)
{
	uint32_t forward = NONE, outer = NONE;

	for (size_t i = 0; i < n; i++) {
		const struct tl_host_span *s = &spans->items[e[i].span], *around = outer == NONE ? NULL : &spans->items[outer];
		if (!(s->bits & TL_SPAN_BACKWARD)) {
			forward = e[i].span;
		} else if (!around || tl_host_span_track(around) != tl_host_span_track(s) || span_end(s) > span_end(around)) {
			outer = e[i].span;
			if (forward != NONE)
				TL_PUSH(to->items, to->n, to->cap, (struct pair){ e[i].at, forward, outer });
		}
	}
}

/* Pushes a link for each sequence number that has a backward node and a forward
 * event, tl-link(1), Backward: in the order in which the numbers first appear. */
static enum tl_status sequences_push(struct tl_sequences *s, const struct tl_host_spans *spans, int64_t ticks_per_us,
                                 struct tl_sink *next, struct tl_error *err)
{
	struct pairs pairs = { 0 };
	enum tl_status status = TL_OK;
	tl_merge_sort(s->items, s->n, sizeof *s->items, s->of_ranges ? by_number_and_start : by_number, spans->items);
	for (size_t i = 0, end; i < s->n; i = end) {
		for (end = i + 1; end < s->n && s->items[end].number == s->items[i].number;)
			end++;
		if (s->of_ranges) {
			pair_ranges(s->items + i, end - i, spans, &pairs);
			continue;
		}
		struct pair p = pair_up(s->items + i, end - i, spans, ticks_per_us);
		if (p.forward != NONE)
			TL_PUSH(pairs.items, pairs.n, pairs.cap, p);
	}
	tl_merge_sort(pairs.items, pairs.n, sizeof *pairs.items, by_place, NULL);
	for (size_t i = 0; i < pairs.n && status == TL_OK; i++)
		status = tl_push_link(next, TL_LINK_BACKWARD, spans->items[pairs.items[i].forward].uid,
		                      spans->items[pairs.items[i].backward].uid, err);
	free(pairs.items);
	return status;
}

/* ---- what the names of host events mean ------------------------------------------------- */

enum { /* bits */
	TL_NAME_LAUNCH = 1, TL_NAME_GRAPH = 2, TL_NAME_BACKWARD = 4, TL_NAME_RECOMPUTE = 8,
};

static const char *const name_bits[] = { "launch", "graph", "backward", "recompute", NULL }; /* from bit 0 on */

/* What is known of a string. */
enum { /* text_info.flags, above those of names */
	TEXT_KNOWN = 16, TEXT_NULL = 32, TEXT_INTEGRAL = 64, /* a number equal to an integer; hash holds that */
};
struct text_info { uint64_t hash; uint32_t flags; };

/* What is known of a layout. */
enum role { ROLE_NONE, ROLE_HOST, ROLE_CALL, ROLE_DEVICE, ROLE_ARROW };
struct place { uint16_t at; uint8_t type; }; /* of a field; type 0: absent */
struct layout_info {
	bool known;
	uint8_t role, flags;
	char ph;
	bool may_be_recompute, is_range, is_backward;
	uint32_t span_bits;
	struct place id[TL_N_IDS], arrow_id, sequence;
};

struct linker {
	struct tl_sink base;
	struct tl_sink *next;
	struct tl_link_options options;
	struct tl_link_report report;
	struct tl_name_rules *names;
	int64_t ticks_per_us;

	/* by the source's ids; an entry is zero until it is needed */
	const struct tl_tables *tables;
	struct text_info *texts;
	size_t n_texts, cap_texts;
	struct layout_info *layouts;
	size_t n_layouts, cap_layouts;
	struct tl_by_id tracks; /* -> own number + 1 */

	/* processes and threads, with numbers of our own: the source's ids end at a reset */
	struct tl_map own_tracks;
	bool *track_is_whole; /* neither process nor thread is absent */
	uint64_t *track_process; /* hash of the process */
	size_t cap_whole, cap_process;
	uint32_t n_tracks;

	struct tl_host_spans spans;
	struct tl_launches launches;
	struct tl_sequences sequences;
	bool by_known, call_has_correlation, may_lack_arrows;
	enum tl_launch_id by;
};

static struct linker *self(struct tl_sink *s)
{
	return (struct linker *)s;
}

/* ---- strings ---- */

static struct text_info text_of(struct linker *l, uint32_t id)
{
	if (!id)
		return (struct text_info){ 0, TEXT_NULL };
	if (id >= l->n_texts) {
		TL_GROW(l->texts, l->cap_texts, (size_t)id + 1);
		memset(l->texts + l->n_texts, 0, (id + 1 - l->n_texts) * sizeof *l->texts);
		l->n_texts = (size_t)id + 1;
	}
	if (!l->texts[id].flags) {
		const char *s = tl_str(&l->tables->strings, id);
		size_t len = tl_str_len(&l->tables->strings, id);
		struct text_info t = { tl_hash(s, len), TEXT_KNOWN | (uint32_t)tl_name_rules_all(l->names, s, len, name_bits) };
		int64_t value = 0;
		if (tl_text_is(s, len, "null"))
			t.flags |= TEXT_NULL;
		if (tl_parse_whole(s, len, &value)) {
			t.flags |= TEXT_INTEGRAL;
			t.hash = (uint64_t)value;
		}
		l->texts[id] = t;
	}
	return l->texts[id];
}

/* ---- tracks ---- */

static uint64_t id_hash(struct linker *l, uint32_t id)
{
	struct text_info t = text_of(l, id);
	return t.flags & TEXT_NULL ? 0 : tl_hash_u64(t.hash + (t.flags & TEXT_INTEGRAL));
}

/* The linker's number of a thread. Two events are on one thread if their pids and their
 * tids are equal, as numbers if both are numbers (1 and 1.0 are). Pairs are told apart
 * by 64-bit hashes: a collision among a few thousand threads is too rare to matter. */
static uint32_t own_track(struct linker *l, struct tl_track k)
{
	bool is_new;
	uint64_t key = tl_hash_u64(id_hash(l, k.pid) * 31 + 1) ^ id_hash(l, k.tid);
	uint32_t *number = tl_map_put(&l->own_tracks, key, &is_new);
	if (!is_new)
		return *number;
	TL_GROW(l->track_is_whole, l->cap_whole, (size_t)l->n_tracks + 1);
	TL_GROW(l->track_process, l->cap_process, (size_t)l->n_tracks + 1);
	l->track_process[l->n_tracks] = id_hash(l, k.pid);
	l->track_is_whole[l->n_tracks] = !(text_of(l, k.pid).flags & TEXT_NULL) && !(text_of(l, k.tid).flags & TEXT_NULL);
	return *number = l->n_tracks++;
}

static uint32_t track_of(struct linker *l, const struct tl_event *e)
{
	uint32_t *known = tl_by_id(&l->tracks, e->track);
	if (!*known)
		*known = own_track(l, tl_track_of(l->tables, e->track)) + 1;
	return *known - 1;
}

/* ---- layouts ---- */

static struct layout_info describe_layout(const struct linker *l, const struct tl_layout *layout)
{
	struct layout_info i = { .known = true, .flags = layout->flags, .ph = layout->ph };
	unsigned kind = layout->kind;
	if (tl_kind_is_gpu(kind))
		i.role = ROLE_DEVICE;
	else if (tl_kind_is_launch(kind))
		i.role = ROLE_CALL;
	else if (kind == TL_KIND_LAUNCH_FLOW)
		i.role = ROLE_ARROW;
	else if (kind == TL_KIND_CPU_OP || (kind == TL_KIND_PYTHON && l->options.python))
		i.role = ROLE_HOST;
	i.may_be_recompute = kind == TL_KIND_PYTHON && l->options.recompute;
	if (i.role == ROLE_HOST || i.role == ROLE_CALL)
		i.span_bits = TL_SPAN_IN_TREE | (kind == TL_KIND_CPU_OP ? TL_SPAN_CPU_OP : 0);
	for (uint32_t k = 0; k < layout->n_fields; k++) {
		const struct tl_field *f = &layout->fields[k];
		const char *key = tl_str(&l->tables->strings, f->key);
		size_t len = tl_str_len(&l->tables->strings, f->key);
		struct place place = { (uint16_t)k, f->type };
		if (f->top && tl_text_is(key, len, TL_KEY_FLOW_ID))
			i.arrow_id = place;
		else if (!f->top && tl_text_is(key, len, TL_KEY_CORRELATION))
			i.id[TL_BY_CORRELATION] = place;
		else if (!f->top && tl_text_is(key, len, TL_KEY_EXTERNAL_ID))
			i.id[TL_BY_EXTERNAL_ID] = place;
		else if (!f->top && tl_text_is(key, len, TL_KEY_SEQUENCE))
			i.sequence = place;
		i.is_range |= !f->top && kind == TL_KIND_CPU_OP && tl_text_is(key, len, TL_KEY_STYLE);
		i.is_backward |= !f->top && tl_text_is(key, len, TL_KEY_BACKWARD);
	}
	if (layout->kind == TL_KIND_CPU_OP && i.id[TL_BY_CORRELATION].type) /* in traces that tell of no calls */
		i.role = ROLE_CALL;
	return i;
}

/* ---- events ---- */

/* The value of an argument as an id. Whole numbers are themselves; texts and all
 * else are hashes in a range of their own, so that "1" is not 1. */
static int64_t id_value(struct linker *l, const struct tl_event *e, struct place p)
{
	if (!p.type)
		return TL_NO_ID;
	int64_t v = e->values[p.at];
	if (p.type == TL_FIELD_INT)
		return v == TL_NO_ID ? TL_NO_ID + 1 : v;
	struct text_info t = text_of(l, (uint32_t)v);
	if (p.type == TL_FIELD_JSON && t.flags & TEXT_NULL)
		return TL_NO_ID;
	if (p.type == TL_FIELD_JSON && t.flags & TEXT_INTEGRAL)
		return (int64_t)t.hash;
	uint64_t h = tl_hash_u64(t.hash ^ p.type);
	return (int64_t)(h >> 2 | (uint64_t)1 << 62);
}

static uint32_t add_span(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	uint32_t name = text_of(l, e->name).flags, bits = i->span_bits;
	if (i->is_range ? i->is_backward : name & TL_NAME_BACKWARD)
		bits |= TL_SPAN_BACKWARD;
	if (name & TL_NAME_GRAPH)
		bits |= TL_SPAN_GRAPH;
	if (name & TL_NAME_RECOMPUTE && i->may_be_recompute)
		bits |= TL_SPAN_RECOMPUTE;
	bits |= track_of(l, e) << TL_SPAN_TRACK_SHIFT;
	/* The number of a new span. */
	struct tl_host_spans *s = &l->spans;
	TL_GROW(s->items, s->cap, s->n + 1);
	s->items[s->n] = *(&(struct tl_host_span){ e->ts, e->dur, (uint32_t)e->uid, bits });
	return (uint32_t)s->n++;
}

/* The first runtime call that launches decides which argument links. */
static void decide_id(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	if (l->by_known || i->role != ROLE_CALL || !(text_of(l, e->name).flags & TL_NAME_LAUNCH))
		return;
	l->by_known = true;
	l->by = i->id[TL_BY_CORRELATION].type ? TL_BY_CORRELATION : TL_BY_EXTERNAL_ID;
}

static void add_arrow(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	int64_t id = id_value(l, e, i->arrow_id);
	if (id == TL_NO_ID || (i->ph != 's' && i->ph != 'f'))
		return;
	struct tl_launches *to = &l->launches;
	TL_PUSH(to->arrows, to->n_arrows, to->cap_arrows, (struct tl_arrow){ id, track_of(l, e), i->ph == 'f' });
	l->report.n_arrows++;
}

/* A sequence number means something in its process only: in a joined trace each rank
 * counts from 0. So numbers of a process are moved by a hash of the process, which keeps
 * their order; that two processes meet is too rare to matter. */
static int64_t sequence_of(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	int64_t sequence = i->flags & TL_HAS_TS ? id_value(l, e, i->sequence) : TL_NO_ID;
	if (sequence == TL_NO_ID)
		return TL_NO_ID;
	uint32_t track = track_of(l, e); /* may move track_process */
	int64_t moved = (int64_t)((uint64_t)sequence + l->track_process[track]);
	return moved == TL_NO_ID ? moved + 1 : moved;
}

static void add_timed(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	int64_t id[TL_N_IDS] = { id_value(l, e, i->id[0]), id_value(l, e, i->id[1]) };
	int64_t sequence = sequence_of(l, e, i);
	bool is_host = i->role == ROLE_HOST || i->role == ROLE_CALL;
	uint32_t span = is_host || sequence != TL_NO_ID ? add_span(l, e, i) : 0;
	l->report.n_host += is_host;
	if (sequence != TL_NO_ID) {
		struct tl_sequences *s = &l->sequences;
		s->of_ranges |= i->is_range;
		TL_GROW(s->items, s->cap, s->n + 1);
		s->items[s->n] = (struct tl_numbered){ sequence, (uint32_t)s->n, span };
		s->n++;
	}
	if (i->role == ROLE_CALL) {
		l->call_has_correlation |= i->id[TL_BY_CORRELATION].type != 0;
		launches_add_call(&l->launches, id, span);
	} else if (i->role == ROLE_DEVICE) {
		launches_add_device(&l->launches, id, (uint32_t)e->uid, track_of(l, e));
		l->report.n_gpu++;
	}
}

static void record(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	const uint8_t timed = TL_HAS_TS | TL_HAS_DUR;
	decide_id(l, e, i);
	if (i->role == ROLE_ARROW)
		add_arrow(l, e, i);
	else if (i->role != ROLE_NONE && (i->flags & timed) != timed)
		l->report.n_bad++;
	else
		add_timed(l, e, i);
}

static enum tl_status take(struct linker *l, const struct tl_event *e, struct tl_error *err)
{
	uint32_t id = e->layout;
	if (id >= l->n_layouts) {
		TL_GROW(l->layouts, l->cap_layouts, (size_t)id + 1);
		memset(l->layouts + l->n_layouts, 0, (id + 1 - l->n_layouts) * sizeof *l->layouts);
		l->n_layouts = (size_t)id + 1;
	}
	if (!l->layouts[id].known)
		l->layouts[id] = describe_layout(l, tl_layout_of(l->tables, id));
	const struct layout_info *i = &l->layouts[id];
	if (i->role == ROLE_NONE && !i->sequence.type)
		return TL_OK;
	if (e->uid > UINT32_MAX - 2 || l->spans.n > UINT32_MAX - 2)
		return tl_fail(err, TL_ERR_DATA, "event %llu: linking takes event numbers below 2^32 - 2",
		               (unsigned long long)e->uid);
	record(l, e, i);
	if (l->n_tracks > TL_SPAN_MAX_TRACKS)
		return tl_fail(err, TL_ERR_DATA, "event %llu: more than %d threads", (unsigned long long)e->uid,
		               TL_SPAN_MAX_TRACKS);
	return TL_OK;
}

/* ---- the sink ---- */

static enum tl_status begin(struct tl_sink *s, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct linker *l = self(s);
	struct tl_header out = *h;
	l->tables = tables;
	l->ticks_per_us = h->ticks_per_us;
	l->may_lack_arrows = h->source && !strcmp(h->source, "pytorch");
	l->report.kept = h->linked && l->options.keep;
	if (l->report.kept && l->options.python && !h->python && !l->options.any_tree)
		return tl_fail(err, TL_ERR_DATA,
		               "the stream was linked without Python frames, which this needs; use tl-link --python");
	if (!l->report.kept) {
		out.linked = true;
		out.python = l->options.python;
	}
	return l->next->ops->begin(l->next, &out, tables, err);
}

static void reset(struct tl_sink *s)
{
	struct linker *l = self(s);
	l->n_texts = l->n_layouts = 0;
	tl_by_id_forget(&l->tracks);
	l->next->ops->reset(l->next);
}

static enum tl_status add_meta(struct tl_sink *s, const char *key, size_t key_len,
                               const char *json, size_t json_len, struct tl_error *err)
{
	struct linker *l = self(s);
	if (tl_text_is(key, key_len, TL_META_WRITER)) /* others write no such arrows */
		l->may_lack_arrows = false;
	return l->next->ops->meta(l->next, key, key_len, json, json_len, err);
}

static enum tl_status add_event(struct tl_sink *s, const struct tl_event *e, struct tl_error *err)
{
	struct linker *l = self(s);
	enum tl_status status = l->report.kept ? TL_OK : take(l, e, err);
	return status == TL_OK ? l->next->ops->event(l->next, e, err) : status;
}

/* Links of an earlier linker are replaced by ours. */
static enum tl_status add_link(struct tl_sink *s, const struct tl_link *link, struct tl_error *err)
{
	struct linker *l = self(s);
	return l->report.kept ? l->next->ops->link(l->next, link, err) : TL_OK;
}

static enum tl_status push_links(struct linker *l, struct tl_error *err)
{
	l->report.by_correlation = !l->report.n_arrows && l->report.n_gpu;
	l->report.lacks_arrows = l->report.by_correlation && l->may_lack_arrows;
	if (!l->by_known)
		l->by = l->report.by_correlation && l->call_has_correlation ? TL_BY_CORRELATION : TL_BY_EXTERNAL_ID;
	struct tl_launch_counts launches = { 0, 0 };
	struct tl_launch_options o = { l->by, l->report.by_correlation, l->track_is_whole };
	enum tl_status status = call_tree(&l->spans, l->n_tracks, l->ticks_per_us, l->next,
	                                     &l->report.n_dropped_nodes, err);
	if (status == TL_OK)
		status = launches_push(&l->launches, &l->spans, &o, l->next, &launches, err);
	l->report.n_linked_gpu = launches.linked;
	l->report.n_left_out = launches.left_out;
	launches_release(&l->launches);
	if (status == TL_OK)
		status = sequences_push(&l->sequences, &l->spans, l->ticks_per_us, l->next, err);
	return status;
}

static enum tl_status end(struct tl_sink *s, struct tl_error *err)
{
	struct linker *l = self(s);
	enum tl_status status = l->report.kept ? TL_OK : push_links(l, err);
	return status == TL_OK ? l->next->ops->end(l->next, err) : status;
}

struct tl_sink *tl_linker_new(struct tl_sink *next, const struct tl_link_options *o)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = add_meta, .event = add_event, .link = add_link, .end = end,
	};
	struct linker *l = tl_calloc(1, sizeof *l);
	l->base.ops = &ops;
	l->next = next;
	if (o)
		l->options = *o;
	l->options.python |= l->options.recompute;
	l->names = tl_name_rules_new(TL_HOST_NAMES);
	return &l->base;
}

const struct tl_link_report *tl_linker_report(const struct tl_sink *s)
{
	return &((const struct linker *)s)->report;
}

void tl_linker_free(struct tl_sink *s)
{
	if (!s)
		return;
	struct linker *l = self(s);
	tl_name_rules_free(l->names);
	free(l->texts);
	free(l->layouts);
	tl_by_id_release(&l->tracks);
	tl_map_release(&l->own_tracks);
	free(l->track_is_whole);
	free(l->track_process);
	free(l->spans.items);
	launches_release(&l->launches);
	free(l->sequences.items);
	free(l);
}
