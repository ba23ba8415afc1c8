/* categories.c - the categories of the operators of a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "roofline/categories.h"

uint32_t tl_event_category(struct tl_categories *c, uint32_t event, uint32_t name)
{
	struct tl_strtab *s = &c->trace->strings;
	uint32_t at = c->launchers->of_event[event], kernel = 0;
	bool is_new;

	if (at != TL_NONE)
		kernel = c->trace->events[c->launchers->by_ts[c->launchers->items[at].first]].name;
	uint32_t *known = tl_map_put(&c->known, (uint64_t)name << 32 | kernel, &is_new);
	if (is_new)
		*known = tl_intern_str(s, tl_op_category(c->registry, tl_str(s, name), kernel ? tl_str(s, kernel) : NULL));
	return *known;
}

void tl_categories_release(struct tl_categories *c)
{
	tl_map_release(&c->known);
}
