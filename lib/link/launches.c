/* launches.c - which runtime call launched which device events. Calls, arrows and
 * device events of an id may come in any order, so all are kept until the end;
 * then device events and arrows are sorted by id, and each call looks up its own.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/launches.h"

#include "base/merge_sort.h"
#include "base/search.h"

#include <stdlib.h>

enum { NONE = UINT32_MAX };
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
	TL_GROW(l->calls, l->cap_calls, l->n_calls + 1);
	l->calls[l->n_calls++] = (struct tl_call){ { id[0], id[1] }, span };
}

void tl_launches_add_device(struct tl_launches *l, const int64_t id[TL_N_IDS], uint32_t uid, uint32_t track)
{
	if (!has_id(id))
		return;
	TL_GROW(l->devices, l->cap_devices, l->n_devices + 1);
	l->devices[l->n_devices++] = (struct tl_device){ { id[0], id[1] }, uid, track << TL_SPAN_TRACK_SHIFT };
}

void tl_launches_add_arrow(struct tl_launches *l, int64_t id, bool is_end, uint32_t track)
{
	TL_GROW(l->arrows, l->cap_arrows, l->n_arrows + 1);
	l->arrows[l->n_arrows++] = (struct tl_arrow){ id, track, is_end };
}

void tl_launches_release(struct tl_launches *l)
{
	free(l->calls);
	free(l->devices);
	free(l->arrows);
	*l = (struct tl_launches){ 0 };
}

/* ---- groups by id ---- */

static int by_id(const void *a, const void *b, void *by)
{
	int k = *(const enum tl_launch_id *)by;
	int64_t x = ((const struct tl_device *)a)->id[k], y = ((const struct tl_device *)b)->id[k];
	return x < y ? -1 : x > y;
}

static int by_arrow_id(const void *a, const void *b, void *unused)
{
	int64_t x = ((const struct tl_arrow *)a)->id, y = ((const struct tl_arrow *)b)->id;
	(void)unused;
	return x < y ? -1 : x > y;
}

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
		TL_GROW(p->groups, cap, p->n_groups + 1);
		p->groups[p->n_groups++] = g;
	}
}

static struct group *find_group(const struct pusher *p, int64_t id)
{
	size_t at;

	TL_SEARCH(at, p->n_groups, mid, p->groups[mid].id < id);
	return at < p->n_groups && p->groups[at].id == id ? &p->groups[at] : NULL;
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

/* A call that launched all device events of its id. Several such calls of one id are
 * linked as long as that does not multiply the links of the trace. */
static enum tl_status push_group(struct pusher *p, const struct tl_host_span *call, struct group *g)
{
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

static enum tl_status push_call(struct pusher *p, const struct tl_call *c)
{
	const struct tl_host_span *call = &p->spans->items[c->span];
	struct group *g = find_group(p, c->id[p->o->by]);
	if (!g)
		return TL_OK;
	if (p->o->all_of_id || call->bits & TL_SPAN_GRAPH)
		return push_group(p, call, g);
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
