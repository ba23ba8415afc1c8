/* match.c - launches by arrow or correlation, forward to backward by sequence
 * number, annotations by time.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/private.h"

#include <stdlib.h>
#include <string.h>

/* Hash table of record numbers, built when the number of records is known. The
 * records hold the keys: each kind starts with its int64_t key. */
struct table {
	const struct blocks *records;
	size_t record_size, mask;
	uint32_t *slots;
};

static void table_init(struct table *t, const struct blocks *records, size_t record_size)
{
	size_t size = 16;
	while (size < records->n + records->n / 2)
		size *= 2;
	t->records = records;
	t->record_size = record_size;
	t->mask = size - 1;
	t->slots = tl_alloc(size * sizeof *t->slots);
	memset(t->slots, 0xff, size * sizeof *t->slots); /* NONE */
}

static int64_t key_of(const struct table *t, uint32_t record)
{
	int64_t key;
	memcpy(&key, blocks_at(t->records, record, t->record_size), sizeof key);
	return key;
}

static uint32_t *table_slot(const struct table *t, int64_t key)
{
	size_t i = tl_hash_u64((uint64_t)key) & t->mask;
	while (t->slots[i] != NONE && key_of(t, t->slots[i]) != key)
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

/* ---- launches ---- */

static struct device *device_at(const struct linker *l, uint32_t i)
{
	return blocks_at(&l->devices, i, sizeof(struct device));
}

static struct arrow *arrow_at(const struct linker *l, uint32_t i)
{
	return blocks_at(&l->arrows, i, sizeof(struct arrow));
}

/* Device events by id: the slot leads to the first in file order, next to the
 * following ones. */
static void index_devices(struct linker *l, struct table *t)
{
	table_init(t, &l->devices, sizeof(struct device));
	for (size_t i = l->devices.n; i-- > 0;) {
		struct device *d = device_at(l, (uint32_t)i);
		d->next = NONE;
		if (d->id == NO_VALUE)
			continue;
		uint32_t *slot = table_slot(t, d->id);
		d->next = *slot;
		*slot = (uint32_t)i;
	}
}

/* Arrows by id: the first record of an id gathers what the others say. */
static void index_arrows(struct linker *l, struct table *t)
{
	table_init(t, &l->arrows, sizeof(struct arrow));
	for (size_t i = 0; i < l->arrows.n; i++) {
		const struct arrow *a = arrow_at(l, (uint32_t)i);
		uint32_t *slot = table_slot(t, a->id);
		if (*slot == NONE)
			*slot = (uint32_t)i;
		struct arrow *first = arrow_at(l, *slot);
		first->state |= a->state;
		if (a->state & ARROW_END)
			first->end_track = a->end_track;
	}
}

struct launcher {
	struct linker *l;
	struct table devices, arrows;
};

static enum tl_status launch(struct linker *l, const struct call *c, struct device *d, struct tl_error *err)
{
	const struct span *s = span_at(l, c->span);
	enum tl_status status = emit(l, TL_LINK_LAUNCH, s->uid, d->uid, err);
	l->report.n_linked_gpu += !(d->linked & 1);
	d->linked |= 1;
	if (status == TL_OK && s->bits & SPAN_RECOMPUTE && !(d->linked & 2)) {
		d->linked |= 2;
		status = emit(l, TL_LINK_RECOMPUTE, d->uid, TL_NO_UID, err);
	}
	return status;
}

static enum tl_status launch_all(struct launcher *w, const struct call *c, struct tl_error *err)
{
	enum tl_status status = TL_OK;
	for (uint32_t i = *table_slot(&w->devices, c->id); i != NONE && status == TL_OK;) {
		struct device *d = device_at(w->l, i);
		status = launch(w->l, c, d, err);
		i = d->next;
	}
	return status;
}

/* The last device event with the arrow's id on the arrow's device and stream,
 * found once per id. */
static uint32_t arrow_target(struct launcher *w, struct arrow *a)
{
	if (a->state & ARROW_RESOLVED)
		return a->end_track;
	uint32_t target = NONE;
	for (uint32_t i = *table_slot(&w->devices, a->id); i != NONE; i = device_at(w->l, i)->next)
		if (device_at(w->l, i)->track == a->end_track && w->l->track_whole[a->end_track])
			target = i;
	a->state |= ARROW_RESOLVED;
	return a->end_track = target;
}

static enum tl_status launch_one(struct launcher *w, const struct call *c, struct tl_error *err)
{
	uint32_t slot = *table_slot(&w->arrows, c->id);
	if (slot == NONE)
		return TL_OK;
	struct arrow *a = arrow_at(w->l, slot);
	if (!(a->state & ARROW_START) || !(a->state & ARROW_END))
		return TL_OK;
	uint32_t target = arrow_target(w, a);
	return target == NONE ? TL_OK : launch(w->l, c, device_at(w->l, target), err);
}

enum tl_status tl_link_launches(struct linker *l, struct tl_error *err)
{
	struct launcher w = { .l = l };
	enum tl_status status = TL_OK;
	bool by_correlation = l->report.by_correlation;
	index_devices(l, &w.devices);
	index_arrows(l, &w.arrows);
	for (size_t i = 0; i < l->calls.n && status == TL_OK; i++) {
		const struct call *c = blocks_at(&l->calls, i, sizeof *c);
		if (c->id == NO_VALUE)
			continue;
		status = c->graph || by_correlation ? launch_all(&w, c, err) : launch_one(&w, c, err);
	}
	free(w.devices.slots);
	free(w.arrows.slots);
	return status;
}

/* ---- forward to backward ---- */

static struct numbered *numbered_at(const struct linker *l, uint32_t i)
{
	return blocks_at(&l->numbered, i, sizeof(struct numbered));
}

/* The events of one sequence number, from the first: the first backward node
 * and the latest starting event on another thread belong together. */
static enum tl_status pair_up(struct linker *l, uint32_t first, struct tl_error *err)
{
	const struct span *backward = NULL, *forward = NULL;
	uint32_t i;
	for (i = first; i != NONE && !backward; i = numbered_at(l, i)->next) {
		const struct span *s = span_at(l, numbered_at(l, i)->span);
		if (s->bits & SPAN_BACKWARD)
			backward = s;
	}
	if (!backward)
		return TL_OK;
	int64_t latest = -l->ticks_per_us;
	for (i = first; i != NONE; i = numbered_at(l, i)->next) {
		const struct span *s = span_at(l, numbered_at(l, i)->span);
		if (span_track(s) != span_track(backward) && s->ts > latest) {
			latest = s->ts;
			forward = s;
		}
	}
	return forward ? emit(l, TL_LINK_BACKWARD, forward->uid, backward->uid, err) : TL_OK;
}

enum tl_status tl_link_backward(struct linker *l, struct tl_error *err)
{
	struct table t;
	enum tl_status status = TL_OK;
	table_init(&t, &l->numbered, sizeof(struct numbered));
	for (size_t i = l->numbered.n; i-- > 0;) {
		struct numbered *r = numbered_at(l, (uint32_t)i);
		uint32_t *slot = table_slot(&t, r->number);
		r->next = *slot;
		*slot = (uint32_t)i;
	}
	for (uint32_t i = 0; i < l->numbered.n && status == TL_OK; i++)
		if (*table_slot(&t, numbered_at(l, i)->number) == i)
			status = pair_up(l, i, err);
	free(t.slots);
	return status;
}

/* ---- annotations ---- */

/* Annotations in start order, with the latest end up to each: the first whose
 * end lies behind an event's end is the first place where that passes it. */
struct labels { size_t n; uint64_t *order, mask; int64_t *latest_end; };

static enum tl_status label(struct linker *l, const struct labels *a, const struct span *s,
                            struct tl_error *err)
{
	int64_t end = span_end(s);
	size_t lo = 0, hi = a->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (a->latest_end[mid] > end)
			hi = mid;
		else
			lo = mid + 1;
	}
	if (lo == a->n)
		return TL_OK;
	const struct span *found = span_at(l, a->order[lo] & a->mask);
	return found->ts <= s->ts ? emit(l, TL_LINK_ANNOTATE, s->uid, found->uid, err) : TL_OK;
}

enum tl_status tl_link_annotations(struct linker *l, struct tl_error *err)
{
	struct labels a;
	enum tl_status status = TL_OK;
	if (!l->n_labelled)
		return TL_OK;
	a.order = tl_link_sort(l, true, &a.n, &a.mask);
	a.latest_end = tl_alloc((a.n + 1) * sizeof *a.latest_end);
	for (size_t i = 0; i < a.n; i++) {
		int64_t end = span_end(span_at(l, a.order[i] & a.mask));
		a.latest_end[i] = i && a.latest_end[i - 1] > end ? a.latest_end[i - 1] : end;
	}
	for (size_t i = 0; i < l->spans.n && a.n && status == TL_OK; i++)
		if (span_at(l, i)->bits & SPAN_LABELLED)
			status = label(l, &a, span_at(l, i), err);
	free(a.latest_end);
	free(a.order);
	return status;
}
