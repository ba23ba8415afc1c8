/* layouts.c - a table of distinct event layouts, found by content.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "model/layouts.h"

static uint64_t mix(uint64_t h, uint64_t x)
{
	return tl_hash_u64(h ^ x) + 0x9e3779b97f4a7c15u;
}

static uint64_t hash_layout(const struct tl_layout *l)
{
	uint64_t h = mix(l->cat, (uint64_t)l->kind << 16 | (uint64_t)(uint8_t)l->ph << 8 | l->flags);

	for (uint32_t i = 0; i < l->n_fields; i++) {
		const struct tl_field *f = &l->fields[i];
		h = mix(h, (uint64_t)f->key << 16 | (uint64_t)f->type << 8 | f->top);
	}
	return h;
}

static bool same_layout(const struct tl_layout *a, const struct tl_layout *b)
{
	if (a->cat != b->cat || a->kind != b->kind || a->ph != b->ph || a->flags != b->flags ||
	    a->n_fields != b->n_fields)
		return false;
	for (uint32_t i = 0; i < a->n_fields; i++)
		if (a->fields[i].key != b->fields[i].key || a->fields[i].type != b->fields[i].type ||
		    a->fields[i].top != b->fields[i].top)
			return false;
	return true;
}

uint32_t tl_layouts_add(struct tl_layouts *t, const struct tl_layout *l)
{
	uint32_t *head = tl_map_put(&t->by_hash, hash_layout(l), NULL);
	struct tl_field *fields;

	for (uint32_t id = *head; id; id = t->items[id - 1].chain)
		if (same_layout(&t->items[id - 1].l, l))
			return id;
	TL_GROW(t->items, t->cap, t->n + (size_t)1);
	fields = tl_arena_alloc(&t->fields, l->n_fields * sizeof *fields);
	if (l->n_fields)
		memcpy(fields, l->fields, l->n_fields * sizeof *fields);
	t->items[t->n] = (struct tl_layout_entry){ .l = *l, .chain = *head };
	t->items[t->n].l.fields = fields;
	t->n_fields += l->n_fields;
	*head = ++t->n;
	return t->n;
}

void tl_layouts_clear(struct tl_layouts *t)
{
	free(t->items);
	tl_map_release(&t->by_hash);
	tl_arena_release(&t->fields);
	*t = (struct tl_layouts){ 0 };
	tl_arena_init(&t->fields);
}
