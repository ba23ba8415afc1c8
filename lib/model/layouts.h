/* layouts.h - a table of distinct event layouts, found by content.
 * For sinks that keep them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_LAYOUTS_H
#define TL_LAYOUTS_H

#include "base/base.h"
#include "model/sink.h"

struct tl_layout_entry {
	struct tl_layout l; /* its fields are the table's */
	uint32_t chain;     /* next id with the same hash */
	uint32_t out;       /* the owner's: 0 in a new entry */
};
struct tl_layouts {
	struct tl_layout_entry *items; /* ids from 1 on: [0] is id 1 */
	uint32_t n;
	size_t cap, n_fields;
	struct tl_map by_hash;
	struct tl_arena fields;
};

/* The id of a layout, from 1 on in order of first use. */
uint32_t tl_layouts_add(struct tl_layouts *t, const struct tl_layout *l);
void tl_layouts_clear(struct tl_layouts *t); /* frees everything, ready for use */

#endif
