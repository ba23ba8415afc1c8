/* launch.c - launches by arrow or correlation. What shares an id is gathered in
 * a group while events arrive, so that in the end calls only look at theirs.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/linker.h"

#include <stdlib.h>
#include <string.h>

static struct device *device_at(const struct linker *l, uint32_t i)
{
	return blocks_at(&l->devices, i, sizeof(struct device));
}

static struct group *group_at(const struct linker *l, uint32_t i)
{
	return blocks_at(&l->groups.records, i, sizeof(struct group));
}

/* ---- groups by id ---- */

static uint32_t *slot_of(const struct linker *l, int64_t id)
{
	const struct groups *g = &l->groups;
	size_t i = tl_hash_u64((uint64_t)id) & (g->size - 1);
	while (g->slots[i] != NONE && group_at(l, g->slots[i])->id != id)
		i = (i + 1) & (g->size - 1);
	return &g->slots[i];
}

/* The records hold the keys: the smaller table is gone before the larger one is made. */
static void grow(struct linker *l)
{
	struct groups *g = &l->groups;
	g->size = g->size ? g->size * 2 : 256;
	free(g->slots);
	g->slots = tl_alloc(g->size * sizeof *g->slots);
	memset(g->slots, 0xff, g->size * sizeof *g->slots); /* NONE */
	for (uint32_t i = 0; i < g->records.n; i++)
		*slot_of(l, group_at(l, i)->id) = i;
}

static uint32_t group_of(struct linker *l, int64_t id)
{
	struct groups *g = &l->groups;
	if (g->records.n && group_at(l, g->latest)->id == id)
		return g->latest;
	if (g->records.n >= g->size / 3 * 2)
		grow(l);
	uint32_t *slot = slot_of(l, id);
	if (*slot == NONE) {
		*slot = (uint32_t)g->records.n;
		struct group *r = blocks_add(&g->records, sizeof *r);
		*r = (struct group){ id, NONE, 0 };
	}
	return g->latest = *slot;
}

/* ---- while events arrive ---- */

void tl_link_add_call(struct linker *l, int64_t id, uint32_t span)
{
	if (id == NO_VALUE)
		return;
	uint32_t group = group_of(l, id);
	struct call *c = blocks_add(&l->calls, sizeof *c);
	*c = (struct call){ group, span };
}

void tl_link_add_device(struct linker *l, int64_t id, uint32_t uid, uint32_t track)
{
	if (id == NO_VALUE)
		return;
	struct group *g = group_at(l, group_of(l, id));
	uint32_t number = (uint32_t)l->devices.n;
	struct device *d = blocks_add(&l->devices, sizeof *d);
	*d = (struct device){ uid, number, track << FLAG_BITS };
	if (g->last != NONE) {
		struct device *last = device_at(l, g->last);
		d->next = last->next;
		last->next = number;
	}
	g->last = number;
}

void tl_link_add_arrow(struct linker *l, int64_t id, bool is_end, uint32_t track)
{
	struct group *g = group_at(l, group_of(l, id));
	if (is_end)
		g->end = track << FLAG_BITS | (g->end & ARROW_START) | ARROW_END;
	else
		g->end |= ARROW_START;
}

/* ---- in the end ---- */

void tl_link_launches_ready(struct linker *l)
{
	free(l->groups.slots);
	l->groups.slots = NULL;
}

static enum tl_status launch(struct linker *l, const struct span *s, struct device *d, struct tl_error *err)
{
	enum tl_status status = emit(l, TL_LINK_LAUNCH, s->uid, d->uid, err);
	l->report.n_linked_gpu += !(d->bits & DEVICE_LINKED);
	d->bits |= DEVICE_LINKED;
	if (status == TL_OK && s->bits & SPAN_RECOMPUTE && !(d->bits & DEVICE_RECOMPUTE)) {
		d->bits |= DEVICE_RECOMPUTE;
		status = emit(l, TL_LINK_RECOMPUTE, d->uid, TL_NO_UID, err);
	}
	return status;
}

static enum tl_status launch_all(struct linker *l, const struct span *s, const struct group *g, struct tl_error *err)
{
	enum tl_status status = TL_OK;
	uint32_t i = g->last;
	if (i == NONE)
		return TL_OK;
	do {
		i = device_at(l, i)->next;
		status = launch(l, s, device_at(l, i), err);
	} while (i != g->last && status == TL_OK);
	return status;
}

/* The last device event of the group on the arrow's device and stream, found
 * once: its number takes the place of the id. */
static uint32_t arrow_target(const struct linker *l, struct group *g)
{
	if (g->end & ARROW_RESOLVED)
		return (uint32_t)g->id;
	uint32_t track = g->end >> FLAG_BITS, target = NONE, i = g->last;
	if (i != NONE && l->track_whole[track]) {
		do {
			i = device_at(l, i)->next;
			if (device_at(l, i)->bits >> FLAG_BITS == track)
				target = i;
		} while (i != g->last);
	}
	g->end |= ARROW_RESOLVED;
	g->id = target;
	return target;
}

static enum tl_status launch_one(struct linker *l, const struct span *s, struct group *g, struct tl_error *err)
{
	if (!(g->end & ARROW_START) || !(g->end & ARROW_END))
		return TL_OK;
	uint32_t target = arrow_target(l, g);
	return target == NONE ? TL_OK : launch(l, s, device_at(l, target), err);
}

enum tl_status tl_link_launches(struct linker *l, struct tl_error *err)
{
	enum tl_status status = TL_OK;
	bool by_correlation = l->report.by_correlation;
	for (size_t i = 0; i < l->calls.n && status == TL_OK; i++) {
		const struct call *c = blocks_at(&l->calls, i, sizeof *c);
		const struct span *s = span_at(l, c->span);
		struct group *g = group_at(l, c->group);
		status = s->bits & SPAN_GRAPH || by_correlation ? launch_all(l, s, g, err) : launch_one(l, s, g, err);
	}
	return status;
}
