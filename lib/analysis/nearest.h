/* nearest.h - the nearest event of a kind at or above another one. Each event of the tree
 * is looked at once, so that deep trees take no longer than flat ones.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_NEAREST_H
#define TL_NEAREST_H

#include "model/trace.h"

/* Is it this event, one above, or none? */
enum tl_nearest_answer { TL_NEAREST_THIS, TL_NEAREST_ABOVE, TL_NEAREST_NONE };

/* The trace's tree stays as it is while the struct is in use. */
struct tl_nearest {
	const struct tl_trace *trace;
	enum tl_nearest_answer (*ask)(const struct tl_trace *, uint32_t event, uintptr_t ctx);
	uintptr_t ctx;   /* for ask: a number, or a pointer */
	uint32_t *known; /* private */
};
/* The nearest one at or above an event by parent links, or TL_NONE; so for TL_NONE. */
uint32_t tl_nearest(struct tl_nearest *, uint32_t event);
void tl_nearest_release(struct tl_nearest *);

/* Asks for operators. */
enum tl_nearest_answer tl_nearest_operator(const struct tl_trace *, uint32_t event, uintptr_t unused);

#endif
