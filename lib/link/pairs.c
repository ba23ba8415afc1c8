/* pairs.c - forward to backward by sequence number.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/linker.h"

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
