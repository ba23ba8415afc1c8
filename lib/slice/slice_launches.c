/* slice_launches.c - which call launched which device event, linked or not.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "slice/slice_launches.h"

#include "analysis/device_events.h"

#include <stdlib.h>
#include <string.h>

/* Calls by correlation. */
struct calls {
	struct tl_arg_cells *cells;
	struct tl_arg correlation;
	struct tl_strtab ids;  /* correlations as bytes */
	uint32_t *of; size_t cap; /* [id - 1]: the call; TL_NONE: several */
};

/* The number of the event's correlation in c->ids; 0: it has none or, unless `add`, none
 * that is known. */
static uint32_t id_of(struct calls *c, uint32_t event, bool add)
{
	struct tl_cell id = tl_arg_cell(c->cells, &c->correlation, event);
	unsigned char key[TL_CELL_KEY];

	if (id.type == TL_CELL_NULL)
		return 0;
	tl_cell_key(id, key);
	return add ? tl_intern(&c->ids, (const char *)key, sizeof key)
	           : tl_strtab_find(&c->ids, (const char *)key, sizeof key);
}

static void add_call(struct calls *c, uint32_t event)
{
	uint32_t known = c->ids.count, id = id_of(c, event, true);

	if (!id)
		return;
	TL_GROW(c->of, c->cap, id);
	c->of[id - 1] = id > known ? event : TL_NONE;
}

struct tl_launch *tl_slice_launches(struct tl_trace *t, struct tl_arg_cells *cells, size_t *n)
{
	struct calls c = { .cells = cells };
	size_t cap = t->n_launches + 1;
	struct tl_launch *out = tl_alloc(cap * sizeof *out);

	*n = t->n_launches;
	if (*n)
		memcpy(out, t->launches, *n * sizeof *out);
	tl_arg_init(&c.correlation, t, TL_KEY_CORRELATION);
	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_kind_is_launch(t->events[i].kind) && t->events[i].flags & TL_EV_HAS_TS)
			add_call(&c, i);
	for (uint32_t i = 0; i < t->n_events; i++) {
		uint32_t id = tl_gpu_usable(&t->events[i]) && !tl_gpu_linked(&t->events[i]) ? id_of(&c, i, false) : 0;
		if (!id || c.of[id - 1] == TL_NONE)
			continue;
		TL_GROW(out, cap, *n + 1);
		out[(*n)++] = (struct tl_launch){ c.of[id - 1], i };
	}
	tl_arg_release(&c.correlation);
	tl_strtab_release(&c.ids);
	free(c.of);
	return out;
}
